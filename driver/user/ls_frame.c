// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Flags of a file for the frames of its calls, and notes of what its reads came to.
 *
 * The flags themselves are obeyed where requests become descriptors (ls_desc.c), where a channel
 * was stopped (ls_sort.c), and where a read takes what was read ahead (ls_file.c).
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "include/uapi/linux/lanescope.h"
#include "user/ls_user.h"

/* Notes that a file keeps; the oldest go first. */
#define LS_NOTES	1024U

/**
 * struct ls_notes - what reads of a file came to, until the program asks
 * @telling: held by a call that tells the program, so that none is told twice
 * @lock: of all that follows
 * @put: notes made
 * @taken: of them, told or lost
 * @lost: of them, lost since the program asked last
 * @notes: those from @taken to @put
 */
struct ls_notes {
	struct mutex telling;	/* held by a call that tells the program */
	spinlock_t lock;	/* of all that follows */
	u32 put, taken, lost;
	struct lanescope_note notes[LS_NOTES];
};

/**
 * ls_frame_set - sets the flags of a file, for calls from now on
 * @file: the file
 * @flags: LANESCOPE_FRAME_*
 */
long ls_frame_set(struct ls_file *file, u32 flags)
{
	struct ls_notes *notes;

	if (!ls_desc_allows(file->ch, flags))
		return -EINVAL;
	if (flags & LANESCOPE_FRAME_REPORT && !READ_ONCE(file->notes)) {
		notes = kvzalloc(sizeof(*notes), GFP_KERNEL);
		if (!notes)
			return -ENOMEM;
		mutex_init(&notes->telling);
		spin_lock_init(&notes->lock);
		/* Another thread may have been faster. */
		if (cmpxchg(&file->notes, NULL, notes))
			kvfree(notes);
	}
	WRITE_ONCE(file->flags, flags);
	return 0;
}

/**
 * ls_frame_note - notes what a read came to, where its flags say so
 * @file: the file
 * @flags: of the read
 * @bytes: what it returns
 * @frames: frames that ended in it
 * @frame_end: its last byte is the last of one
 */
void ls_frame_note(struct ls_file *file, u32 flags, size_t bytes, u32 frames, bool frame_end)
{
	struct ls_notes *notes = READ_ONCE(file->notes);
	struct lanescope_note *note;

	if (!(flags & LANESCOPE_FRAME_REPORT) || !notes)
		return;
	spin_lock(&notes->lock);
	if (notes->put - notes->taken == LS_NOTES) {
		notes->taken++;
		notes->lost++;
	}
	note = &notes->notes[notes->put++ % LS_NOTES];
	note->bytes = bytes;
	note->frames = frames;
	note->flags = frame_end ? LANESCOPE_NOTE_END : 0;
	note->reserved = 0;
	spin_unlock(&notes->lock);
}

/* Copies the oldest notes, which stay: how many. @first: the number of the first of them. */
static u32 ls_notes_copy(struct ls_notes *notes, struct lanescope_note *copy, u32 most, u32 *lost,
			 u32 *first)
{
	u32 count, i;

	spin_lock(&notes->lock);
	*first = notes->taken;
	*lost = notes->lost;
	count = min(notes->put - notes->taken, most);
	for (i = 0; i < count; i++)
		copy[i] = notes->notes[(notes->taken + i) % LS_NOTES];
	spin_unlock(&notes->lock);
	return count;
}

/* The program has them: those that others have taken the place of meanwhile are not lost. */
static void ls_notes_told(struct ls_notes *notes, u32 count, u32 lost, u32 first)
{
	u32 gone;

	spin_lock(&notes->lock);
	gone = min(notes->taken - first, count);
	notes->taken += count - gone;
	notes->lost -= lost + gone;
	spin_unlock(&notes->lock);
}

/**
 * ls_frame_tell - tells a program what its reads came to
 * @file: the file
 * @argument: its struct lanescope_notes
 *
 * Return: how many notes were stored. Where not all could be stored, none is taken.
 */
long ls_frame_tell(struct ls_file *file, void __user *argument)
{
	struct ls_notes *notes = READ_ONCE(file->notes);
	struct lanescope_notes args;
	struct lanescope_note *copy;
	u32 count, first;
	long result;

	if (copy_from_user(&args, argument, sizeof(args)))
		return -EFAULT;
	if (args.flags || args.reserved)
		return -EINVAL;
	if (!notes)
		return -ENXIO;
	args.count = min(args.count, LS_NOTES);
	copy = kvmalloc_array(args.count, sizeof(*copy), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	/* Its memory may not come for long. */
	result = mutex_lock_killable(&notes->telling);
	if (result)
		goto out;
	count = ls_notes_copy(notes, copy, args.count, &args.lost, &first);
	if (copy_to_user(u64_to_user_ptr(args.notes), copy, count * sizeof(*copy)) ||
	    copy_to_user(argument, &args, sizeof(args))) {
		result = -EFAULT;
	} else {
		ls_notes_told(notes, count, args.lost, first);
		result = count;
	}
	mutex_unlock(&notes->telling);
out:
	kvfree(copy);
	return result;
}

/**
 * ls_frame_close - a file is closed: a frame that it has begun is broken
 * @file: the file, of which nobody makes calls any more
 */
void ls_frame_close(struct ls_file *file)
{
	if (!file->ch->to_host)
		ls_restart_break_frame(file->ch, file);
	kvfree(file->notes);
}
