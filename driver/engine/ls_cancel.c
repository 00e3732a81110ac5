// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The life of a request, and how it is ended before its time.
 *
 * built: its pages are pinned and charged. The call that builds it has it, and nobody else knows
 *	of it.
 * queued: it is mapped, and in the channel's list. A call that waits has it from its own stack; of
 *	one of libaio the queue has it, and the kiocb, which has a reference to the file, and so to
 *	the channel.
 * on the ring: the engine has descriptors of it (@posted), and may write to its pages at any time.
 * done: it is in no list, and the engine has nothing of it. Its pages are unmapped and unpinned
 *	first, then whoever asked is told, once: ls_request_end().
 *
 * Cancelled is no state: it says that the request is to be done now (@aborted is why). One that is
 * only queued is taken from the list. For one on the ring the channel is stopped and set up anew:
 * what it has moved is its result, and what the engine held of a frame is dropped. In no case does
 * it stay in the list, where it would take the next frame.
 *
 * Who may cancel, and how they are kept apart:
 * - the task that waits, when it is killed, or because io_uring has cancelled the work of its
 *   thread: ls_wait_for(), which has the request as long as it likes. For any other signal it
 *   cancels the request where nothing of it has moved, and nothing but that: the engine keeps what
 *   it has of a frame, and other requests go on where they were. Once something has moved, it waits
 *   to be killed. A write on the ring counts as moved, since the engine reads ahead;
 * - a program, all that one file has under way: ls_cancel_file();
 * - libaio, for io_cancel(), io_destroy() and the end of the process: ls_aio_cancel(), with a
 *   lock of its own held and interrupts off, so that nothing is done there: it marks the request,
 *   and the channel's work ends what is marked. The request is there until ki_complete(), which
 *   takes that lock, has returned, and the file, whose last close waits for the work, as long;
 * - io_uring's operations have no request while they wait: they wait by poll() for what the
 *   channel's buffer has (ls_buffer.c), and io_uring forgets them without a word to the driver;
 * - a dma-buf that moves, and a window that closes: ls_cancel_one().
 *
 * Closing a descriptor cancels nothing: others may be of the same file.
 */
#include "engine/ls_engine.h"
#include "include/uapi/linux/lanescope.h"

/*
 * It ends without the engine. (A part of a frame to the card does not: what comes after it would go
 * on with the frame.)
 */
static bool ls_request_withdraw(struct ls_request *req, struct list_head *over)
{
	if (req->posted || req->continues || req->flags & LANESCOPE_FRAME_MORE)
		return false;
	list_move_tail(&req->node, over);
	req->queued = false;
	req->error = req->aborted;
	return true;
}

/**
 * ls_cancel_one - ends a request of a call now; what it has moved stays
 * @ch: channel
 * @req: the request, whose call waits for it
 * @error: what the call returns where nothing was moved
 *
 * The engine reaches nothing of it afterwards: where it does not stop, or is not to be reached, it
 * has lost the bus. (Where that cannot be taken from it either, the memory stays:
 * ls_request_end().)
 */
void ls_cancel_one(struct ls_channel *ch, struct ls_request *req, int error)
{
	LIST_HEAD(over);
	bool stop = false;

	spin_lock(&ch->lock);
	if (req->queued) {
		req->aborted = error;
		req->withdrawn = false;
		stop = !ls_request_withdraw(req, &over);
	}
	spin_unlock(&ch->lock);
	ls_channel_end_all(ch, &over);
	if (!stop)
		return;
	ls_restart_renew(ch);
	ls_state_settle(ch->ls);
}

/* Ends the requests of a file; without one, those that libaio has cancelled. */
static void ls_cancel_those(struct ls_channel *ch, const struct ls_file *file)
{
	struct ls_request *req, *next;
	LIST_HEAD(over);
	bool stop = false;

	spin_lock(&ch->lock);
	list_for_each_entry_safe(req, next, &ch->requests, node) {
		if (file ? req->file != file : !READ_ONCE(req->cancelled))
			continue;
		req->aborted = -ECANCELED;
		req->withdrawn = false;
		stop |= !ls_request_withdraw(req, &over);
	}
	spin_unlock(&ch->lock);
	ls_channel_end_all(ch, &over);
	if (stop)
		ls_restart_renew(ch);
}

/* Ends the requests that libaio has cancelled, from the channel's work. */
static void ls_cancel_marked(struct work_struct *work)
{
	ls_cancel_those(container_of(work, struct ls_channel, cancel), NULL);
}

/**
 * ls_cancel_init - what this file keeps of a channel
 * @ch: channel
 */
void ls_cancel_init(struct ls_channel *ch)
{
	INIT_WORK(&ch->cancel, ls_cancel_marked);
}

/**
 * ls_cancel_file - ends all requests of a file now; what they have moved stays
 * @file: the file
 */
void ls_cancel_file(struct ls_file *file)
{
	ls_cancel_those(file->ch, file);
}

/**
 * ls_cancel_for_signal - ends a request of a call, if nothing of it has moved, and nothing else
 * @ch: channel
 * @req: the request, whose call waits for it
 *
 * Return: whether it has ended, or will without the engine; else it goes on.
 */
bool ls_cancel_for_signal(struct ls_channel *ch, struct ls_request *req)
{
	bool ends = true, stop = false;
	LIST_HEAD(over);

	spin_lock(&ch->lock);
	/* One that somebody else ends, he ends. */
	if (req->queued && !req->aborted) {
		ends = !req->posted || (ch->to_host && (!req->bytes || req->flags &
							LANESCOPE_FRAME_FILL));
		if (ends) {
			req->aborted = -EINTR;
			req->withdrawn = true;
			stop = !ls_request_withdraw(req, &over);
		}
		if (stop && !ch->to_host) {
			/* A part of a frame, which goes on behind it. */
			req->aborted = 0;
			req->withdrawn = false;
			stop = false;
			ends = false;
		}
	}
	spin_unlock(&ch->lock);
	ls_channel_end_all(ch, &over);
	if (!stop)
		return ends;
	ls_restart_withdraw(ch);
	ls_state_settle(ch->ls);
	spin_lock(&ch->lock);
	ends = !req->queued || req->aborted;
	spin_unlock(&ch->lock);
	return ends;
}
