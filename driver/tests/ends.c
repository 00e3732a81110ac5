// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What may end a transfer from outside, for each way to have one under way: its errno, in time, and the next open works.
 */
#include "suite.h"

enum { CARD = 1, PATIENCE_S = 8, READ_BYTES = 50000, WRITE_BYTES = 500000, FRAME_BYTES = 60000 };

static ssize_t result_of(ssize_t done)
{
	return done < 0 ? -errno : done;
}

static ssize_t by_read(int fd)
{
	return result_of(read(fd, buffer(), READ_BYTES));
}

/* The loopback holds a few KiB, and nobody reads. */
static ssize_t by_write(int fd)
{
	return result_of(write(fd, buffer(), WRITE_BYTES));
}

static ssize_t by_ring_read(int fd)
{
	struct ring ring;
	uint64_t name;

	ring_open(&ring);
	ring_put(&ring, fd, IORING_OP_READ, buffer(), READ_BYTES, 0);
	/* In two calls: where a signal ends one that has submitted something, it says so, and not EINTR. */
	if (ring_enter(&ring, 1, 0) < 0 || ring_enter(&ring, 0, 1) < 0)
		return -errno;
	return ring_get(&ring, &name);
}

static ssize_t by_aio(int fd, int opcode, size_t bytes)
{
	aio_context_t context = aio_open();
	struct iocb iocb, *ended;
	ssize_t done;

	aio_put(context, &iocb, fd, opcode, buffer(), bytes);
	errno = 0;
	done = aio_get(context, &ended);
	return done == INT32_MIN ? -errno : done;
}

static ssize_t by_aio_read(int fd)
{
	return by_aio(fd, IOCB_CMD_PREAD, READ_BYTES);
}

static ssize_t by_aio_write(int fd)
{
	return by_aio(fd, IOCB_CMD_PWRITE, WRITE_BYTES);
}

static ssize_t by_poll(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	ssize_t done;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while ((done = read(fd, buffer(), READ_BYTES)) < 0 && errno == EAGAIN)
		if (poll(&pollfd, 1, -1) < 0)
			return -errno;
	return result_of(done);
}

static ssize_t by_frame(int fd)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (write(fd, buffer(), FRAME_BYTES) != FRAME_BYTES)
		return -errno;
	return fsync(fd) ? -errno : FRAME_BYTES;
}

/* Ways to have a transfer under way. */
static const struct way {
	const char *name;
	int to_host;
	ssize_t (*run)(int fd);
	ssize_t bytes;
} ways[] = {
	{ "read", 1, by_read, READ_BYTES },	    { "write", 0, by_write, WRITE_BYTES },
	{ "aio read", 1, by_aio_read, READ_BYTES }, { "aio write", 0, by_aio_write, WRITE_BYTES },
	{ "ring read", 1, by_ring_read, READ_BYTES },
	{ "poll", 1, by_poll, READ_BYTES },	    { "frame", 0, by_frame, FRAME_BYTES },
};

static void on_signal(int number)
{
	(void)number;
}

static int cancelled = -1;

/* By another thread, the one that waits does not hear of it. */
static void *cancels(void *argument)
{
	sigset_t *set = argument;
	int number;

	while (!sigwait(set, &number))
		ioctl(cancelled, LANESCOPE_IOC_CANCEL);
	return NULL;
}

/* A process that has one under way, and what it says of its end. */
struct child {
	pid_t pid;
	int out;
};

static struct child start(const struct way *way)
{
	int fd = channel(CARD, 0, way->to_host), ends[2];
	uint64_t before = info_of(fd).descriptors;
	double begun = now();
	struct child child;

	CHECK(!pipe(ends));
	child.out = ends[0];
	child.pid = fork();
	if (!child.pid) {
		struct sigaction action = { .sa_handler = on_signal };
		ssize_t result;
		int own = try_open(CARD, 0, way->to_host);
		pthread_t thread;
		sigset_t set;

		close(fd);
		sigaction(SIGUSR1, &action, NULL);
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		cancelled = own;
		pthread_create(&thread, NULL, cancels, &set);
		result = way->run(own);
		_exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	close(ends[1]);
	/* What a read ahead has left under way does not count anew. */
	while (info_of(fd).descriptors == before && now() - begun < 0.5 * patience())
		usleep(5000);
	usleep(50000 * patience());
	close(fd);
	return child;
}

/* What it says, in time. */
static ssize_t end_of(struct child *child, const struct way *way)
{
	struct pollfd pollfd = { .fd = child->out, .events = POLLIN };
	ssize_t result;
	int status;

	if (poll(&pollfd, 1, PATIENCE_S * 1000 * patience()) != 1) {
		char path[64], stack[200] = "";
		int fd;

		sprintf(path, "/proc/%d/stack", child->pid);
		fd = open(path, O_RDONLY);
		if (fd >= 0)
			(void)!read(fd, stack, sizeof(stack) - 1);
		kill(child->pid, SIGKILL);
		waitpid(child->pid, &status, 0);
		fail("%s has not ended: %s", way->name, stack);
	}
	if (read(child->out, &result, sizeof(result)) != sizeof(result))
		result = INT32_MIN;
	close(child->out);
	CHECK(waitpid(child->pid, &status, 0) == child->pid);
	return WIFSIGNALED(status) ? -1000 - WTERMSIG(status) : result;
}

static void send_signal(struct child *child)
{
	struct pollfd pollfd = { .fd = child->out, .events = POLLIN };

	CHECK(!kill(child->pid, SIGUSR1));
	/* What has begun goes on, until it is cancelled for all that the file has. */
	if (!poll(&pollfd, 1, 300 * patience()))
		CHECK(!kill(child->pid, SIGUSR2));
}

static void send_kill(struct child *child)
{
	CHECK(!kill(child->pid, SIGKILL));
}

static void reset(struct child *child)
{
	char path[128];

	(void)child;
	card_path(path, CARD, "reset");
	CHECK(!write_file(path, "1"));
}

static void unbind(struct child *child)
{
	(void)child;
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[CARD]));
}

static void bind(void)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[CARD]));
}

/* The engine stops at the next request that it has to send: that of another channel, which fails as well. */
static void stop(struct child *child)
{
	int h2c = channel(CARD, 1, 0);
	double begun = now();
	uint8_t byte[100];

	(void)child;
	fault(CARD, STOPS, 1);
	errno = 0;
	CHECK(write(h2c, byte, sizeof(byte)) == -1 && errno == EIO);
	CHECK(now() - begun < 5 * patience());
	close(h2c);
}

static void each_way_ends(void (*strike)(struct child *child), ssize_t expected, void (*after)(void))
{
	for (size_t i = 0; i < COUNT(ways); i++) {
		const struct way *way = &ways[i];
		struct child child = start(way);
		double begun = now();
		ssize_t result;
		int some;

		strike(&child);
		result = end_of(&child, way);
		/* What has gone of a write counts, unless its process is killed. */
		some = !way->to_host && expected > -1000 &&
		       ((result >= 0 && result < way->bytes) || result == -ECANCELED);
		if (result != expected && !some)
			fail("%s: %zd in place of %zd", way->name, result, expected);
		CHECK(now() - begun < PATIENCE_S * patience());
		if (after)
			after();
		if (!way->to_host)
			drain(CARD, 0);
		quick_trip(CARD, 0);
		quick_trip(CARD, 1);
	}
}

static void a_signal_ends_what_is_in_flight(void)
{
	each_way_ends(send_signal, -EINTR, NULL);
}

static void a_killed_process_leaves_nothing_behind(void)
{
	each_way_ends(send_kill, -1000 - SIGKILL, NULL);
}

static void a_function_level_reset_ends_what_is_in_flight(void)
{
	each_way_ends(reset, -EIO, NULL);
}

static void unbinding_ends_what_is_in_flight(void)
{
	each_way_ends(unbind, -ENODEV, bind);
}

static void an_engine_that_stops_is_reset_and_what_is_in_flight_ends(void)
{
	each_way_ends(stop, -EIO, NULL);
}

static void a_file_of_a_card_that_was_unbound_stays_dead(void)
{
	int c2h = channel(CARD, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	char byte;

	unbind(NULL);
	errno = 0;
	CHECK(read(c2h, &byte, 1) == -1 && errno == ENODEV);
	CHECK(poll(&pollfd, 1, 0) == 1 && pollfd.revents & POLLHUP);
	/* The card's number is taken as long as the file is open. */
	bind();
	CHECK(read(c2h, &byte, 1) == -1 && errno == ENODEV);
	CHECK(try_open(CARD, 0, 0) == -1 && errno == ENOENT);
	close(c2h);
	unbind(NULL);
	bind();
	quick_trip(CARD, 0);
}

const struct test ends_tests[] = {
	TEST(a_signal_ends_what_is_in_flight),
	TEST(a_killed_process_leaves_nothing_behind),
	TEST(a_function_level_reset_ends_what_is_in_flight),
	TEST(unbinding_ends_what_is_in_flight),
	TEST(an_engine_that_stops_is_reset_and_what_is_in_flight_ends),
	TEST(a_file_of_a_card_that_was_unbound_stays_dead),
	{ 0 }
};
