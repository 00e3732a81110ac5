// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The ioctls of a channel's file: arguments come and go here, and what is not known is refused, so
 * that it can come to mean something.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "include/uapi/linux/lanescope.h"
#include "peer/ls_peer.h"
#include "ring/ls_ring.h"
#include "user/ls_user.h"

/*
 * What programs of before capabilities call: the same numbers with other sizes. They begin with the
 * first, whose answer began with a version, and end where that is not theirs.
 */
#define LS_OLD_INFO		_IOR('l', 0x40, __u32[LS_OLD_WORDS])
#define LS_OLD_RING		_IOWR('l', 0x41, __u64[4])
#define LS_OLD_RING_BUFFER	_IOW('l', 0x42, __u64[3])
#define LS_OLD_RING_WAIT	_IOW('l', 0x43, __u32)
#define LS_OLD_NOTES		_IOWR('l', 0x52, __u64[2])
#define LS_OLD_WORDS		20
#define LS_NO_VERSION		2

static void ls_old_program(struct ls_channel *ch)
{
	dev_warn_ratelimited(&ch->dev,
			     "%s (process %d) was built for the driver of before capabilities: build it anew with this driver's lanescope.h\n",
			     current->comm, task_tgid_nr(current));
}

static long ls_old_info(struct ls_channel *ch, void __user *argument)
{
	u32 info[LS_OLD_WORDS] = { LS_NO_VERSION };

	ls_old_program(ch);
	return copy_to_user(argument, info, sizeof(info)) ? -EFAULT : 0;
}

static u64 ls_capabilities(const struct ls_channel *ch)
{
	u64 can = LANESCOPE_CAN_FRAMES | LANESCOPE_CAN_TRANSFER | LANESCOPE_CAN_MODERATE |
		  LANESCOPE_CAN_CANCEL;

	if (ls_window_exists(ch->ls))
		can |= LANESCOPE_CAN_WINDOW;
	if (ls_lend_can(ch))
		can |= LANESCOPE_CAN_RING | LANESCOPE_CAN_UNPIN | LANESCOPE_CAN_DEADLINE |
		       LANESCOPE_CAN_POLL_RING;
	return can;
}

static long ls_tell_info(struct ls_channel *ch, void __user *argument)
{
	struct lanescope_info info;

	if (copy_from_user(&info, argument, sizeof(info)))
		return -EFAULT;
	if (info.flags || info.reserved)
		return -EINVAL;
	info = (struct lanescope_info){
		.engine = ch->ls->version,
		.capabilities = ls_capabilities(ch),
		.channel = ch->index,
		.to_host = ch->to_host,
		.width = ch->ls->width,
		.entries = LS_ENTRIES,
	};
	spin_lock(&ch->lock);
	info.last_cause = ch->last_cause;
	info.every = ch->every;
	info.cycles = ch->cycles;
	info.transfers = ch->transfers;
	info.bytes = ch->bytes;
	info.descriptors = ch->descriptors;
	info.doorbells = ch->doorbells;
	info.interrupts = ch->interrupts;
	info.resets = ch->resets;
	spin_unlock(&ch->lock);
	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

/*
 * What it sets is the channel's, so that whoever has it open hears of it: it is for those who may
 * write to the file, however they have opened it. A channel from the card is opened to be read.
 */
static long ls_moderate(struct file *filp, struct ls_channel *ch, void __user *argument)
{
	struct lanescope_moderation args;

	if (!(filp->f_mode & FMODE_WRITE) && file_permission(filp, MAY_WRITE))
		return -EACCES;
	if (copy_from_user(&args, argument, sizeof(args)))
		return -EFAULT;
	if (args.flags || args.reserved)
		return -EINVAL;
	return ls_settings_moderate(ch, args.every, args.cycles);
}

static long ls_begin_ring(struct file *filp, struct ls_file *file, void __user *argument)
{
	struct lanescope_ring ring;
	long error;

	if (copy_from_user(&ring, argument, sizeof(ring)))
		return -EFAULT;
	if (ring.flags || ring.reserved)
		return -EINVAL;
	/* The engine would take what the process sends for more of a frame that is open. */
	if (READ_ONCE(file->ch->frame))
		return -EBUSY;
	error = ls_life_enter(file->ch->ls, false);
	if (error)
		return error;
	error = ls_lend_ring(filp, file, &ring);
	ls_life_leave(file->ch->ls);
	/* Where nobody hears of it, it is lent all the same, until the file is closed. */
	if (!error && copy_to_user(argument, &ring, sizeof(ring)))
		error = -EFAULT;
	return error;
}

static long ls_add_buffer(struct ls_file *file, void __user *argument)
{
	struct ls_ring *ring = READ_ONCE(file->ring);
	struct lanescope_ring_buffer buffer;
	long error;

	if (!ring)
		return -ENXIO;
	if (copy_from_user(&buffer, argument, sizeof(buffer)))
		return -EFAULT;
	if (buffer.flags)
		return -EINVAL;
	error = ls_pinned_add(file->ch, ring, &buffer);
	/* Where nobody hears of it, it is the ring's all the same, until that ends. */
	if (!error && copy_to_user(argument, &buffer, sizeof(buffer)))
		error = -EFAULT;
	return error;
}

static long ls_remove_buffer(struct ls_file *file, void __user *argument)
{
	struct ls_ring *ring = READ_ONCE(file->ring);
	struct lanescope_ring_unpin args;

	if (!ring)
		return -ENXIO;
	if (copy_from_user(&args, argument, sizeof(args)))
		return -EFAULT;
	return args.flags ? -EINVAL : ls_pinned_remove(file->ch, ring, args.id);
}

static long ls_wait_record(struct ls_file *file, void __user *argument)
{
	struct ls_ring *ring = READ_ONCE(file->ring);
	struct lanescope_ring_wait args;

	if (!ring)
		return -ENXIO;
	if (copy_from_user(&args, argument, sizeof(args)))
		return -EFAULT;
	return args.flags ? -EINVAL : ls_ring_wait(ring, args.number, args.deadline);
}

static long ls_begin_transfer(struct ls_file *file, void __user *argument)
{
	struct lanescope_transfer transfer;
	struct ls_ends ends;
	ssize_t result;

	if (copy_from_user(&transfer, argument, sizeof(transfer)))
		return -EFAULT;
	result = ls_import_transfer(file, &transfer, &ends);
	if (result > 0)
		ls_frame_note(file, READ_ONCE(file->flags), result, ends.frames, ends.last);
	return result;
}

/**
 * ls_ioctl - all of them
 * @filp: the file
 * @command: LANESCOPE_IOC_*
 * @argument: where the argument is
 */
long ls_ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	struct ls_file *file = filp->private_data;
	void __user *user = (void __user *)argument;
	u32 flags;

	switch (command) {
	case LANESCOPE_IOC_INFO:
		return ls_tell_info(file->ch, user);
	case LANESCOPE_IOC_MODERATE:
		return ls_moderate(filp, file->ch, user);
	case LANESCOPE_IOC_RING_WAIT:
		return ls_wait_record(file, user);
	case LANESCOPE_IOC_TRANSFER:
		return ls_begin_transfer(file, user);
	case LANESCOPE_IOC_SET_FRAMES:
		return get_user(flags, (u32 __user *)user) ? -EFAULT : ls_frame_set(file, flags);
	case LANESCOPE_IOC_GET_FRAMES:
		return put_user(READ_ONCE(file->flags), (u32 __user *)user);
	case LANESCOPE_IOC_NOTES:
		return ls_frame_tell(file, user);
	case LANESCOPE_IOC_CANCEL:
		ls_cancel_file(file);
		return 0;
	case LANESCOPE_IOC_RING:
		return ls_begin_ring(filp, file, user);
	case LANESCOPE_IOC_RING_BUFFER:
		return ls_add_buffer(file, user);
	case LANESCOPE_IOC_RING_UNPIN:
		return ls_remove_buffer(file, user);
	case LANESCOPE_IOC_WINDOW:
		/* It is written to, by whoever gets it. */
		return filp->f_mode & FMODE_WRITE ? ls_window_export(file->ch->ls, user) : -EACCES;
	case LS_OLD_INFO:
		return ls_old_info(file->ch, user);
	case LS_OLD_RING:
	case LS_OLD_RING_BUFFER:
	case LS_OLD_RING_WAIT:
	case LS_OLD_NOTES:
		ls_old_program(file->ch);
		return -EPROTO;
	default:
		return -ENOTTY;
	}
}
