// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Requests as descriptors: what the engine is given, and what records tell of it.
 *
 * The engine ends a descriptor from the card where a frame ends, and goes on with the next one. A
 * request of several pieces has all of them in the ring at once, so that the next frame would come
 * into the rest of them: the channel is stopped then. A request that is to go on over the ends of
 * frames, or to leave the next frame alone, has one descriptor in the ring at a time.
 */
#include <linux/bitfield.h>
#include <linux/io-64-nonatomic-lo-hi.h>

#include "include/uapi/linux/lanescope.h"
#include "ls.h"

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

/* It is to hear of the descriptor that the engine has before it gives the next. */
static bool ls_waits(const struct ls_request *req)
{
	return req->flags & (LANESCOPE_FRAME_FILL | LANESCOPE_FRAME_KEEP) &&
	       req->posted != req->ended;
}

/* Its next descriptor: how many bytes, and flags. */
static u64 ls_desc_control(const struct ls_channel *ch, const struct ls_request *req, u32 head)
{
	u32 bytes = min(sg_dma_len(req->sg) - req->sg_off, LS_DESC_MAX);
	u64 control = bytes;

	if (!req->given && !req->continues)
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
 * ls_channel_post - gives the engine as much as the ring has room for, and rings once
 * @ch: channel, locked
 */
void ls_channel_post(struct ls_channel *ch)
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
	} else if (req->flags & LANESCOPE_FRAME_KEEP) {
		req->given = req->length;
	}
}

/**
 * ls_channel_account - takes one record into account
 * @ch: channel, locked
 * @state: first double word of the record
 * @bytes: of its last descriptor
 */
void ls_channel_account(struct ls_channel *ch, u32 state, u32 bytes)
{
	u32 count = FIELD_GET(LS_REC_COUNT, state), cause = FIELD_GET(LS_REC_CAUSE, state);

	while (count-- && ch->tail != ch->head) {
		struct ls_slot *slot = &ch->slots[ch->tail++ % LS_ENTRIES];
		struct ls_request *req = slot->req;

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
		} else if (req->frame_end && !(req->flags & LANESCOPE_FRAME_FILL) &&
			   !ls_request_is_over(req)) {
			req->cut = true;
		}
	}
}
