// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Flags for frames: which are known, and writes that do not end their frame. Reads are in framereads.c. */
#include "frames.h"

#include "../include/lanescope/card.h"
#include "far.h"
#include "lent.h"

#include <sys/uio.h>

enum { PIECE = 5000, PIECES = 3, WHOLE = PIECES * PIECE };
/* Where the registers of a channel are, in units of 256. */
enum { H2C1 = 5 };

static struct ring ring;

void check_bytes(ssize_t got, ssize_t wanted, const char *call, int line)
{
	if (got != wanted)
		fail("line %d: %s came to %zd in place of %zd (errno %d)", line, call, got, wanted, errno);
}

void set_flags(int fd, uint32_t flags)
{
	struct lanescope_channel channel = { .fd = fd };
	uint32_t now_set = ~flags;

	CHECK(!lanescope_set_frames(&channel, flags));
	CHECK(!ioctl(fd, LANESCOPE_IOC_GET_FRAMES, &now_set) && now_set == flags);
}

static int refuses(int fd, uint32_t flags)
{
	return ioctl(fd, LANESCOPE_IOC_SET_FRAMES, &flags) == -1 && errno == EINVAL;
}

static void flags_that_are_not_known_are_refused(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct lanescope_notes notes = { 0 };
	uint32_t flags = 7;

	for (int bit = 0; bit < 32; bit++) {
		CHECK(refuses(h2c, 1U << bit) == (bit != 0));
		CHECK(refuses(c2h, 1U << bit) == (bit < 1 || bit > 3));
	}
	set_flags(h2c, 0);
	set_flags(c2h, 0);
	CHECK(refuses(c2h, LANESCOPE_FRAME_KEEP | 16));
	CHECK(!ioctl(c2h, LANESCOPE_IOC_GET_FRAMES, &flags) && flags == 0);
	CHECK(ioctl(h2c, LANESCOPE_IOC_SET_FRAMES, 8) == -1 && errno == EFAULT);
	CHECK(ioctl(h2c, LANESCOPE_IOC_GET_FRAMES, 8) == -1 && errno == EFAULT);
	CHECK(ioctl(h2c, LANESCOPE_IOC_NOTES, &notes) == -1 && errno == ENXIO);
	close(c2h);
	/* They are of an open file, not of the channel. */
	c2h = channel(0, 0, 1);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &notes) == -1 && errno == ENXIO);
	close(h2c);
	close(c2h);
}

/* ---- writes that do not end their frame ---------------------------------------------------------------------------- */

static ssize_t by_write(int fd, uint8_t *data, size_t bytes)
{
	return write(fd, data, bytes);
}

static ssize_t by_writev(int fd, uint8_t *data, size_t bytes)
{
	struct iovec vector[2] = { { data, 7 }, { data + 7, bytes - 7 } };

	return writev(fd, vector, 2);
}

static ssize_t by_ring(struct ring *ring, int fd, int opcode, uint8_t *data, size_t bytes)
{
	uint64_t name;

	ring_put(ring, fd, opcode, data, bytes, 0);
	CHECK(ring_enter(ring, 1, 1) == 1);
	return ring_get(ring, &name);
}

static ssize_t by_ring_write(int fd, uint8_t *data, size_t bytes)
{
	return by_ring(&ring, fd, IORING_OP_WRITE, data, bytes);
}

static ssize_t by_copy(int fd, uint8_t *data, size_t bytes)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLOUT };
	ssize_t written;

	CHECK(!fcntl(fd, F_SETFL, O_NONBLOCK));
	CHECK(poll(&pollfd, 1, 5000 * patience()) == 1);
	written = write(fd, data, bytes);
	CHECK(!fcntl(fd, F_SETFL, 0));
	return written;
}

typedef ssize_t way_to_move(int fd, uint8_t *data, size_t bytes);

struct pieces {
	int fd;
	uint8_t *data;
	way_to_move *ways[PIECES];
	pthread_t thread;
};

/* A frame in pieces, each in its own way. */
static void *write_pieces(void *argument)
{
	struct pieces *pieces = argument;

	for (int i = 0; i < PIECES; i++) {
		set_flags(pieces->fd, i < PIECES - 1 ? LANESCOPE_FRAME_MORE : 0);
		CHECK(pieces->ways[i](pieces->fd, pieces->data + i * PIECE, PIECE) == PIECE);
	}
	return NULL;
}

static void with_the_flag_more_writes_of_any_kind_are_one_frame(void)
{
	static way_to_move *const ways[] = { by_write, by_writev, by_ring_write, by_copy };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint64_t resets = info_of(h2c).resets + info_of(c2h).resets;

	ring_open(&ring);
	for (size_t i = 0; i < 2 * COUNT(ways); i++) {
		struct pieces pieces = { .fd = h2c, .data = from };

		for (size_t j = 0; j < PIECES; j++)
			pieces.ways[j] = ways[(i + (i < COUNT(ways) ? 0 : j)) % COUNT(ways)];
		fill(from, WHOLE, i);
		memset(to, 0x5a, WHOLE + 1);
		CHECK(!pthread_create(&pieces.thread, NULL, write_pieces, &pieces));
		/* Had a piece ended its frame, it would have ended the read. */
		CHECK(read(c2h, to, WHOLE + 1) == WHOLE);
		pthread_join(pieces.thread, NULL);
		CHECK(!memcmp(from, to, WHOLE) && to[WHOLE] == 0x5a);
	}
	CHECK(info_of(h2c).resets + info_of(c2h).resets == resets);
	close(ring.fd);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* All at once in the engine's ring: the flags are those of the time when a call was submitted. */
static void with_the_flag_more_writes_of_libaio_are_queued_as_one_frame(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	aio_context_t context = aio_open();
	struct iocb writes[8], *ended;

	set_flags(c2h, LANESCOPE_FRAME_KEEP);
	fill(from, 8 * PIECE, 5);
	for (int i = 0; i < 8; i++) {
		set_flags(h2c, i % 4 < 3 ? LANESCOPE_FRAME_MORE : 0);
		aio_put(context, &writes[i], h2c, IOCB_CMD_PWRITE, from + i * PIECE, PIECE);
	}
	CHECK_BYTES(read(c2h, to, 8 * PIECE), 4 * PIECE);
	CHECK_BYTES(read(c2h, to + 4 * PIECE, 8 * PIECE), 4 * PIECE);
	CHECK(!memcmp(from, to, 8 * PIECE));
	for (int i = 0; i < 8; i++)
		CHECK(aio_get(context, &ended) == PIECE);
	aio_close(context);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void while_a_flagged_frame_goes_on_the_channel_is_its_files(void)
{
	int h2c = channel(0, 0, 0), other = channel(0, 0, 0), c2h = channel(0, 0, 1);
	int both = open("/dev/lanescope0/h2c0", O_RDWR);
	struct lanescope_ring lent = { .every = 1 };
	uint8_t sent[8] = "abcdefg", came[20];

	CHECK(both >= 0);
	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, sent, 3) == 3);
	CHECK(write(other, "x", 1) == -1 && errno == EBUSY);
	CHECK(!fcntl(other, F_SETFL, O_NONBLOCK));
	CHECK(write(other, "x", 1) == -1 && errno == EBUSY);
	allow_ring_mode(1);
	CHECK(ioctl(both, LANESCOPE_IOC_RING, &lent) == -1 && errno == EBUSY);
	allow_ring_mode(0);
	set_flags(h2c, 0);
	CHECK(write(h2c, sent + 3, 4) == 4);
	CHECK(write(other, "x", 1) == 1);
	CHECK(read(c2h, came, 8) == 7 && !memcmp(sent, came, 7));
	CHECK(read(c2h, came, 8) == 1 && *came == 'x');
	close(both);
	close(other);
	close(h2c);
	close(c2h);
}

/* Of a frame that is broken, what has left the engine, which is beats; and a byte of its own, which ends it. */
static void read_broken(int c2h, uint8_t *to, size_t bytes)
{
	ssize_t got;

	after_ms(5000 * patience());
	got = read(c2h, to, PIECE);
	after_ms(0);
	if (got != (ssize_t)bytes / 8 * 8 + 1)
		fail("%zd bytes of a frame that was broken after %zu (errno %d)", got, bytes, errno);
}

static void a_flagged_frame_is_broken_where_its_file_is_closed(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *to = buffer();

	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, to, 100) == 100);
	close(h2c);
	read_broken(c2h, to, 100);
	munmap(to, MOST);
	close(c2h);
	quick_trip(0, 0);
}

static void a_flagged_frame_that_breaks_between_two_writes_is_told_once(void)
{
	int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1);
	uint8_t *to = buffer();

	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, "abc", 3) == 3);
	reset_card(1);
	CHECK(write(h2c, "def", 3) == -1 && errno == EIO);
	drain(1, 1);
	set_flags(h2c, 0);
	CHECK(write(h2c, "ghi", 3) == 3);
	CHECK(read(c2h, to, PIECE) == 3 && !memcmp(to, "ghi", 3));
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void *reset_second_card(void *argument)
{
	reset_card(1);
	return argument;
}

/* The write comes before the frame breaks, and is queued afterwards: it would be a frame of its own. */
static void a_flagged_frame_that_breaks_while_its_next_write_waits_is_told_by_that(void)
{
	int h2c = channel(1, 1, 0), error;
	pthread_t thread;
	ssize_t written;

	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, "abc", 3) == 3);
	set_flags(h2c, 0);
	/* Until the channel has stopped the reset does not begin. */
	fault(1, SLOW_IDLE, H2C1);
	CHECK(!pthread_create(&thread, NULL, reset_second_card, NULL));
	usleep(200000);
	written = write(h2c, "def", 3);
	error = errno;
	pthread_join(thread, NULL);
	fault(1, 0, 0);
	drain(1, 1);
	if (written != -1 || error != EIO)
		fail("the end of a frame that has lost its beginning came to %zd (errno %d)", written, error);
	CHECK(!close(h2c));
	quick_trip(1, 1);
}

/* Of a frame whose first part has left, and of which the loopback takes no more: what waits fails, and what is behind it. */
static void a_cancelled_write_breaks_a_flagged_frame_and_what_is_queued_of_it(void)
{
	int h2c = channel(0, 0, 0);
	uint8_t *from = buffer();
	aio_context_t context = aio_open();
	struct iocb writes[2], *ended;
	ssize_t moved;

	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, from, 100) == 100);
	/* The second write cannot begin: it is behind one that fills the loopback, and goes on with its frame. */
	aio_put(context, &writes[0], h2c, IOCB_CMD_PWRITE, from, 1 << 18);
	aio_put(context, &writes[1], h2c, IOCB_CMD_PWRITE, from, PIECE);
	usleep(100000 * patience());
	CHECK(aio_cancel(context, &writes[0]) == -EINPROGRESS);
	/* In any order. */
	for (int i = 0; i < 2; i++) {
		moved = aio_get(context, &ended);
		if (ended == writes ? moved != -ECANCELED && (moved <= 0 || moved >= 1 << 18) : moved != -EIO)
			fail("write %zd came to %zd", ended - writes, moved);
	}
	set_flags(h2c, 0);
	aio_close(context);
	munmap(from, MOST);
	close(h2c);
	drain(0, 0);
	quick_trip(0, 0);
}

/* What is before it has no end any more, and would go on with the next frame. */
static void a_cancelled_end_of_a_flagged_frame_ends_what_is_queued_before_it(void)
{
	enum { FILLS, PART, LAST, WRITES };
	static const size_t sizes[WRITES] = { 1 << 18, 100, 200 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	aio_context_t context = aio_open();
	struct iocb writes[WRITES], *ended;
	ssize_t moved[WRITES];

	fill(from, MOST, 3);
	for (int i = 0; i < WRITES; i++) {
		set_flags(h2c, i == PART ? LANESCOPE_FRAME_MORE : 0);
		aio_put(context, &writes[i], h2c, IOCB_CMD_PWRITE, from, sizes[i]);
	}
	usleep(100000 * patience());
	CHECK(aio_cancel(context, &writes[LAST]) == -EINPROGRESS);
	for (int i = 0; i < WRITES; i++) {
		ssize_t got = aio_get(context, &ended);

		if (got == INT32_MIN) {
			drain(0, 0);
			fail("of %d writes %d have ended", WRITES, i);
		}
		moved[ended - writes] = got;
	}
	if (moved[FILLS] >= (ssize_t)sizes[FILLS] || moved[PART] != -EIO || moved[LAST] != -ECANCELED)
		fail("the writes came to %zd, %zd and %zd", moved[FILLS], moved[PART], moved[LAST]);
	aio_close(context);
	drain(0, 0);
	CHECK(write(h2c, from, 300) == 300);
	CHECK_BYTES(read(c2h, to, 1000), 300);
	CHECK(!memcmp(from, to, 300));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
}

const struct test frames_tests[] = {
	TEST(flags_that_are_not_known_are_refused),
	TEST(with_the_flag_more_writes_of_any_kind_are_one_frame),
	TEST(with_the_flag_more_writes_of_libaio_are_queued_as_one_frame),
	TEST(while_a_flagged_frame_goes_on_the_channel_is_its_files),
	TEST(a_flagged_frame_is_broken_where_its_file_is_closed),
	TEST(a_flagged_frame_that_breaks_between_two_writes_is_told_once),
	TEST(a_flagged_frame_that_breaks_while_its_next_write_waits_is_told_by_that),
	TEST(a_cancelled_write_breaks_a_flagged_frame_and_what_is_queued_of_it),
	TEST(a_cancelled_end_of_a_flagged_frame_ends_what_is_queued_before_it),
	{ 0 }
};
