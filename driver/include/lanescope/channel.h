/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A channel as a file: a part of lanescope/card.h, which says what it is. */
#ifndef LANESCOPE_CHANNEL_H
#define LANESCOPE_CHANNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <unistd.h>

#include "../uapi/linux/lanescope.h"

struct lanescope_channel {
	int fd;
	struct lanescope_info info; /* when it was opened */
};

/* What a negative errno of a function here means: a sentence, of the calling thread until its next call. */
static inline const char *lanescope_says(int error)
{
	switch (error) {
	case -EPROTO:
		return "the driver of the card is of before capabilities, and this program is not: load the driver that it was built with";
	case -ENOTTY:
		return "it is no channel of a card, or its driver does not know that call";
	case -ENODEV:
		return "the card has gone, or its driver has left it";
	default:
		return strerror(-error);
	}
}

/*
 * Asks what the channel is and has counted. EPROTO: a driver of before capabilities, whose answer to the same number was
 * shorter; ENOTTY: it is no channel.
 */
static inline int lanescope_ask(int fd, struct lanescope_info *info)
{
	uint32_t before[20];

	memset(info, 0, sizeof(*info));
	if (!ioctl(fd, LANESCOPE_IOC_INFO, info))
		return 0;
	if (errno == ENOTTY && !ioctl(fd, _IOR('l', 0x40, before), before))
		return -EPROTO;
	return -errno;
}

/* Opens /dev/lanescopeN/h2cK or c2hK. For errors see lanescope_ask(), and those of open(). */
static inline int lanescope_open(struct lanescope_channel *channel, const char *path)
{
	int error = 0;

	/* Nothing of another channel that was here before. */
	memset(channel, 0, sizeof(*channel));
	channel->fd = open(path, O_RDWR | O_CLOEXEC);
	if (channel->fd < 0)
		return -errno;
	error = lanescope_ask(channel->fd, &channel->info);
	if (error) {
		close(channel->fd);
		channel->fd = -1;
	}
	return error;
}

/* Also of one that was not opened, or is closed. */
static inline void lanescope_close(struct lanescope_channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
}

/* Whether the driver can all of that, for this channel: LANESCOPE_CAN_*. */
static inline int lanescope_can(const struct lanescope_channel *channel, uint64_t what)
{
	return (channel->info.capabilities & what) == what;
}

/*
 * When the card writes a record, which an interrupt follows: after so many descriptors (1 to 255), or so many cycles (up to
 * 65535). It is the channel's, whoever has it open; a queue has figures of its own. ERANGE: others. EACCES: the program may not
 * write to the channel's file.
 */
static inline int lanescope_moderate(struct lanescope_channel *channel, uint32_t every, uint32_t cycles)
{
	struct lanescope_moderation args;

	memset(&args, 0, sizeof(args));
	args.every = every;
	args.cycles = cycles;
	return ioctl(channel->fd, LANESCOPE_IOC_MODERATE, &args) ? -errno : 0;
}

/* One transfer, in the direction of the channel: how many bytes were moved. */
static inline ssize_t lanescope_move(struct lanescope_channel *channel, void *data, size_t bytes)
{
	ssize_t moved = channel->info.to_host ? read(channel->fd, data, bytes) : write(channel->fd, data, bytes);

	return moved < 0 ? -errno : moved;
}

/*
 * The window of the channel's card as a dma-buf, to which other devices write: its descriptor. For errors see
 * struct lanescope_window.
 */
static inline int lanescope_window(struct lanescope_channel *channel)
{
	struct lanescope_window window;

	memset(&window, 0, sizeof(window));
	window.flags = O_CLOEXEC;
	return ioctl(channel->fd, LANESCOPE_IOC_WINDOW, &window) ? -errno : window.fd;
}

/* Flags for the frames of calls of this file from now on: LANESCOPE_FRAME_*. EINVAL: one that it does not know. */
static inline int lanescope_set_frames(struct lanescope_channel *channel, uint32_t flags)
{
	return ioctl(channel->fd, LANESCOPE_IOC_SET_FRAMES, &flags) ? -errno : 0;
}

/* Ends what calls of this file have under way, whatever they have moved; for what they return see LANESCOPE_IOC_CANCEL. */
static inline int lanescope_cancel(struct lanescope_channel *channel)
{
	return ioctl(channel->fd, LANESCOPE_IOC_CANCEL) ? -errno : 0;
}

/*
 * Takes what reads came to since LANESCOPE_FRAME_REPORT was set, oldest first: how many notes there were. `lost` says how
 * many before them were dropped.
 */
static inline int lanescope_notes(struct lanescope_channel *channel, struct lanescope_note *notes, uint32_t count,
				  uint32_t *lost)
{
	struct lanescope_notes args;
	int got;

	memset(&args, 0, sizeof(args));
	args.notes = (uintptr_t)notes;
	args.count = count;
	got = ioctl(channel->fd, LANESCOPE_IOC_NOTES, &args);
	*lost = args.lost;
	return got < 0 ? -errno : got;
}

/* lanescope_move_dmabuf() with flags for its frame: LANESCOPE_FRAME_MORE, _FILL, _KEEP. */
static inline ssize_t lanescope_move_dmabuf_frames(struct lanescope_channel *channel, int fd, uint64_t offset, uint64_t bytes,
						   uint32_t flags)
{
	struct lanescope_transfer transfer;
	int moved;

	memset(&transfer, 0, sizeof(transfer));
	transfer.fd = fd;
	transfer.flags = flags;
	transfer.offset = offset;
	transfer.bytes = bytes;
	moved = ioctl(channel->fd, LANESCOPE_IOC_TRANSFER, &transfer);
	return moved < 0 ? -errno : moved;
}

/*
 * One transfer, in the direction of the channel, from or to a dma-buf: how many bytes were moved. To the window of another
 * card, the offset is 0, and the transfer is a frame. For errors see struct lanescope_transfer.
 */
static inline ssize_t lanescope_move_dmabuf(struct lanescope_channel *channel, int fd, uint64_t offset, uint64_t bytes)
{
	return lanescope_move_dmabuf_frames(channel, fd, offset, bytes, 0);
}

#endif
