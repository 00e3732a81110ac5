// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests as descriptors: what the engine is given, and what records tell of it.
 *
 * The engine ends a descriptor from the card where a frame ends, and begins the next frame in the
 * next one that is marked as the first of a frame. That is the first of each request, so what the
 * ring has of the rest of a request is skipped, and the request has ended. One that is to go on
 * over the ends of frames has one descriptor in the ring at a time, and marks each.
 */
#include <linux/bitfield.h>
#include <linux/io-64-nonatomic-lo-hi.h>

#include "engine/ls_engine.h"
#include "include/uapi/linux/lanescope.h"

static int ls_errno(u32 cause)
{
	switch (cause) {
	case LANESCOPE_CAUSE_NONE:
		return 0;
	case LANESCOPE_CAUSE_TIMEOUT:
		return -ETIMEDOUT;
	case LANESCOPE_CAUSE_UR:
		return -EREMOTEIO;
	case LANESCOPE_CAUSE_CA:
		return -ECONNABORTED;
	case LANESCOPE_CAUSE_POISON:
		return -EBADMSG;
	case LANESCOPE_CAUSE_LENGTH:
		return -EINVAL;
	case LANESCOPE_CAUSE_ABORT:
		return -EINTR;
	default:
		return -EIO;
	}
}

/**
 * ls_desc_allows - whether transfers of a channel may have such flags
 * @ch: channel
 * @flags: LANESCOPE_FRAME_*
 */
bool ls_desc_allows(const struct ls_channel *ch, u32 flags)
{
	u32 known = ch->to_host ? LANESCOPE_FRAME_FILL | LANESCOPE_FRAME_KEEP |
				  LANESCOPE_FRAME_REPORT :
				  LANESCOPE_FRAME_MORE;

	return !(flags & ~known);
}

/* It is to hear of the descriptor that the engine has before it gives the next. */
static bool ls_waits(const struct ls_request *req)
{
	return req->flags & LANESCOPE_FRAME_FILL && req->posted != req->ended;
}

/* Its next descriptor: how many bytes, and flags. */
static u64 ls_desc_control(const struct ls_channel *ch, const struct ls_request *req, u32 head)
{
	u32 bytes = min(sg_dma_len(req->sg) - req->sg_off, LS_DESC_MAX);
	u64 control = bytes;

	if ((!req->given && !req->continues) || req->flags & LANESCOPE_FRAME_FILL)
		control |= LS_DESC_SOF;
	if (req->given + bytes == req->length) {
		control |= LS_DESC_IRQ;
		if (!(req->flags & LANESCOPE_FRAME_MORE))
			control |= LS_DESC_EOF;
	}
	/* A frame may end with any; and a long transfer must hear of room. */
	if (ch->to_host || (head + 1) % (LS_ENTRIES / 2) == 0)
		control |= LS_DESC_IRQ;
	return req->polled ? control & ~LS_DESC_IRQ : control;
}

static void ls_desc_give(struct ls_channel *ch, struct ls_request *req, u32 head)
{
	struct ls_desc *desc = &ch->ring[head % LS_ENTRIES];
	struct ls_slot *slot = &ch->slots[head % LS_ENTRIES];
	u64 control;

	/* Not before: where a frame ends in a piece, the rest of it is given anew. */
	if (req->sg_off == sg_dma_len(req->sg)) {
		req->sg = sg_next(req->sg);
		req->sg_off = 0;
	}
	control = ls_desc_control(ch, req, head);
	desc->address = cpu_to_le64(sg_dma_address(req->sg) + req->sg_off);
	desc->control = cpu_to_le64(control);
	slot->req = req;
	slot->bytes = (u32)control;
	slot->last = control & LS_DESC_EOF;
	req->posted++;
	req->given += slot->bytes;
	req->sg_off += slot->bytes;
}

/**
 * ls_desc_post - gives the engine as much as the ring has room for, and rings once
 * @ch: channel, locked
 */
void ls_desc_post(struct ls_channel *ch)
{
	struct ls_request *req;
	u32 head = ch->head;

	lockdep_assert_held(&ch->lock);
	if (ch->stopped)
		return;
	list_for_each_entry(req, &ch->requests, node) {
		while (req->given < req->length && head - ch->tail < LS_ENTRIES - 1 &&
		       !ls_waits(req))
			ls_desc_give(ch, req, head++);
		if (req->given < req->length)
			break;
		/* What its last descriptor leaves it is to have before the next request. */
		if (req->flags & LANESCOPE_FRAME_FILL && ls_waits(req))
			break;
	}
	if (head == ch->head)
		return;
	ch->descriptors += head - ch->head;
	ch->head = head;
	ch->doorbells++;
	/* writeq() orders it behind the descriptors, which are coherent memory. */
	writeq(head % LS_ENTRIES, ch->regs + LS_TAIL);
}

/* A frame has ended: what the engine has of the rest of its request it skips. */
static void ls_desc_skip(struct ls_channel *ch, struct ls_request *req)
{
	u32 place;

	for (place = ch->tail; place != ch->head; place++) {
		struct ls_slot *slot = &ch->slots[place % LS_ENTRIES];

		if (slot->req != req)
			break;
		slot->req = NULL;
	}
	req->given = req->length;
	req->ended = req->posted;
}

/**
 * ls_desc_forget - nothing that the ring still has is of that request any more
 * @ch: channel, locked, whose engine has no bus
 * @req: request that ends
 */
void ls_desc_forget(struct ls_channel *ch, const struct ls_request *req)
{
	u32 place;

	for (place = ch->tail; place != ch->head; place++)
		if (ch->slots[place % LS_ENTRIES].req == req)
			ch->slots[place % LS_ENTRIES].req = NULL;
}

/* So many bytes of a descriptor were moved, and a frame from the card ends with them, or not. */
static void ls_desc_moved(struct ls_channel *ch, const struct ls_slot *slot, u32 bytes, bool end)
{
	struct ls_request *req = slot->req;

	/* Of what comes after a hole nobody hears. */
	if (req->cut || !bytes)
		return;
	req->bytes += bytes;
	if (!ch->to_host)
		return;
	req->frame_end = end;
	if (!end)
		return;
	req->frames++;
	if (req->flags & LANESCOPE_FRAME_FILL) {
		req->given -= slot->bytes - bytes;
		req->sg_off -= slot->bytes - bytes;
	} else {
		ls_desc_skip(ch, req);
	}
}

/**
 * ls_desc_account - takes one record into account
 * @ch: channel, locked
 * @state: first double word of the record
 * @bytes: of its last descriptor
 *
 * Return: true where the ring has failed at a descriptor that nobody waits for.
 */
bool ls_desc_account(struct ls_channel *ch, u32 state, u32 bytes)
{
	u32 count = FIELD_GET(LS_REC_COUNT, state), cause = FIELD_GET(LS_REC_CAUSE, state);

	while (count-- && ch->tail != ch->head) {
		struct ls_slot *slot = &ch->slots[ch->tail++ % LS_ENTRIES];
		struct ls_request *req = slot->req;

		if (!req) {
			if (count || !cause || cause == LANESCOPE_CAUSE_ABORT)
				continue;
			ch->last_cause = cause;
			return true;
		}
		req->ended++;
		/* All but the last have ended as they should. */
		if (count) {
			ls_desc_moved(ch, slot, slot->bytes, slot->last);
			continue;
		}
		/* Of a host-to-card descriptor that failed, nobody knows what has arrived. */
		if (!cause || ch->to_host)
			ls_desc_moved(ch, slot, min(bytes, slot->bytes), state & LS_REC_EOF);
		if (cause == LANESCOPE_CAUSE_ABORT) {
			/* The channel is being stopped. Some of a frame to the card has left. */
			req->torn = true;
			req->cut |= !ch->to_host;
		} else if (cause) {
			ch->last_cause = cause;
			req->error = ls_errno(cause);
			req->cut = true;
		}
	}
	return false;
}
