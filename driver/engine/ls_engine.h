/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The engine: channels, their queues of requests, what of those it has as descriptors, and how they
 * end. Who has a channel in the driver's place is told by what he lent it with; whoever asked for a
 * request by that.
 */
#ifndef LS_ENGINE_H
#define LS_ENGINE_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/ls_core.h"
#include "engine/ls_regs.h"

#define LS_RING_LOG2		10
#define LS_ENTRIES		BIT(LS_RING_LOG2)

/* What the driver remembers of a descriptor in the ring. */
struct ls_slot {
	struct ls_request *req;
	u32 bytes;
	bool last;	/* a frame from the card is expected to end with it */
};

enum ls_buffer_state { LS_BUFFER_IDLE, LS_BUFFER_BUSY, LS_BUFFER_FULL };

/**
 * struct ls_buffer - what calls that do not wait read from, or write to (ls_buffer.c)
 * @user: held by the call that fills it, empties it, or gives it to the engine
 * @wait: who waits for its state to change
 * @data: 64 KiB, from its first use on; more while io_uring writes a longer frame
 * @room: bytes of it
 * @state: the engine has it, or it holds what has come; this and the rest under the channel's lock
 * @file: whose transfer it is, NULL when that was closed
 * @at: bytes read of it
 * @bytes: bytes that have come
 * @frame_end: the last of them is the last of a frame
 */
struct ls_buffer {
	struct mutex user;	/* held by the call that fills or empties it */
	wait_queue_head_t wait;
	void *data;
	size_t room;
	enum ls_buffer_state state;
	struct ls_file *file;
	size_t at, bytes;
	bool frame_end;
};

struct ls_lease;

/**
 * struct ls_lease_ops - what whoever has a channel is told
 * @record: there may be a record; the channel is locked
 * @revoke: it gives the engine nothing more from here on; the channel's mutex is held
 * @ended: the engine has nothing of it any more, unless ls_channel_holds() says that it may; and
 *	the channel is the driver's. With the channel's mutex, and with the errno that says why
 */
struct ls_lease_ops {
	void (*record)(struct ls_lease *lease);
	void (*revoke)(struct ls_lease *lease);
	void (*ended)(struct ls_channel *ch, struct ls_lease *lease, int error);
};

/**
 * struct ls_lease - a channel that somebody has in the driver's place
 * @ops: what he is told
 * @control: what the control register holds
 * @last: where the engine writes its records from its stop on: as many as the ring has. Whoever has
 *	the channel does not write there, but may have the engine do so
 * @last_dma: the same for the engine, which one store brings there
 */
struct ls_lease {
	const struct ls_lease_ops *ops;
	u64 control;
	const struct ls_record *last;
	dma_addr_t last_dma;
};

/**
 * struct ls_channel - one direction of one channel, and its file
 * @lock: everything from @requests on
 * @reset: held while the channel is stopped and set up anew
 * @buffer: of calls that do not wait
 * @poll_us: how long a call looks for its end before it sleeps; 0: it sleeps at once
 * @every: the engine writes a record for so many descriptors
 * @cycles: or after so many cycles; changed with @lock held, as @attributes
 * @requests: all that have not ended, in their order
 * @attributes: of its TLPs, as in the control register
 * @frame: whose frame to the card goes on with the next request; NULL where a new one begins
 * @frame_open: a frame goes on after the last request that has ended
 * @lent: somebody has the channel, and the driver gives it nothing; changed with @reset held, too
 * @quiet: the engine was stopped, and has nothing of the channel; changed with @reset held
 */
struct ls_channel {
	struct device dev;
	struct cdev cdev;
	struct ls_device *ls;
	unsigned int index;
	bool to_host;
	enum dma_data_direction dir;
	void __iomem *regs;
	unsigned int vector;

	struct ls_desc *ring;
	dma_addr_t ring_dma;
	struct ls_record *records;
	dma_addr_t records_dma;
	struct ls_slot *slots;
	struct ls_buffer buffer;
	unsigned int poll_us;
	u32 every, cycles;

	struct mutex reset;	/* held while the channel is stopped and set up anew */
	struct work_struct mend;
	struct work_struct cancel;
	spinlock_t lock;	/* of all that follows */
	struct list_head requests;
	struct ls_file *frame;
	bool frame_open;
	struct ls_lease *lent;
	u32 head;		/* descriptors posted since enable */
	u32 tail;		/* of them, reported */
	u32 next_record;
	bool stopped;
	bool quiet;
	u64 attributes;
	u32 seen;		/* tail when the watch looked */
	bool waited;		/* the engine had something then */
	unsigned int still;	/* looks of the watch at the same tail */

	u32 last_cause;
	u64 transfers, bytes, descriptors, doorbells, interrupts, resets;
};

#define to_ls_channel(d)	container_of(d, struct ls_channel, dev)

/* ls_desc.c */
bool ls_desc_allows(const struct ls_channel *ch, u32 flags);
void ls_desc_post(struct ls_channel *ch);
void ls_desc_forget(struct ls_channel *ch, const struct ls_request *req);
bool ls_desc_account(struct ls_channel *ch, u32 state, u32 bytes);

/* ls_aio.c */
void ls_aio_arm(struct ls_request *req);

/* ls_channel.c */
int ls_channel_setup(struct ls_channel *ch);
void ls_channel_free(struct ls_channel *ch);
void ls_channel_clear(struct ls_channel *ch);
void ls_channel_start(struct ls_channel *ch);
int ls_channel_enqueue(struct ls_channel *ch, struct ls_request *req);
int ls_channel_submit(struct ls_channel *ch, struct ls_request *req);
void ls_channel_service(struct ls_channel *ch);
int ls_channel_error(struct ls_file *file);
bool ls_channel_holds(const struct ls_channel *ch);
bool ls_channel_busy(struct ls_channel *ch);
unsigned int ls_channel_still(struct ls_channel *ch);
void ls_channel_fail(struct ls_channel *ch, int error);
u64 ls_channel_word(const struct ls_channel *ch, u32 every, u32 cycles);
u64 ls_channel_control(const struct ls_channel *ch);
bool ls_channel_record(const struct ls_channel *ch, u32 number, u32 *state);
void ls_channel_program(struct ls_channel *ch, dma_addr_t ring, dma_addr_t records, u64 control);
bool ls_channel_read_records(struct ls_channel *ch);
void ls_channel_end_all(struct ls_channel *ch, struct list_head *over);

/* ls_sort.c */
void ls_sort_out(struct ls_channel *ch, int error, bool keep, struct list_head *over);
void ls_sort_out_waiting(struct ls_channel *ch, struct list_head *over);

/* ls_restart.c */
void ls_restart_init(struct ls_channel *ch);
void ls_restart_stop(struct ls_channel *ch, int error);
void ls_restart_pause(struct ls_channel *ch);
void ls_restart_quiesce(struct ls_channel *ch);
void ls_restart_take_back(struct ls_channel *ch, const struct ls_lease *lease);
void ls_restart_renew(struct ls_channel *ch);
void ls_restart_withdraw(struct ls_channel *ch);
void ls_restart_flush(struct ls_channel *ch);
void ls_restart_break_frame(struct ls_channel *ch, struct ls_file *file);

/* ls_cancel.c */
void ls_cancel_one(struct ls_channel *ch, struct ls_request *req, int error);
void ls_cancel_init(struct ls_channel *ch);
void ls_cancel_file(struct ls_file *file);
bool ls_cancel_for_signal(struct ls_channel *ch, struct ls_request *req);

/* ls_wait.c */
ssize_t ls_wait_for(struct ls_channel *ch, struct ls_request *req);

#endif
