// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What ends and begins all channels of a card at once: the watch, an engine that does not stop and
 * is reset, a card that is let go. What the system tells of is in ls_events.c.
 */
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/module.h>

#include "card/ls_card.h"
#include "engine/ls_engine.h"
#include "peer/ls_peer.h"
#include "user/ls_user.h"

static unsigned int completion_timeout;
module_param(completion_timeout, uint, 0444);
MODULE_PARM_DESC(completion_timeout,
		 "a tick in units of 256 cycles; a request ends in one to two (0: the engine's own)");

static unsigned int stall_seconds;
module_param(stall_seconds, uint, 0644);
MODULE_PARM_DESC(stall_seconds,
		 "a transfer of which nothing moves for so long fails (0: the design may keep it waiting)");

#define LS_AGAIN_JIFFIES	(HZ / 10)

/**
 * ls_card_stop - ends a card's own transfers, and those of others into its window
 * @ls: card; where it is going, nothing ends
 * @error: what its requests return
 */
void ls_card_stop(struct ls_device *ls, int error)
{
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++)
		ls_restart_stop(ls->channels[i], error);
	ls_window_close_all(ls, error);
}

/**
 * ls_card_answers - whether the engine answers to a load
 * @ls: card
 */
bool ls_card_answers(struct ls_device *ls)
{
	return lower_32_bits(readq(ls->regs + LS_IDENTITY)) == LS_MAGIC;
}

/*
 * Lets the card go: no channel begins from here on, the engine is stopped, the bus taken from it,
 * and only then does anything end. Its turn is held.
 */
static void ls_leave(struct ls_device *ls, int error)
{
	unsigned int i;

	if (ls_state_move(ls, LS_GOING)) {
		for (i = 0; i < ls->nchannels; i++)
			ls_restart_quiesce(ls->channels[i]);
		ls_bus_off(ls);
		ls_state_move(ls, LS_GONE);
	}
	ls_card_stop(ls, error);
	for (i = 0; i < ls->nchannels; i++)
		ls_buffer_wake(ls->channels[i]);
}

/**
 * ls_card_leave - ends all of a card, for good
 * @ls: card
 * @error: what its requests return
 */
void ls_card_leave(struct ls_device *ls, int error)
{
	mutex_lock(&ls->turn);
	ls_leave(ls, error);
	mutex_unlock(&ls->turn);
}

/* Lets the card run, which is there; its turn is held. */
static void ls_start(struct ls_device *ls)
{
	unsigned int i;

	ls_bus_on(ls);
	ls_settings_allow(ls);
	if (completion_timeout)
		writeq(completion_timeout, ls->regs + LS_TIMEOUT);
	if (!ls_state_move(ls, LS_RUNNING))
		return;
	for (i = 0; i < ls->nchannels; i++) {
		mutex_lock(&ls->channels[i]->reset);
		ls_channel_start(ls->channels[i]);
		mutex_unlock(&ls->channels[i]->reset);
	}
	ls_window_close_all(ls, 0);
	/* What is restored after an error of the link; each restoring uses it up. */
	pci_save_state(ls->pdev);
}

/**
 * ls_card_start - sets up all channels of an engine that was just reset
 * @ls: card
 */
void ls_card_start(struct ls_device *ls)
{
	mutex_lock(&ls->turn);
	if (ls_is_leaving(ls)) {
		/* It stays so. */
	} else if (ls_card_answers(ls)) {
		ls_start(ls);
	} else {
		dev_err(&ls->pdev->dev, "does not answer after a reset\n");
		ls_leave(ls, -ENODEV);
	}
	mutex_unlock(&ls->turn);
}

/**
 * ls_card_settle - makes sure that the engine has nothing left of an earlier driver
 * @ls: card that is probed, without bus mastering
 *
 * One that was given up, or whose system crashed, may still hold descriptors of memory that has
 * other users by now. A channel that waits for its design is not busy: whether it is enabled says
 * that it may have one.
 */
int ls_card_settle(struct ls_device *ls)
{
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++) {
		void __iomem *regs = ls->channels[i]->regs;

		if (readq(regs + LS_CONTROL) & LS_ENABLE || readq(regs + LS_STATE) & LS_BUSY) {
			dev_info(&ls->pdev->dev, "was left with transfers: resetting it\n");
			return pci_reset_function_locked(ls->pdev);
		}
	}
	return 0;
}

/*
 * After ls_device_give_up(). Nobody is waited for: who removes or resets the card ends its
 * requests, too. Not being waited for, the lock of the device may be taken here.
 */
static void ls_revive(struct work_struct *work)
{
	struct ls_device *ls = container_of(to_delayed_work(work), struct ls_device, revive);
	int error;

	if (ls_is_leaving(ls)) {
		ls_card_leave(ls, -ENODEV);
		return;
	}
	if (READ_ONCE(ls->bus) == LS_BUS_ON)
		return;
	/* The system would wait for it for more than a minute, with its device locked. */
	if (!pci_device_is_present(ls->pdev)) {
		dev_err(&ls->pdev->dev, "does not answer any more\n");
		ls_card_leave(ls, -ENODEV);
		return;
	}
	error = pci_try_reset_function(ls->pdev);
	if (error == -EAGAIN) {
		queue_delayed_work(system_freezable_wq, &ls->revive, LS_AGAIN_JIFFIES);
		return;
	}
	if (error) {
		dev_err(&ls->pdev->dev, "cannot be reset (%d): given up\n", error);
		ls_card_leave(ls, -EIO);
	}
}

/* Where nothing was moved: does the engine answer? And has its user said how long is too long? */
static void ls_watch_stalled(struct ls_device *ls)
{
	unsigned int i, most = READ_ONCE(stall_seconds);
	bool asked = false;

	for (i = 0; i < ls->nchannels; i++) {
		unsigned int still = ls_channel_still(ls->channels[i]);

		if (still && !asked) {
			asked = true;
			if (!ls_card_answers(ls)) {
				ls_device_give_up(ls, "does not answer");
				return;
			}
		}
		if (most && still >= most)
			ls_channel_fail(ls->channels[i], -ETIMEDOUT);
	}
}

/*
 * Once a second, while something is under way: records that no interrupt spoke of, an engine that
 * does not answer, and a card that has gone. Whether it is there is asked of its configuration
 * space.
 */
static void ls_watch(struct work_struct *work)
{
	struct ls_device *ls = container_of(to_delayed_work(work), struct ls_device, watch);
	bool busy = false;
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++) {
		if (!ls_channel_busy(ls->channels[i]))
			continue;
		busy = true;
		ls_channel_service(ls->channels[i]);
	}
	if (busy && ls_state(ls) == LS_RUNNING) {
		if (!pci_device_is_present(ls->pdev))
			ls_device_give_up(ls, "has gone");
		else
			ls_watch_stalled(ls);
	}
	/* What begins from now on lets it look again. */
	if (busy && !ls_is_leaving(ls))
		ls_device_watch(ls);
}

/**
 * ls_card_init - what this file keeps of a card
 * @ls: card
 */
void ls_card_init(struct ls_device *ls)
{
	INIT_DELAYED_WORK(&ls->watch, ls_watch);
	INIT_DELAYED_WORK(&ls->revive, ls_revive);
}

/**
 * ls_card_end - ends all requests, and lets no new ones in
 * @ls: card that is removed
 */
void ls_card_end(struct ls_device *ls)
{
	ls_card_shutdown(ls);
	ls_import_end_all(ls);
	/* The last of them may have been queued meanwhile. */
	cancel_delayed_work_sync(&ls->watch);
	cancel_delayed_work_sync(&ls->revive);
	cancel_delayed_work_sync(&ls->recovery);
}

/**
 * ls_card_shutdown - ends all requests, and lets no new ones in, where the system goes
 * @ls: card, which the next kernel may find
 */
void ls_card_shutdown(struct ls_device *ls)
{
	/* What is being prepared is queued, or finds that the card is going. */
	down_write(&ls->life);
	ls_state_move(ls, LS_GOING);
	up_write(&ls->life);
	cancel_delayed_work_sync(&ls->watch);
	ls_card_leave(ls, -ENODEV);
}

/**
 * ls_card_pause - ends what is under way, and lets nothing begin
 * @ls: card
 * @error: what its requests return; with 0, those of which nothing was moved stay
 */
void ls_card_pause(struct ls_device *ls, int error)
{
	unsigned int i;

	cancel_delayed_work_sync(&ls->watch);
	ls_state_move(ls, LS_PAUSED);
	if (error) {
		ls_card_stop(ls, error);
	} else {
		for (i = 0; i < ls->nchannels; i++)
			ls_restart_pause(ls->channels[i]);
	}
	/* It was found not to be there. */
	if (ls_is_leaving(ls))
		ls_card_leave(ls, -ENODEV);
}
