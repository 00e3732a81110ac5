// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Flags for frames: reads that go on over the ends of frames, or take nothing of the next, and notes of reads. */
#include "frames.h"

#include "../include/lanescope/card.h"

#include <sys/uio.h>

static aio_context_t context;

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

static ssize_t by_aio_readv(int fd, struct iovec *vector)
{
	struct iocb iocb, *ended;

	aio_put(context, &iocb, fd, IOCB_CMD_PREADV, vector, HOLES);
	return aio_get(context, &ended);
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

static ssize_t by_aio_readv_ahead(int fd, struct iovec *vector)
{
	return ahead(fd, vector, by_aio_readv);
}

static void look_for(const char *us)
{
	CHECK(!write_file("/sys/class/lanescope/lanescope0!c2h0/settings/poll_us", us));
}

struct lanescope_note note_of(int fd)
{
	struct lanescope_channel channel = { .fd = fd };
	struct lanescope_note note = { 0 };
	uint32_t lost;

	CHECK(lanescope_notes(&channel, &note, 1, &lost) == 1 && !lost && !note.reserved);
	return note;
}

/* Frames that end in pieces, at their ends and beside them, and the last of which goes on after the read. */
static void with_the_flag_fill_a_read_goes_on_over_ends_of_frames(void)
{
	static const size_t sizes[] = { 1, PART - 1, 700, PART - 700, 2 * PART + 1, 2, 4 * PART + 6 };
	static ssize_t (*const ways[])(int fd, struct iovec *vector) = {
		by_readv, by_aio_readv, by_readv_ahead, by_aio_readv_ahead, by_readv,
	};
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer(), *rest = buffer();
	/* 9 bytes more than the read takes. */
	size_t whole = HOLES * PART + 9, filled = HOLES * PART;
	uint64_t resets = info_of(c2h).resets;
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };

	context = aio_open();
	for (size_t i = 0; i < COUNT(ways); i++) {
		struct iovec *vector = holes(to);
		struct lanescope_note note;

		look_for(i == COUNT(ways) - 1 ? "100000" : "0");
		fill(from, whole + PART, i);
		set_flags(c2h, LANESCOPE_FRAME_FILL | LANESCOPE_FRAME_REPORT);
		begin_frames(&frames);
		CHECK_BYTES(ways[i](c2h, vector), filled);
		CHECK(has(to, from, filled));
		note = note_of(c2h);
		CHECK(note.bytes == filled && note.frames == COUNT(sizes) - 1 && !note.flags);
		set_flags(c2h, LANESCOPE_FRAME_KEEP | LANESCOPE_FRAME_REPORT);
		CHECK_BYTES(read(c2h, rest, 5000), whole - filled);
		pthread_join(frames.thread, NULL);
		CHECK(!memcmp(rest, from + filled, whole - filled));
		note = note_of(c2h);
		CHECK(note.bytes == whole - filled && note.frames == 1 && note.flags == LANESCOPE_NOTE_END);
	}
	look_for("0");
	CHECK(info_of(c2h).resets == resets);
	aio_close(context);
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

/* Frames that are there before the reads are. */
static void a_read_leaves_the_next_frame_alone(uint32_t flags)
{
	static const size_t sizes[] = { 100, PART, 200, PART + 1, 1, 2 * PART };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint64_t resets = info_of(c2h).resets;

	context = aio_open();
	set_flags(c2h, flags | LANESCOPE_FRAME_REPORT);
	for (int way = 0; way < 2; way++) {
		struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };
		uint8_t *sent = from;

		fill(from, MOST / 2, way);
		begin_frames(&frames);
		usleep(20000 * patience());
		for (size_t i = 0; i < COUNT(sizes); sent += sizes[i++]) {
			struct iovec *vector = holes(to);
			struct lanescope_note note;

			CHECK_BYTES(way ? by_aio_readv(c2h, vector) : by_readv(c2h, vector), sizes[i]);
			CHECK(has(to, sent, sizes[i]));
			note = note_of(c2h);
			CHECK(note.bytes == sizes[i] && note.frames == 1 && note.flags == LANESCOPE_NOTE_END);
		}
		pthread_join(frames.thread, NULL);
	}
	CHECK(info_of(c2h).resets == resets);
	aio_close(context);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void a_read_takes_nothing_of_the_next_frame_wherever_its_memory_lies(void)
{
	a_read_leaves_the_next_frame_alone(0);
	a_read_leaves_the_next_frame_alone(LANESCOPE_FRAME_KEEP);
}

/* The next one gets nothing before the one before it has all. */
static void reads_with_the_flag_fill_that_are_queued_go_one_after_the_other(void)
{
	enum { READS = 3, EACH = 900 };
	static const size_t sizes[] = { 400, 300, 500, 100, 900, 500 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frames frames = { .fd = h2c, .count = COUNT(sizes), .sizes = sizes, .data = from };
	struct iocb reads[READS], *ended;

	context = aio_open();
	fill(from, READS * EACH, 77);
	set_flags(c2h, LANESCOPE_FRAME_FILL);
	for (int i = 0; i < READS; i++)
		aio_put(context, &reads[i], c2h, IOCB_CMD_PREAD, to + EACH * i, EACH);
	begin_frames(&frames);
	for (int i = 0; i < READS; i++)
		CHECK_BYTES(aio_get(context, &ended), EACH);
	pthread_join(frames.thread, NULL);
	CHECK(!memcmp(from, to, READS * EACH));
	aio_close(context);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
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
	struct iocb reads[READS], *ended;

	context = aio_open();
	set_flags(c2h, LANESCOPE_FRAME_REPORT);
	for (int i = 0; i < READS; i++)
		aio_put(context, &reads[i], c2h, IOCB_CMD_PREAD, to + 400 * i, i < 3 ? sizes[i] : 400);
	begin_frames(&frames);
	/* In any order, but the notes are in that of the reads. */
	for (int i = 0; i < READS; i++) {
		ssize_t got = aio_get(context, &ended);

		CHECK(got != INT32_MIN && got == (ssize_t)bytes[ended - reads]);
	}
	CHECK_BYTES(read(c2h, to, 400), 100);
	pthread_join(frames.thread, NULL);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == READS + 1 && !args.lost);
	for (int i = 0; i <= READS; i++)
		CHECK(notes[i].bytes == bytes[i] && notes[i].frames == ends[i] && notes[i].flags == ends[i]);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &args) == 0);
	aio_close(context);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* A program whose memory cannot be written has been told nothing. */
static void notes_that_cannot_be_stored_stay(void)
{
	struct lanescope_note notes[2];
	struct lanescope_notes bad = { .notes = 8, .count = 2 }, good = { .notes = (uintptr_t)notes, .count = 2 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *to = buffer();

	set_flags(c2h, LANESCOPE_FRAME_REPORT);
	for (int bytes = 5; bytes < 7; bytes++) {
		CHECK(write(h2c, to, bytes) == bytes);
		CHECK_BYTES(read(c2h, to, 100), bytes);
	}
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &bad) == -1 && errno == EFAULT);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &good) == 2 && !good.lost);
	CHECK(notes[0].bytes == 5 && notes[1].bytes == 6);
	CHECK(ioctl(c2h, LANESCOPE_IOC_NOTES, &good) == 0);
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

const struct test framereads_tests[] = {
	TEST(with_the_flag_fill_a_read_goes_on_over_ends_of_frames),
	TEST(reads_with_the_flag_fill_that_are_queued_go_one_after_the_other),
	TEST(a_signal_ends_a_flagged_read_with_what_has_come),
	TEST(a_read_takes_nothing_of_the_next_frame_wherever_its_memory_lies),
	TEST(notes_of_flagged_reads_say_where_frames_end),
	TEST(notes_that_cannot_be_stored_stay),
	TEST(flagged_reads_that_nobody_asks_for_are_lost_and_counted),
	{ 0 }
};
