// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A channel's buffer, for calls that do not wait, and for poll(). A call's own pages cannot serve:
 * the transfer would outlive the call.
 *
 * Card to host: poll() and a read that finds nothing let the engine read ahead, to the end of a
 * frame or of the buffer. Any read takes first what has come. It stays when files are closed.
 * Host to card: a write is a frame that is copied here; its error is told to the next call of the
 * same file.
 *
 * io_uring's operations are such calls, too: they come without waiting, find nothing, wait by
 * poll(), and come again. Which of several comes first is not known. Their writes may be longer
 * than the buffer, which is another one then.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "user/ls_user.h"

void ls_buffer_init(struct ls_buffer *buffer)
{
	mutex_init(&buffer->user);
	init_waitqueue_head(&buffer->wait);
}

/**
 * ls_buffer_wake - lets all who wait look again
 * @ch: channel
 */
void ls_buffer_wake(struct ls_channel *ch)
{
	wake_up_poll(&ch->buffer.wait, EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM | EPOLLERR);
}

/* The engine is done with the buffer. */
static void ls_buffer_ended(struct ls_channel *ch, struct ls_request *req)
{
	struct ls_buffer *buffer = &ch->buffer;
	ssize_t result = ls_request_result(req);
	void *data = NULL;

	spin_lock(&ch->lock);
	buffer->state = LS_BUFFER_IDLE;
	if (req->held || buffer->room > LS_BUFFER_BYTES) {
		data = buffer->data;
		buffer->data = NULL;
		buffer->room = 0;
	}
	if (ch->to_host && result > 0 && !req->held) {
		buffer->state = LS_BUFFER_FULL;
		buffer->at = 0;
		buffer->bytes = result;
		buffer->frame_end = req->frame_end;
	} else if (result != req->length && buffer->file) {
		/* A frame to the card that is short is broken. */
		buffer->file->error = result < 0 ? result : ch->to_host ? 0 : -EIO;
	}
	buffer->file = NULL;
	spin_unlock(&ch->lock);
	/* The engine may still reach one that is held. */
	if (!req->held)
		kvfree(data);
	ls_buffer_wake(ch);
}

/**
 * ls_buffer_forget - a file is closed; what it began goes on
 * @file: the file
 */
void ls_buffer_forget(struct ls_file *file)
{
	struct ls_buffer *buffer = &file->ch->buffer;
	struct ls_request *req;

	spin_lock(&file->ch->lock);
	if (buffer->file == file)
		buffer->file = NULL;
	/* Another file may come to lie where this one is, and cancel what is its own. */
	list_for_each_entry(req, &file->ch->requests, node) {
		if (req->file == file)
			req->file = NULL;
	}
	spin_unlock(&file->ch->lock);
}

static bool ls_buffer_is_idle(struct ls_channel *ch)
{
	bool idle;

	spin_lock(&ch->lock);
	idle = ch->buffer.state == LS_BUFFER_IDLE;
	spin_unlock(&ch->lock);
	return idle;
}

/* Room for so many bytes, of a buffer that is idle, and whose user's mutex is held. */
static bool ls_buffer_alloc(struct ls_channel *ch, size_t bytes)
{
	struct ls_buffer *buffer = &ch->buffer;
	int node = dev_to_node(&ch->ls->pdev->dev);
	void *data;

	if (buffer->room >= bytes)
		return true;
	bytes = max_t(size_t, bytes, LS_BUFFER_BYTES);
	/* In one piece, which is one descriptor, unless it is that of a long write. */
	data = bytes == LS_BUFFER_BYTES ? kmalloc_node(bytes, GFP_KERNEL, node) :
					  kvmalloc_node(bytes, GFP_KERNEL_ACCOUNT, node);
	if (!data)
		return false;
	kvfree(buffer->data);
	buffer->data = data;
	buffer->room = bytes;
	return true;
}

/* Gives it to the engine, unless the card is being reset. Its user's mutex is held. */
static int ls_buffer_submit(struct ls_file *file, size_t bytes, u32 flags)
{
	struct ls_channel *ch = file->ch;
	struct ls_buffer *buffer = &ch->buffer;
	struct ls_request *req = ls_request_memory(&ch->ls->pdev->dev, ch->dir, buffer->data,
						   bytes);
	int error;

	if (IS_ERR(req))
		return PTR_ERR(req);
	error = ls_life_enter(ch->ls, true);
	if (error) {
		ls_request_free(req);
		return error;
	}
	req->end = ls_buffer_ended;
	req->file = file;
	req->flags = flags;
	spin_lock(&ch->lock);
	buffer->state = LS_BUFFER_BUSY;
	buffer->file = file;
	spin_unlock(&ch->lock);
	error = ls_channel_submit(ch, req);
	ls_life_leave(ch->ls);
	if (error) {
		spin_lock(&ch->lock);
		buffer->state = LS_BUFFER_IDLE;
		buffer->file = NULL;
		spin_unlock(&ch->lock);
		ls_request_free(req);
	}
	return error;
}

/**
 * ls_buffer_ahead - lets the engine read ahead, unless it does, or has, or somebody empties it
 * @file: who asks; it waits for nobody
 */
int ls_buffer_ahead(struct ls_file *file)
{
	struct ls_buffer *buffer = &file->ch->buffer;
	int error = 0;

	if (!mutex_trylock(&buffer->user))
		return 0;
	if (ls_buffer_is_idle(file->ch))
		error = ls_buffer_alloc(file->ch, LS_BUFFER_BYTES) ?
				ls_buffer_submit(file, LS_BUFFER_BYTES, 0) : -ENOMEM;
	mutex_unlock(&buffer->user);
	/* Who has polled meanwhile has found it in use. */
	if (READ_ONCE(buffer->state) == LS_BUFFER_FULL)
		ls_buffer_wake(file->ch);
	return error;
}

/*
 * What was faulted in may be gone again before it is copied; or there is memory that is there, and
 * cannot be copied.
 */
#define LS_FAULT_TRIES	16

/* Copies what is in memory, all of it or none: who faults it in may take for ever. */
static bool ls_copy_in(void *data, size_t bytes, struct iov_iter *from)
{
	bool whole;

	pagefault_disable();
	whole = copy_from_iter_full(data, bytes, from);
	pagefault_enable();
	return whole;
}

static bool ls_copy_out(void *data, size_t bytes, struct iov_iter *to)
{
	size_t copied;

	pagefault_disable();
	copied = copy_to_iter(data, bytes, to);
	pagefault_enable();
	if (copied == bytes)
		return true;
	iov_iter_revert(to, copied);
	return false;
}

/* A frame is copied and given to the engine; -EFAULT where its memory is to be faulted in. */
static int ls_buffer_fill(struct ls_file *file, struct iov_iter *from, size_t bytes, u32 flags)
{
	struct ls_buffer *buffer = &file->ch->buffer;
	int error;

	if (!mutex_trylock(&buffer->user))
		return -EAGAIN;
	if (!ls_buffer_is_idle(file->ch))
		error = -EAGAIN;
	else if (!ls_buffer_alloc(file->ch, bytes))
		error = -ENOMEM;
	else if (!ls_copy_in(buffer->data, bytes, from))
		error = -EFAULT;
	else
		error = ls_buffer_submit(file, bytes, flags);
	mutex_unlock(&buffer->user);
	return error;
}

/**
 * ls_buffer_write - copies a frame, and gives it to the engine
 * @file: who asks; it waits for nobody but whoever faults its memory in, and that with nothing held
 * @from: the frame
 * @most: bytes that it may have
 * @flags: LANESCOPE_FRAME_* of the call
 * @resident: -EAGAIN where its memory would have to be faulted in
 */
ssize_t ls_buffer_write(struct ls_file *file, struct iov_iter *from, size_t most, u32 flags,
			bool resident)
{
	size_t bytes = iov_iter_count(from);
	unsigned int tries;
	ssize_t error;

	if (bytes > most)
		return -EMSGSIZE;
	for (tries = 0; tries < LS_FAULT_TRIES; tries++) {
		error = ls_buffer_fill(file, from, bytes, flags);
		if (error != -EFAULT)
			break;
		if (resident)
			error = -EAGAIN;
		else if (fatal_signal_pending(current))
			error = -EINTR;
		else if (!fault_in_iov_iter_readable(from, bytes))
			continue;
		break;
	}
	/*
	 * Who has polled meanwhile has found it in use. (Not where others have it: calls that wait
	 * by poll would wake each other for ever.)
	 */
	if (error && error != -EAGAIN)
		ls_buffer_wake(file->ch);
	return error ?: bytes;
}

/* Copies what has come, as much as fits, and as there is memory for: @most. */
static ssize_t ls_buffer_take(struct ls_channel *ch, struct iov_iter *to, size_t most,
			      bool *frame_end)
{
	struct ls_buffer *buffer = &ch->buffer;
	size_t bytes = min3(buffer->bytes - buffer->at, iov_iter_count(to), most);
	bool emptied;

	if (!ls_copy_out(buffer->data + buffer->at, bytes, to))
		return -EFAULT;
	buffer->at += bytes;
	emptied = buffer->at == buffer->bytes;
	*frame_end = emptied && buffer->frame_end;
	if (emptied) {
		spin_lock(&ch->lock);
		buffer->state = LS_BUFFER_IDLE;
		spin_unlock(&ch->lock);
	}
	return bytes;
}

/* Memory for what has come: how much of it there is, which may take for ever. */
static size_t ls_buffer_room(struct iov_iter *to)
{
	size_t bytes = min_t(size_t, iov_iter_count(to), LS_BUFFER_BYTES);

	return bytes - fault_in_iov_iter_writeable(to, bytes);
}

/**
 * ls_buffer_read - takes what has come, and waits for it where the engine reads ahead
 * @file: who asks
 * @to: where it goes
 * @nowait: -EAGAIN instead of waiting
 * @resident: the same where its memory would have to be faulted in
 * @frame_end: whether the last byte is the last of a frame
 *
 * Return: bytes, or 0 where nothing was read ahead.
 */
ssize_t ls_buffer_read(struct ls_file *file, struct iov_iter *to, bool nowait, bool resident,
		       bool *frame_end)
{
	struct ls_buffer *buffer = &file->ch->buffer;
	size_t most = SIZE_MAX;
	unsigned int tries = 0;
	ssize_t taken = 0;

	while (!taken) {
		int error = ls_channel_error(file);

		if (error)
			return error;
		switch (READ_ONCE(buffer->state)) {
		case LS_BUFFER_IDLE:
			return 0;
		case LS_BUFFER_BUSY:
			if (nowait)
				return -EAGAIN;
			if (wait_event_interruptible(buffer->wait, READ_ONCE(buffer->state) !=
						     LS_BUFFER_BUSY))
				return -ERESTARTSYS;
			break;
		case LS_BUFFER_FULL:
			if (nowait && !mutex_trylock(&buffer->user))
				return -EAGAIN;
			if (!nowait && mutex_lock_killable(&buffer->user))
				return -EINTR;
			if (buffer->state == LS_BUFFER_FULL)
				taken = ls_buffer_take(file->ch, to, most, frame_end);
			mutex_unlock(&buffer->user);
			if (taken)
				ls_buffer_wake(file->ch);
			if (taken != -EFAULT)
				break;
			/* With nothing held: somebody's memory may not come for long. */
			if (resident)
				return -EAGAIN;
			most = ls_buffer_room(to);
			if (!most || ++tries == LS_FAULT_TRIES)
				return -EFAULT;
			if (fatal_signal_pending(current))
				return -EINTR;
			taken = 0;
			break;
		}
	}
	return taken;
}
