/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A request: what it is, and who makes it, counts it, and ends it. */
#ifndef LS_REQUEST_H
#define LS_REQUEST_H

#include <linux/completion.h>
#include <linux/dma-direction.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/scatterlist.h>
#include <linux/uio.h>

struct device;
struct ls_channel;
struct ls_file;

/**
 * struct ls_request - one transfer: a call, or one of libaio (ls_cancel.c has its life)
 * @node: in the channel's list of requests
 * @dma: the card, to which its memory is mapped
 * @dir: in which direction it moves
 * @end: told that it has ended, and frees nothing of it; NULL: a call waits, and frees it
 * @iocb: whom to tell, of one of libaio
 * @file: the file that it was asked by; NULL for what is read ahead
 * @flags: LANESCOPE_FRAME_*
 * @done: completed when it has ended, of a call
 * @pages: the user's pages, pinned; NULL where the caller keeps them
 * @npages: how many
 * @mm: whose limit they count against; NULL where they do not
 * @charged: how many count
 * @sgt: the pages as pieces
 * @nents: mapped pieces
 * @sg: the piece that is given to the engine next
 * @sg_off: how much of it was given
 * @last: of pieces that are added one by one, the last
 * @length: bytes of all pieces
 * @given: bytes given to the engine
 * @posted: descriptors given to the engine
 * @ended: of them, reported
 * @bytes: bytes moved
 * @before: bytes that the call had before, of what was read ahead
 * @frames: ends of frames among what the call has from the card
 * @error: 0, or why it failed
 * @frame_end: its last byte is the last of a frame from the card
 * @continues: its frame to the card began with an earlier request
 * @polled: its call looks for its end, and no interrupt tells of it
 * @queued: it is in the channel's list
 * @cut: the frame ended, or the transfer failed, before its last descriptor
 * @torn: the engine was stopped at one of its descriptors
 * @held: the engine may still reach its memory, which stays as it is for ever
 * @cancelled: libaio has cancelled it; set without a lock
 * @aborted: 0, or the errno with which it is to end now, whatever the engine has of it
 * @withdrawn: that is for a signal, and only where nothing of it has moved
 */
struct ls_request {
	struct list_head node;
	struct device *dma;
	enum dma_data_direction dir;
	void (*end)(struct ls_channel *ch, struct ls_request *req);
	struct kiocb *iocb;
	struct ls_file *file;
	u32 flags;
	struct completion done;
	struct page **pages;
	unsigned int npages;
	struct mm_struct *mm;
	unsigned int charged;
	struct sg_table sgt;
	int nents;
	struct scatterlist *sg;
	unsigned int sg_off;
	struct scatterlist *last;
	size_t length;
	size_t given;
	unsigned int posted;
	unsigned int ended;
	size_t bytes;
	size_t before;
	u32 frames;
	int error;
	bool frame_end;
	bool continues;
	bool polled;
	bool queued;
	bool cut;
	bool torn;
	bool held;
	bool cancelled;
	int aborted;
	bool withdrawn;
};

/* One call moves at most as much; a longer one is short, as any read or write may be. */
#define LS_CALL_MAX	(64UL << 20)

/* ls_request.c */
struct ls_request *ls_request_new(struct device *dma, enum dma_data_direction dir,
				  struct iov_iter *iter, bool nowait, bool resident);
struct ls_request *ls_request_memory(struct device *dma, enum dma_data_direction dir, void *data,
				     size_t bytes);
struct ls_request *ls_request_bare(struct device *dma, enum dma_data_direction dir,
				   unsigned int count);
void ls_request_add(struct ls_request *req, dma_addr_t address, unsigned int bytes);
int ls_request_map(struct ls_request *req);
void ls_request_unmap(struct ls_request *req);
void ls_request_free(struct ls_request *req);
void ls_request_end(struct ls_channel *ch, struct ls_request *req);
ssize_t ls_request_result(const struct ls_request *req);
bool ls_request_is_over(const struct ls_request *req);

/* ls_charge.c */
int ls_charge(struct ls_request *req, unsigned int npages, bool whole, bool nowait);
void ls_charge_drop(struct ls_request *req);
void ls_charge_keep(struct ls_request *req);
int ls_charge_admit(struct ls_file *file, bool nowait);
void ls_charge_dismiss(struct ls_file *file);

#endif
