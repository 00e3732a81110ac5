/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The lowest layer: what is kept of a card, and of an open file of it; the state of a card;
 * requests, and what they hold. It knows no register of the engine.
 */
#ifndef LS_CORE_H
#define LS_CORE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "core/ls_request.h"

#define LS_NAME			"lanescope"

/* Of a card, in each direction. */
#define LS_MAX_CHANNELS		8

struct ls_channel;
struct ls_device;
struct ls_domain;
struct ls_notes;
struct ls_ring;

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
 * @resetting: the system resets it; set with @life held for writing
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
	bool resetting;
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
void ls_life_close(struct ls_device *ls);
void ls_life_open(struct ls_device *ls);

/* ls_bus.c */
void ls_bus_off(struct ls_device *ls);
void ls_bus_on(struct ls_device *ls);

#endif
