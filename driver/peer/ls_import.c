// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A transfer from or to a dma-buf of somebody else: memory, or the window of another card. The
 * buffer is attached, mapped and let go by each transfer, and a call waits for it.
 *
 * Memory is taken as it lies, from an offset on. A window is a FIFO, and a transfer to it a frame
 * of the other card: what comes before its last bytes goes to the lower half, over and over, and
 * the last bytes, which are one TLP, to the upper half, where a write ends a frame.
 *
 * Lock order: the reservation of a buffer, then what of a channel ls_restart.c takes.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "core/ls_compat.h"
#include "include/uapi/linux/lanescope.h"
#include "peer/ls_peer.h"

/* How often a call that waits for them looks whether its card goes. */
#define LS_FENCE_JIFFIES	(HZ / 4)

/* A payload that is one TLP with any MPS, from an address that is a multiple of it. */
#define LS_WINDOW_LAST	128

/**
 * struct ls_import - a transfer of a dma-buf
 * @ch: channel
 * @file: the channel's, which asks
 * @flags: LANESCOPE_FRAME_* of the transfer
 * @dmabuf: the buffer
 * @attach: to it
 * @sgt: its mapping
 * @pinned: it stays where it is until it is unpinned
 * @req: what the engine has of it; this and the next under the lock of the buffer's reservation
 * @error: it was taken back before the engine had it
 * @held: the engine may still reach it, and it stays as it is
 */
struct ls_import {
	struct ls_channel *ch;
	struct ls_file *file;
	u32 flags;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
	bool pinned;
	struct ls_request *req;
	int error;
	bool held;
};

/* The buffer goes, or moves: the engine is to have nothing of it when this returns. */
static void ls_import_moved(struct dma_buf_attachment *attach)
{
	struct ls_import *import = attach->importer_priv;

	import->error = -EIO;
	if (ls_window_is(attach->dmabuf))
		import->error = ls_window_closed(attach->dmabuf);
	if (import->req)
		ls_cancel_one(import->ch, import->req, import->error);
}

static const struct dma_buf_attach_ops ls_import_ops = {
	.allow_peer2peer = true,
	.ls_move_notify = ls_import_moved,
};

/* Pieces of memory, as it was mapped. */
static void ls_import_place(struct ls_request *req, struct sg_table *sgt, u64 offset, size_t bytes)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		size_t piece;

		if (offset >= sg_dma_len(sg)) {
			offset -= sg_dma_len(sg);
			continue;
		}
		piece = min_t(size_t, sg_dma_len(sg) - offset, bytes);
		if (piece)
			ls_request_add(req, sg_dma_address(sg) + offset, piece);
		bytes -= piece;
		offset = 0;
	}
}

/* A frame for a window. */
static void ls_import_frame(struct ls_request *req, dma_addr_t window, size_t half, size_t bytes)
{
	size_t last = min_t(size_t, bytes, LS_WINDOW_LAST);

	for (bytes -= last; bytes;) {
		size_t piece = min(bytes, half);

		ls_request_add(req, window, piece);
		bytes -= piece;
	}
	ls_request_add(req, window + half, last);
}

static struct ls_request *ls_import_request(struct ls_import *import, u64 offset, size_t bytes)
{
	bool window = ls_window_is(import->dmabuf);
	size_t half = import->dmabuf->size / 2;
	struct ls_request *req;

	req = ls_request_bare(import->attach->dev, import->ch->dir,
			      window ? DIV_ROUND_UP(bytes, half) + 1 : import->sgt->nents);
	if (IS_ERR(req))
		return req;
	if (window)
		ls_import_frame(req, sg_dma_address(import->sgt->sgl), half, bytes);
	else
		ls_import_place(req, import->sgt, offset, bytes);
	return req;
}

static int ls_import_map(struct ls_import *import)
{
	struct dma_resv *resv = import->dmabuf->resv;
	int error;

	error = dma_resv_lock_interruptible(resv, NULL);
	if (error)
		return error;
	error = dma_buf_pin(import->attach);
	if (error)
		goto unlock;
	import->pinned = true;
	import->sgt = dma_buf_map_attachment(import->attach, import->ch->dir);
	if (IS_ERR(import->sgt)) {
		error = PTR_ERR(import->sgt);
		import->sgt = NULL;
	}
unlock:
	dma_resv_unlock(resv);
	return error;
}

/*
 * Waits until whoever has used the buffer is done. A device that never tells holds up neither the
 * call for ever, nor the card that goes.
 */
static int ls_import_wait(struct ls_import *import)
{
	unsigned long until = jiffies + ls_fence_ticks();
	struct ls_device *ls = import->ch->ls;

	for (;;) {
		long left = ls_resv_wait(import->dmabuf->resv, import->ch->to_host,
					 LS_FENCE_JIFFIES);

		if (left)
			return min(left, 0L);
		if (ls_is_leaving(ls))
			return -ENODEV;
		if (READ_ONCE(import->error))
			return READ_ONCE(import->error);
		if (time_after(jiffies, until))
			break;
	}
	dev_err(&ls->pdev->dev, "a buffer of others was not free in %u s: no transfer of it\n",
		ls_fence_seconds());
	return -ETIMEDOUT;
}

/* Gives it to the engine, when whoever has used the buffer is done. */
static int ls_import_submit(struct ls_import *import, struct ls_request *req)
{
	struct dma_resv *resv = import->dmabuf->resv;
	int error = ls_import_wait(import);

	if (error)
		return error;
	error = dma_resv_lock_interruptible(resv, NULL);
	if (error)
		return error;
	error = import->error ?: ls_channel_enqueue(import->ch, req);
	if (!error)
		import->req = req;
	dma_resv_unlock(resv);
	return error;
}

static void ls_import_let_go(struct ls_import *import)
{
	struct dma_resv *resv = import->dmabuf->resv;

	dma_resv_lock(resv, NULL);
	import->req = NULL;
	if (import->sgt)
		dma_buf_unmap_attachment(import->attach, import->sgt, import->ch->dir);
	if (import->pinned)
		dma_buf_unpin(import->attach);
	dma_resv_unlock(resv);
	dma_buf_detach(import->dmabuf, import->attach);
}

/*
 * The engine may still reach the buffer: it stays attached and mapped for ever, with all that its
 * exporter may call.
 */
static void ls_import_abandon(struct ls_import *import)
{
	struct dma_resv *resv = import->dmabuf->resv;

	dev_err(import->attach->dev, "a buffer of others stays attached for ever\n");
	dma_resv_lock(resv, NULL);
	import->req = NULL;
	dma_resv_unlock(resv);
	get_dma_buf(import->dmabuf);
	get_device(import->attach->dev);
	__module_get(THIS_MODULE);
}

/* The transfer itself, of a buffer that is attached. */
static ssize_t ls_import_run(struct ls_import *import, u64 offset, size_t bytes,
			     struct ls_ends *ends)
{
	struct ls_request *req;
	ssize_t result;

	result = ls_import_map(import);
	if (result)
		goto out;
	req = ls_import_request(import, offset, bytes);
	if (IS_ERR(req)) {
		result = PTR_ERR(req);
		goto out;
	}
	req->file = import->file;
	req->flags = import->flags;
	result = ls_import_submit(import, req);
	if (!result)
		result = ls_wait_for(import->ch, req);
	*ends = (struct ls_ends){ .frames = req->frames, .last = req->frame_end };
	if (req->held)
		ls_import_abandon(import);
	else
		ls_import_let_go(import);
	import->held = req->held;
	ls_request_free(req);
	return result;
out:
	ls_import_let_go(import);
	return result;
}

static ssize_t ls_import_buffer(struct ls_file *file, struct dma_buf *dmabuf,
				const struct lanescope_transfer *args, struct ls_ends *ends)
{
	struct ls_channel *ch = file->ch;
	struct ls_import *import;
	ssize_t result;

	if (args->offset > dmabuf->size)
		return -EINVAL;
	if (ls_window_is(dmabuf) ? args->offset : args->bytes > dmabuf->size - args->offset)
		return -EINVAL;
	/* A piece of the last bytes would end the other card's frame as well. */
	if (ls_window_is(dmabuf) && args->flags & LANESCOPE_FRAME_FILL)
		return -EINVAL;
	/* What was read ahead comes first, and the next read takes it. */
	if (READ_ONCE(ch->buffer.state) != LS_BUFFER_IDLE && ch->to_host)
		return -EBUSY;
	import = kmalloc(sizeof(*import), GFP_KERNEL);
	if (!import)
		return -ENOMEM;
	*import = (struct ls_import){
		.ch = ch, .file = file, .flags = args->flags, .dmabuf = dmabuf,
	};
	import->attach = dma_buf_dynamic_attach(dmabuf, &ch->ls->pdev->dev, &ls_import_ops, import);
	if (IS_ERR(import->attach))
		result = PTR_ERR(import->attach);
	else
		result = ls_import_run(import, args->offset, min_t(u64, args->bytes, LS_CALL_MAX),
				       ends);
	if (!import->held)
		kfree(import);
	return result;
}

/**
 * ls_import_transfer - a transfer from or to a dma-buf, in the direction of the channel
 * @file: of the channel
 * @args: what, and how much of it
 * @ends: what it has come to, where bytes were moved
 *
 * Return: bytes that were moved, or an errno.
 */
ssize_t ls_import_transfer(struct ls_file *file, const struct lanescope_transfer *args,
			   struct ls_ends *ends)
{
	struct ls_device *ls = file->ch->ls;
	struct dma_buf *dmabuf;
	ssize_t result;

	/* Whether reads are noted is the file's choice. */
	if (args->flags & LANESCOPE_FRAME_REPORT || !ls_desc_allows(file->ch, args->flags))
		return -EINVAL;
	/* The card is not let go before the buffer has been. */
	result = ls_life_enter(ls, false);
	if (result)
		return result;
	atomic_inc(&ls->imports);
	ls_life_leave(ls);
	dmabuf = dma_buf_get(args->fd);
	result = PTR_ERR_OR_ZERO(dmabuf);
	if (!result) {
		result = args->bytes ? ls_import_buffer(file, dmabuf, args, ends) : 0;
		dma_buf_put(dmabuf);
	}
	if (atomic_dec_and_test(&ls->imports))
		wake_up_var(&ls->imports);
	return result;
}

/**
 * ls_import_end_all - waits until no buffer of others is attached to a card
 * @ls: card, of which all requests have ended, and which takes no new ones
 */
void ls_import_end_all(struct ls_device *ls)
{
	wait_var_event(&ls->imports, !atomic_read(&ls->imports));
}
