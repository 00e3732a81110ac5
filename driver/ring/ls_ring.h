/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Ring mode: what is lent to a process, what bounds it, and memory that it had pinned.
 */
#ifndef LS_RING_H
#define LS_RING_H

#include <linux/mm.h>
#include <linux/poll.h>

#include "engine/ls_engine.h"
#include "include/uapi/linux/lanescope.h"

/* The mapping, in pages. The one after the last is the doorbell, and in memory what replaces it. */
#define LS_RING_BYTES		(LS_ENTRIES * sizeof(struct ls_desc))
#define LS_RING_RECORDS		LS_RING_BYTES
#define LS_RING_STATE		(2 * LS_RING_BYTES)
#define LS_RING_DOORBELL	(LS_RING_STATE + PAGE_SIZE)
#define LS_RING_END		(LS_RING_DOORBELL + PAGE_SIZE)
/*
 * Where the engine says that it has stopped. The process has no mapping of it, but may have the
 * engine write there: a register has to say the same.
 */
#define LS_RING_LAST		ALIGN(LS_RING_END, LS_RING_BYTES)
#define LS_RING_ORDER		get_order(LS_RING_LAST + LS_RING_BYTES)

/**
 * struct ls_ring - what is lent to a process
 * @ref: of its file, and of its channel while that is lent
 * @lease: of the channel
 * @mapping: of its file
 * @doorbell: page frame of the doorbell
 * @domain: what bounds the process; NULL where nothing does
 * @pages: descriptors, records, state, what replaces the doorbell, and the last records
 * @ring_dma: descriptors
 * @records_dma: records
 * @wait: who waits for a record
 * @lock: of the rest
 * @error: why it was taken back, or 0; the process can write to what tells it so
 * @live: the doorbell is the channel's, and buffers may be added
 * @buffers: memory that was pinned for it
 * @last_id: of those that there were
 */
struct ls_ring {
	struct kref ref;
	struct ls_lease lease;
	struct address_space *mapping;
	unsigned long doorbell;
	struct ls_domain *domain;
	struct page *pages;
	dma_addr_t ring_dma;
	dma_addr_t records_dma;
	wait_queue_head_t wait;
	struct mutex lock;	/* of live and buffers; inside of mmap_lock */
	int error;
	bool live;
	struct list_head buffers;
	u32 last_id;
};

static inline void *ls_ring_memory(const struct ls_ring *ring)
{
	return page_address(ring->pages);
}

static inline struct lanescope_ring_state *ls_ring_state(const struct ls_ring *ring)
{
	return ls_ring_memory(ring) + LS_RING_STATE;
}

/* ls_lend.c */
bool ls_lend_can(const struct ls_channel *ch);
int ls_lend_ring(struct file *filp, struct ls_file *file, struct lanescope_ring *args);

/* ls_ring.c */
extern const struct ls_lease_ops ls_ring_ops;
void ls_ring_release(struct kref *ref);
void ls_ring_unmap(struct device *dma, struct ls_ring *ring);
int ls_ring_mmap(struct file *filp, struct vm_area_struct *vma);
int ls_ring_wait(struct ls_ring *ring, u32 number, u64 deadline);
__poll_t ls_ring_poll(struct file *filp, struct ls_ring *ring, poll_table *wait);
void ls_ring_close(struct ls_file *file);

/* ls_records.c */
bool ls_records_have(const struct ls_ring *ring, u32 number);
u32 ls_records_done(const struct ls_ring *ring);

/**
 * struct ls_pinned - memory that was pinned for a ring
 * @node: in the list of its ring, under that one's lock
 * @id: by which the process names it
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
	u32 id;
	struct page **pages;
	unsigned int npages;
	struct sg_table sgt;
	struct ls_domain *domain;
	dma_addr_t address;
	struct mm_struct *mm;
	unsigned int charged;
};

/* ls_pinned.c */
int ls_pinned_add(struct ls_channel *ch, struct ls_ring *ring,
		  struct lanescope_ring_buffer *args);
int ls_pinned_remove(struct ls_channel *ch, struct ls_ring *ring, u32 id);
void ls_pinned_free_all(struct ls_channel *ch, struct list_head *list);

#endif
