// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Calls that do not wait, and poll(). */
#include "suite.h"

#include <sys/epoll.h>
#include <sys/uio.h>

enum { AHEAD = 65536, PATIENCE_MS = 5000 };

static int open_nowait(int card, int number, int to_host)
{
	int fd = channel(card, number, to_host);

	CHECK(!fcntl(fd, F_SETFL, O_NONBLOCK));
	return fd;
}

static int events_of(int fd, int events, int ms)
{
	struct pollfd pollfd = { .fd = fd, .events = events };

	return poll(&pollfd, 1, ms * patience()) == 1 ? pollfd.revents : 0;
}

/* Until `bytes` bytes have come. */
static void read_all(int c2h, uint8_t *to, size_t bytes)
{
	size_t at = 0;

	while (at < bytes) {
		ssize_t got;

		CHECK(events_of(c2h, POLLIN, PATIENCE_MS) == POLLIN);
		got = read(c2h, to + at, bytes - at);
		if (got < 0 && errno == EAGAIN)
			continue;
		CHECK(got > 0);
		at += got;
	}
}

static void a_read_that_does_not_wait_says_so_and_gets_what_came(void)
{
	static const size_t sizes[] = { 1, 100, 4097, 65535, 65536, 65537, 200000 };
	int h2c = channel(0, 0, 0), c2h = open_nowait(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct frame frame;

		fill(from, sizes[i], i);
		CHECK(read(c2h, to, MOST) == -1 && errno == EAGAIN);
		CHECK(!events_of(c2h, POLLIN, 0));
		begin(&frame, h2c, from, sizes[i]);
		read_all(c2h, to, sizes[i]);
		CHECK(end(&frame) == (ssize_t)sizes[i]);
		CHECK(!memcmp(from, to, sizes[i]));
	}
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void a_write_that_does_not_wait_is_one_frame_at_a_time(void)
{
	int h2c = open_nowait(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();

	CHECK(write(h2c, from, AHEAD + 1) == -1 && errno == EMSGSIZE);
	fill(from, AHEAD, 11);
	CHECK(events_of(h2c, POLLOUT, 0) == POLLOUT);
	CHECK(write(h2c, from, AHEAD) == AHEAD);
	/* The loopback holds a few KiB. */
	CHECK(write(h2c, from, 1) == -1 && errno == EAGAIN);
	CHECK(!events_of(h2c, POLLOUT, 50));
	/* The page may change: it was copied. */
	memcpy(from + AHEAD, from, AHEAD);
	memset(from, 0, AHEAD);
	CHECK(read(c2h, to, AHEAD + 5) == AHEAD);
	CHECK(!memcmp(from + AHEAD, to, AHEAD));
	CHECK(events_of(h2c, POLLOUT, PATIENCE_MS) == POLLOUT);
	CHECK(!fsync(h2c));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* Ways to hear of the error of a frame that no call has waited for. */
static int told_by_write(int fd)
{
	CHECK(events_of(fd, POLLOUT, PATIENCE_MS) == (POLLOUT | POLLERR));
	return write(fd, "x", 1) == -1 ? errno : 0;
}

static int told_by_fsync(int fd)
{
	return fsync(fd) ? errno : 0;
}

static int told_by_close(int fd)
{
	int error;

	CHECK(events_of(fd, POLLOUT, PATIENCE_MS) == (POLLOUT | POLLERR));
	error = close(fd) ? errno : 0;
	CHECK(open("/dev/null", O_RDONLY) == fd);
	return error;
}

static void the_error_of_a_frame_is_told_once(void)
{
	static int (*const told[])(int fd) = { told_by_write, told_by_fsync, told_by_close };
	uint8_t *from = buffer();

	for (size_t i = 0; i < COUNT(told); i++) {
		int h2c = open_nowait(0, 1, 0);

		fault(0, UR, 1);
		CHECK(write(h2c, from, 3000) == 3000);
		CHECK(told[i](h2c) == EREMOTEIO);
		CHECK(events_of(h2c, POLLOUT, 0) == POLLOUT);
		close(h2c);
		drain(0, 1);
		quick_trip(0, 1);
	}
	munmap(from, MOST);
}

/* As programs do that know nothing of O_NONBLOCK; the frame is longer than what is read ahead. */
static void a_read_that_waits_goes_on_after_what_was_read_ahead(void)
{
	static const size_t sizes[] = { 10, 65536, 65537, 300000 };
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct frame frame;

		fill(from, sizes[i], i);
		CHECK(!events_of(c2h, POLLIN, 0));
		begin(&frame, h2c, from, sizes[i]);
		CHECK(events_of(c2h, POLLIN, PATIENCE_MS) == POLLIN);
		CHECK(read(c2h, to, sizes[i]) == (ssize_t)sizes[i]);
		CHECK(end(&frame) == (ssize_t)sizes[i]);
		CHECK(!memcmp(from, to, sizes[i]));
	}
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void what_was_read_ahead_is_not_lost_when_its_file_is_closed(void)
{
	int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1);
	uint8_t *from = buffer(), *to = buffer();

	fill(from, 2000, 5);
	CHECK(!events_of(c2h, POLLIN, 0));
	CHECK(write(h2c, from, 2000) == 2000);
	CHECK(events_of(c2h, POLLIN, PATIENCE_MS) == POLLIN);
	close(c2h);
	c2h = channel(1, 1, 1);
	CHECK(read(c2h, to, 500) == 500);
	CHECK(read(c2h, to + 500, 5000) == 1500);
	CHECK(!memcmp(from, to, 2000));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void one_call_may_say_that_it_does_not_wait(void)
{
	int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct iovec in = { to, 5000 };

	fill(from, 5000, 6);
	CHECK(preadv2(c2h, &in, 1, -1, RWF_NOWAIT) == -1 && errno == EAGAIN);
	CHECK(write(h2c, from, 5000) == 5000);
	CHECK(read(c2h, to, 5000) == 5000);
	CHECK(!memcmp(from, to, 5000));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

enum { FRAMES = 40 };

static size_t size_of_frame(int i)
{
	return 1 + (size_t)i * 7919 % 20000;
}

/* A writer that only polls. */
static void write_frames(void)
{
	int h2c = try_open(0, 1, 0);
	uint8_t *from = buffer();

	fcntl(h2c, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < FRAMES; i++) {
		fill(from, size_of_frame(i), i);
		while (write(h2c, from, size_of_frame(i)) < 0) {
			if (errno != EAGAIN || !events_of(h2c, POLLOUT, PATIENCE_MS))
				_exit(1);
		}
	}
	_exit(fsync(h2c) != 0);
}

/* Edge-triggered: a frame is told once, and so is the next, after a read that found nothing. */
static void two_processes_move_frames_and_only_poll(void)
{
	int c2h = open_nowait(0, 1, 1), epoll = epoll_create1(0), status;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	uint8_t *from = buffer(), *to = buffer();
	pid_t child = fork();

	if (!child)
		write_frames();
	CHECK(!epoll_ctl(epoll, EPOLL_CTL_ADD, c2h, &event));
	for (int i = 0; i < FRAMES; i++) {
		size_t bytes = size_of_frame(i);
		ssize_t got;

		while ((got = read(c2h, to, MOST)) < 0) {
			CHECK(errno == EAGAIN);
			CHECK(epoll_wait(epoll, &event, 1, PATIENCE_MS * patience()) == 1);
		}
		fill(from, bytes, i);
		CHECK(got == (ssize_t)bytes && !memcmp(from, to, bytes));
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	close(epoll);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

/* What was read ahead comes first; io_uring then waits by poll, and needs no thread. */
static void io_uring_gets_what_is_read_ahead_without_worker_threads(void)
{
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct ring ring;
	uint64_t name;

	ring_open(&ring);
	fill(from, 9000, 8);
	CHECK(!events_of(c2h, POLLIN, 0));
	ring_put(&ring, c2h, IORING_OP_READ, to, 9000, 1);
	CHECK(ring_enter(&ring, 1, 0) == 1);
	CHECK(workers() == 0);
	CHECK(write(h2c, from, 9000) == 9000);
	CHECK(ring_enter(&ring, 0, 1) == 0);
	CHECK(workers() == 0);
	CHECK(ring_get(&ring, &name) == 9000 && name == 1);
	CHECK(!memcmp(from, to, 9000));
	close(ring.fd);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

const struct test buffer_tests[] = {
	TEST(a_read_that_does_not_wait_says_so_and_gets_what_came),
	TEST(a_write_that_does_not_wait_is_one_frame_at_a_time),
	TEST(the_error_of_a_frame_is_told_once),
	TEST(a_read_that_waits_goes_on_after_what_was_read_ahead),
	TEST(what_was_read_ahead_is_not_lost_when_its_file_is_closed),
	TEST(one_call_may_say_that_it_does_not_wait),
	TEST(two_processes_move_frames_and_only_poll),
	TEST(io_uring_gets_what_is_read_ahead_without_worker_threads),
	{ 0 }
};
