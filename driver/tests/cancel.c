// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reads that wait for a frame which does not come, and are ended by those who asked for them: none of them holds up its
 * process, and none takes the next frame.
 */
#include "suite.h"

#include <sys/syscall.h>

enum { CARD = 0, NUMBER = 1, BYTES = 50000, FRAME_BYTES = 3000, SOON_S = 10, READ = 1, END = 2 };

/*
 * A driver that has not ended a read loses its card, so that the next test finds one that works. The card has its number again
 * only where no file of the one before is open.
 */
static void renew(pid_t child)
{
	syscall(__NR_close_range, 3, ~0U, 0);
	write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[CARD]);
	if (child)
		waitpid(child, NULL, 0);
	usleep(300000 * patience());
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[CARD]));
}

/* The next frame goes to who reads next. */
static void check_next_frame(const char *after)
{
	int h2c = channel(CARD, NUMBER, 0), c2h = channel(CARD, NUMBER, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frame frame;
	ssize_t got;

	fill(from, FRAME_BYTES, 9);
	begin(&frame, h2c, from, FRAME_BYTES);
	end(&frame);
	after_ms(2000 * patience());
	got = read(c2h, to, BYTES);
	after_ms(0);
	close(h2c);
	close(c2h);
	if (got != FRAME_BYTES || memcmp(from, to, FRAME_BYTES)) {
		int error = errno;

		renew(0);
		fail("after %s, the next read has %zd of the next frame (errno %d)", after, got, error);
	}
	munmap(from, MOST);
	munmap(to, MOST);
}

/* Ends in time, and leaves no pages pinned; its state, where it does not. */
static int ends_soon(pid_t child, const char *what, long pinned)
{
	double begun = now();
	int status;

	while (!waitpid(child, &status, WNOHANG)) {
		char path[64], text[200] = "", *state;
		int fd;

		usleep(10000);
		if (now() - begun < SOON_S * patience())
			continue;
		sprintf(path, "/proc/%d/stat", child);
		fd = open(path, O_RDONLY);
		(void)!read(fd, text, sizeof(text) - 1);
		close(fd);
		state = strchr(text, ')');
		kill(child, SIGKILL);
		renew(child);
		fail("%s: it is there after %d s, in state %c", what, SOON_S, state ? state[2] : '?');
	}
	/* What goes with a ring goes a moment later. */
	for (begun = now(); pinned_pages() != pinned && now() - begun < 2 * patience();)
		usleep(10000);
	if (pinned_pages() != pinned) {
		pinned = pinned_pages() - pinned;
		renew(0);
		fail("%s: it has ended, and %ld pages stay pinned", what, pinned);
	}
	return status;
}

static void reads_by_libaio(void)
{
	static struct iocb iocb;

	aio_put(aio_open(), &iocb, try_open(CARD, NUMBER, 1), IOCB_CMD_PREAD, buffer(), BYTES);
}

static void reads_by_io_uring(void)
{
	static struct ring ring;

	ring_open(&ring);
	ring_put(&ring, try_open(CARD, NUMBER, 1), IORING_OP_READ, buffer(), BYTES, READ);
	if (ring_enter(&ring, 1, 0) != 1)
		_exit(1);
}

/* By a worker thread of io_uring, at first. */
static void reads_by_a_worker_of_io_uring(void)
{
	static struct ring ring;

	ring_open(&ring);
	ring_put(&ring, try_open(CARD, NUMBER, 1), IORING_OP_READ, buffer(), BYTES, READ)->flags = IOSQE_ASYNC;
	if (ring_enter(&ring, 1, 0) != 1)
		_exit(1);
}

/* The descriptor is closed, and io_uring has the file. */
static void reads_of_a_registered_file(void)
{
	static struct ring ring;
	int fd = try_open(CARD, NUMBER, 1);

	ring_open(&ring);
	if (syscall(__NR_io_uring_register, ring.fd, IORING_REGISTER_FILES, &fd, 1))
		_exit(1);
	close(fd);
	ring_put(&ring, 0, IORING_OP_READ, buffer(), BYTES, READ)->flags = IOSQE_FIXED_FILE;
	if (ring_enter(&ring, 1, 0) != 1)
		_exit(1);
}

static const struct way {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "a read of io_uring", reads_by_io_uring },
	{ "a read by a worker of io_uring", reads_by_a_worker_of_io_uring },
	{ "a read of a registered file", reads_of_a_registered_file },
	{ "a read of libaio", reads_by_libaio },
};

static pid_t start(const struct way *way, void (*then)(void))
{
	pid_t child = fork();

	if (child)
		return child;
	way->run();
	usleep(200000 * patience());
	then();
	_exit(2);
}

static void waits(void)
{
	for (;;)
		pause();
}

static void executes(void)
{
	execl("/bin/busybox", "true", NULL);
}

static void check_kill(const struct way *way)
{
	long pinned = pinned_pages();
	pid_t child = start(way, waits);
	int status;

	usleep(400000 * patience());
	CHECK(!kill(child, SIGKILL));
	status = ends_soon(child, way->name, pinned);
	CHECK(WIFSIGNALED(status));
	check_next_frame(way->name);
}

static void a_process_that_reads_by_libaio_can_be_killed(void)
{
	check_kill(&ways[3]);
}

static void a_process_that_reads_by_io_uring_can_be_killed(void)
{
	check_kill(&ways[0]);
	check_kill(&ways[1]);
}

static void a_registered_file_is_not_read_after_its_process_was_killed(void)
{
	check_kill(&ways[2]);
}

static void a_read_under_way_does_not_hold_up_exec(void)
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		long pinned = pinned_pages();
		pid_t child = start(&ways[i], executes);
		int status = ends_soon(child, ways[i].name, pinned);

		if (status)
			fail("%s: %#x", ways[i].name, status);
		check_next_frame(ways[i].name);
	}
}

/* Two ends of a ring, in any order: what the read came to, and the other. */
static void check_ends(struct ring *ring, int flags, int expected)
{
	int results[3] = { INT32_MIN, INT32_MIN, INT32_MIN };

	for (int i = 0; i < 2; i++) {
		uint64_t name = 0;
		int result = ring_wait(ring, &name);

		CHECK(name <= END);
		results[name] = result;
	}
	if (flags & IOSQE_ASYNC ? results[READ] == -EINTR || results[READ] == -ECANCELED :
				  results[READ] == -ECANCELED && results[END] == expected)
		return;
	renew(0);
	fail("the read came to %d, and what ends it to %d", results[READ], results[END]);
}

static void io_uring_cancels_a_read(void)
{
	static const int flags[] = { 0, IOSQE_ASYNC };
	int c2h = channel(CARD, NUMBER, 1);
	uint8_t *to = buffer();

	for (size_t i = 0; i < COUNT(flags); i++) {
		struct ring ring;

		ring_open(&ring);
		ring_put(&ring, c2h, IORING_OP_READ, to, BYTES, READ)->flags = flags[i];
		CHECK(ring_enter(&ring, 1, 0) == 1);
		usleep(200000 * patience());
		ring_put(&ring, -1, IORING_OP_ASYNC_CANCEL, (void *)(uintptr_t)READ, 0, END)->off = 0;
		CHECK(ring_enter(&ring, 1, 0) == 1);
		check_ends(&ring, flags[i], 0);
		close(ring.fd);
		check_next_frame("a read that io_uring cancelled");
	}
	close(c2h);
	munmap(to, MOST);
}

static void a_linked_timeout_ends_a_read(void)
{
	static const int flags[] = { 0, IOSQE_ASYNC };
	struct __kernel_timespec until = { .tv_nsec = 200000000 };
	int c2h = channel(CARD, NUMBER, 1);
	uint8_t *to = buffer();

	for (size_t i = 0; i < COUNT(flags); i++) {
		struct ring ring;

		ring_open(&ring);
		ring_put(&ring, c2h, IORING_OP_READ, to, BYTES, READ)->flags = IOSQE_IO_LINK | flags[i];
		ring_put(&ring, -1, IORING_OP_LINK_TIMEOUT, &until, 1, END)->off = 0;
		CHECK(ring_enter(&ring, 2, 0) == 2);
		check_ends(&ring, flags[i], -ETIME);
		close(ring.fd);
		check_next_frame("a read that a timeout ended");
	}
	close(c2h);
	munmap(to, MOST);
}

static void closing_one_of_two_descriptors_leaves_reads_alone(void)
{
	int h2c = channel(CARD, NUMBER, 0), c2h = channel(CARD, NUMBER, 1);
	uint8_t *from = buffer(), *to = buffer();
	aio_context_t context = aio_open();
	struct iocb iocb, *ended = NULL;
	struct frame frame;
	ssize_t got;

	fill(from, FRAME_BYTES, 4);
	aio_put(context, &iocb, c2h, IOCB_CMD_PREAD, to, BYTES);
	close(dup(c2h));
	usleep(200000 * patience());
	begin(&frame, h2c, from, FRAME_BYTES);
	got = aio_get(context, &ended);
	end(&frame);
	if (got != FRAME_BYTES) {
		renew(0);
		fail("the read came to %zd", got);
	}
	CHECK(ended == &iocb && !memcmp(from, to, FRAME_BYTES));
	aio_close(context);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

/* Of three that are queued, each in turn: the one that the engine waits for, one behind it, the last. */
static void libaio_cancels_one_read_of_several(void)
{
	enum { READS = 3 };
	int h2c = channel(CARD, NUMBER, 0), c2h = channel(CARD, NUMBER, 1);
	uint8_t *from = buffer(), *to = buffer();
	long pinned = pinned_pages();

	for (int which = 0; which < READS; which++) {
		aio_context_t context = aio_open();
		struct iocb reads[READS], *ended = NULL;
		int refused;

		fill(from, READS * FRAME_BYTES, which);
		for (int i = 0; i < READS; i++)
			aio_put(context, &reads[i], c2h, IOCB_CMD_PREAD, to + i * BYTES, BYTES);
		refused = aio_cancel(context, &reads[which]);
		if (refused != -EINPROGRESS) {
			renew(0);
			fail("to cancel it came to %d", refused);
		}
		CHECK(aio_get(context, &ended) == -ECANCELED && ended == &reads[which]);
		for (int i = 0, frames = 0; i < READS; i++) {
			struct frame frame;

			if (i == which)
				continue;
			begin(&frame, h2c, from + frames++ * FRAME_BYTES, FRAME_BYTES);
			CHECK(aio_get(context, &ended) == FRAME_BYTES && ended == &reads[i]);
			CHECK(end(&frame) == FRAME_BYTES);
			CHECK(!memcmp(frame.data, to + i * BYTES, FRAME_BYTES));
		}
		aio_close(context);
		CHECK(pinned_pages() == pinned);
	}
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

/* What the engine reads ahead outlives the file that asked for it; a later one may lie where that was. */
static void what_a_closed_file_has_begun_is_not_cancelled_by_another(void)
{
	enum { FILES = 64 };
	int c2h = channel(CARD, NUMBER, 1);
	uint8_t *to = buffer();
	uint64_t resets = info_of(c2h).resets;

	CHECK(!fcntl(c2h, F_SETFL, O_NONBLOCK));
	CHECK(read(c2h, to, BYTES) == -1 && errno == EAGAIN);
	for (int i = 0; i < FILES; i++) {
		close(c2h);
		c2h = channel(CARD, NUMBER, 1);
		CHECK(!ioctl(c2h, LANESCOPE_IOC_CANCEL));
	}
	CHECK(info_of(c2h).resets == resets);
	close(c2h);
	check_next_frame("what was read ahead");
	munmap(to, MOST);
}

const struct test cancel_tests[] = {
	TEST(closing_one_of_two_descriptors_leaves_reads_alone),
	TEST(libaio_cancels_one_read_of_several),
	TEST(what_a_closed_file_has_begun_is_not_cancelled_by_another),
	TEST(a_process_that_reads_by_libaio_can_be_killed),
	TEST(a_process_that_reads_by_io_uring_can_be_killed),
	TEST(a_registered_file_is_not_read_after_its_process_was_killed),
	TEST(io_uring_cancels_a_read),
	TEST(a_linked_timeout_ends_a_read),
	TEST(a_read_under_way_does_not_hold_up_exec),
	{ 0 }
};
