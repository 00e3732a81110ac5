// SPDX-License-Identifier: GPL-2.0 OR MIT
/* far.h says what this is. */
#include "far.h"

#include "../include/lanescope/card.h"

#include <time.h>

int export(int fd, int flags)
{
	struct lanescope_window window = { .flags = flags, .fd = -1 };

	if (ioctl(fd, LANESCOPE_IOC_WINDOW, &window))
		return -errno;
	CHECK(window.fd >= 0 && window.bytes == WINDOW);
	return window.fd;
}

int window_of(int card)
{
	struct lanescope_channel h2c = { .fd = channel(card, 0, 0) };
	int fd = lanescope_window(&h2c);

	close(h2c.fd);
	return fd;
}

int has_p2pdma(void)
{
	return has_symbol("pci_p2pdma_distance_many");
}

int is_below_a_switch(void)
{
	char path[128], place[512];
	int depth = 0;

	card_path(path, 0, "");
	CHECK(realpath(path, place));
	for (const char *at = strstr(place, "/pci"); at; at = strchr(at + 1, '/'))
		depth++;
	return depth > 2;
}

int is_connected(void)
{
	int connected = has_p2pdma() && is_below_a_switch();

	if (!connected)
		printf("no pair that may: %s\n", has_p2pdma() ? "no switch" : "no P2PDMA");
	return connected;
}

void open_way(struct way *way, int card)
{
	*way = (struct way){ channel(card, 0, 0), channel(card, 0, 1), window_of(!card),
			     channel(!card, CHANNELS - 1, 1), buffer(), buffer() };
	CHECK(way->window >= 0);
}

void close_way(struct way *way)
{
	close(way->out);
	close(way->back);
	close(way->window);
	close(way->in);
	munmap(way->from, MOST);
	munmap(way->to, MOST);
}

static void *read_frame(void *argument)
{
	struct frame *frame = argument;

	frame->result = read(frame->fd, (uint8_t *)frame->data, frame->bytes);
	frame->error = errno;
	return NULL;
}

void begin_read(struct frame *frame, int fd, uint8_t *data, size_t bytes)
{
	uint64_t before = info_of(fd).descriptors;
	double begun = now();

	*frame = (struct frame){ .fd = fd, .data = data, .bytes = bytes };
	CHECK(!pthread_create(&frame->thread, NULL, read_frame, frame));
	while (info_of(fd).descriptors == before) {
		CHECK(now() - begun < FAR_S * patience());
		usleep(200);
	}
}

void far_trip(struct way *way, size_t bytes, uint32_t seed, ssize_t (*move)(struct way *way, size_t bytes))
{
	struct frame out, in;
	ssize_t moved;

	fill(way->from, bytes, seed);
	memset(way->to, 0x5a, bytes + 1);
	begin_read(&in, way->in, way->to, bytes);
	begin(&out, way->out, way->from, bytes);
	after_ms(FAR_S * 1000 * patience());
	moved = move(way, bytes);
	if (moved != (ssize_t)bytes)
		fail("%zu bytes: %zd moved", bytes, moved);
	CHECK(end(&out) == (ssize_t)bytes);
	CHECK(end(&in) == (ssize_t)bytes);
	after_ms(0);
	for (size_t i = 0; i < bytes; i++)
		if (way->from[i] != way->to[i])
			fail("%zu bytes: at %zu %#x in place of %#x", bytes, i, way->to[i], way->from[i]);
	CHECK(way->to[bytes] == 0x5a);
}

ssize_t by_call(struct way *way, size_t bytes)
{
	return transfer(way->back, way->window, 0, bytes);
}

void reset_card(int card)
{
	char path[128];

	card_path(path, card, "reset");
	CHECK(!write_file(path, "1"));
}

void unbind_card(int card)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[card]));
}

void bind_card(int card)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[card]));
}

ssize_t end_soon(struct frame *frame)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += FAR_S * patience();
	if (pthread_timedjoin_np(frame->thread, NULL, &until))
		fail("a transfer does not end");
	return frame->result;
}

void begin_waiting(struct frame *far, struct way *way)
{
	uint64_t before = info_of(way->back).descriptors;
	double begun = now();

	begin_transfer(far, way->back, way->window, 0, FRAME);
	while (info_of(way->back).descriptors == before) {
		CHECK(now() - begun < FAR_S * patience());
		usleep(1000);
	}
}
