// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ways to read and to write a frame. Each returns bytes, or -errno. */
#include "soak.h"

#include <sys/syscall.h>
#include <sys/uio.h>

static struct ring ring;

static ssize_t result_of(ssize_t done)
{
	return done < 0 ? -errno : done;
}

static ssize_t by_read(int fd, uint8_t *data, size_t bytes)
{
	return result_of(read(fd, data, bytes));
}

static ssize_t by_write(int fd, uint8_t *data, size_t bytes)
{
	return result_of(write(fd, data, bytes));
}

/* Up to eight pieces, each after the other. */
static int pieces(struct iovec *vector, uint8_t *data, size_t bytes)
{
	int count = 0;

	while (bytes && count < 7) {
		size_t piece = 1 + random_below(bytes < 20000 ? bytes : 20000);

		vector[count++] = (struct iovec){ data, piece };
		data += piece;
		bytes -= piece;
	}
	if (bytes)
		vector[count++] = (struct iovec){ data, bytes };
	return count;
}

static ssize_t by_readv(int fd, uint8_t *data, size_t bytes)
{
	struct iovec vector[8];

	return result_of(readv(fd, vector, pieces(vector, data, bytes)));
}

static ssize_t by_writev(int fd, uint8_t *data, size_t bytes)
{
	struct iovec vector[8];

	return result_of(writev(fd, vector, pieces(vector, data, bytes)));
}

static ssize_t by_ring(int fd, int opcode, uint8_t *data, size_t bytes)
{
	uint64_t name;

	ring_put(&ring, fd, opcode, data, bytes, 0);
	/* In two calls: where a signal ends one that has submitted something, it says so, and not EINTR. */
	if (ring_enter(&ring, 1, 0) < 0 || ring_enter(&ring, 0, 1) < 0)
		return -errno;
	return ring_get(&ring, &name);
}

/* What was read ahead is a part of a long frame. */
static ssize_t by_ring_read(int fd, uint8_t *data, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		ssize_t more = by_ring(fd, IORING_OP_READ, data + got, bytes - got);

		if (more <= 0)
			return got ? (ssize_t)got : more;
		got += more;
	}
	return got;
}

/* It is copied: fsync() says how it has left. */
static ssize_t by_ring_write(int fd, uint8_t *data, size_t bytes)
{
	ssize_t done = by_ring(fd, IORING_OP_WRITE, data, bytes);

	return done > 0 && fsync(fd) ? -errno : done;
}

/* What a signal leaves under way is cancelled, and waited for. */
static ssize_t by_aio(int fd, int opcode, uint8_t *data, size_t bytes)
{
	aio_context_t context = 0;
	struct iocb iocb = { .aio_lio_opcode = opcode, .aio_fildes = fd, .aio_buf = (uintptr_t)data, .aio_nbytes = bytes };
	struct iocb *pointer = &iocb;
	struct io_event event;
	ssize_t done;

	if (syscall(__NR_io_setup, 1, &context))
		return -errno;
	if (syscall(__NR_io_submit, context, 1, &pointer) != 1 ||
	    syscall(__NR_io_getevents, context, 1, 1, &event, NULL) != 1)
		done = -errno;
	else
		done = event.res;
	syscall(__NR_io_destroy, context);
	return done;
}

static ssize_t by_aio_read(int fd, uint8_t *data, size_t bytes)
{
	return by_aio(fd, IOCB_CMD_PREAD, data, bytes);
}

static ssize_t by_aio_write(int fd, uint8_t *data, size_t bytes)
{
	return by_aio(fd, IOCB_CMD_PWRITE, data, bytes);
}

static ssize_t by_poll(int fd, uint8_t *data, size_t bytes)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	size_t got = 0;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (got < bytes) {
		ssize_t more = read(fd, data + got, bytes - got);

		if (more > 0)
			got += more;
		else if (!more || errno != EAGAIN || poll(&pollfd, 1, -1) < 0)
			return got ? (ssize_t)got : result_of(more);
	}
	return got;
}

static ssize_t by_frame(int fd, uint8_t *data, size_t bytes)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };

	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* The frame of a process that was killed may be there. */
	while (write(fd, data, bytes) != (ssize_t)bytes) {
		if (errno != EAGAIN || poll(&pollfd, 1, -1) < 0)
			return -errno;
	}
	return fsync(fd) ? -errno : (ssize_t)bytes;
}

/* In pieces, each a call, of which the last ends the frame. */
static ssize_t by_pieces(int fd, uint8_t *data, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		size_t left = bytes - done, piece = 1 + random_below(left < 30000 ? left : 30000);
		uint32_t flags = piece < left ? LANESCOPE_FRAME_MORE : 0;
		ssize_t got = ioctl(fd, LANESCOPE_IOC_SET_FRAMES, &flags) ? -errno :
			      random_below(2) ? by_write(fd, data + done, piece) :
						by_ring_write(fd, data + done, piece);

		if (got > 0)
			done += got;
		if (got != (ssize_t)piece)
			return done ? (ssize_t)done : got;
	}
	return done;
}

static const struct way ways[2][6] = {
	{
		{ "write", LONGEST_TRIP, false, NULL, by_write },
		{ "writev", LONGEST_TRIP, false, NULL, by_writev },
		{ "ring write", LONGEST_TRIP, false, &ring, by_ring_write },
		{ "aio write", LONGEST_TRIP, false, NULL, by_aio_write },
		{ "frame", 65536, true, NULL, by_frame },
		{ "pieces", 1 << 17, false, &ring, by_pieces },
	},
	{
		{ "read", LONGEST_TRIP, false, NULL, by_read },
		{ "readv", LONGEST_TRIP, false, NULL, by_readv },
		{ "ring read", LONGEST_TRIP, false, &ring, by_ring_read },
		{ "aio read", LONGEST_TRIP, false, NULL, by_aio_read },
		{ "poll", LONGEST_TRIP, true, NULL, by_poll },
	},
};

const struct way *draw_way(bool to_host, size_t bytes)
{
	const struct way *way;

	do
		way = &ways[to_host][random_below(COUNT(ways[to_host]))];
	while (!way->name || way->most < bytes);
	return way;
}

int draw_flags(int fd, uint32_t *flags)
{
	static const uint32_t all[] = { LANESCOPE_FRAME_FILL, LANESCOPE_FRAME_KEEP, LANESCOPE_FRAME_REPORT };

	*flags = 0;
	for (size_t i = 0; i < COUNT(all); i++)
		if (random_below(2))
			*flags |= all[i];
	return *flags && ioctl(fd, LANESCOPE_IOC_SET_FRAMES, flags) ? -errno : 0;
}

void check_notes(int fd, uint32_t flags, ssize_t bytes)
{
	static struct lanescope_note notes[1024];
	struct lanescope_notes args = { .notes = (uintptr_t)notes, .count = COUNT(notes) };
	ssize_t noted = 0;
	int count;

	if (bytes <= 0 || !(flags & LANESCOPE_FRAME_REPORT))
		return;
	count = ioctl(fd, LANESCOPE_IOC_NOTES, &args);
	for (int i = 0; i < count; i++)
		noted += notes[i].bytes;
	if (noted != bytes || args.lost)
		wrong("%zd bytes were read, and %zd noted (%d notes, errno %d)", bytes, noted, count, errno);
}
