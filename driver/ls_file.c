// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The file of a channel. */
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "include/uapi/linux/lanescope.h"
#include "ls.h"

static struct ls_channel *ls_channel_of(struct file *file)
{
	return file->private_data;
}

static int ls_open(struct inode *inode, struct file *file)
{
	struct ls_channel *ch = container_of(inode->i_cdev, struct ls_channel, cdev);

	if (READ_ONCE(ch->ls->gone))
		return -ENODEV;
	if (file->f_mode & (ch->to_host ? FMODE_WRITE : FMODE_READ))
		return -EACCES;
	file->private_data = ch;
	file->f_mode |= FMODE_NOWAIT;
	return stream_open(inode, file);
}

/* Closing ends what the closing task has under way: a task that is killed leaves nothing behind. */
static int ls_flush(struct file *file, fl_owner_t owner)
{
	ls_channel_cancel_owner(ls_channel_of(file), owner);
	return 0;
}

static ssize_t ls_wait(struct ls_channel *ch, struct ls_request *req)
{
	ssize_t result;
	int signal = wait_for_completion_interruptible(&req->done);

	if (signal)
		ls_channel_cancel(ch, req);
	result = ls_request_result(req);
	ls_request_free(ch, req);
	if (signal && (result == -EINTR || !result))
		return -ERESTARTSYS;
	return result;
}

static ssize_t ls_transfer(struct kiocb *iocb, struct iov_iter *iter)
{
	struct ls_channel *ch = ls_channel_of(iocb->ki_filp);
	struct ls_device *ls = ch->ls;
	struct ls_request *req;
	int error;

	if (!iov_iter_count(iter))
		return 0;
	if (iocb->ki_flags & IOCB_NOWAIT) {
		if (!down_read_trylock(&ls->life))
			return -EAGAIN;
	} else {
		down_read(&ls->life);
	}
	if (READ_ONCE(ls->gone)) {
		up_read(&ls->life);
		return -ENODEV;
	}
	/* A transfer of a call with O_NONBLOCK would have to outlive it: no buffer to put it in. */
	if (is_sync_kiocb(iocb) &&
	    (iocb->ki_flags & IOCB_NOWAIT || iocb->ki_filp->f_flags & O_NONBLOCK)) {
		up_read(&ls->life);
		return -EOPNOTSUPP;
	}
	req = ls_request_new(ch, iter);
	if (IS_ERR(req)) {
		up_read(&ls->life);
		return PTR_ERR(req);
	}
	if (!is_sync_kiocb(iocb)) {
		req->iocb = iocb;
		req->owner = current->files;
	}
	error = ls_channel_submit(ch, req);
	up_read(&ls->life);
	if (error) {
		ls_request_free(ch, req);
		return error;
	}
	return is_sync_kiocb(iocb) ? ls_wait(ch, req) : -EIOCBQUEUED;
}

static long ls_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct ls_channel *ch = ls_channel_of(file);
	struct lanescope_info info = {};

	if (command != LANESCOPE_IOC_INFO)
		return -ENOTTY;
	info.abi = LANESCOPE_ABI_VERSION;
	info.engine = ch->ls->version;
	info.channel = ch->index;
	info.to_host = ch->to_host;
	info.width = ch->ls->width;
	info.entries = LS_ENTRIES;
	spin_lock(&ch->lock);
	info.last_cause = ch->last_cause;
	info.transfers = ch->transfers;
	info.bytes = ch->bytes;
	info.descriptors = ch->descriptors;
	info.doorbells = ch->doorbells;
	info.interrupts = ch->interrupts;
	info.resets = ch->resets;
	spin_unlock(&ch->lock);
	return copy_to_user((void __user *)argument, &info, sizeof(info)) ? -EFAULT : 0;
}

const struct file_operations ls_fops = {
	.owner = THIS_MODULE,
	.open = ls_open,
	.flush = ls_flush,
	.read_iter = ls_transfer,
	.write_iter = ls_transfer,
	.unlocked_ioctl = ls_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};
