/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What kernels from 5.15 on have by other names or in other forms: the only place that asks for a
 * version. Each entry names the one that changed it, and what the newest has. Names begin with ls_,
 * because a distribution may have taken a change into an older version.
 */
#ifndef LS_COMPAT_H
#define LS_COMPAT_H

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sysfs.h>
#include <linux/uio.h>
#include <linux/version.h>

#define LS_SINCE(major, minor)	(LINUX_VERSION_CODE >= KERNEL_VERSION(major, minor, 0))

/* 5.16: a call has one result. */
static inline void ls_kiocb_complete(struct kiocb *iocb, long result)
{
#if LS_SINCE(5, 16)
	iocb->ki_complete(iocb, result);
#else
	iocb->ki_complete(iocb, result, 0);
#endif
}

/* 5.19: fences say what they are for. Those that a reader, or a writer, of a buffer waits for. */
static inline long ls_resv_wait(struct dma_resv *resv, bool write, unsigned long ticks)
{
#if LS_SINCE(5, 19)
	return dma_resv_wait_timeout(resv, dma_resv_usage_rw(write), true, ticks);
#else
	return dma_resv_wait_timeout(resv, write, true, ticks);
#endif
}

/* 5.19, too: all fences, whatever signals come. */
static inline long ls_resv_wait_all(struct dma_resv *resv, unsigned long ticks)
{
#if LS_SINCE(5, 19)
	return dma_resv_wait_timeout(resv, DMA_RESV_USAGE_BOOKKEEP, false, ticks);
#else
	return dma_resv_wait_timeout(resv, true, false, ticks);
#endif
}

/* 5.19: what an IOMMU can is asked of a device, not of its bus. */
static inline bool ls_iommu_capable(struct device *dev, enum iommu_cap cap)
{
#if LS_SINCE(5, 19)
	return device_iommu_capable(dev, cap);
#else
	return device_iommu_mapped(dev) && iommu_capable(dev->bus, cap);
#endif
}

/* 6.0: memory of a process in one piece is no vector, and there are two kinds. */
static inline bool ls_iter_is_user(const struct iov_iter *iter)
{
#if LS_SINCE(6, 0)
	return user_backed_iter(iter);
#else
	return iter_is_iovec(iter);
#endif
}

/* The same, and 6.4: the vector has a function of its own. Where the iterator is. */
static inline void __user *ls_iter_addr(const struct iov_iter *iter)
{
#if LS_SINCE(6, 0)
	if (iter_is_ubuf(iter))
		return iter->ubuf + iter->iov_offset;
#endif
#if LS_SINCE(6, 4)
	return iter_iov_addr(iter);
#else
	return iter->iov->iov_base + iter->iov_offset;
#endif
}

/* 5.16: a flag has pages pinned only where they are there; before, a function. */
static inline int ls_pin_resident(unsigned long address, int count, unsigned int flags,
				  struct page **pages)
{
#if LS_SINCE(5, 16)
	return pin_user_pages_fast(address, count, flags | FOLL_NOFAULT, pages);
#else
	return pin_user_pages_fast_only(address, count, flags, pages);
#endif
}

/* 6.3: flags of a mapping are changed by a function. */
static inline void ls_vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
#if LS_SINCE(6, 3)
	vm_flags_set(vma, flags);
#else
	vma->vm_flags |= flags;
#endif
}

/* 6.3: whether messages of a group are isolated, which is more than that they are remapped. */
static inline bool ls_msi_isolated(struct device *dev, struct iommu_group *group)
{
#if LS_SINCE(6, 3)
	return iommu_group_has_isolated_msi(group);
#else
	return ls_iommu_capable(dev, IOMMU_CAP_INTR_REMAP);
#endif
}

/* 6.11: a domain is that of a device. */
static inline struct iommu_domain *ls_iommu_domain(struct device *dev)
{
#if LS_SINCE(6, 11)
	return iommu_paging_domain_alloc(dev);
#else
	/* A device that has a group has an IOMMU: it was memory that there was none of. */
	return iommu_domain_alloc(dev->bus) ?: ERR_PTR(-ENOMEM);
#endif
}

/* 6.13: the name of a space of symbols is a string. */
#if LS_SINCE(6, 13)
#define LS_IMPORT_NS(name)	MODULE_IMPORT_NS(#name)
#else
#define LS_IMPORT_NS(name)	MODULE_IMPORT_NS(name)
#endif

/* 6.13: a binary attribute is constant where it is mapped; 6.17: and in lists of them. */
#if LS_SINCE(6, 13)
#define LS_MAPPED_BIN_CONST	const
#else
#define LS_MAPPED_BIN_CONST
#endif
#if LS_SINCE(6, 17)
#define LS_LISTED_BIN_CONST	const
#else
#define LS_LISTED_BIN_CONST
#endif

/* 7.1: whoever has mapped a buffer that moves is told to forget its mappings. */
#if LS_SINCE(7, 1)
#define ls_move_notify			invalidate_mappings
#define ls_dma_buf_move_notify(dmabuf)	dma_buf_invalidate_mappings(dmabuf)
#else
#define ls_move_notify			move_notify
#define ls_dma_buf_move_notify(dmabuf)	dma_buf_move_notify(dmabuf)
#endif

#endif
