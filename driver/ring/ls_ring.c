// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ring mode: a channel is lent to a process. It maps descriptors, records and the doorbell page of
 * that channel, and moves data without the kernel. An IOMMU cannot tell its descriptors from those
 * of other channels, so it is bounded by having the whole card (ls_domain.c), or, where a parameter
 * accepts that, reaches all that the card reaches.
 *
 * What is mapped, but for the doorbell, is memory of the ring's own, so that a process keeps it
 * whatever becomes of the card. The doorbell page goes before the engine is stopped; what is
 * stored there afterwards goes to a page that nobody reads.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "core/ls_compat.h"
#include "ring/ls_domain.h"
#include "ring/ls_ring.h"

/**
 * ls_ring_release - nobody has it any more
 * @ref: of the ring
 */
void ls_ring_release(struct kref *ref)
{
	struct ls_ring *ring = container_of(ref, struct ls_ring, ref);

	__free_pages(ring->pages, LS_RING_ORDER);
	if (ring->domain)
		ls_domain_put(ring->domain);
	kfree(ring);
}

/**
 * ls_ring_unmap - the card reaches none of the rings afterwards; with the last of a domain, it is
 * the driver's again
 * @dma: card
 * @ring: ring, of which the engine has nothing any more
 */
void ls_ring_unmap(struct device *dma, struct ls_ring *ring)
{
	if (ring->domain) {
		ls_domain_unmap(ring->domain, ring->ring_dma, LS_RING_BYTES);
		ls_domain_unmap(ring->domain, ring->records_dma, LS_RING_BYTES);
		ls_domain_unmap(ring->domain, ring->lease.last_dma, LS_RING_BYTES);
		ls_domain_leave(ring->domain);
		return;
	}
	dma_unmap_single(dma, ring->ring_dma, LS_RING_BYTES, DMA_TO_DEVICE);
	dma_unmap_single(dma, ring->records_dma, LS_RING_BYTES, DMA_FROM_DEVICE);
	dma_unmap_single(dma, ring->lease.last_dma, LS_RING_BYTES, DMA_FROM_DEVICE);
}

static vm_fault_t ls_ring_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct ls_ring *ring = vma->vm_private_data;
	unsigned long frame = page_to_pfn(ring->pages) + vmf->pgoff;
	pgprot_t prot = vma->vm_page_prot;
	vm_fault_t result;

	mutex_lock(&ring->lock);
	if (ring->live && vmf->pgoff == LS_RING_DOORBELL >> PAGE_SHIFT) {
		frame = ring->doorbell;
		prot = pgprot_noncached(prot);
	}
	result = vmf_insert_pfn_prot(vma, vmf->address, frame, prot);
	mutex_unlock(&ring->lock);
	return result;
}

static const struct vm_operations_struct ls_ring_vm_ops = { .fault = ls_ring_fault };

/**
 * ls_ring_mmap - descriptors, records, state and doorbell of a channel that was lent
 * @filp: the file
 * @vma: where
 */
int ls_ring_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct ls_file *file = filp->private_data;
	struct ls_ring *ring = READ_ONCE(file->ring);

	if (!ring)
		return -ENXIO;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC ||
	    vma->vm_pgoff + vma_pages(vma) > LS_RING_END >> PAGE_SHIFT)
		return -EINVAL;
	ls_vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	vma->vm_private_data = ring;
	vma->vm_ops = &ls_ring_vm_ops;
	return 0;
}

static bool ls_ring_ends_wait(const struct ls_ring *ring, u32 number)
{
	return ls_records_have(ring, number) || READ_ONCE(ring->error);
}

/**
 * ls_ring_wait - waits for a record
 * @ring: ring
 * @number: which, counted from the ring's beginning
 * @deadline: until when, nanoseconds; or LANESCOPE_FOR_EVER
 */
int ls_ring_wait(struct ls_ring *ring, u32 number, u64 deadline)
{
	s64 left = (s64)(min_t(u64, deadline, S64_MAX) - ktime_get_ns());
	int error = 0;

	if (deadline == LANESCOPE_FOR_EVER)
		error = wait_event_interruptible(ring->wait, ls_ring_ends_wait(ring, number));
	else if (left > 0)
		error = wait_event_interruptible_hrtimeout(ring->wait,
							   ls_ring_ends_wait(ring, number),
							   ns_to_ktime(left));
	if (error == -ERESTARTSYS)
		return error;
	if (ls_records_have(ring, number))
		return 0;
	return READ_ONCE(ring->error) ?: -ETIMEDOUT;
}

/**
 * ls_ring_poll - whether there is a record that a process has not seen
 * @filp: its file
 * @ring: what was lent to it
 * @wait: where it waits
 */
__poll_t ls_ring_poll(struct file *filp, struct ls_ring *ring, poll_table *wait)
{
	__poll_t mask = 0;

	poll_wait(filp, &ring->wait, wait);
	/* It says so itself; what it says wrong is to its own harm. */
	if (ls_records_have(ring, READ_ONCE(ls_ring_state(ring)->seen)))
		mask = EPOLLIN | EPOLLRDNORM;
	return READ_ONCE(ring->error) ? mask | EPOLLERR | EPOLLHUP : mask;
}

static struct ls_ring *ls_ring_of(struct ls_lease *lease)
{
	return container_of(lease, struct ls_ring, lease);
}

/* Who waits looks again. */
static void ls_ring_record(struct ls_lease *lease)
{
	wake_up_all(&ls_ring_of(lease)->wait);
}

/* Takes the doorbell from the process. */
static void ls_ring_revoke(struct ls_lease *lease)
{
	struct ls_ring *ring = ls_ring_of(lease);

	mutex_lock(&ring->lock);
	if (ring->live) {
		ring->live = false;
		unmap_mapping_range(ring->mapping, LS_RING_DOORBELL, PAGE_SIZE, 1);
	}
	mutex_unlock(&ring->lock);
}

/* Takes all back. */
static void ls_ring_ended(struct ls_channel *ch, struct ls_lease *lease, int error)
{
	struct ls_ring *ring = ls_ring_of(lease);
	bool held = ls_channel_holds(ch);

	if (held) {
		dev_err(&ch->ls->pdev->dev, "what a process has pinned stays so for ever\n");
	} else {
		ls_pinned_free_all(ch, &ring->buffers);
		ls_ring_unmap(&ch->ls->pdev->dev, ring);
	}
	WRITE_ONCE(ring->error, error);
	WRITE_ONCE(ls_ring_state(ring)->error, -error);
	ls_ring_record(lease);
	if (!held)
		kref_put(&ring->ref, ls_ring_release);
}

const struct ls_lease_ops ls_ring_ops = {
	.record = ls_ring_record,
	.revoke = ls_ring_revoke,
	.ended = ls_ring_ended,
};

/**
 * ls_ring_close - the file of a ring is closed, and nothing of it is mapped
 * @file: the file
 */
void ls_ring_close(struct ls_file *file)
{
	struct ls_device *ls = file->ch->ls;
	struct ls_ring *ring = file->ring;

	if (!ring)
		return;
	ls_ring_revoke(&ring->lease);
	/*
	 * Where the card has gone, or is going, the channel's reference ends with it; and where it
	 * is being reset, that has ended the lease, or waits for the channel's mutex. So nobody
	 * waits for a reset here.
	 */
	if (!ls_is_leaving(ls))
		ls_restart_take_back(file->ch, &ring->lease);
	kref_put(&ring->ref, ls_ring_release);
}
