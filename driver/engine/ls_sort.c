// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What becomes of the requests of a channel that was stopped: which end, and with what, and which
 * go on, and where. All parts of a frame to the card that are queued end together.
 */
#include "engine/ls_engine.h"
#include "include/uapi/linux/lanescope.h"

/* Where it goes on: behind what it has. */
static void ls_rewind(struct ls_request *req)
{
	size_t left = req->bytes;

	req->given = req->bytes;
	req->posted = 0;
	req->ended = 0;
	req->torn = false;
	req->sg = req->sgt.sgl;
	while (left > sg_dma_len(req->sg)) {
		left -= sg_dma_len(req->sg);
		req->sg = sg_next(req->sg);
	}
	req->sg_off = left;
}

/* An innocent request begins anew; or it goes on, where nothing was dropped. */
static bool ls_goes_on(struct ls_request *req, bool keep)
{
	if (req->error || req->cut)
		return false;
	/* For a signal it is ended only where that loses nothing of a frame. */
	if (keep && req->withdrawn && req->bytes && !(req->flags & LANESCOPE_FRAME_FILL)) {
		req->aborted = 0;
		req->withdrawn = false;
	}
	return !req->aborted && (!req->bytes || keep);
}

/*
 * Whether a later part of the same frame to the card ends: what is before it would have no end, and
 * the next frame would go on with it.
 */
static bool ls_loses_its_end(struct ls_channel *ch, struct ls_request *req, bool keep)
{
	while (req->flags & LANESCOPE_FRAME_MORE && !list_is_last(&req->node, &ch->requests)) {
		req = list_next_entry(req, node);
		if (!ls_goes_on(req, keep))
			return true;
	}
	return false;
}

/*
 * The engine has ended the frame to the card that was open, by a byte in error. Where no request
 * tells its file so, its next call does.
 */
static void ls_frame_broke(struct ls_channel *ch, int error, bool told)
{
	if (ch->frame && !told)
		ch->frame->error = error ?: -EIO;
	ch->frame = NULL;
}

/**
 * ls_sort_out - takes what has to end out of the queue of a channel that was stopped
 * @ch: channel, locked
 * @error: with one, all end, and this is why
 * @keep: the engine has dropped nothing
 * @over: where they go
 */
void ls_sort_out(struct ls_channel *ch, int error, bool keep, struct list_head *over)
{
	/* A frame that is broken does not go on with what is left of it. */
	bool broken = ch->frame_open, told = false, held = ls_channel_holds(ch);
	struct ls_request *req, *next;

	list_for_each_entry_safe(req, next, &ch->requests, node) {
		bool whole = ls_request_is_over(req) && !req->torn;

		if (!whole && !error && !(req->continues && broken) && ls_goes_on(req, keep) &&
		    !ls_loses_its_end(ch, req, keep)) {
			ls_rewind(req);
			broken = false;
			continue;
		}
		/* One of which nothing is known to have moved, though some may have, has failed. */
		if (!req->error && !whole)
			req->error = error ?: req->aborted ?: -EIO;
		req->held = held && req->posted && !whole;
		broken = req->flags & LANESCOPE_FRAME_MORE;
		told = req->error;
		ch->transfers++;
		ch->bytes += req->bytes;
		req->queued = false;
		list_move_tail(&req->node, over);
	}
	/* Of descriptors from before nobody is told any more, whatever is written of them. */
	ch->tail = ch->head;
	ch->frame_open = false;
	if (broken)
		ls_frame_broke(ch, error, told);
}

/* Whether it is to end, whatever becomes of the card, and the engine cannot reach it any more. */
static bool ls_is_given_up(const struct ls_channel *ch, const struct ls_request *req)
{
	return req->aborted && !req->withdrawn && !ls_channel_holds(ch);
}

/**
 * ls_sort_out_waiting - takes out what is to end and does not wait for a reset
 * @ch: channel, locked, of a card that has no bus, and whose records were read
 * @over: where they go
 *
 * That is what the engine was never given, with all of a frame that breaks so; and what was killed
 * or cancelled, where the engine has lost its memory. The rest of what it was given ends with a
 * reset, and so does what a signal ends, whose call may be repeated.
 */
void ls_sort_out_waiting(struct ls_channel *ch, struct list_head *over)
{
	struct ls_request *req, *next;
	bool broken = false;

	list_for_each_entry_safe(req, next, &ch->requests, node) {
		bool whole = req->posted && ls_request_is_over(req) && !req->torn;

		if (req->posted ? !ls_is_given_up(ch, req) :
				  (!req->aborted && !(req->continues && broken) &&
				   !ls_loses_its_end(ch, req, true))) {
			broken = false;
			continue;
		}
		if (!req->error && !whole)
			req->error = req->aborted ?: -EIO;
		broken = req->flags & LANESCOPE_FRAME_MORE;
		ch->transfers++;
		ch->bytes += req->bytes;
		req->queued = false;
		if (req->posted)
			ls_desc_forget(ch, req);
		list_move_tail(&req->node, over);
	}
	if (broken)
		ls_frame_broke(ch, 0, true);
}
