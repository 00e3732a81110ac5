// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A channel: its queue of requests, which records end. The data path stores to one register, the
 * tail, once for each batch, and loads none. What requests are as descriptors is in ls_desc.c, how
 * a channel is stopped in ls_restart.c.
 */
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/slab.h>

#include "engine/ls_engine.h"
#include "include/uapi/linux/lanescope.h"

/**
 * ls_channel_word - what the control register holds while the channel is on
 * @ch: channel
 * @every: descriptors for each record
 * @cycles: after which a record is written in any case
 */
u64 ls_channel_word(const struct ls_channel *ch, u32 every, u32 cycles)
{
	return LS_ENABLE | LS_RING | LS_RECORDS | (u64)LS_RING_LOG2 << LS_SIZE_SHIFT |
	       READ_ONCE(ch->attributes) | (u64)ch->vector << LS_VECTOR_SHIFT |
	       (u64)every << LS_EVERY_SHIFT | (u64)cycles << LS_CYCLES_SHIFT;
}

/**
 * ls_channel_control - the same for the driver's own use of it
 * @ch: channel
 */
u64 ls_channel_control(const struct ls_channel *ch)
{
	return ls_channel_word(ch, READ_ONCE(ch->every), READ_ONCE(ch->cycles)) |
	       (ch->to_host ? LS_FIRST : 0);
}

/**
 * ls_channel_record - whether the engine has written a record
 * @ch: channel
 * @number: which, counted since it was set up
 * @state: its first double word
 */
bool ls_channel_record(const struct ls_channel *ch, u32 number, u32 *state)
{
	*state = le32_to_cpu(READ_ONCE(ch->records[number % LS_ENTRIES].state));
	return !!(*state & LS_REC_PHASE) == !(number / LS_ENTRIES % 2);
}

/**
 * ls_channel_read_records - reads the records that are new
 * @ch: channel, locked
 *
 * Return: true where the channel has to be set up anew.
 */
bool ls_channel_read_records(struct ls_channel *ch)
{
	struct ls_request *req;
	bool failed = false;
	u32 state;

	lockdep_assert_held(&ch->lock);
	while (ls_channel_record(ch, ch->next_record, &state)) {
		struct ls_record *record = &ch->records[ch->next_record % LS_ENTRIES];

		dma_rmb();
		failed |= ls_desc_account(ch, state, le32_to_cpu(record->bytes));
		ch->next_record++;
	}
	list_for_each_entry(req, &ch->requests, node) {
		if (req->cut && !ls_request_is_over(req))
			return true;
		if (req->cut && req->error)
			return true;
		if (!req->posted)
			break;
	}
	return failed;
}

/* Moves what has ended to a list of its own. */
static void ls_collect(struct ls_channel *ch, struct list_head *over)
{
	struct ls_request *req, *next;

	list_for_each_entry_safe(req, next, &ch->requests, node) {
		if (!ls_request_is_over(req))
			break;
		ch->transfers++;
		ch->bytes += req->bytes;
		ch->frame_open = req->flags & LANESCOPE_FRAME_MORE;
		req->queued = false;
		list_move_tail(&req->node, over);
	}
}

/**
 * ls_channel_end_all - tells whoever asked for what is over
 * @ch: channel, not locked
 * @over: requests
 */
void ls_channel_end_all(struct ls_channel *ch, struct list_head *over)
{
	struct ls_request *req, *next;

	list_for_each_entry_safe(req, next, over, node) {
		list_del_init(&req->node);
		ls_request_end(ch, req);
	}
}

/**
 * ls_channel_service - reads new records, ends what they end, and gives the engine more
 * @ch: channel
 *
 * In process context: an interrupt's thread, the watch, a canceller.
 */
void ls_channel_service(struct ls_channel *ch)
{
	LIST_HEAD(over);
	bool mend;

	spin_lock(&ch->lock);
	if (ch->lent)
		ch->lent->ops->record(ch->lent);
	if (!ch->stopped) {
		mend = ls_channel_read_records(ch);
		if (mend) {
			ch->stopped = true;
			/* With the lock: who stops the channel finds it, and cancels it. */
			schedule_work(&ch->mend);
		} else {
			ls_collect(ch, &over);
		}
		if (ch->head - ch->tail <= LS_ENTRIES / 2)
			ls_desc_post(ch);
	}
	spin_unlock(&ch->lock);
	ls_channel_end_all(ch, &over);
}

/**
 * ls_channel_program - sets the engine's channel up, with nothing in its ring
 * @ch: channel, locked
 * @ring: descriptors
 * @records: records, which are clear
 * @control: the control register
 */
void ls_channel_program(struct ls_channel *ch, dma_addr_t ring, dma_addr_t records, u64 control)
{
	ch->quiet = false;
	writeq(0, ch->regs + LS_CONTROL);
	writeq(0, ch->regs + LS_CLEAR);
	/* The engine keeps the tail while a channel is off, and would fetch up to it at once. */
	writeq(0, ch->regs + LS_TAIL);
	writeq(ring, ch->regs + LS_RING_BASE);
	writeq(records, ch->regs + LS_RECORD_BASE);
	writeq(control, ch->regs + LS_CONTROL);
}

/**
 * ls_channel_clear - sets the channel up for the driver, with nothing in its ring
 * @ch: channel, locked; its mutex is held
 */
void ls_channel_clear(struct ls_channel *ch)
{
	memset(ch->records, 0, LS_ENTRIES * sizeof(*ch->records));
	ch->head = 0;
	ch->tail = 0;
	ch->next_record = 0;
	ch->waited = false;
	ls_channel_program(ch, ch->ring_dma, ch->records_dma, ls_channel_control(ch));
}

/**
 * ls_channel_start - lets the channel begin, unless the card is not to run
 * @ch: channel
 *
 * Its mutex is held: who lets the card go takes that afterwards, and stops the channel again.
 */
void ls_channel_start(struct ls_channel *ch)
{
	lockdep_assert_held(&ch->reset);
	spin_lock(&ch->lock);
	if (ls_state(ch->ls) != LS_RUNNING) {
		spin_unlock(&ch->lock);
		return;
	}
	ls_channel_clear(ch);
	ch->stopped = false;
	ls_desc_post(ch);
	spin_unlock(&ch->lock);
}

/**
 * ls_channel_enqueue - puts a request at the end of the queue
 * @ch: channel; the card's life is held
 * @req: the request, mapped, which is nobody's but the queue's afterwards, unless there is an error
 */
int ls_channel_enqueue(struct ls_channel *ch, struct ls_request *req)
{
	int error = 0;

	spin_lock(&ch->lock);
	if (ls_is_leaving(ch->ls)) {
		error = -ENODEV;
	} else if (ch->lent || READ_ONCE(ch->ls->domain) ||
		   (ch->frame && ch->frame != req->file)) {
		error = -EBUSY;
	} else if (!ch->to_host && req->file->error) {
		/* Of its frame, which broke while this waited: alone it would be another. */
		error = req->file->error;
		req->file->error = 0;
	} else {
		req->continues = ch->frame;
		ch->frame = req->flags & LANESCOPE_FRAME_MORE ? req->file : NULL;
		list_add_tail(&req->node, &ch->requests);
		req->queued = true;
		ls_aio_arm(req);
		ls_desc_post(ch);
		ls_device_watch(ch->ls);
	}
	spin_unlock(&ch->lock);
	return error;
}

/**
 * ls_channel_submit - maps a request for the card, and puts it at the end of the queue
 * @ch: channel; the card's life is held
 * @req: the request, which is nobody's but the queue's afterwards, unless there is an error
 */
int ls_channel_submit(struct ls_channel *ch, struct ls_request *req)
{
	int error = ls_request_map(req) ?: ls_channel_enqueue(ch, req);

	if (error)
		ls_request_unmap(req);
	return error;
}

/**
 * ls_channel_busy - whether something of it has not ended
 * @ch: channel
 */
bool ls_channel_busy(struct ls_channel *ch)
{
	bool busy;

	spin_lock(&ch->lock);
	busy = !list_empty(&ch->requests) || ch->lent;
	spin_unlock(&ch->lock);
	return busy;
}

/**
 * ls_channel_still - for how many seconds nothing was moved of what the engine has
 * @ch: channel; the watch asks once a second
 */
unsigned int ls_channel_still(struct ls_channel *ch)
{
	unsigned int still;
	bool waits;

	spin_lock(&ch->lock);
	waits = ch->tail != ch->head && !ch->stopped;
	/* What was given to the engine since the last look has not waited for a second. */
	if (!waits || !ch->waited || ch->tail != ch->seen)
		ch->still = 0;
	else
		ch->still++;
	ch->waited = waits;
	ch->seen = ch->tail;
	still = ch->still;
	spin_unlock(&ch->lock);
	return still;
}

/**
 * ls_channel_holds - whether the engine may still reach what it was given
 * @ch: channel, stopped: it is not known to be idle, and has not lost the bus
 */
bool ls_channel_holds(const struct ls_channel *ch)
{
	return !READ_ONCE(ch->quiet) && READ_ONCE(ch->ls->bus) != LS_BUS_OFF;
}

/**
 * ls_channel_error - the error of a transfer that no call waited for, once
 * @file: the file
 */
int ls_channel_error(struct ls_file *file)
{
	int error;

	spin_lock(&file->ch->lock);
	error = file->error;
	file->error = 0;
	spin_unlock(&file->ch->lock);
	return error;
}

/**
 * ls_channel_fail - ends the transfer that the engine has been given first
 * @ch: channel
 * @error: what it returns
 */
void ls_channel_fail(struct ls_channel *ch, int error)
{
	struct ls_request *req;

	spin_lock(&ch->lock);
	req = list_first_entry_or_null(&ch->requests, struct ls_request, node);
	if (req && req->posted && !ch->stopped) {
		req->error = error;
		req->cut = true;
		ch->stopped = true;
		schedule_work(&ch->mend);
	}
	spin_unlock(&ch->lock);
}

/**
 * ls_channel_setup - memory for the rings
 * @ch: channel, of which ls_restart_init() was called
 */
int ls_channel_setup(struct ls_channel *ch)
{
	struct device *dma = &ch->ls->pdev->dev;

	spin_lock_init(&ch->lock);
	INIT_LIST_HEAD(&ch->requests);
	ch->stopped = true;
	ch->quiet = true;
	/* The rings come from the card's own node by themselves. */
	ch->slots = kvmalloc_node(LS_ENTRIES * sizeof(*ch->slots), GFP_KERNEL | __GFP_ZERO,
				  dev_to_node(dma));
	ch->ring = dma_alloc_coherent(dma, LS_ENTRIES * sizeof(*ch->ring), &ch->ring_dma,
				      GFP_KERNEL);
	ch->records = dma_alloc_coherent(dma, LS_ENTRIES * sizeof(*ch->records), &ch->records_dma,
					 GFP_KERNEL);
	if (ch->slots && ch->ring && ch->records)
		return 0;
	ls_channel_free(ch);
	return -ENOMEM;
}

/**
 * ls_channel_free - the reverse
 * @ch: channel, stopped
 */
void ls_channel_free(struct ls_channel *ch)
{
	struct device *dma = &ch->ls->pdev->dev;

	cancel_work_sync(&ch->mend);
	/* Somebody who would cancel something of it finds nothing. */
	mutex_lock(&ch->reset);
	if (ch->ring && !ls_channel_holds(ch))
		dma_free_coherent(dma, LS_ENTRIES * sizeof(*ch->ring), ch->ring, ch->ring_dma);
	if (ch->records && !ls_channel_holds(ch))
		dma_free_coherent(dma, LS_ENTRIES * sizeof(*ch->records), ch->records,
				  ch->records_dma);
	kvfree(ch->slots);
	ch->ring = NULL;
	ch->records = NULL;
	ch->slots = NULL;
	mutex_unlock(&ch->reset);
}
