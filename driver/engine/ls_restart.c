// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A channel that is stopped and set up anew: after a failure, for a signal, at its end. Only here
 * and in the watch are registers loaded. An engine that does not stop is reset (ls_card.c).
 *
 * That the engine has stopped a record says, which follows all that it has written. A load of a
 * register does not: it may pass writes that are on their way (UltraScale+).
 *
 * A channel is stopped in one of two ways. Where something has failed, or ends for good, the engine
 * drops what it has of a frame. Where a request is to be withdrawn, it keeps that, and the others
 * go on where they were.
 */
#include <linux/delay.h>
#include <linux/io-64-nonatomic-lo-hi.h>

#include "engine/ls_engine.h"

/* How long a channel may take to stop: the engine waits for completions, or their timeout. */
#define LS_STOP_MS	1000

/* How long to sleep before looking again: at first, and, of one that takes long, at most. */
#define LS_LOOK_US	50U
#define LS_LOOK_MAX_US	1600U

/*
 * Lets the engine write its records where whoever has the channel does not: it is about to be
 * stopped, and may be writing a record. In one store, also where that has 32 bits.
 */
static void ls_lease_stop(const struct ls_channel *ch)
{
	if (IS_ENABLED(CONFIG_64BIT))
		writeq(ch->lent->last_dma, ch->regs + LS_RECORD_BASE);
	else
		writel(lower_32_bits(ch->lent->last_dma), ch->regs + LS_RECORD_BASE);
}

/* Whether the engine has said there that it has. Which record comes next is not known. */
static bool ls_lease_stopped(const struct ls_lease *lease)
{
	unsigned int i;

	for (i = 0; i < LS_ENTRIES; i++)
		if (ls_record_is_last(le32_to_cpu(READ_ONCE(lease->last[i].state))))
			return true;
	return false;
}

/* The engine has nothing any more of whoever had the channel, which is stopped. */
static void ls_lease_end(struct ls_channel *ch, int error)
{
	struct ls_lease *lease;

	spin_lock(&ch->lock);
	lease = ch->lent;
	ch->lent = NULL;
	spin_unlock(&ch->lock);
	if (lease)
		lease->ops->ended(ch, lease, error);
}

/* Whether the last record is there, of a channel whose records nobody else reads now. */
static bool ls_has_stopped(const struct ls_channel *ch)
{
	u32 number, state;

	/* Whoever has it may have had the engine write what looks like the record. */
	if (ch->lent)
		return ls_lease_stopped(ch->lent) && !(readq(ch->regs + LS_STATE) & LS_BUSY);
	for (number = ch->next_record; ls_channel_record(ch, number, &state); number++)
		if (ls_record_is_last(state))
			return true;
	return false;
}

/*
 * Whether a process has the card by another channel: the engine has nothing of this one, and its
 * record would not come, since the IOMMU keeps it from all but the memory of that process. (Where
 * somebody only tries to get the card there may be descriptors, and the record comes.)
 */
static bool ls_is_cut_off(struct ls_channel *ch)
{
	bool idle;

	spin_lock(&ch->lock);
	idle = !ch->lent && list_empty(&ch->requests) && ch->head == ch->tail;
	spin_unlock(&ch->lock);
	return idle && READ_ONCE(ch->ls->domain);
}

/*
 * Stops the engine: afterwards it touches no memory of this channel. With LS_KEEP_DATA it drops
 * nothing. The mutex is held.
 */
static bool ls_quiesce(struct ls_channel *ch, u64 keep)
{
	unsigned long until = jiffies + msecs_to_jiffies(LS_STOP_MS);
	u64 control = ch->lent ? ch->lent->control : ls_channel_control(ch);
	unsigned int us = LS_LOOK_US;
	bool late;

	/* While the card is reset, nobody is to load a register. */
	if (ch->quiet)
		return true;
	if (ls_is_cut_off(ch)) {
		writeq(0, ch->regs + LS_CONTROL);
		ch->quiet = true;
		return true;
	}
	if (ch->lent)
		ls_lease_stop(ch);
	writeq(control | LS_ABORT | LS_TELL | keep, ch->regs + LS_CONTROL);
	for (;;) {
		late = time_after(jiffies, until);
		if (ls_has_stopped(ch)) {
			/* What it has written before is read after it. */
			dma_rmb();
			writeq(0, ch->regs + LS_CONTROL);
			ch->quiet = true;
			return true;
		}
		if (late || readq(ch->regs + LS_STATE) == ~0ULL)
			return false;
		usleep_range(us, 2 * us);
		us = min(2 * us, LS_LOOK_MAX_US);
	}
}

/*
 * Lets nobody give the engine more. Returns whether something has failed before, of which the
 * channel's work is to hear, or has heard. The channel's mutex is held.
 */
static bool ls_hold(struct ls_channel *ch)
{
	bool failed;

	if (ch->lent)
		ch->lent->ops->revoke(ch->lent);
	spin_lock(&ch->lock);
	failed = ch->stopped || ls_channel_read_records(ch);
	ch->stopped = true;
	spin_unlock(&ch->lock);
	return failed;
}

/*
 * Has a channel that was stopped with LS_KEEP_DATA drop what it has kept: what is left of a frame
 * that has failed meanwhile is no frame.
 */
static void ls_drop(struct ls_channel *ch)
{
	if (ls_state(ch->ls) != LS_RUNNING || READ_ONCE(ch->ls->bus) != LS_BUS_ON)
		return;
	spin_lock(&ch->lock);
	ls_channel_clear(ch);
	spin_unlock(&ch->lock);
	if (!ls_quiesce(ch, 0))
		ls_device_give_up(ch->ls, "does not stop");
}

/*
 * Stops the channel, ends what has to end, and, without an @error, sets it up anew for the rest,
 * or leaves it to somebody else to do so. Where the engine does not stop, only what was killed or
 * cancelled, or was never given to it, ends before a reset, and only when the bus is lost. A
 * process that the channel was lent to loses it. The channel's mutex is held. With LS_KEEP_DATA as
 * @keep nothing is dropped, unless the engine does not stop.
 */
static void ls_restart_locked(struct ls_channel *ch, int error, bool anew, u64 keep)
{
	struct ls_device *ls = ch->ls;
	enum ls_state state;
	LIST_HEAD(over);
	bool failed;

	/* What is left of a frame that has failed is no frame. */
	if (ls_hold(ch))
		keep = 0;
	if (READ_ONCE(ls->bus) == LS_BUS_ON && !ls_quiesce(ch, keep))
		ls_device_give_up(ls, "does not stop");
	state = ls_state(ls);
	if (state == LS_GONE) {
		error = error ?: -ENODEV;
	} else if (READ_ONCE(ls->bus) != LS_BUS_ON && !error) {
		spin_lock(&ch->lock);
		/* No more of them come: the bus is lost. */
		ls_channel_read_records(ch);
		ls_sort_out_waiting(ch, &over);
		spin_unlock(&ch->lock);
		ls_channel_end_all(ch, &over);
		return;
	} else if (state == LS_GOING) {
		/* Who lets the card go ends all, when it has no bus. */
		return;
	}

	ls_lease_end(ch, error ?: -EIO);
	spin_lock(&ch->lock);
	failed = ls_channel_read_records(ch) && keep;
	if (failed || !ch->quiet)
		keep = 0;
	if (!keep)
		ch->resets++;
	ls_sort_out(ch, error, keep, &over);
	spin_unlock(&ch->lock);
	if (failed)
		ls_drop(ch);
	/* Before anybody hears of it: a stopped engine drops what the design sends. */
	if (!error && anew)
		ls_channel_start(ch);
	ls_channel_end_all(ch, &over);
}

/* For requests. Where the channel was lent, or freed, since somebody found one, it has ended. */
static void ls_restart(struct ls_channel *ch, int error, bool anew, u64 keep)
{
	mutex_lock(&ch->reset);
	if (ch->records && !(ch->lent && anew))
		ls_restart_locked(ch, error, anew, keep);
	mutex_unlock(&ch->reset);
}

/**
 * ls_restart_take_back - ends what a process has of the channel, and sets it up for the driver
 * @ch: channel
 * @lease: what it was lent by
 */
void ls_restart_take_back(struct ls_channel *ch, const struct ls_lease *lease)
{
	mutex_lock(&ch->reset);
	if (ch->lent == lease)
		ls_restart_locked(ch, 0, true, 0);
	mutex_unlock(&ch->reset);
}

/* Sets the channel up anew, from its work. */
static void ls_mend(struct work_struct *work)
{
	struct ls_channel *ch = container_of(work, struct ls_channel, mend);
	bool stopped;

	mutex_lock(&ch->reset);
	spin_lock(&ch->lock);
	stopped = ch->stopped;
	spin_unlock(&ch->lock);
	/* Somebody else may have set it up anew since. */
	if (stopped && ch->records && !ch->lent)
		ls_restart_locked(ch, 0, true, 0);
	mutex_unlock(&ch->reset);
}

/**
 * ls_restart_init - what this file keeps of a channel
 * @ch: channel
 */
void ls_restart_init(struct ls_channel *ch)
{
	mutex_init(&ch->reset);
	INIT_WORK(&ch->mend, ls_mend);
}

/**
 * ls_restart_stop - ends all requests
 * @ch: channel
 * @error: what they return
 */
void ls_restart_stop(struct ls_channel *ch, int error)
{
	ls_restart(ch, error, false, 0);
	cancel_work_sync(&ch->mend);
}

/**
 * ls_restart_quiesce - stops the engine, and ends nothing
 * @ch: channel of a card that is going: nobody starts it again
 */
void ls_restart_quiesce(struct ls_channel *ch)
{
	struct ls_device *ls = ch->ls;

	mutex_lock(&ch->reset);
	ls_hold(ch);
	if (READ_ONCE(ls->bus) == LS_BUS_ON && !ls_quiesce(ch, 0)) {
		dev_err(&ls->pdev->dev, "the engine does not stop\n");
		/* Nobody is to wait as long for each of the others. */
		ls_bus_off(ls);
	}
	mutex_unlock(&ch->reset);
	cancel_work_sync(&ch->mend);
}

/**
 * ls_restart_pause - stops the channel; requests of which nothing was moved stay
 * @ch: channel, which ls_channel_start() lets go on
 */
void ls_restart_pause(struct ls_channel *ch)
{
	ls_restart(ch, 0, false, 0);
	cancel_work_sync(&ch->mend);
}

/**
 * ls_restart_renew - sets the channel up anew; what is to end ends
 * @ch: channel
 */
void ls_restart_renew(struct ls_channel *ch)
{
	ls_restart(ch, 0, true, 0);
}

/**
 * ls_restart_withdraw - ends requests that are to end, and have moved nothing; others go on
 * @ch: channel from the card
 */
void ls_restart_withdraw(struct ls_channel *ch)
{
	ls_restart(ch, 0, true, LS_KEEP_DATA);
}

/* Descriptors of calls that are over, and nothing else: those that the end of a frame has left. */
static bool ls_has_rest(struct ls_channel *ch)
{
	bool rest;

	spin_lock(&ch->lock);
	rest = ch->to_host && !ch->stopped && list_empty(&ch->requests) && ch->head != ch->tail;
	spin_unlock(&ch->lock);
	return rest;
}

/**
 * ls_restart_flush - has the engine drop the descriptors of calls that are over
 * @ch: channel; what the engine has of a frame stays
 */
void ls_restart_flush(struct ls_channel *ch)
{
	if (!ls_has_rest(ch))
		return;
	mutex_lock(&ch->reset);
	if (ch->records && ls_has_rest(ch))
		ls_restart_locked(ch, 0, true, LS_KEEP_DATA);
	mutex_unlock(&ch->reset);
}

/**
 * ls_restart_break_frame - breaks the frame to the card that a file leaves open
 * @ch: channel
 * @file: the file, which is closed
 */
void ls_restart_break_frame(struct ls_channel *ch, struct ls_file *file)
{
	bool open;

	spin_lock(&ch->lock);
	open = ch->frame == file;
	spin_unlock(&ch->lock);
	if (!open)
		return;
	ls_restart(ch, 0, true, 0);
	/* An engine that does not stop, or a card that has gone, breaks it by itself. */
	spin_lock(&ch->lock);
	if (ch->frame == file)
		ch->frame = NULL;
	spin_unlock(&ch->lock);
}
