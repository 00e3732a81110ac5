// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Memory of a process that is pinned and mapped for a card as long as a channel is lent to it
 * (ls_ring.c): what its descriptors speak of. No request: the driver knows of no transfer in it.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ls_domain.h"
#include "ls_ring.h"

/**
 * struct ls_pinned - a buffer
 * @node: in the list of its ring
 * @pages: pinned
 * @npages: how many
 * @sgt: the same, mapped
 * @domain: of the ring: where it is mapped, at @address; NULL where the card reaches it by itself
 * @address: where it lies there
 * @mm: the process whose limit it counts against
 * @charged: pages that count
 */
struct ls_pinned {
	struct list_head node;
	struct page **pages;
	unsigned int npages;
	struct sg_table sgt;
	struct ls_domain *domain;
	dma_addr_t address;
	struct mm_struct *mm;
	unsigned int charged;
};

static size_t ls_pinned_bytes(const struct ls_pinned *pinned)
{
	return (size_t)pinned->npages << PAGE_SHIFT;
}

/* Counts all pages that are to be pinned against the limit of the process. */
static int ls_pinned_charge(struct ls_pinned *pinned, unsigned int npages)
{
	u64 all = atomic64_add_return(npages, &current->mm->pinned_vm);

	if (all > rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT && !capable(CAP_IPC_LOCK)) {
		atomic64_sub(npages, &current->mm->pinned_vm);
		return -ENOMEM;
	}
	pinned->charged = npages;
	pinned->mm = current->mm;
	mmgrab(pinned->mm);
	return 0;
}

static void ls_pinned_discharge(struct ls_pinned *pinned)
{
	if (!pinned->mm)
		return;
	atomic64_sub(pinned->charged, &pinned->mm->pinned_vm);
	mmdrop(pinned->mm);
}

static void ls_pinned_free(struct ls_pinned *pinned, bool dirty)
{
	unpin_user_pages_dirty_lock(pinned->pages, pinned->npages, dirty);
	ls_pinned_discharge(pinned);
	kvfree(pinned->pages);
	kfree(pinned);
}

static void ls_pinned_unmap(struct ls_channel *ch, struct ls_pinned *pinned)
{
	if (pinned->domain)
		ls_domain_unmap(pinned->domain, pinned->address, ls_pinned_bytes(pinned));
	else
		dma_unmap_sgtable(&ch->ls->pdev->dev, &pinned->sgt, ch->dir, 0);
	sg_free_table(&pinned->sgt);
}

/**
 * ls_pinned_free_all - unmaps and unpins buffers
 * @ch: channel, which has nothing of them any more
 * @list: the buffers
 */
void ls_pinned_free_all(struct ls_channel *ch, struct list_head *list)
{
	struct ls_pinned *pinned, *next;

	list_for_each_entry_safe(pinned, next, list, node) {
		list_del(&pinned->node);
		ls_pinned_unmap(ch, pinned);
		ls_pinned_free(pinned, ch->to_host);
	}
}

static struct ls_pinned *ls_pinned_new(unsigned long address, unsigned int npages)
{
	struct ls_pinned *pinned = kzalloc(sizeof(*pinned), GFP_KERNEL);
	int got;

	if (!pinned)
		return ERR_PTR(-ENOMEM);
	pinned->pages = kvcalloc(npages, sizeof(*pinned->pages), GFP_KERNEL);
	if (!pinned->pages || ls_pinned_charge(pinned, npages)) {
		kvfree(pinned->pages);
		kfree(pinned);
		return ERR_PTR(-ENOMEM);
	}
	/* Written in either direction: a page shared for reading would be replaced later. */
	while (pinned->npages < npages) {
		got = pin_user_pages_fast(address + pinned->npages * PAGE_SIZE,
					  npages - pinned->npages, FOLL_WRITE | FOLL_LONGTERM,
					  pinned->pages + pinned->npages);
		if (got <= 0) {
			ls_pinned_free(pinned, false);
			return ERR_PTR(got ?: -EFAULT);
		}
		pinned->npages += got;
	}
	return pinned;
}

static int ls_pinned_map(struct ls_channel *ch, struct ls_pinned *pinned)
{
	struct device *dma = &ch->ls->pdev->dev;
	struct scatterlist *sg;
	int i, error;

	error = sg_alloc_table_from_pages_segment(&pinned->sgt, pinned->pages, pinned->npages, 0,
						  (unsigned long)pinned->npages << PAGE_SHIFT,
						  LS_DESC_MAX, GFP_KERNEL);
	if (error)
		return error;
	if (pinned->domain)
		error = ls_domain_map(pinned->domain, &pinned->sgt, ls_pinned_bytes(pinned),
				      ch->dir, &pinned->address);
	else
		error = dma_map_sgtable(dma, &pinned->sgt, ch->dir, 0);
	if (error) {
		sg_free_table(&pinned->sgt);
		return error;
	}
	if (pinned->domain)
		return 0;
	/* Nobody synchronises: the card has to reach the memory itself, and coherent caches. */
	for_each_sgtable_dma_sg(&pinned->sgt, sg, i) {
		if (dma_need_sync(dma, sg_dma_address(sg))) {
			ls_pinned_unmap(ch, pinned);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* The bus address of each page. */
static void ls_pinned_look(const struct ls_pinned *pinned, u64 *addresses)
{
	struct sg_dma_page_iter iter;
	unsigned int count = 0;

	if (pinned->domain) {
		for (; count < pinned->npages; count++)
			addresses[count] = pinned->address + count * PAGE_SIZE;
	} else {
		for_each_sgtable_dma_page(&pinned->sgt, &iter, 0)
			addresses[count++] = sg_page_iter_dma_address(&iter);
	}
}

/* Maps it for the card, and adds it to the ring. The card's life is held. */
static int ls_pinned_enter(struct ls_channel *ch, struct ls_ring *ring, struct ls_pinned *pinned,
			   u64 *addresses)
{
	int error = ls_pinned_map(ch, pinned);

	if (error)
		return error;
	ls_pinned_look(pinned, addresses);
	if (ls_ring_add(ring, &pinned->node))
		return 0;
	ls_pinned_unmap(ch, pinned);
	return -EIO;
}

/**
 * ls_pinned_add - pins memory for a ring
 * @ch: channel; nothing of the card is held: who faults memory in may take for ever
 * @ring: what was lent of it
 * @args: which memory, and where its bus addresses go
 */
int ls_pinned_add(struct ls_channel *ch, struct ls_ring *ring,
		  const struct lanescope_ring_buffer *args)
{
	unsigned int npages = args->bytes >> PAGE_SHIFT;
	struct ls_pinned *pinned;
	u64 *addresses;
	int error;

	if (!args->bytes || args->bytes > SZ_1G || !PAGE_ALIGNED(args->bytes) ||
	    !PAGE_ALIGNED(args->address))
		return -EINVAL;
	addresses = kvcalloc(npages, sizeof(*addresses), GFP_KERNEL);
	if (!addresses)
		return -ENOMEM;
	pinned = ls_pinned_new(args->address, npages);
	if (IS_ERR(pinned)) {
		kvfree(addresses);
		return PTR_ERR(pinned);
	}
	pinned->domain = ring->domain;
	error = ls_life_enter(ch->ls, false);
	if (!error) {
		error = ls_pinned_enter(ch, ring, pinned, addresses);
		ls_life_leave(ch->ls);
	}
	if (error)
		ls_pinned_free(pinned, false);
	/* Where nobody hears of it, it is the ring's all the same, until that ends. */
	else if (copy_to_user(u64_to_user_ptr(args->addresses), addresses,
			      npages * sizeof(*addresses)))
		error = -EFAULT;
	kvfree(addresses);
	return error;
}
