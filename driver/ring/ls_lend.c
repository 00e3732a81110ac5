// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How ring mode begins: who is refused, what a process is lent, and what bounds it: a domain of an
 * IOMMU, or nothing.
 */
#include <linux/capability.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>

#include "ring/ls_domain.h"
#include "ring/ls_ring.h"

static bool unsafe_rings;
module_param(unsafe_rings, bool, 0644);
MODULE_PARM_DESC(unsafe_rings,
		 "lend single channels to processes with CAP_SYS_RAWIO, which reach all that the card can");

/* Nobody synchronises these: an address has to be that of the memory, and caches coherent. */
static bool ls_ring_reachable(struct device *dma, dma_addr_t address)
{
	return !dma_mapping_error(dma, address) && IS_ALIGNED(address, LS_RING_BYTES) &&
	       !dma_need_sync(dma, address);
}

/*
 * What a frame has left of the calls that it ended is no longer theirs: of the channel, or, where
 * the process is to have the card, of all. (Where one has it, the driver's descriptors are gone.)
 */
static void ls_ring_flush(struct ls_channel *ch, bool bounded)
{
	struct ls_device *ls = ch->ls;
	unsigned int i;

	if (!bounded)
		ls_restart_flush(ch);
	for (i = 0; bounded && i < ls->nchannels && !READ_ONCE(ls->domain); i++)
		ls_restart_flush(ls->channels[i]);
}

/* Whether one store brings the engine from its records to the last ones (ls_restart.c). */
static bool ls_ring_in_place(const struct ls_ring *ring)
{
	return IS_ENABLED(CONFIG_64BIT) ||
	       upper_32_bits(ring->records_dma) == upper_32_bits(ring->lease.last_dma);
}

static int ls_ring_map_bounded(struct ls_ring *ring)
{
	void *memory = ls_ring_memory(ring);
	int error;

	error = ls_domain_map_memory(ring->domain, memory, LS_RING_BYTES, DMA_TO_DEVICE,
				     &ring->ring_dma);
	if (error)
		return error;
	error = ls_domain_map_memory(ring->domain, memory + LS_RING_RECORDS, LS_RING_BYTES,
				     DMA_FROM_DEVICE, &ring->records_dma);
	if (error)
		goto err_ring;
	error = ls_domain_map_memory(ring->domain, memory + LS_RING_LAST, LS_RING_BYTES,
				     DMA_FROM_DEVICE, &ring->lease.last_dma);
	if (error)
		goto err_records;
	if (ls_ring_in_place(ring))
		return 0;
	error = -EOPNOTSUPP;
	ls_domain_unmap(ring->domain, ring->lease.last_dma, LS_RING_BYTES);

err_records:
	ls_domain_unmap(ring->domain, ring->records_dma, LS_RING_BYTES);
err_ring:
	ls_domain_unmap(ring->domain, ring->ring_dma, LS_RING_BYTES);
	return error;
}

static int ls_ring_map(struct device *dma, struct ls_ring *ring)
{
	void *memory = ls_ring_memory(ring);
	bool reachable;

	if (ring->domain)
		return ls_ring_map_bounded(ring);
	ring->ring_dma = dma_map_single(dma, memory, LS_RING_BYTES, DMA_TO_DEVICE);
	if (dma_mapping_error(dma, ring->ring_dma))
		return -ENOMEM;
	ring->records_dma = dma_map_single(dma, memory + LS_RING_RECORDS, LS_RING_BYTES,
					   DMA_FROM_DEVICE);
	if (dma_mapping_error(dma, ring->records_dma))
		goto err_ring;
	ring->lease.last_dma = dma_map_single(dma, memory + LS_RING_LAST, LS_RING_BYTES,
					      DMA_FROM_DEVICE);
	if (dma_mapping_error(dma, ring->lease.last_dma))
		goto err_records;
	reachable = ls_ring_reachable(dma, ring->ring_dma) &&
		    ls_ring_reachable(dma, ring->records_dma) &&
		    ls_ring_reachable(dma, ring->lease.last_dma) && ls_ring_in_place(ring);
	if (!reachable)
		ls_ring_unmap(dma, ring);
	return reachable ? 0 : -EOPNOTSUPP;

err_records:
	dma_unmap_single(dma, ring->records_dma, LS_RING_BYTES, DMA_FROM_DEVICE);
err_ring:
	dma_unmap_single(dma, ring->ring_dma, LS_RING_BYTES, DMA_TO_DEVICE);
	return -ENOMEM;
}

/* With a @domain, its ring leaves that when it is unmapped. */
static struct ls_ring *ls_ring_new(struct ls_channel *ch, struct file *filp,
				   struct ls_domain *domain, u64 control)
{
	struct device *dma = &ch->ls->pdev->dev;
	struct ls_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	resource_size_t doorbell;
	int error;

	if (!ring)
		return ERR_PTR(-ENOMEM);
	kref_init(&ring->ref);
	mutex_init(&ring->lock);
	init_waitqueue_head(&ring->wait);
	INIT_LIST_HEAD(&ring->buffers);
	ring->mapping = filp->f_mapping;
	doorbell = pci_resource_start(ch->ls->pdev, 0);
	doorbell += ch->to_host ? LS_DOORBELL_C2H(ch->index) : LS_DOORBELL_H2C(ch->index);
	ring->doorbell = doorbell >> PAGE_SHIFT;
	ring->live = true;
	ring->pages = alloc_pages_node(dev_to_node(dma), GFP_KERNEL | __GFP_ZERO, LS_RING_ORDER);
	if (!ring->pages) {
		kfree(ring);
		return ERR_PTR(-ENOMEM);
	}
	ring->domain = domain;
	ring->lease.ops = &ls_ring_ops;
	ring->lease.control = control;
	ring->lease.last = ls_ring_memory(ring) + LS_RING_LAST;
	error = ls_ring_map(dma, ring);
	if (error) {
		ring->domain = NULL;
		kref_put(&ring->ref, ls_ring_release);
		return ERR_PTR(error);
	}
	return ring;
}

/**
 * ls_lend_can - whether a channel has a page of registers that a process may have
 * @ch: channel
 */
bool ls_lend_can(const struct ls_channel *ch)
{
	if (PAGE_SIZE != LS_DOORBELL_BYTES)
		return false;
	return ch->ls->doorbells && ch->index < LS_DOORBELL_CHANNELS;
}

/* Whether a process may have the channel at all. One that is @bounded needs no privilege. */
static int ls_ring_refused(const struct ls_channel *ch, const struct file *filp, bool bounded)
{
	if (PAGE_SIZE != LS_DOORBELL_BYTES)
		return -EOPNOTSUPP;
	if (!bounded && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (!ls_lend_can(ch))
		return -ENXIO;
	/* A mapping that is written needs both. */
	if (!(filp->f_mode & FMODE_READ) || !(filp->f_mode & FMODE_WRITE))
		return -EACCES;
	return bounded ? 0 : security_locked_down(LOCKDOWN_PCI_ACCESS);
}

/*
 * Lends the channel, unless somebody uses it. Descriptors of calls that are over may be in the ring
 * of a channel that nobody uses: the engine is to be rid of them first, ls_ring_flush().
 */
static int ls_ring_lend(struct ls_file *file, struct ls_ring *ring)
{
	struct ls_channel *ch = file->ch;
	int error = 0;

	mutex_lock(&ch->reset);
	spin_lock(&ch->lock);
	if (ls_state(ch->ls) != LS_RUNNING) {
		error = -EIO;
	} else if (file->ring || ch->lent || ch->stopped || ch->frame ||
		   !list_empty(&ch->requests) || ch->head != ch->tail ||
		   ch->buffer.state != LS_BUFFER_IDLE ||
		   READ_ONCE(ch->ls->domain) != ring->domain) {
		error = -EBUSY;
	} else {
		kref_get(&ring->ref);
		ch->lent = &ring->lease;
		ch->stopped = true;
		ls_channel_program(ch, ring->ring_dma, ring->records_dma, ring->lease.control);
		WRITE_ONCE(file->ring, ring);
		ls_device_watch(ch->ls);
	}
	spin_unlock(&ch->lock);
	mutex_unlock(&ch->reset);
	return error;
}

/**
 * ls_lend_ring - lends a channel to a process
 * @filp: the file that it has opened; the card's life is held
 * @file: the same
 * @args: how often a record is written; and what the mapping has
 */
int ls_lend_ring(struct file *filp, struct ls_file *file, struct lanescope_ring *args)
{
	struct ls_channel *ch = file->ch;
	bool bounded = !READ_ONCE(unsafe_rings) || READ_ONCE(ch->ls->domain);
	int error = ls_ring_refused(ch, filp, bounded);
	struct ls_domain *domain = NULL;
	struct ls_ring *ring;
	u64 control;

	if (error)
		return error;
	if (!args->every || args->every > 255 || args->cycles > 65535)
		return -EINVAL;
	if (READ_ONCE(file->ring))
		return -EBUSY;
	control = ls_channel_word(ch, args->every, args->cycles);
	ls_ring_flush(ch, bounded);
	if (bounded) {
		domain = ls_domain_enter(ch->ls);
		if (IS_ERR(domain))
			return PTR_ERR(domain);
		/* It would find what was in pages of others before they were cleared. */
		control &= ~LS_NO_SNOOP;
	}
	ring = ls_ring_new(ch, filp, domain, control);
	if (IS_ERR(ring)) {
		if (bounded) {
			ls_domain_leave(domain);
			ls_domain_put(domain);
		}
		return PTR_ERR(ring);
	}
	error = ls_ring_lend(file, ring);
	if (error) {
		ls_ring_unmap(&ch->ls->pdev->dev, ring);
		kref_put(&ring->ref, ls_ring_release);
		return error;
	}
	if (!bounded) {
		dev_warn_once(&ch->ls->pdev->dev,
			      "a process reaches all memory that the card reaches\n");
		add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	}
	args->mode = bounded ? LANESCOPE_RING_BOUNDED : LANESCOPE_RING_UNSAFE;
	args->entries = LS_ENTRIES;
	args->bytes = LS_RING_END;
	args->records = LS_RING_RECORDS;
	args->state = LS_RING_STATE;
	args->doorbell = LS_RING_DOORBELL;
	return 0;
}

