/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of the driver of lanescope's DMA engine share. Registers are in ls_regs.h.
 */
#ifndef LS_H
#define LS_H

#include <linux/cdev.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/poll.h>
#include <linux/rwsem.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/uio.h>
#include <linux/workqueue.h>

#include "ls_regs.h"
#include "ls_request.h"

#define LS_NAME			"lanescope"
#define LS_RING_LOG2		10
#define LS_ENTRIES		BIT(LS_RING_LOG2)

struct ls_device;
struct ls_channel;
struct ls_notes;
struct ls_domain;
struct ls_ring;
struct lanescope_ring;
struct lanescope_ring_buffer;
struct lanescope_transfer;
struct dma_buf;

/**
 * struct ls_file - an open file of a channel
 * @ch: channel
 * @error: of a transfer that no call waited for: the next call returns it; under the channel's lock
 * @flags: LANESCOPE_FRAME_* of its calls
 * @notes: what its reads came to (ls_frame.c); NULL until it asks for them
 * @ring: the channel was lent by this file, and may have been taken back (ls_ring.c)
 * @queued: requests of its calls that have not ended
 */
struct ls_file {
	struct ls_channel *ch;
	int error;
	u32 flags;
	struct ls_notes *notes;
	struct ls_ring *ring;
	atomic_t queued;
};

/**
 * struct ls_part - what a read has before it comes to the engine
 * @flags: LANESCOPE_FRAME_* of the call
 * @bytes: of what was read ahead
 * @frame_end: the last of them is the last of a frame
 */
struct ls_part {
	u32 flags;
	size_t bytes;
	bool frame_end;
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
	unsigned int still;	/* looks of the watch at the same tail */

	u32 last_cause;
	u64 transfers, bytes, descriptors, doorbells, interrupts, resets;
};

#define to_ls_channel(d)	container_of(d, struct ls_channel, dev)

struct ls_vector {
	struct ls_device *ls;
	unsigned int number;
};

/**
 * enum ls_state - what a card may do (docs/driver.md has the moves)
 * @LS_PAUSED: no channel begins; requests wait, or end when the engine is idle or off the bus
 * @LS_RUNNING: all
 * @LS_GOING: it is let go: nothing begins, and nothing ends before the engine has lost the bus
 * @LS_GONE: the engine reaches nothing; requests end, and there are no new ones
 * @LS_STATES: how many
 */
enum ls_state { LS_PAUSED, LS_RUNNING, LS_GOING, LS_GONE, LS_STATES };

/**
 * enum ls_bus - whether a card masters the bus
 * @LS_BUS_ON: it may
 * @LS_BUS_OFF: it does not, which its Command register has shown; the engine is to be reset
 * @LS_BUS_STUCK: it was told not to, and does; the engine is to be reset
 */
enum ls_bus { LS_BUS_ON, LS_BUS_OFF, LS_BUS_STUCK };

/**
 * struct ls_device - a card
 * @ref: the driver's and one for each channel's file
 * @state: changed by ls_state_move() alone
 * @state_lock: of that
 * @bus: changed by ls_bus_off() and ls_bus_on() alone
 * @turn: held while the card is started or let go
 * @doorbells: the engine has doorbell pages
 * @life: read while a transfer is mapped and queued, written to find that none is; nobody faults
 *	in memory with it
 * @imports: transfers that have a buffer of somebody else (ls_import.c)
 * @windows: what was exported of its window (ls_window.c)
 * @windows_lock: of that list; inside of @life
 * @domain: a process has the card, and no channel takes requests (ls_domain.c)
 * @domain_lock: of that
 */
struct ls_device {
	struct kref ref;
	struct pci_dev *pdev;
	void __iomem *regs;
	int number;
	u32 version;
	u32 width;
	unsigned int nvectors;
	unsigned int nchannels;
	bool doorbells;
	enum ls_state state;
	spinlock_t state_lock;	/* of state */
	enum ls_bus bus;
	struct mutex turn;	/* held while the card is started or let go; inside of life */
	struct rw_semaphore life;
	atomic_t imports;
	struct mutex windows_lock;	/* of windows; inside of life */
	struct list_head windows;
	struct ls_domain *domain;
	struct mutex domain_lock;	/* of domain; inside of a channel's mutex */
	struct delayed_work watch;
	struct delayed_work revive;
	struct delayed_work recovery;
	struct ls_vector vectors[2 * LS_MAX_CHANNELS];
	struct ls_channel *channels[2 * LS_MAX_CHANNELS];
};

/* One call moves at most as much; a longer one is short, as any read or write may be. */
#define LS_CALL_MAX	(64UL << 20)

/* ls_device.c */
struct ls_device *ls_device_new(struct pci_dev *pdev);
struct ls_device *ls_device_get(struct ls_device *ls);
void ls_device_put(struct ls_device *ls);
void ls_device_watch(struct ls_device *ls);
void ls_device_give_up(struct ls_device *ls, const char *what);

/* ls_state.c */
static inline enum ls_state ls_state(const struct ls_device *ls)
{
	return READ_ONCE(ls->state);
}

static inline bool ls_is_leaving(const struct ls_device *ls)
{
	return ls_state(ls) >= LS_GOING;
}

const char *ls_state_name(const struct ls_device *ls);
bool ls_state_move(struct ls_device *ls, enum ls_state to);
void ls_state_settle(struct ls_device *ls);

/* ls_life.c */
int ls_life_enter(struct ls_device *ls, bool nowait);
void ls_life_leave(struct ls_device *ls);

/* ls_bus.c */
void ls_bus_off(struct ls_device *ls);
void ls_bus_on(struct ls_device *ls);

/* ls_file.c */
extern const struct file_operations ls_file_operations;

/* ls_ioctl.c */
long ls_ioctl(struct file *filp, unsigned int command, unsigned long argument);

/* ls_frame.c */
long ls_frame_set(struct ls_file *file, u32 flags);
void ls_frame_note(struct ls_file *file, u32 flags, size_t bytes, u32 frames, bool frame_end);
long ls_frame_tell(struct ls_file *file, void __user *argument);
void ls_frame_close(struct ls_file *file);

/* ls_desc.c */
bool ls_desc_allows(const struct ls_channel *ch, u32 flags);
void ls_desc_post(struct ls_channel *ch);
bool ls_desc_account(struct ls_channel *ch, u32 state, u32 bytes);

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

/* ls_card.c */
void ls_card_init(struct ls_device *ls);
int ls_card_settle(struct ls_device *ls);
void ls_card_start(struct ls_device *ls);
void ls_card_leave(struct ls_device *ls, int error);
void ls_card_end(struct ls_device *ls);
void ls_card_shutdown(struct ls_device *ls);
void ls_card_pause(struct ls_device *ls, int error);
void ls_card_stop(struct ls_device *ls, int error);
bool ls_card_answers(struct ls_device *ls);

/* ls_events.c */
extern const struct pci_error_handlers ls_events_errors;
extern const struct dev_pm_ops ls_events_pm;
void ls_events_init(struct ls_device *ls);

/* ls_buffer.c */
#define LS_BUFFER_BYTES	SZ_64K
void ls_buffer_init(struct ls_buffer *buffer);
void ls_buffer_wake(struct ls_channel *ch);
void ls_buffer_forget(struct ls_file *file);
int ls_buffer_ahead(struct ls_file *file);
ssize_t ls_buffer_write(struct ls_file *file, struct iov_iter *from, size_t most, u32 flags,
			bool resident);
ssize_t ls_buffer_read(struct ls_file *file, struct iov_iter *to, bool nowait, bool resident,
		       bool *frame_end);

/* ls_lend.c */
bool ls_lend_can(const struct ls_channel *ch);
int ls_lend_ring(struct file *filp, struct ls_file *file, struct lanescope_ring *args);

/* ls_ring.c */
int ls_ring_mmap(struct file *filp, struct vm_area_struct *vma);
int ls_ring_wait(struct ls_ring *ring, u32 number, u64 deadline);
__poll_t ls_ring_poll(struct file *filp, struct ls_ring *ring, poll_table *wait);
void ls_ring_close(struct ls_file *file);

/* ls_pinned.c */
int ls_pinned_add(struct ls_channel *ch, struct ls_ring *ring,
		  struct lanescope_ring_buffer *args);
int ls_pinned_remove(struct ls_channel *ch, struct ls_ring *ring, u32 id);
void ls_pinned_free_all(struct ls_channel *ch, struct list_head *list);

/**
 * struct ls_ends - ends of frames in what a transfer has from the card
 * @frames: how many
 * @last: its last byte is one
 */
struct ls_ends {
	u32 frames;
	bool last;
};

/* ls_window.c */
bool ls_window_exists(struct ls_device *ls);
int ls_window_export(struct ls_device *ls, void __user *argument);
void ls_window_close_all(struct ls_device *ls, int error);
bool ls_window_is(const struct dma_buf *dmabuf);
int ls_window_closed(const struct dma_buf *dmabuf);

/* ls_import.c */
ssize_t ls_import_transfer(struct ls_file *file, const struct lanescope_transfer *args,
			   struct ls_ends *ends);
void ls_import_end_all(struct ls_device *ls);

/* ls_fence.c */
unsigned long ls_fence_ticks(void);
unsigned int ls_fence_seconds(void);

/* ls_sysfs.c */
extern const struct attribute_group *ls_sysfs_channel[];
extern const struct attribute_group *ls_sysfs_card[];

/* ls_settings.c */
extern const struct attribute_group ls_settings_group;
void ls_settings_init(struct ls_channel *ch);
int ls_settings_moderate(struct ls_channel *ch, u32 every, u32 cycles);
void ls_settings_allow(struct ls_device *ls);

#endif
