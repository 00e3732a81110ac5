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
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "include/uapi/linux/lanescope.h"
#include "ls.h"
#include "ls_domain.h"

static bool unsafe_rings;
module_param(unsafe_rings, bool, 0644);
MODULE_PARM_DESC(unsafe_rings,
		 "lend single channels to processes with CAP_SYS_RAWIO, which reach all that the card can");

/* The mapping, in pages. The one after the last is the doorbell, and in memory what replaces it. */
#define LS_RING_BYTES		(LS_ENTRIES * sizeof(struct ls_desc))
#define LS_RING_RECORDS		LS_RING_BYTES
#define LS_RING_STATE		(2 * LS_RING_BYTES)
#define LS_RING_DOORBELL	(LS_RING_STATE + PAGE_SIZE)
#define LS_RING_END		(LS_RING_DOORBELL + PAGE_SIZE)
#define LS_RING_ORDER		get_order(LS_RING_END)

/**
 * struct ls_ring - what is lent to a process
 * @ref: of its file, and of its channel while that is lent
 * @mapping: of its file
 * @doorbell: page frame of the doorbell
 * @domain: what bounds the process; NULL where nothing does
 * @pages: descriptors, records, state, and what replaces the doorbell
 * @ring_dma: descriptors
 * @records_dma: records
 * @wait: who waits for a record
 * @lock: of the rest
 * @live: the doorbell is the channel's, and buffers may be added
 * @buffers: memory that was pinned for it
 */
struct ls_ring {
	struct kref ref;
	struct address_space *mapping;
	unsigned long doorbell;
	struct ls_domain *domain;
	struct page *pages;
	dma_addr_t ring_dma;
	dma_addr_t records_dma;
	wait_queue_head_t wait;
	struct mutex lock;	/* of live and buffers; inside of mmap_lock */
	bool live;
	struct list_head buffers;
};

static void *ls_ring_memory(const struct ls_ring *ring)
{
	return page_address(ring->pages);
}

static struct lanescope_ring_state *ls_ring_state(const struct ls_ring *ring)
{
	return ls_ring_memory(ring) + LS_RING_STATE;
}

static void ls_ring_release(struct kref *ref)
{
	struct ls_ring *ring = container_of(ref, struct ls_ring, ref);

	__free_pages(ring->pages, LS_RING_ORDER);
	if (ring->domain)
		ls_domain_put(ring->domain);
	kfree(ring);
}

/**
 * ls_ring_domain - what bounds the process of a ring; NULL where nothing does
 * @ring: ring
 */
struct ls_domain *ls_ring_domain(const struct ls_ring *ring)
{
	return ring->domain;
}

static void ls_ring_unmap(struct device *dma, struct ls_ring *ring)
{
	if (ring->domain) {
		ls_domain_unmap(ring->domain, ring->ring_dma, LS_RING_BYTES);
		ls_domain_unmap(ring->domain, ring->records_dma, LS_RING_BYTES);
		ls_domain_leave(ring->domain);
		return;
	}
	dma_unmap_single(dma, ring->ring_dma, LS_RING_BYTES, DMA_TO_DEVICE);
	dma_unmap_single(dma, ring->records_dma, LS_RING_BYTES, DMA_FROM_DEVICE);
}

/* Nobody synchronises these: an address has to be that of the memory, and caches coherent. */
static bool ls_ring_reachable(struct device *dma, dma_addr_t address)
{
	return !dma_mapping_error(dma, address) && IS_ALIGNED(address, LS_RING_BYTES) &&
	       !dma_need_sync(dma, address);
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
	if (dma_mapping_error(dma, ring->records_dma)) {
		dma_unmap_single(dma, ring->ring_dma, LS_RING_BYTES, DMA_TO_DEVICE);
		return -ENOMEM;
	}
	reachable = ls_ring_reachable(dma, ring->ring_dma) &&
		    ls_ring_reachable(dma, ring->records_dma);
	if (!reachable)
		ls_ring_unmap(dma, ring);
	return reachable ? 0 : -EOPNOTSUPP;
}

/* With a @domain, its ring leaves that when it is unmapped. */
static struct ls_ring *ls_ring_new(struct ls_channel *ch, struct file *filp,
				   struct ls_domain *domain)
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
	error = ls_ring_map(dma, ring);
	if (error) {
		ring->domain = NULL;
		kref_put(&ring->ref, ls_ring_release);
		return ERR_PTR(error);
	}
	return ring;
}

/* Whether a process may have the channel at all. One that is @bounded needs no privilege. */
static int ls_ring_refused(const struct ls_channel *ch, const struct file *filp, bool bounded)
{
	if (PAGE_SIZE != LS_DOORBELL_BYTES)
		return -EOPNOTSUPP;
	if (!bounded && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	if (!ch->ls->doorbells || ch->index >= LS_DOORBELL_CHANNELS)
		return -ENXIO;
	/* A mapping that is written needs both. */
	if (!(filp->f_mode & FMODE_READ) || !(filp->f_mode & FMODE_WRITE))
		return -EACCES;
	return bounded ? 0 : security_locked_down(LOCKDOWN_PCI_ACCESS);
}

/* Lends the channel, unless somebody uses it. */
static int ls_ring_lend(struct ls_file *file, struct ls_ring *ring, u64 control)
{
	struct ls_channel *ch = file->ch;
	int error = 0;

	mutex_lock(&ch->reset);
	spin_lock(&ch->lock);
	if (READ_ONCE(ch->ls->broken)) {
		error = -EIO;
	} else if (file->ring || ch->lent || ch->stopped || !list_empty(&ch->requests) ||
		   ch->buffer.state != LS_BUFFER_IDLE ||
		   READ_ONCE(ch->ls->domain) != ring->domain) {
		error = -EBUSY;
	} else {
		kref_get(&ring->ref);
		ch->lent = ring;
		ch->stopped = true;
		ls_channel_program(ch, ring->ring_dma, ring->records_dma, control);
		WRITE_ONCE(file->ring, ring);
	}
	spin_unlock(&ch->lock);
	mutex_unlock(&ch->reset);
	return error;
}

/**
 * ls_ring_begin - lends a channel to a process
 * @filp: the file that it has opened; the card's life is held
 * @file: the same
 * @args: how often a record is written; and what the mapping has
 */
int ls_ring_begin(struct file *filp, struct ls_file *file, struct lanescope_ring *args)
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
	control = ls_channel_word(ch, args->every, args->cycles);
	if (bounded) {
		domain = ls_domain_enter(ch->ls);
		if (IS_ERR(domain))
			return PTR_ERR(domain);
		/* It would find what was in pages of others before they were cleared. */
		control &= ~LS_NO_SNOOP;
	}
	ring = ls_ring_new(ch, filp, domain);
	if (IS_ERR(ring)) {
		if (bounded) {
			ls_domain_leave(domain);
			ls_domain_put(domain);
		}
		return PTR_ERR(ring);
	}
	error = ls_ring_lend(file, ring, control);
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

/* Before 6.3 there was no function for it. */
#ifndef iter_iov_addr
static void ls_vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}
#else
#define ls_vm_flags_set vm_flags_set
#endif

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

static bool ls_ring_has(const struct ls_ring *ring, u32 number)
{
	const struct ls_record *records = ls_ring_memory(ring) + LS_RING_RECORDS;
	u32 state = le32_to_cpu(READ_ONCE(records[number % LS_ENTRIES].state));

	return !!(state & LS_REC_PHASE) == !(number / LS_ENTRIES % 2);
}

/**
 * ls_ring_wait - waits for a record
 * @ring: ring
 * @number: which, counted from the ring's beginning
 */
int ls_ring_wait(struct ls_ring *ring, u32 number)
{
	const struct lanescope_ring_state *state = ls_ring_state(ring);

	if (wait_event_interruptible(ring->wait, ls_ring_has(ring, number) ||
				     READ_ONCE(state->error)))
		return -ERESTARTSYS;
	return ls_ring_has(ring, number) ? 0 : -(int)READ_ONCE(state->error);
}

/**
 * ls_ring_wake - lets who waits look again
 * @ring: ring
 */
void ls_ring_wake(struct ls_ring *ring)
{
	wake_up_all(&ring->wait);
}

/**
 * ls_ring_add - adds memory that was pinned, unless the ring has ended
 * @ring: ring
 * @node: the memory
 */
bool ls_ring_add(struct ls_ring *ring, struct list_head *node)
{
	bool live;

	mutex_lock(&ring->lock);
	live = ring->live;
	if (live)
		list_add_tail(node, &ring->buffers);
	mutex_unlock(&ring->lock);
	return live;
}

/**
 * ls_ring_revoke - takes the doorbell from the process
 * @ring: ring
 */
void ls_ring_revoke(struct ls_ring *ring)
{
	mutex_lock(&ring->lock);
	if (ring->live) {
		ring->live = false;
		unmap_mapping_range(ring->mapping, LS_RING_DOORBELL, PAGE_SIZE, 1);
	}
	mutex_unlock(&ring->lock);
}

/**
 * ls_ring_end - the engine has nothing of it any more: takes all back
 * @ch: channel, stopped, with its mutex held
 * @error: what the process is told
 */
void ls_ring_end(struct ls_channel *ch, int error)
{
	struct ls_ring *ring;

	spin_lock(&ch->lock);
	ring = ch->lent;
	ch->lent = NULL;
	spin_unlock(&ch->lock);
	if (!ring)
		return;
	ls_pinned_free_all(ch, &ring->buffers);
	ls_ring_unmap(&ch->ls->pdev->dev, ring);
	WRITE_ONCE(ls_ring_state(ring)->error, -error);
	ls_ring_wake(ring);
	kref_put(&ring->ref, ls_ring_release);
}

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
	ls_ring_revoke(ring);
	/* Where the card has gone, or is going, the channel's reference ends with it. */
	down_read(&ls->life);
	if (!READ_ONCE(ls->gone))
		ls_channel_take_back(file->ch, ring);
	up_read(&ls->life);
	kref_put(&ring->ref, ls_ring_release);
}
