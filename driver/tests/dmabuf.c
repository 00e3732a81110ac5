// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Transfers from and to a buffer of another exporter: udmabuf, pages of a memfd. */
#include "far.h"
#include "frames.h"

#include "../include/lanescope/card.h"

#include <linux/udmabuf.h>

#define PAGE 4096

/* A buffer of that many bytes, and its memory; -1 where this kernel has no udmabuf. */
static int udmabuf(size_t bytes, uint8_t **data)
{
	struct udmabuf_create create = { .size = bytes, .flags = UDMABUF_FLAGS_CLOEXEC };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (device < 0) {
		CHECK(!has_symbol("udmabuf_ioctl"));
		printf("no udmabuf in this kernel\n");
		return -1;
	}
	create.memfd = memfd_create("frames", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	CHECK((int)create.memfd >= 0 && !ftruncate(create.memfd, bytes));
	CHECK(!fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	*data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, create.memfd, 0);
	CHECK(*data != MAP_FAILED);
	fd = ioctl(device, UDMABUF_CREATE, &create);
	CHECK(fd >= 0);
	close(create.memfd);
	close(device);
	return fd;
}

static void buffers_of_others_are_read_and_written_as_they_lie(void)
{
	static const size_t sizes[] = { 1, 63, 4096, 5000, 100000 }, offsets[] = { 0, 1, 4095, 4096, 70001 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *memory, *to = buffer(), *from = buffer();
	int fd = udmabuf(64 * PAGE, &memory);

	if (fd < 0)
		return;
	for (size_t i = 0; i < COUNT(sizes) * COUNT(offsets); i++) {
		size_t bytes = sizes[i / COUNT(offsets)], at = offsets[i % COUNT(offsets)];
		struct frame frame;

		/* Out of it. */
		fill(memory, 64 * PAGE, i);
		memset(to, 0x5a, bytes + 1);
		begin_transfer(&frame, h2c, fd, at, bytes);
		CHECK(read(c2h, to, bytes) == (ssize_t)bytes);
		CHECK(end(&frame) == (ssize_t)bytes);
		CHECK(!memcmp(memory + at, to, bytes) && to[bytes] == 0x5a);
		/* And into it, with what is beside it left alone. */
		fill(from, bytes, i + 100);
		memset(memory, 0x5a, 64 * PAGE);
		begin(&frame, h2c, from, bytes);
		CHECK(transfer(c2h, fd, at, bytes) == (ssize_t)bytes);
		CHECK(end(&frame) == (ssize_t)bytes);
		CHECK(!memcmp(memory + at, from, bytes) && memory[at + bytes] == 0x5a);
		CHECK(!at || memory[at - 1] == 0x5a);
	}
	munmap(memory, 64 * PAGE);
	munmap(to, MOST);
	munmap(from, MOST);
	close(fd);
	close(h2c);
	close(c2h);
}

static void a_frame_ends_a_transfer_into_a_buffer_and_a_signal_does(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *memory, *from = buffer();
	int fd = udmabuf(4 * PAGE, &memory);
	struct frame frame;

	if (fd < 0)
		return;
	fill(from, 1000, 1);
	begin(&frame, h2c, from, 1000);
	/* In the buffer's last piece: one page, so that nothing of the next frame is lost. */
	CHECK(transfer(c2h, fd, 3 * PAGE, PAGE) == 1000);
	CHECK(end(&frame) == 1000 && !memcmp(memory + 3 * PAGE, from, 1000));
	after_ms(100);
	CHECK(transfer(c2h, fd, 0, PAGE) == -EINTR);
	after_ms(0);
	quick_trip(0, 0);
	munmap(memory, 4 * PAGE);
	munmap(from, MOST);
	close(fd);
	close(h2c);
	close(c2h);
}

/* A header by a write, and what follows it out of a buffer; frames one after the other into one. */
static void transfers_of_buffers_have_flags_for_frames_of_their_own(void)
{
	struct lanescope_channel h2c = { .fd = channel(0, 0, 0) }, c2h = { .fd = channel(0, 0, 1) };
	uint8_t *memory, *to = buffer(), *from = buffer();
	int fd = udmabuf(8 * PAGE, &memory);
	struct frame frame;

	if (fd < 0)
		return;
	fill(memory, 8 * PAGE, 1);
	set_flags(c2h.fd, LANESCOPE_FRAME_REPORT);
	set_flags(h2c.fd, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c.fd, "head", 4) == 4);
	CHECK(lanescope_move_dmabuf_frames(&h2c, fd, 5, 100, LANESCOPE_FRAME_MORE) == 100);
	/* The flags of the file are not those of a transfer. */
	CHECK(lanescope_move_dmabuf_frames(&h2c, fd, 300, 50, 0) == 50);
	CHECK(read(c2h.fd, to, PAGE) == 154);
	CHECK(!memcmp(to, "head", 4) && !memcmp(to + 4, memory + 5, 100) && !memcmp(to + 104, memory + 300, 50));
	CHECK(note_of(c2h.fd).flags == LANESCOPE_NOTE_END);
	set_flags(h2c.fd, 0);
	for (int keep = 0; keep < 2; keep++) {
		fill(from, 900, keep);
		memset(memory, 0x5a, 8 * PAGE);
		for (int i = 0; i < 3; i++)
			CHECK(write(h2c.fd, from + 300 * i, 300) == 300);
		if (keep) {
			for (int i = 0; i < 3; i++) {
				CHECK(lanescope_move_dmabuf_frames(&c2h, fd, 400 * i, 7 * PAGE, LANESCOPE_FRAME_KEEP) == 300);
				CHECK(!memcmp(memory + 400 * i, from + 300 * i, 300));
			}
		} else {
			CHECK(lanescope_move_dmabuf_frames(&c2h, fd, PAGE - 100, 900, LANESCOPE_FRAME_FILL) == 900);
			CHECK(!memcmp(memory + PAGE - 100, from, 900) && memory[PAGE + 800] == 0x5a);
			CHECK(note_of(c2h.fd).frames == 3);
		}
	}
	begin(&frame, h2c.fd, from, 1);
	CHECK(lanescope_move_dmabuf_frames(&c2h, fd, 0, 1, LANESCOPE_FRAME_MORE) == -EINVAL);
	CHECK(lanescope_move_dmabuf_frames(&c2h, fd, 0, 1, LANESCOPE_FRAME_REPORT) == -EINVAL);
	CHECK(lanescope_move_dmabuf_frames(&h2c, fd, 0, 1, LANESCOPE_FRAME_FILL) == -EINVAL);
	CHECK(read(c2h.fd, to, 1) == 1 && end(&frame) == 1);
	munmap(memory, 8 * PAGE);
	munmap(from, MOST);
	munmap(to, MOST);
	close(fd);
	close(h2c.fd);
	close(c2h.fd);
}

static void wrong_arguments_of_a_transfer_are_refused(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	struct lanescope_transfer args = { .fd = h2c, .bytes = 1 };
	uint8_t *memory, byte = 3;
	int fd;

	CHECK(transfer(h2c, -1, 0, 1) == -EBADF);
	CHECK(transfer(h2c, h2c, 0, 1) == -EINVAL);
	CHECK(ioctl(h2c, LANESCOPE_IOC_TRANSFER, 8) == -1 && errno == EFAULT);
	fd = udmabuf(PAGE, &memory);
	if (fd < 0)
		return;
	args = (struct lanescope_transfer){ .fd = fd, .flags = 16, .bytes = 1 };
	CHECK(ioctl(h2c, LANESCOPE_IOC_TRANSFER, &args) == -1 && errno == EINVAL);
	CHECK(transfer(h2c, fd, PAGE + 1, 0) == 0);
	CHECK(transfer(h2c, fd, PAGE + 1, 1) == -EINVAL);
	CHECK(transfer(h2c, fd, PAGE, 1) == -EINVAL);
	CHECK(transfer(h2c, fd, 1, PAGE) == -EINVAL);
	CHECK(transfer(h2c, fd, UINT64_MAX, 2) == -EINVAL);
	/* What was read ahead is for the next read. */
	CHECK(poll(&pollfd, 1, 0) == 0);
	CHECK(transfer(c2h, fd, 0, 1) == -EBUSY);
	CHECK(write(h2c, &byte, 1) == 1 && read(c2h, &byte, 1) == 1);
	munmap(memory, PAGE);
	close(fd);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
}

/* The buffer's exporter takes so long to let a mapping go. */
enum { SLOW_MS = 400 };

static void a_card_is_not_let_go_before_the_buffers_of_others(void)
{
	int c2h = channel(1, 0, 1), device = open("/dev/ls_slow", O_RDWR | O_CLOEXEC), fd;
	struct frame frame;
	double begun;

	CHECK(device >= 0);
	fd = ioctl(device, 0, SLOW_MS);
	CHECK(fd >= 0);
	begin_transfer(&frame, c2h, fd, 0, PAGE);
	usleep(100000 * patience());
	begun = now();
	unbind_card(1);
	printf("a card left in %.2f s, with a buffer that is slow to let go\n", now() - begun);
	CHECK(now() - begun > SLOW_MS * 0.9e-3);
	CHECK(end(&frame) == -ENODEV);
	CHECK(read_number("/sys/module/ls_slow/parameters/late") == 0);
	close(fd);
	close(device);
	close(c2h);
	bind_card(1);
	quick_trip(1, 0);
}

static void set_fence_seconds(const char *seconds)
{
	CHECK(!write_file("/sys/module/lanescope/parameters/fence_seconds", seconds));
}

/* Somebody uses the buffer, and never tells that it is done. */
static void a_fence_that_does_not_come_holds_up_neither_a_call_nor_a_card(void)
{
	int c2h = channel(1, 0, 1), device = open("/dev/ls_slow", O_RDWR | O_CLOEXEC), fd;
	struct frame frame;
	double begun = now();

	fd = ioctl(device, 0, 0);
	CHECK(fd >= 0 && !ioctl(device, 1, fd));
	set_fence_seconds("1");
	after_ms(20000 * patience());
	CHECK(transfer(c2h, fd, 0, PAGE) == -ETIMEDOUT);
	after_ms(0);
	CHECK(now() - begun >= 1 && now() - begun < 6 * patience());
	CHECK(log_has("a buffer of others was not free in 1 s"));
	set_fence_seconds("1000");
	begin_transfer(&frame, c2h, fd, 0, PAGE);
	usleep(100000 * patience());
	begun = now();
	unbind_card(1);
	CHECK(now() - begun < 6 * patience());
	CHECK(end(&frame) == -ENODEV);
	set_fence_seconds("10");
	close(fd);
	close(device);
	close(c2h);
	bind_card(1);
	quick_trip(1, 0);
}

const struct test dmabuf_tests[] = {
	TEST(buffers_of_others_are_read_and_written_as_they_lie),
	TEST(a_frame_ends_a_transfer_into_a_buffer_and_a_signal_does),
	TEST(transfers_of_buffers_have_flags_for_frames_of_their_own),
	TEST(a_card_is_not_let_go_before_the_buffers_of_others),
	TEST(a_fence_that_does_not_come_holds_up_neither_a_call_nor_a_card),
	TEST(wrong_arguments_of_a_transfer_are_refused),
	{ 0 }
};
