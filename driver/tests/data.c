// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Buffers, frames, and frames there and back. */
#include "suite.h"

#include "../include/lanescope/card.h"

void fill(uint8_t *data, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = (seed = seed * 1664525 + 1013904223) >> 24;
}

uint8_t *buffer_of(size_t bytes)
{
	uint8_t *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(data != MAP_FAILED);
	return data;
}

uint8_t *buffer(void)
{
	return buffer_of(MOST);
}

static void *write_frame(void *argument)
{
	struct frame *frame = argument;

	frame->result = write(frame->fd, frame->data, frame->bytes);
	frame->error = errno;
	return NULL;
}

void begin(struct frame *frame, int fd, const uint8_t *data, size_t bytes)
{
	*frame = (struct frame){ .fd = fd, .data = data, .bytes = bytes };
	CHECK(!pthread_create(&frame->thread, NULL, write_frame, frame));
}

ssize_t transfer(int fd, int dmabuf, uint64_t offset, uint64_t bytes)
{
	struct lanescope_channel channel = { .fd = fd };

	return lanescope_move_dmabuf(&channel, dmabuf, offset, bytes);
}

static void *run_transfer(void *argument)
{
	struct frame *frame = argument;

	frame->result = transfer(frame->fd, frame->dmabuf, frame->offset, frame->bytes);
	return NULL;
}

void begin_transfer(struct frame *frame, int fd, int dmabuf, uint64_t offset, size_t bytes)
{
	*frame = (struct frame){ .fd = fd, .dmabuf = dmabuf, .offset = offset, .bytes = bytes };
	CHECK(!pthread_create(&frame->thread, NULL, run_transfer, frame));
}

ssize_t end(struct frame *frame)
{
	pthread_join(frame->thread, NULL);
	return frame->result;
}

void round_trip(int h2c, int c2h, uint8_t *from, uint8_t *to, size_t bytes, uint32_t seed)
{
	struct frame frame;
	ssize_t got;

	fill(from, bytes, seed);
	memset(to, 0x5a, bytes + 1);
	begin(&frame, h2c, from, bytes);
	got = read(c2h, to, bytes);
	CHECK(end(&frame) == (ssize_t)bytes);
	if (got != (ssize_t)bytes)
		fail("%zu bytes: %zd came (errno %d)", bytes, got, errno);
	for (size_t i = 0; i < bytes; i++) {
		if (from[i] != to[i])
			fail("%zu bytes: at %zu %#x in place of %#x, after it %#x %#x", bytes, i, to[i], from[i],
			     to[i + 1], to[i + 2]);
	}
	CHECK(to[bytes] == 0x5a);
}

void quick_trip(int card, int number)
{
	int h2c = channel(card, number, 0), c2h = channel(card, number, 1);
	uint8_t *from = buffer(), *to = buffer();

	round_trip(h2c, c2h, from, to, 10000, 7);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

void drain(int card, int number)
{
	int c2h = channel(card, number, 1);
	aio_context_t context = aio_open();
	struct iocb iocb, *ended;
	uint8_t *to = buffer();

	do {
		aio_put(context, &iocb, c2h, IOCB_CMD_PREAD, to, MOST);
	} while (aio_get_within(context, &ended, 300 * patience()) > 0);
	/* This ends the last one, and drops what it has of a frame that does not end. */
	aio_close(context);
	close(c2h);
	munmap(to, MOST);
}
