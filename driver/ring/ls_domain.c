// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A card that one process has, for ring mode: what its descriptors reach is bounded by a domain of
 * an IOMMU. All channels of a card send with one Requester ID and without a PASID, so the domain is
 * that of the whole card: while a process has it, the driver gives no channel anything to do.
 *
 * Nothing is mapped in the domain but the rings of the process and memory that it had pinned, each
 * at an address of its own, for the direction of its channel (Linux lets a card read all that VT-d
 * maps for it to write). No physical address is told to the process. What it may not reach is not
 * there for the card: a read of that is answered with UR, a write is dropped, and the IOMMU's own
 * driver reports both.
 *
 * The card is taken where the IOMMU bounds all that it can send: it is alone in its group (else a
 * neighbour is reached without passing the IOMMU), interrupts are remapped (else a write to their
 * addresses is any interrupt), and DMA is coherent. Where firmware or MSIs need addresses mapped in
 * each domain, it is refused: that has not been tried.
 *
 * Lock order: a channel's mutex, the lock of a card's domain, the lock of a channel.
 */
#include <linux/iommu.h>
#include <linux/iova.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/scatterlist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/ls_compat.h"
#include "ring/ls_domain.h"
#include "ring/ls_ring.h"

/* Addresses that all of the IOMMUs translate: some of 6.1 tell of more than they do. */
#define LS_DOMAIN_LAST	DMA_BIT_MASK(39)

/**
 * struct ls_domain - see above
 * @ref: of each ring, as long as its file is open
 * @ls: card, of which a reference is held
 * @iommu: what the card is attached to while there are rings
 * @addresses: which of its addresses are taken
 * @last: the last page of them
 * @owner: the process
 * @rings: that have not ended; under the lock of the card's domain
 */
struct ls_domain {
	struct kref ref;
	struct ls_device *ls;
	struct iommu_domain *iommu;
	struct iova_domain addresses;
	unsigned long last;
	struct pid *owner;
	unsigned int rings;
};

static void ls_domain_release(struct kref *ref)
{
	struct ls_domain *domain = container_of(ref, struct ls_domain, ref);

	put_iova_domain(&domain->addresses);
	iova_cache_put();
	iommu_domain_free(domain->iommu);
	put_pid(domain->owner);
	ls_device_put(domain->ls);
	kfree(domain);
}

/**
 * ls_domain_put - a ring is freed
 * @domain: its domain
 */
void ls_domain_put(struct ls_domain *domain)
{
	kref_put(&domain->ref, ls_domain_release);
}

static int ls_reserve(struct ls_domain *domain, u64 first, u64 last)
{
	return reserve_iova(&domain->addresses, first >> PAGE_SHIFT, last >> PAGE_SHIFT) ?
		       0 : -ENOMEM;
}

/* Addresses at which other devices may answer. */
static int ls_reserve_windows(struct ls_domain *domain, struct pci_dev *pdev)
{
	struct pci_host_bridge *bridge = pci_find_host_bridge(pdev->bus);
	struct resource_entry *window;
	int error = 0;

	if (!list_empty(&bridge->dma_ranges))
		return -EOPNOTSUPP;
	resource_list_for_each_entry(window, &bridge->windows) {
		if (!error && resource_type(window->res) == IORESOURCE_MEM)
			error = ls_reserve(domain, window->res->start - window->offset,
					   window->res->end - window->offset);
	}
	return error;
}

/* Addresses that the IOMMU does not translate, or that are to be as firmware has them. */
static int ls_reserve_regions(struct ls_domain *domain, struct iommu_group *group)
{
	struct iommu_resv_region *region, *next;
	LIST_HEAD(regions);
	int error;

	error = iommu_get_group_resv_regions(group, &regions);
	list_for_each_entry_safe(region, next, &regions, list) {
		if (region->type == IOMMU_RESV_DIRECT || region->type == IOMMU_RESV_SW_MSI)
			error = error ?: -EOPNOTSUPP;
		if (!error)
			error = ls_reserve(domain, region->start,
					   region->start + region->length - 1);
		list_del(&region->list);
		kfree(region);
	}
	return error;
}

/* Which addresses there are, and which of them are not for us. */
static int ls_domain_lay_out(struct ls_domain *domain, struct iommu_group *group)
{
	const struct iommu_domain_geometry *geometry = &domain->iommu->geometry;
	unsigned long first = max_t(u64, geometry->aperture_start >> PAGE_SHIFT, 1);
	int error;

	init_iova_domain(&domain->addresses, PAGE_SIZE, first);
	domain->last = min_t(u64, geometry->aperture_end, LS_DOMAIN_LAST) >> PAGE_SHIFT;
	if (first >= domain->last || !domain->iommu->pgsize_bitmap ||
	    BIT(__ffs(domain->iommu->pgsize_bitmap)) > PAGE_SIZE)
		return -EOPNOTSUPP;
	error = ls_reserve_windows(domain, domain->ls->pdev);
	return error ?: ls_reserve_regions(domain, group);
}

/* A domain without mappings, to which nothing is attached. */
static struct ls_domain *ls_domain_new(struct ls_device *ls, struct iommu_group *group)
{
	struct device *dev = &ls->pdev->dev;
	struct ls_domain *domain;
	int error;

	if (!ls_iommu_capable(dev, IOMMU_CAP_CACHE_COHERENCY) || !ls_msi_isolated(dev, group))
		return ERR_PTR(-EOPNOTSUPP);
	domain = kzalloc(sizeof(*domain), GFP_KERNEL);
	if (!domain)
		return ERR_PTR(-ENOMEM);
	error = iova_cache_get();
	if (error)
		goto err_free;
	domain->iommu = ls_iommu_domain(dev);
	if (IS_ERR(domain->iommu)) {
		error = PTR_ERR(domain->iommu);
		goto err_cache;
	}
	kref_init(&domain->ref);
	domain->ls = ls_device_get(ls);
	domain->owner = get_pid(task_tgid(current));
	error = ls_domain_lay_out(domain, group);
	if (!error)
		return domain;
	ls_domain_put(domain);
	return ERR_PTR(error);

err_cache:
	iova_cache_put();
err_free:
	kfree(domain);
	return ERR_PTR(error);
}

/* Nothing is under way in any channel, which includes what a process has of it. */
static bool ls_card_idle(struct ls_device *ls)
{
	bool idle = true;
	unsigned int i;

	for (i = 0; i < ls->nchannels && idle; i++) {
		struct ls_channel *ch = ls->channels[i];

		spin_lock(&ch->lock);
		idle = !ch->lent && !ch->stopped && !ch->frame && list_empty(&ch->requests) &&
		       ch->head == ch->tail;
		spin_unlock(&ch->lock);
	}
	return idle;
}

/*
 * Gives the card to the process that asks. From the moment that the card has a domain, no channel
 * takes a request: the engine has no descriptor when it is attached, and a channel without one
 * sends nothing.
 */
static struct ls_domain *ls_domain_take(struct ls_device *ls, struct iommu_group *group)
{
	struct ls_domain *domain;
	int error;

	if (!ls_card_idle(ls))
		return ERR_PTR(-EBUSY);
	domain = ls_domain_new(ls, group);
	if (IS_ERR(domain))
		return domain;
	WRITE_ONCE(ls->domain, domain);
	if (ls_card_idle(ls)) {
		error = iommu_attach_device(domain->iommu, &ls->pdev->dev);
		if (!error)
			return domain;
		/* It is not alone in its group, or its IOMMU has another reason. */
		if (error != -ENOMEM && error != -EBUSY)
			error = -EOPNOTSUPP;
	} else {
		error = -EBUSY;
	}
	WRITE_ONCE(ls->domain, NULL);
	ls_domain_put(domain);
	return ERR_PTR(error);
}

/**
 * ls_domain_enter - a process begins a ring: the card becomes its own, unless it is
 * @ls: card, whose life is held
 *
 * Return: the domain, with a reference, or why not; for the latter EOPNOTSUPP says that there is no
 * IOMMU that could bound the process.
 */
struct ls_domain *ls_domain_enter(struct ls_device *ls)
{
	struct iommu_group *group = iommu_group_get(&ls->pdev->dev);
	struct ls_domain *domain;

	if (!group)
		return ERR_PTR(-EOPNOTSUPP);
	mutex_lock(&ls->domain_lock);
	domain = ls->domain;
	if (!domain)
		domain = ls_domain_take(ls, group);
	else if (domain->owner == task_tgid(current))
		kref_get(&domain->ref);
	else
		domain = ERR_PTR(-EBUSY);
	if (!IS_ERR(domain))
		domain->rings++;
	mutex_unlock(&ls->domain_lock);
	iommu_group_put(group);
	return domain;
}

/**
 * ls_domain_leave - a ring has ended, and nothing of it is mapped: with the last, the card is the
 * driver's again
 * @domain: its domain; the engine has nothing of the ring any more, or has lost the bus
 */
void ls_domain_leave(struct ls_domain *domain)
{
	struct ls_device *ls = domain->ls;

	mutex_lock(&ls->domain_lock);
	if (!--domain->rings) {
		iommu_detach_device(domain->iommu, &ls->pdev->dev);
		WRITE_ONCE(ls->domain, NULL);
	}
	mutex_unlock(&ls->domain_lock);
}

/**
 * ls_domain_map - lets the card reach memory, at addresses that follow one another
 * @domain: domain
 * @sgt: the memory, whole pages
 * @bytes: how much it is
 * @dir: what the card may do with it
 * @address: where it lies for the card: a multiple of its size, rounded up to a power of two
 */
int ls_domain_map(struct ls_domain *domain, struct sg_table *sgt, size_t bytes,
		  enum dma_data_direction dir, dma_addr_t *address)
{
	int prot = IOMMU_CACHE | (dir == DMA_FROM_DEVICE ? IOMMU_WRITE : IOMMU_READ);
	struct iova *place = alloc_iova(&domain->addresses, bytes >> PAGE_SHIFT, domain->last,
					true);
	ssize_t mapped;

	if (!place)
		return -ENOMEM;
	*address = iova_dma_addr(&domain->addresses, place);
	mapped = iommu_map_sgtable(domain->iommu, *address, sgt, prot);
	if (mapped == (ssize_t)bytes)
		return 0;
	if (mapped > 0)
		iommu_unmap(domain->iommu, *address, mapped);
	__free_iova(&domain->addresses, place);
	return mapped < 0 ? mapped : -EIO;
}

/**
 * ls_domain_map_memory - the same for memory of the kernel
 * @domain: domain
 * @memory: the memory
 * @bytes: how much it is
 * @dir: what the card may do with it
 * @address: where it lies for the card
 */
int ls_domain_map_memory(struct ls_domain *domain, void *memory, size_t bytes,
			 enum dma_data_direction dir, dma_addr_t *address)
{
	struct scatterlist sg;
	struct sg_table sgt = { .sgl = &sg, .nents = 1, .orig_nents = 1 };

	sg_init_one(&sg, memory, bytes);
	return ls_domain_map(domain, &sgt, bytes, dir, address);
}

/**
 * ls_domain_unmap - takes memory from the card: it reaches none of it afterwards
 * @domain: domain
 * @address: where it lies
 * @bytes: how much it is
 */
void ls_domain_unmap(struct ls_domain *domain, dma_addr_t address, size_t bytes)
{
	iommu_unmap(domain->iommu, address, bytes);
	free_iova(&domain->addresses, address >> PAGE_SHIFT);
}
