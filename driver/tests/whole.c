// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Frames come whole, each once, and in their order: into memory in pieces, while signals come, while calls before them are given up;
 * and no byte of one comes after its call has returned.
 */
#include "frames.h"

#include <sys/time.h>
#include <sys/uio.h>

enum { FRAMES = 10000, PIECES = 6, LONGEST_PIECE = 700, ROOM = 8192 };

static uint32_t drawn(uint32_t *seed)
{
	return (*seed = *seed * 1664525 + 1013904223) >> 8;
}

/* ---- a writer of frames of random lengths, each of which says which it is -------------------------------------------- */

struct writer {
	int fd, count;
	pthread_t thread;
};

static size_t length_of(uint32_t number)
{
	uint32_t seed = number * 2654435761U;

	return drawn(&seed) % 4 ? 1 + drawn(&seed) % 300 : 1 + drawn(&seed) % 2500;
}

/* A byte of a frame. */
static uint8_t byte_of(uint32_t number, size_t at)
{
	return (number * 2654435761U + at * 40503) >> 7;
}

static void *writes(void *argument)
{
	struct writer *writer = argument;
	uint8_t data[4096];

	for (int i = 0; i < writer->count; i++) {
		size_t bytes = length_of(i);

		for (size_t at = 0; at < bytes; at++)
			data[at] = byte_of(i, at);
		CHECK(write(writer->fd, data, bytes) == (ssize_t)bytes);
	}
	return NULL;
}

static void begin_writer(struct writer *writer)
{
	CHECK(!pthread_create(&writer->thread, NULL, writes, writer));
}

/* ---- a reader of them, into memory in random pieces ------------------------------------------------------------------ */

struct reader {
	uint8_t *memory;
	uint32_t seed, frame;
	size_t at;	/* bytes of the frame that have come */
};

/* Pieces in pages of their own, so that none lies beside another. */
static size_t scatter(struct reader *reader, struct iovec *vector, int *pieces)
{
	size_t room = 0;

	*pieces = 1 + drawn(&reader->seed) % PIECES;
	for (int i = 0; i < *pieces; i++) {
		size_t bytes = 1 + drawn(&reader->seed) % LONGEST_PIECE;

		vector[i] = (struct iovec){ reader->memory + i * ROOM + drawn(&reader->seed) % 64, bytes };
		memset(vector[i].iov_base, 0, bytes);
		room += bytes;
	}
	return room;
}

/* What a read came to is the next of the frame that is due, to its end or to that of the memory. */
static void check_read(struct reader *reader, const struct iovec *vector, size_t room, ssize_t got)
{
	size_t left = length_of(reader->frame) - reader->at, at = reader->at;
	size_t due = left < room ? left : room;

	if (got != (ssize_t)due)
		fail("frame %u from %zu on: %zd bytes in place of %zu, room %zu (errno %d)", reader->frame, reader->at, got,
		     due, room, errno);
	for (int piece = 0; got; piece++) {
		const uint8_t *data = vector[piece].iov_base;

		for (size_t i = 0; i < vector[piece].iov_len && got; i++, got--, at++)
			if (data[i] != byte_of(reader->frame, at))
				fail("frame %u at %zu: %#x in place of %#x", reader->frame, at, data[i],
				     byte_of(reader->frame, at));
	}
	reader->at = at;
	if (at == length_of(reader->frame)) {
		reader->frame++;
		reader->at = 0;
	}
}

static void read_all(int c2h, struct reader *reader, uint32_t count)
{
	while (reader->frame < count) {
		struct iovec vector[PIECES];
		int pieces;
		size_t room = scatter(reader, vector, &pieces);

		check_read(reader, vector, room, readv(c2h, vector, pieces));
	}
}

static void frames_of_random_lengths_come_whole_into_random_pieces(void)
{
	struct writer writer = { .fd = channel(0, 0, 0), .count = FRAMES };
	struct reader reader = { .memory = buffer(), .seed = 1 };
	int c2h = channel(0, 0, 1);
	uint64_t resets = info_of(c2h).resets;

	begin_writer(&writer);
	read_all(c2h, &reader, FRAMES);
	pthread_join(writer.thread, NULL);
	CHECK(info_of(c2h).resets == resets);
	munmap(reader.memory, MOST);
	close(writer.fd);
	close(c2h);
}

/* ---- signals ------------------------------------------------------------------------------------------------------------ */

static volatile int signals;

static void counts(int number)
{
	(void)number;
	signals++;
}

static void timer(long us)
{
	struct itimerval each = { { 0, us }, { 0, us } };
	struct sigaction action = { .sa_handler = counts, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
}

/* The reader hears of them, and not the writer. */
static void a_timer_that_restarts_calls_costs_no_frame(void)
{
	enum { COUNTED = 400 };
	struct writer writer = { .fd = channel(0, 0, 0), .count = COUNTED };
	struct reader reader = { .memory = buffer(), .seed = 3 };
	int c2h = channel(0, 0, 1);
	uint64_t resets = info_of(c2h).resets;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	begin_writer(&writer);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	signals = 0;
	timer(5000 * patience());
	read_all(c2h, &reader, COUNTED);
	timer(0);
	pthread_join(writer.thread, NULL);
	CHECK(signals && info_of(c2h).resets == resets);
	munmap(reader.memory, MOST);
	close(writer.fd);
	close(c2h);
}

/* A process that reads a frame in pieces, of which a part has come. */
static pid_t begin_half(int c2h, uint8_t *to, size_t bytes)
{
	pid_t child = fork();

	if (!child)
		_exit(read(c2h, to, bytes) != (ssize_t)bytes || to[bytes - 1] != 0x77);
	usleep(100000 * patience());
	return child;
}

/* Stopped, and continued, and told by a signal with a handler, a read of which a part has come has the rest as well. */
static void a_read_that_has_begun_is_ended_by_no_signal(void)
{
	static const int numbers[] = { SIGALRM, SIGSTOP };
	enum { HALF = 40000 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1), status;
	struct sigaction action = { .sa_handler = counts };
	uint8_t *from = buffer(), *to = buffer();

	sigaction(SIGALRM, &action, NULL);
	memset(from, 0x77, 2 * HALF);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint64_t resets = info_of(c2h).resets;
		pid_t child;

		child = begin_half(c2h, to, 2 * HALF);
		set_flags(h2c, LANESCOPE_FRAME_MORE);
		CHECK(write(h2c, from, HALF) == HALF);
		usleep(100000 * patience());
		CHECK(!kill(child, numbers[i]));
		usleep(100000 * patience());
		CHECK(!kill(child, SIGCONT));
		usleep(100000 * patience());
		set_flags(h2c, 0);
		CHECK(write(h2c, from, HALF) == HALF);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		CHECK(info_of(c2h).resets == resets);
	}
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void *reads_once(void *argument)
{
	struct frame *frame = argument;

	frame->result = read(frame->fd, (uint8_t *)frame->data, frame->bytes);
	frame->error = errno;
	return NULL;
}

/* The first has a part of its frame; the second waits behind it, and is given up. */
static void a_signal_ends_a_read_behind_another_and_not_that(void)
{
	enum { HALF = 40000 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1), second = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer(), *other = buffer();
	struct frame first = { .fd = c2h, .data = to, .bytes = 2 * HALF };
	sigset_t set;

	fill(from, 2 * HALF, 11);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK(!pthread_create(&first.thread, NULL, reads_once, &first));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	set_flags(h2c, LANESCOPE_FRAME_MORE);
	CHECK(write(h2c, from, HALF) == HALF);
	after_ms(200 * patience());
	errno = 0;
	CHECK(read(second, other, HALF) == -1 && errno == EINTR);
	after_ms(0);
	set_flags(h2c, 0);
	CHECK(write(h2c, from + HALF, HALF) == HALF);
	CHECK(end(&first) == 2 * HALF && !memcmp(from, to, 2 * HALF));
	munmap(from, MOST);
	munmap(to, MOST);
	munmap(other, MOST);
	close(second);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
}

/* ---- the last byte ------------------------------------------------------------------------------------------------------ */

/* A card whose writes are on their way for long, and whose registers answer at once. */
static void no_byte_comes_after_a_read_was_given_up(void)
{
	enum { BYTES = 400000 };
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	aio_context_t context = aio_open();
	struct iocb iocb, *ended;
	struct frame writer;
	uint8_t *from = buffer(), *to = buffer();
	long pinned = pinned_pages();

	memset(from, 0x77, BYTES);
	for (int i = 0; i < 4; i++) {
		size_t late = 0;
		ssize_t got;

		fault(1, LATE_WRITES, 1);
		aio_put(context, &iocb, c2h, IOCB_CMD_PREAD, to, BYTES);
		begin(&writer, h2c, from, BYTES);
		usleep((20000 + 7000 * i) * patience());
		aio_cancel(context, &iocb);
		got = aio_get(context, &ended);
		/* Pages that the engine may still write to are nobody's by now. */
		memset(to, 0x33, BYTES);
		usleep(100000 * patience());
		for (size_t at = 0; at < BYTES; at++)
			late += to[at] != 0x33;
		fault(1, 0, 0);
		drain(1, 0);
		end(&writer);
		drain(1, 0);
		if (late)
			fail("%zu bytes came after the read had returned %zd", late, got);
	}
	CHECK(pinned_pages() == pinned);
	munmap(from, MOST);
	munmap(to, MOST);
	aio_close(context);
	close(h2c);
	close(c2h);
	quick_trip(1, 0);
}

const struct test whole_tests[] = {
	TEST(frames_of_random_lengths_come_whole_into_random_pieces),
	TEST(a_timer_that_restarts_calls_costs_no_frame),
	TEST(a_read_that_has_begun_is_ended_by_no_signal),
	TEST(a_signal_ends_a_read_behind_another_and_not_that),
	TEST(no_byte_comes_after_a_read_was_given_up),
	{ 0 }
};
