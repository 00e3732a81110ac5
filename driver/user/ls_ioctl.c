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

/* Programs of 32 bits and of 64 have the same of each. */
static_assert(sizeof(struct lanescope_info) == 96);
static_assert(sizeof(struct lanescope_ring) == 40);
static_assert(sizeof(struct lanescope_ring_buffer) == 32);
static_assert(sizeof(struct lanescope_ring_wait) == 16);
static_assert(sizeof(struct lanescope_window) == 16);
static_assert(sizeof(struct lanescope_transfer) == 24);
static_assert(sizeof(struct lanescope_notes) == 24);

/* What a call has in its structure, or stores there. */
union ls_arguments {
	struct lanescope_info info;
	struct lanescope_moderation moderation;
	struct lanescope_ring ring;
	struct lanescope_ring_buffer buffer;
	struct lanescope_ring_unpin unpin;
	struct lanescope_ring_wait wait;
	struct lanescope_transfer transfer;
	__u32 flags;
	__u32 old[LS_OLD_WORDS];
};

static void ls_old_program(struct ls_channel *ch)
{
	dev_warn_ratelimited(&ch->dev,
			     "%s (process %d) was built for the driver of before capabilities: build it anew with this driver's lanescope.h\n",
			     current->comm, task_tgid_nr(current));
}

/* What all programs of before call first. */
static long ls_old_info(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	ls_old_program(file->ch);
	memset(args, 0, sizeof(*args));
	args->old[0] = LS_NO_VERSION;
	return 0;
}

static long ls_old_call(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	ls_old_program(file->ch);
	return -EPROTO;
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

static long ls_tell_info(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	struct lanescope_info *info = &args->info;
	struct ls_channel *ch = file->ch;

	if (info->flags || info->reserved)
		return -EINVAL;
	*info = (struct lanescope_info){
		.engine = ch->ls->version,
		.capabilities = ls_capabilities(ch),
		.channel = ch->index,
		.to_host = ch->to_host,
		.width = ch->ls->width,
		.entries = LS_ENTRIES,
	};
	spin_lock(&ch->lock);
	info->last_cause = ch->last_cause;
	info->every = ch->every;
	info->cycles = ch->cycles;
	info->transfers = ch->transfers;
	info->bytes = ch->bytes;
	info->descriptors = ch->descriptors;
	info->doorbells = ch->doorbells;
	info->interrupts = ch->interrupts;
	info->resets = ch->resets;
	spin_unlock(&ch->lock);
	return 0;
}

/*
 * What it sets is the channel's, so that whoever has it open hears of it: it is for those who may
 * write to the file, however they have opened it. A channel from the card is opened to be read.
 */
static long ls_moderate(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	const struct lanescope_moderation *moderation = &args->moderation;

	if (!(filp->f_mode & FMODE_WRITE) && file_permission(filp, MAY_WRITE))
		return -EACCES;
	if (moderation->flags || moderation->reserved)
		return -EINVAL;
	return ls_settings_moderate(file->ch, moderation->every, moderation->cycles);
}

static long ls_set_frames(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	return ls_frame_set(file, args->flags);
}

static long ls_get_frames(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	args->flags = READ_ONCE(file->flags);
	return 0;
}

/* Where nobody hears of it, it is lent all the same, until the file is closed. */
static long ls_begin_ring(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	long error;

	if (args->ring.flags || args->ring.reserved)
		return -EINVAL;
	/* The engine would take what the process sends for more of a frame that is open. */
	if (READ_ONCE(file->ch->frame))
		return -EBUSY;
	error = ls_life_enter(file->ch->ls, false);
	if (error)
		return error;
	error = ls_lend_ring(filp, file, &args->ring);
	ls_life_leave(file->ch->ls);
	return error;
}

/* Where nobody hears of it, it is the ring's all the same, until that ends. */
static long ls_add_buffer(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	struct ls_ring *ring = READ_ONCE(file->ring);

	if (!ring)
		return -ENXIO;
	return args->buffer.flags ? -EINVAL : ls_pinned_add(file->ch, ring, &args->buffer);
}

static long ls_remove_buffer(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	struct ls_ring *ring = READ_ONCE(file->ring);

	if (!ring)
		return -ENXIO;
	return args->unpin.flags ? -EINVAL : ls_pinned_remove(file->ch, ring, args->unpin.id);
}

static long ls_wait_record(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	struct ls_ring *ring = READ_ONCE(file->ring);

	if (!ring)
		return -ENXIO;
	return args->wait.flags ? -EINVAL :
				  ls_ring_wait(ring, args->wait.number, args->wait.deadline);
}

static long ls_begin_transfer(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	struct ls_ends ends;
	ssize_t result = ls_import_transfer(file, &args->transfer, &ends);

	if (result > 0)
		ls_frame_note(file, READ_ONCE(file->flags), result, ends.frames, ends.last);
	return result;
}

static long ls_cancel(struct file *filp, struct ls_file *file, union ls_arguments *args)
{
	ls_cancel_file(file);
	return 0;
}

/* Those whose structure is read first, or stored when they have done what they are to, or both. */
static const struct ls_call {
	unsigned int command;
	long (*run)(struct file *filp, struct ls_file *file, union ls_arguments *args);
} ls_calls[] = {
	{ LANESCOPE_IOC_INFO, ls_tell_info },
	{ LANESCOPE_IOC_MODERATE, ls_moderate },
	{ LANESCOPE_IOC_SET_FRAMES, ls_set_frames },
	{ LANESCOPE_IOC_GET_FRAMES, ls_get_frames },
	{ LANESCOPE_IOC_CANCEL, ls_cancel },
	{ LANESCOPE_IOC_TRANSFER, ls_begin_transfer },
	{ LANESCOPE_IOC_RING, ls_begin_ring },
	{ LANESCOPE_IOC_RING_WAIT, ls_wait_record },
	{ LANESCOPE_IOC_RING_BUFFER, ls_add_buffer },
	{ LANESCOPE_IOC_RING_UNPIN, ls_remove_buffer },
	{ LS_OLD_INFO, ls_old_info },
	{ LS_OLD_RING, ls_old_call },
	{ LS_OLD_RING_BUFFER, ls_old_call },
	{ LS_OLD_RING_WAIT, ls_old_call },
	{ LS_OLD_NOTES, ls_old_call },
};

static long ls_run(const struct ls_call *call, struct file *filp, void __user *argument)
{
	unsigned int bytes = _IOC_SIZE(call->command), way = _IOC_DIR(call->command);
	union ls_arguments args;
	long result;

	if (way & _IOC_WRITE && copy_from_user(&args, argument, bytes))
		return -EFAULT;
	result = call->run(filp, filp->private_data, &args);
	if (result >= 0 && way & _IOC_READ && copy_to_user(argument, &args, bytes))
		return -EFAULT;
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
	void __user *user = (void __user *)argument;
	struct ls_file *file = filp->private_data;
	unsigned int i;

	/* What these store they store before anybody else sees what they have done. */
	if (command == LANESCOPE_IOC_NOTES)
		return ls_frame_tell(file, user);
	/* It is written to, by whoever gets it. */
	if (command == LANESCOPE_IOC_WINDOW)
		return filp->f_mode & FMODE_WRITE ? ls_window_export(file->ch->ls, user) : -EACCES;
	for (i = 0; i < ARRAY_SIZE(ls_calls); i++)
		if (ls_calls[i].command == command)
			return ls_run(&ls_calls[i], filp, user);
	return -ENOTTY;
}
