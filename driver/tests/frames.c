// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Flags for frames: writes that do not end theirs, reads that go on, or take nothing of the next, and notes of reads. */
#include "far.h"
#include "lent.h"

#include <sys/uio.h>

enum { PIECE = 5000, PIECES = 3, WHOLE = PIECES * PIECE };

static struct ring ring;

/* A call that has to return so many bytes. */
#define CHECK_BYTES(call, bytes) check_bytes(call, bytes, #call, __LINE__)

static void check_bytes(ssize_t got, ssize_t wanted, const char *call, int line)
{
	if (got != wanted)
		fail("line %d: %s came to %zd in place of %zd (errno %d)", line, call, got, wanted, errno);
}

static void set_flags(int fd, uint32_t flags)
{
	uint32_t now_set = ~flags;

	CHECK(!ioctl(fd, LANESCOPE_IOC_SET_FRAMES, &flags));
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

static ssize_t by_ring(int fd, int opcode, uint8_t *data, size_t bytes)
{
	uint64_t name;

	ring_put(&ring, fd, opcode, data, bytes, 0);
	CHECK(ring_enter(&ring, 1, 1) == 1);
	return ring_get(&ring, &name);
}

static ssize_t by_ring_write(int fd, uint8_t *data, size_t bytes)
{
	return by_ring(fd, IORING_OP_WRITE, data, bytes);
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
static void with_the_flag_more_writes_of_io_uring_are_queued_as_one_frame(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint64_t name;

	ring_open(&ring);
	fill(from, 8 * PIECE, 5);
	for (int i = 0; i < 8; i++) {
		set_flags(h2c, i % 4 < 3 ? LANESCOPE_FRAME_MORE : 0);
		ring_put(&ring, h2c, IORING_OP_WRITE, from + i * PIECE, PIECE, i);
		CHECK(ring_enter(&ring, 1, 0) == 1);
	}
	CHECK_BYTES(read(c2h, to, 8 * PIECE), 4 * PIECE);
	CHECK_BYTES(read(c2h, to + 4 * PIECE, 8 * PIECE), 4 * PIECE);
	CHECK(!memcmp(from, to, 8 * PIECE));
	CHECK(ring_enter(&ring, 0, 8) == 0);
	for (int i = 0; i < 8; i++)
		CHECK(ring_get(&ring, &name) == PIECE);
	close(ring.fd);
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

/* The engine ends a frame that is broken by a byte of its own. */
static void read_broken(int c2h, uint8_t *to, size_t bytes)
{
	CHECK(read(c2h, to, PIECE) == (ssize_t)bytes + 1);
}

static void a_flagged_frame_is_broken_where_its_file_is_closed(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *to = buffer();

	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, "abc", 3) == 3);
	close(h2c);
	read_broken(c2h, to, 3);
	munmap(to, MOST);
	close(c2h);
	quick_trip(0, 0);
}

static void suspend_card(int card)
{
	(void)card;
	suspend_and_resume();
}

static void a_flagged_frame_that_breaks_between_two_writes_is_told_once(void)
{
	void (*const breaks[])(int card) = { reset_card, suspend_card };

	for (size_t i = 0; i < COUNT(breaks); i++) {
		int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1);
		uint8_t *to = buffer();

		set_flags(h2c, LANESCOPE_FRAME_MORE);
		CHECK(write(h2c, "abc", 3) == 3);
		breaks[i](1);
		CHECK(write(h2c, "def", 3) == -1 && errno == EIO);
		drain(1, 1);
		set_flags(h2c, 0);
		CHECK(write(h2c, "ghi", 3) == 3);
		CHECK(read(c2h, to, PIECE) == 3 && !memcmp(to, "ghi", 3));
		munmap(to, MOST);
		close(h2c);
		close(c2h);
	}
}

/* Of a frame whose first part has left, and of which the loopback takes no more: what waits fails, and what is behind it. */
static void a_signal_breaks_a_flagged_frame_and_what_is_queued_of_it(void)
{
	int h2c = channel(0, 0, 0);
	uint8_t *from = buffer();
	uint64_t name;
	ssize_t moved;

	ring_open(&ring);
	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, from, 100) == 100);
	/* The ring's write cannot begin: it is behind one that fills the loopback, and goes on with its frame. */
	after_ms(150 * patience());
	ring_put(&ring, h2c, IORING_OP_WRITE, from, 1 << 18, 1);
	ring_put(&ring, h2c, IORING_OP_WRITE, from, PIECE, 2);
	CHECK(ring_enter(&ring, 2, 0) == 2);
	moved = write(h2c, from, PIECE);
	after_ms(0);
	CHECK(moved == -1 && errno == EINTR);
	CHECK(ring_enter(&ring, 0, 2) == 0);
	moved = ring_get(&ring, &name);
	CHECK(name == 1 && (moved == -EIO || (moved > 0 && moved < 1 << 18)));
	CHECK(ring_get(&ring, &name) == -EIO && name == 2);
	set_flags(h2c, 0);
	close(ring.fd);
	munmap(from, MOST);
	close(h2c);
	drain(0, 0);
	quick_trip(0, 0);
}

/* ---- reads ----------------------------------------------------------------------------------------------------------- */

enum { HOLES = 8, PART = 3000, STRIDE = 8192 };

/* Memory that does not lie together, for HOLES * PART bytes. */
static struct iovec *holes(uint8_t *memory)
{
	static struct iovec vector[HOLES];

	memset(memory, 0x5a, HOLES * STRIDE);
	for (int i = 0; i < HOLES; i++)
		vector[i] = (struct iovec){ memory + i * STRIDE + 5, PART };
	return vector;
}

/* Whether it has those bytes from its beginning on, and none after them. */
static int has(const uint8_t *memory, const uint8_t *data, size_t bytes)
{
	for (int i = 0; i < HOLES * STRIDE; i++) {
		size_t in = i % STRIDE - 5, at = i / STRIDE * PART + in;

		if (memory[i] != (in < PART && at < bytes ? data[at] : 0x5a))
			return 0;
	}
	return 1;
}

/* Frames, one after the other, by a thread. */
struct frames {
	int fd, count;
	const size_t *sizes;
	uint8_t *data;
	pthread_t thread;
};

static void *write_frames(void *argument)
{
	struct frames *frames = argument;
	uint8_t *data = frames->data;

	for (int i = 0; i < frames->count; data += frames->sizes[i++])
		CHECK(write(frames->fd, data, frames->sizes[i]) == (ssize_t)frames->sizes[i]);
	return NULL;
}

static void begin_frames(struct frames *frames)
{
	CHECK(!pthread_create(&frames->thread, NULL, write_frames, frames));
}

static ssize_t by_readv(int fd, struct iovec *vector)
{
	return readv(fd, vector, HOLES);
}

static ssize_t by_ring_readv(int fd, struct iovec *vector)
{
	return by_ring(fd, IORING_OP_READV, (uint8_t *)vector, HOLES);
}

/* After poll() has let the engine read ahead: the first frame comes with a copy. */
static ssize_t ahead(int fd, struct iovec *vector, ssize_t (*way)(int fd, struct iovec *vector))
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	CHECK(poll(&pollfd, 1, 5000 * patience()) == 1);
	return way(fd, vector);
}

static ssize_t by_readv_ahead(int fd, struct iovec *vector)
{
	return ahead(fd, vector, by_readv);
}

static ssize_t by_ring_readv_ahead(int fd, struct iovec *vector)
{
	return ahead(fd, vector, by_ring_readv);
}

static void look_for(const char *us)
{
	CHECK(!write_file("/sys/class/lanescope/lanescope0!c2h0/settings/poll_us", us));
}

static struct lanescope_note note_of(int fd)
{
	struct lanescope_note note = { 0 };
	struct lanescope_notes notes = { .notes = (uintptr_t)&note, .count = 1 };

	CHECK(ioctl(fd, LANESCOPE_IOC_NOTES, &notes) == 1 && !notes.lost && !note.reserved);
	return note;
}

/* Frames that end in pieces, at their ends and beside them, and the last of which goes on after the read. */
static void with_the_flag_fill_a_read_goes_on_over_ends_of_frames(void)
{
	static const size_t sizes[] = { 1, PART - 1, 700, PART - 700, 2 * PART + 1, 2, 3 * PART + 9 };
	static ssize_t (*const ways[])(int fd, struct iovec *vector) = {
		by_readv, by_ring_readv, by_readv_ahead, by_ring_readv_ahead, by_readv,
	};
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer(), *rest = buffer();
	size_t whole = 0, filled = HOLES * PART;
	uint64_t resets = info_of(c2h).resets;
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };

	ring_open(&ring);
	for (size_t i = 0; i < COUNT(sizes); i++)
		whole += sizes[i];
	for (size_t i = 0; i < COUNT(ways); i++) {
		struct iovec *vector = holes(to);
		struct lanescope_note note;

		look_for(i == COUNT(ways) - 1 ? "100000" : "0");
		fill(from, whole + PART, i);
		set_flags(c2h, LANESCOPE_FRAME_FILL | LANESCOPE_FRAME_REPORT);
		begin_frames(&frames);
		CHECK_BYTES(ways[i](c2h, vector), filled < whole ? filled : whole);
		CHECK(has(to, from, filled));
		note = note_of(c2h);
		CHECK(note.bytes == filled && note.frames == COUNT(sizes) - 1 && !note.flags);
		set_flags(c2h, LANESCOPE_FRAME_REPORT);
		CHECK_BYTES(read(c2h, rest, PIECE), whole - filled);
		pthread_join(frames.thread, NULL);
		CHECK(!memcmp(rest, from + filled, whole - filled));
		note = note_of(c2h);
		CHECK(note.bytes == whole - filled && note.frames == 1 && note.flags == LANESCOPE_NOTE_END);
	}
	look_for("0");
	CHECK(info_of(c2h).resets == resets);
	close(ring.fd);
	munmap(from, MOST);
	munmap(to, MOST);
	munmap(rest, MOST);
	close(h2c);
	close(c2h);
}

/* Ended by a signal, it has what has come, over the ends of frames. */
static void a_signal_ends_a_flagged_read_with_what_has_come(void)
{
	static const size_t sizes[] = { 10, PART + 20 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };
	struct lanescope_note note;

	fill(from, 2 * PART, 1);
	set_flags(c2h, LANESCOPE_FRAME_FILL | LANESCOPE_FRAME_REPORT);
	begin_frames(&frames);
	pthread_join(frames.thread, NULL);
	after_ms(200 * patience());
	CHECK_BYTES(readv(c2h, holes(to), HOLES), PART + 30);
	after_ms(0);
	CHECK(has(to, from, PART + 30));
	note = note_of(c2h);
	CHECK(note.bytes == PART + 30 && note.frames == 2 && note.flags == LANESCOPE_NOTE_END);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
}

/* Frames that are there before the reads are: without the flag, the first read takes of the second frame. */
static void with_the_flag_keep_a_read_leaves_the_next_frame_alone(void)
{
	static const size_t sizes[] = { 100, PART, 200, PART + 1, 1, 2 * PART };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint64_t resets = info_of(c2h).resets;

	ring_open(&ring);
	set_flags(c2h, LANESCOPE_FRAME_KEEP | LANESCOPE_FRAME_REPORT);
	for (int way = 0; way < 2; way++) {
		struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };
		uint8_t *sent = from;

		fill(from, MOST / 2, way);
		begin_frames(&frames);
		usleep(20000 * patience());
		for (size_t i = 0; i < COUNT(sizes); sent += sizes[i++]) {
			struct iovec *vector = holes(to);
			struct lanescope_note note;

			CHECK_BYTES(way ? by_ring_readv(c2h, vector) : by_readv(c2h, vector), sizes[i]);
			CHECK(has(to, sent, sizes[i]));
			note = note_of(c2h);
			CHECK(note.bytes == sizes[i] && note.frames == 1 && note.flags == LANESCOPE_NOTE_END);
		}
		pthread_join(frames.thread, NULL);
	}
	CHECK(info_of(c2h).resets == resets);
	close(ring.fd);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* Without flags, of frames that are there: what has come of the second one into the rest of the memory does not count. */
static void without_a_flag_a_read_that_ends_early_has_one_frame(void)
{
	static const size_t sizes[] = { 100, PART };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };

	fill(from, 2 * PART, 1);
	begin_frames(&frames);
	pthread_join(frames.thread, NULL);
	CHECK_BYTES(readv(c2h, holes(to), HOLES), 100);
	CHECK(!memcmp(to + 5, from, 100));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
	drain(0, 0);
	quick_trip(0, 0);
}

/* Exact, shorter than its frame, and several at once, whose records may be one. */
static void notes_of_flagged_reads_say_where_frames_end(void)
{
	enum { READS = 4 };
	static const size_t sizes[] = { 400, 300, 100, 500 };
	static const uint32_t bytes[READS + 1] = { 400, 300, 100, 400, 100 }, ends[READS + 1] = { 1, 1, 1, 0, 1 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };
	struct lanescope_note notes[READS + 2];
	struct lanescope_notes args = { .notes = (uintptr_t)notes, .count = COUNT(notes) };
	uint64_t name;

	ring_open(&ring);
	set_flags(c2h, LANESCOPE_FRAME_REPORT);
	for (int i = 0; i < READS; i++)
		ring_put(&ring, c2h, IORING_OP_READ, to + 400 * i, i < 3 ? sizes[i] : 400, i);
	CHECK(ring_enter(&ring, READS, 0) == READS);
	begin_frames(&frames);
	CHECK(ring_enter(&ring, 0, READS) == 0);
	for (int i = 0; i < READS; i++)
		CHECK(ring_get(&ring, &name) == (int)bytes[i]);
	CHECK_BYTES(read(c2h, to, 400), 100);
	pthread_join(frames.thread, NULL);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == READS + 1 && !args.lost);
	for (int i = 0; i <= READS; i++)
		CHECK(notes[i].bytes == bytes[i] && notes[i].frames == ends[i] && notes[i].flags == ends[i]);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == 0);
	close(ring.fd);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* By reads of a byte of what was read ahead, which cost nothing. */
static void flagged_reads_that_nobody_asks_for_are_lost_and_counted(void)
{
	enum { KEPT = 1024, MORE = 3 };
	static struct lanescope_note notes[KEPT + MORE];
	struct lanescope_notes args = { .notes = (uintptr_t)notes, .count = COUNT(notes) };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	uint8_t *from = buffer();
	struct frame frame;

	set_flags(c2h, LANESCOPE_FRAME_REPORT);
	begin(&frame, h2c, from, KEPT + MORE);
	CHECK(poll(&pollfd, 1, 5000 * patience()) == 1);
	for (int i = 0; i < KEPT + MORE; i++)
		CHECK(read(c2h, from, 1) == 1);
	CHECK(end(&frame) == KEPT + MORE);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == KEPT && args.lost == MORE && args.count == KEPT);
	CHECK(!notes[0].flags && notes[KEPT - 1].flags == LANESCOPE_NOTE_END);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == 0 && !args.lost);
	munmap(from, MOST);
	close(h2c);
	close(c2h);
}

const struct test frames_tests[] = {
	TEST(flags_that_are_not_known_are_refused),
	TEST(with_the_flag_more_writes_of_any_kind_are_one_frame),
	TEST(with_the_flag_more_writes_of_io_uring_are_queued_as_one_frame),
	TEST(while_a_flagged_frame_goes_on_the_channel_is_its_files),
	TEST(a_flagged_frame_is_broken_where_its_file_is_closed),
	TEST(a_flagged_frame_that_breaks_between_two_writes_is_told_once),
	TEST(a_signal_breaks_a_flagged_frame_and_what_is_queued_of_it),
	TEST(with_the_flag_fill_a_read_goes_on_over_ends_of_frames),
	TEST(a_signal_ends_a_flagged_read_with_what_has_come),
	TEST(with_the_flag_keep_a_read_leaves_the_next_frame_alone),
	TEST(without_a_flag_a_read_that_ends_early_has_one_frame),
	TEST(notes_of_flagged_reads_say_where_frames_end),
	TEST(flagged_reads_that_nobody_asks_for_are_lost_and_counted),
	{ 0 }
};
