// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The file of a channel. */
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/ls_compat.h"
#include "include/uapi/linux/lanescope.h"
#include "ring/ls_ring.h"
#include "user/ls_user.h"

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

static struct ls_file *ls_file_of(struct file *filp)
{
	return filp->private_data;
}

static int ls_open(struct inode *inode, struct file *filp)
{
	struct ls_channel *ch = container_of(inode->i_cdev, struct ls_channel, cdev);
	struct ls_file *file;

	if (ls_is_leaving(ch->ls))
		return -ENODEV;
	/* Ring mode has mappings, which want both. */
	if (!(filp->f_mode & (ch->to_host ? FMODE_READ : FMODE_WRITE)))
		return -EACCES;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;
	file->ch = ch;
	filp->private_data = file;
	filp->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, filp);
}

static int ls_close(struct inode *inode, struct file *filp)
{
	struct ls_file *file = ls_file_of(filp);

	/* What libaio has cancelled of it has ended, and the work is done with the channel. */
	flush_work(&file->ch->cancel);
	ls_buffer_forget(file);
	ls_frame_close(file);
	ls_ring_close(file);
	kfree(file);
	return 0;
}

/* A descriptor is closed, of which there may be others; what the file has under way goes on. */
static int ls_flush(struct file *filp, fl_owner_t owner)
{
	return ls_channel_error(ls_file_of(filp));
}

/* Waits for a frame in the channel's buffer to leave, and says how that went. */
static int ls_fsync(struct file *filp, loff_t start, loff_t end, int datasync)
{
	struct ls_file *file = ls_file_of(filp);
	struct ls_buffer *buffer = &file->ch->buffer;

	if (file->ch->to_host)
		return -EINVAL;
	if (wait_event_interruptible(buffer->wait,
				     READ_ONCE(buffer->state) != LS_BUFFER_BUSY))
		return -ERESTARTSYS;
	return ls_channel_error(file);
}

static __poll_t ls_poll(struct file *filp, poll_table *wait)
{
	struct ls_file *file = ls_file_of(filp);
	struct ls_channel *ch = file->ch;
	struct ls_device *ls = ch->ls;
	enum ls_buffer_state ready = ch->to_host ? LS_BUFFER_FULL : LS_BUFFER_IDLE;
	__poll_t mask = ch->to_host ? EPOLLIN | EPOLLRDNORM : EPOLLOUT | EPOLLWRNORM;
	struct ls_ring *ring = READ_ONCE(file->ring);
	int error = 0;

	if (ring)
		return ls_ring_poll(filp, ring, wait);
	poll_wait(filp, &ch->buffer.wait, wait);
	/* While the card is reset nothing is ready; the end of that wakes. */
	if (ch->to_host && poll_requested_events(wait) & mask && !READ_ONCE(file->error) &&
	    READ_ONCE(ch->buffer.state) == LS_BUFFER_IDLE) {
		error = ls_buffer_ahead(file);
		if (error == -EAGAIN)
			error = 0;
	}
	if (ls_is_leaving(ls))
		return mask | EPOLLERR | EPOLLHUP;
	if (error || READ_ONCE(file->error))
		return mask | EPOLLERR;
	/* Who fills or empties it wakes afterwards. */
	if (mutex_is_locked(&ch->buffer.user))
		return 0;
	return READ_ONCE(ch->buffer.state) == ready ? mask : 0;
}

static ssize_t ls_call(struct ls_channel *ch, struct ls_request *req)
{
	ssize_t result = ls_wait_for(ch, req);

	if (result > 0)
		ls_frame_note(req->file, req->flags, result, req->frames, req->frame_end);
	ls_charge_dismiss(req->file);
	ls_request_free(req);
	return result;
}

/*
 * Whether a call is queued, and its end told later: those of libaio, which cancels them by itself.
 * What io_uring has queued nobody could cancel, so its calls wait as others do, or find nothing and
 * come again (ls_cancel.c).
 */
static bool ls_is_queued(const struct kiocb *iocb)
{
#ifdef IOCB_AIO_RW
	return iocb->ki_flags & IOCB_AIO_RW;
#else
	return false;
#endif
}

/*
 * Whether a call waits for nothing at all, not even its own memory (RWF_NOWAIT). io_uring says the
 * same of each operation, and means the file: there, memory is faulted in, with nothing held.
 */
static bool ls_is_resident(struct kiocb *iocb)
{
	return (is_sync_kiocb(iocb) || ls_is_queued(iocb)) && iocb->ki_flags & IOCB_NOWAIT;
}

/* One of libaio has ended, and its pages are the program's again. */
static void ls_queued_ended(struct ls_channel *ch, struct ls_request *req)
{
	ssize_t result = ls_request_result(req);

	if (result > 0)
		ls_frame_note(req->file, req->flags, result, req->frames, req->frame_end);
	ls_charge_dismiss(req->file);
	/* It may be cancelled until this has returned, and the file closed from then on. */
	ls_kiocb_complete(req->iocb, result);
}

/* The caller's pages, given to the engine. */
static ssize_t ls_direct(struct kiocb *iocb, struct iov_iter *iter, bool nowait,
			 const struct ls_part *part)
{
	struct ls_file *file = ls_file_of(iocb->ki_filp);
	struct ls_channel *ch = file->ch;
	struct ls_request *req;
	int error;

	error = ls_charge_admit(file, nowait);
	if (error)
		return error;
	req = ls_request_new(&ch->ls->pdev->dev, ch->dir, iter, nowait, ls_is_resident(iocb));
	if (IS_ERR(req)) {
		ls_charge_dismiss(file);
		return PTR_ERR(req);
	}
	req->file = file;
	req->flags = part->flags;
	req->before = part->bytes;
	req->frame_end = part->frame_end;
	req->frames = part->frame_end;
	if (ls_is_queued(iocb)) {
		req->iocb = iocb;
		req->end = ls_queued_ended;
	} else {
		req->polled = READ_ONCE(ch->poll_us);
	}
	error = ls_life_enter(ch->ls, nowait);
	if (!error) {
		error = ls_channel_submit(ch, req);
		ls_life_leave(ch->ls);
	}
	if (error) {
		ls_request_free(req);
		ls_charge_dismiss(file);
		return error;
	}
	return ls_is_queued(iocb) ? -EIOCBQUEUED : ls_call(ch, req);
}

/* A call that does not wait: through the channel's buffer. */
static ssize_t ls_through_buffer(struct kiocb *iocb, struct iov_iter *iter, u32 flags)
{
	struct ls_file *file = ls_file_of(iocb->ki_filp);

	if (file->ch->to_host)
		return ls_buffer_ahead(file) ?: -EAGAIN;
	/* A program of io_uring has not asked for calls that do not wait. */
	return ls_buffer_write(file, iter, is_sync_kiocb(iocb) ? LS_BUFFER_BYTES : LS_CALL_MAX,
			       flags, ls_is_resident(iocb));
}

static ssize_t ls_transfer(struct kiocb *iocb, struct iov_iter *iter, bool nowait,
			   const struct ls_part *part)
{
	struct ls_file *file = ls_file_of(iocb->ki_filp);

	if (ls_is_leaving(file->ch->ls))
		return -ENODEV;
	if (nowait && !ls_is_queued(iocb))
		return ls_through_buffer(iocb, iter, part->flags);
	return ls_direct(iocb, iter, nowait, part);
}

static bool ls_must_not_wait(const struct kiocb *iocb)
{
	return iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK;
}

/* A call is repeated after a signal; an operation of io_uring is not, and says so. */
static ssize_t ls_told(struct kiocb *iocb, ssize_t result)
{
	return result == -ERESTARTSYS && !is_sync_kiocb(iocb) ? -EINTR : result;
}

static ssize_t ls_write(struct kiocb *iocb, struct iov_iter *iter)
{
	struct ls_file *file = ls_file_of(iocb->ki_filp);
	struct ls_part part = { .flags = READ_ONCE(file->flags) };
	int error;

	if (file->ch->to_host)
		return -EINVAL;
	error = ls_channel_error(file);
	if (error || !iov_iter_count(iter))
		return error;
	return ls_told(iocb, ls_transfer(iocb, iter, ls_must_not_wait(iocb), &part));
}

/* Whether a read that has a part goes on with what the engine has. */
static bool ls_goes_on(struct kiocb *iocb, bool nowait, const struct ls_part *part)
{
	if (part->flags & LANESCOPE_FRAME_FILL)
		return !nowait || ls_is_queued(iocb);
	return !part->frame_end && !nowait && !ls_is_queued(iocb);
}

static ssize_t ls_read(struct kiocb *iocb, struct iov_iter *iter)
{
	struct ls_file *file = ls_file_of(iocb->ki_filp);
	struct ls_part part = { .flags = READ_ONCE(file->flags) };
	bool nowait = ls_must_not_wait(iocb);
	ssize_t taken, more;

	if (!file->ch->to_host)
		return -EINVAL;
	if (ls_is_leaving(file->ch->ls))
		return -ENODEV;
	if (!iov_iter_count(iter))
		return 0;
	taken = ls_buffer_read(file, iter, nowait, ls_is_resident(iocb), &part.frame_end);
	if (taken < 0)
		return ls_told(iocb, taken);
	part.bytes = taken;
	/* The frame goes on, or the read does: as much more as was asked for. */
	if (!taken || (iov_iter_count(iter) && ls_goes_on(iocb, nowait, &part))) {
		more = ls_transfer(iocb, iter, nowait, &part);
		if (!taken || more > 0 || more == -EIOCBQUEUED)
			return ls_told(iocb, more);
	}
	ls_frame_note(file, part.flags, taken, part.frame_end, part.frame_end);
	return taken;
}

const struct file_operations ls_file_operations = {
	.owner = THIS_MODULE,
	.open = ls_open,
	.release = ls_close,
	.flush = ls_flush,
	.fsync = ls_fsync,
	.poll = ls_poll,
	.read_iter = ls_read,
	.write_iter = ls_write,
	.unlocked_ioctl = ls_ioctl,
	.mmap = ls_ring_mmap,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};
