// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Memory of a process that is pinned and mapped for a card as long as a channel is lent to it
 * (ls_ring.c): what its descriptors speak of. No request: the driver knows of no transfer in it.
 */
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ring/ls_domain.h"
#include "ring/ls_ring.h"

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

/* Adds it to the ring, unless that has ended. */
static int ls_pinned_enlist(struct ls_ring *ring, struct ls_pinned *pinned)
{
	int error = 0;

	mutex_lock(&ring->lock);
	if (!ring->live) {
		error = -EIO;
	} else if (ring->last_id == U32_MAX) {
		error = -ENOSPC;
	} else {
		pinned->id = ++ring->last_id;
		list_add_tail(&pinned->node, &ring->buffers);
	}
	mutex_unlock(&ring->lock);
	return error;
}

/* Maps it for the card, and adds it to the ring. The card's life is held. */
static int ls_pinned_enter(struct ls_channel *ch, struct ls_ring *ring, struct ls_pinned *pinned,
			   u64 *addresses)
{
	int error = ls_pinned_map(ch, pinned);

	if (error)
		return error;
	ls_pinned_look(pinned, addresses);
	error = ls_pinned_enlist(ring, pinned);
	if (error)
		ls_pinned_unmap(ch, pinned);
	return error;
}

/**
 * ls_pinned_add - pins memory for a ring
 * @ch: channel; nothing of the card is held: who faults memory in may take for ever
 * @ring: what was lent of it
 * @args: which memory, and where its bus addresses go; returned: by which name it is unpinned
 */
int ls_pinned_add(struct ls_channel *ch, struct ls_ring *ring,
		  struct lanescope_ring_buffer *args)
{
	unsigned int npages = args->bytes >> PAGE_SHIFT;
	struct ls_pinned *pinned;
	u64 *addresses;
	int error;

	if (!args->bytes || args->bytes > SZ_1G || !PAGE_ALIGNED(args->bytes) ||
	    !PAGE_ALIGNED(args->address) || args->address != (unsigned long)args->address)
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
		/* Not later: another thread may unpin it. */
		args->id = error ? 0 : pinned->id;
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

/*
 * Whether the card has no descriptor that it was given: the tail is that of its doorbell, which the
 * process has. A card that does not answer has not.
 */
static bool ls_pinned_idle(const struct ls_channel *ch, const struct ls_ring *ring)
{
	return readq(ch->regs + LS_TAIL) == ls_records_done(ring) % LS_ENTRIES;
}

/* Takes it out of the ring: from here on it is the caller's. */
static struct ls_pinned *ls_pinned_delist(struct ls_channel *ch, struct ls_ring *ring, u32 id)
{
	struct ls_pinned *pinned, *found = ERR_PTR(-ENOENT);

	mutex_lock(&ring->lock);
	list_for_each_entry(pinned, &ring->buffers, node) {
		if (pinned->id == id)
			found = pinned;
	}
	/* Whoever has taken the channel back lets go of all of it. */
	if (!ring->live)
		found = ERR_PTR(-EIO);
	else if (!IS_ERR(found) && !ring->domain && !ls_pinned_idle(ch, ring))
		found = ERR_PTR(-EBUSY);
	if (!IS_ERR(found))
		list_del(&found->node);
	mutex_unlock(&ring->lock);
	return found;
}

/**
 * ls_pinned_remove - unpins memory of a ring
 * @ch: channel
 * @ring: what was lent of it
 * @id: of the memory
 *
 * What bounds the process takes the memory from the card; without that, the card has to be idle.
 */
int ls_pinned_remove(struct ls_channel *ch, struct ls_ring *ring, u32 id)
{
	int error = ls_life_enter(ch->ls, false);
	struct ls_pinned *pinned;

	if (error)
		return error;
	pinned = ls_pinned_delist(ch, ring, id);
	if (!IS_ERR(pinned)) {
		ls_pinned_unmap(ch, pinned);
		ls_pinned_free(pinned, ch->to_host);
	}
	ls_life_leave(ch->ls);
	return PTR_ERR_OR_ZERO(pinned);
}
