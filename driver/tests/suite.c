// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver's tests, run in a guest with two cards whose design is a loopback of two channels. Each prints "ok NAME" or
 * "not ok NAME: why". What a card counts is read from a capability of its configuration space (crates/remote).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../include/uapi/linux/lanescope.h"

#define CARDS 2
#define CHANNELS 2
#define MOST (1 << 20)

enum { LOADS = 0xc4, STORES = 0xc8, DOORBELLS = 0xcc, MESSAGES = 0xd0, FAULT = 0xd4 };
enum { UR = 1, CA = 2, NO_ANSWER = 3, LOST_INTERRUPT = 4, NO_DESCRIPTORS = 6 };

static jmp_buf failed;
static char why[256];
static pthread_t main_thread;

#define CHECK(condition) ((condition) ? (void)0 : fail("%s:%d: %s (errno %d)", __FILE__, __LINE__, #condition, errno))

static void fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why, sizeof(why), format, list);
	va_end(list);
	if (pthread_equal(pthread_self(), main_thread))
		longjmp(failed, 1);
	printf("not ok in a thread: %s\n", why);
	exit(1);
}

static const char *const slots[CARDS] = { "0000:00:05.0", "0000:00:06.0" };

static void card_path(char *path, int card, const char *file)
{
	sprintf(path, "/sys/bus/pci/devices/%s/%s", slots[card], file);
}

static uint32_t counter(int card, int at)
{
	uint32_t value;
	char path[128];
	int fd;

	card_path(path, card, "config");
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	CHECK(pread(fd, &value, 4, at) == 4);
	close(fd);
	return value;
}

static void fault(int card, int kind, int times)
{
	uint32_t value = kind | times << 8;
	char path[128];
	int fd;

	card_path(path, card, "config");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK(pwrite(fd, &value, 4, FAULT) == 4);
	close(fd);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), done;

	if (fd < 0)
		return -1;
	done = write(fd, text, strlen(text));
	close(fd);
	return done < 0 ? -1 : 0;
}

static int try_open(int card, int channel, int to_host)
{
	char path[64];

	sprintf(path, "/dev/lanescope%d/%s%d", card, to_host ? "c2h" : "h2c", channel);
	return open(path, to_host ? O_RDONLY : O_WRONLY);
}

static int channel(int card, int number, int to_host)
{
	int fd = try_open(card, number, to_host);

	CHECK(fd >= 0);
	return fd;
}

static void fill(uint8_t *data, size_t bytes, uint32_t seed)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = (seed = seed * 1664525 + 1013904223) >> 24;
}

static uint8_t *buffer(void)
{
	uint8_t *data = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(data != MAP_FAILED);
	return data;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

/* A frame that a thread of its own writes. */
struct frame {
	int fd;
	const uint8_t *data;
	size_t bytes;
	ssize_t result;
	int error;
	pthread_t thread;
};

static void *write_frame(void *argument)
{
	struct frame *frame = argument;

	frame->result = write(frame->fd, frame->data, frame->bytes);
	frame->error = errno;
	return NULL;
}

static void begin(struct frame *frame, int fd, const uint8_t *data, size_t bytes)
{
	*frame = (struct frame){ .fd = fd, .data = data, .bytes = bytes };
	CHECK(!pthread_create(&frame->thread, NULL, write_frame, frame));
}

static ssize_t end(struct frame *frame)
{
	pthread_join(frame->thread, NULL);
	return frame->result;
}

/* One frame there and back, with bytes compared, and the byte after it untouched. */
static void round_trip(int h2c, int c2h, uint8_t *from, uint8_t *to, size_t bytes, uint32_t seed)
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

static void quick_trip(int card, int number)
{
	int h2c = channel(card, number, 0), c2h = channel(card, number, 1);
	uint8_t *from = buffer(), *to = buffer();

	round_trip(h2c, c2h, from, to, 10000, 7);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

static void two_cards_show_their_channels(void)
{
	for (int card = 0; card < CARDS; card++) {
		for (int i = 0; i < 2 * CHANNELS; i++) {
			struct lanescope_info info;
			int fd = channel(card, i / 2, i % 2);

			CHECK(!ioctl(fd, LANESCOPE_IOC_INFO, &info));
			CHECK(info.abi == LANESCOPE_ABI_VERSION && info.width == 64);
			CHECK(info.to_host == (uint32_t)i % 2 && info.channel == (uint32_t)i / 2);
			close(fd);
		}
	}
}

static void every_channel_has_a_vector_of_its_own_that_fires(void)
{
	for (int card = 0; card < CARDS; card++) {
		for (int i = 0; i < CHANNELS; i++) {
			struct lanescope_info info;
			uint32_t before = counter(card, MESSAGES);
			int fd;

			quick_trip(card, i);
			CHECK(counter(card, MESSAGES) >= before + 2);
			for (int to_host = 0; to_host < 2; to_host++) {
				fd = channel(card, i, to_host);
				CHECK(!ioctl(fd, LANESCOPE_IOC_INFO, &info));
				CHECK(info.interrupts >= 1);
				close(fd);
			}
		}
	}
}

static void bytes_of_any_size_and_alignment_come_back(void)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 63, 64, 65, 511, 4095, 4096, 4097, 8191, 65536, 65537, 262144 };
	static const size_t offsets[] = { 0, 1, 3, 4, 63, 4095 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t count = sizes[i] > 9000 ? 2 : 6;

		for (size_t j = 0; j < count; j++)
			round_trip(h2c, c2h, from + offsets[j], to + offsets[(i + j) % 6], sizes[i], i * 8 + j);
	}
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void the_end_of_a_frame_ends_a_read(void)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frame frame;

	fill(from, 20000, 3);
	/* In the first, a middle and the last page of what was asked for. */
	for (size_t bytes = 100; bytes < 20000; bytes += 6000) {
		begin(&frame, h2c, from, bytes);
		CHECK(read(c2h, to, 20000) == (ssize_t)bytes);
		CHECK(end(&frame) == (ssize_t)bytes);
		CHECK(!memcmp(from, to, bytes));
	}
	/* A frame longer than the read goes on in the next. */
	begin(&frame, h2c, from, 10000);
	CHECK(read(c2h, to, 6000) == 6000);
	CHECK(read(c2h, to + 6000, 4000) == 4000);
	CHECK(end(&frame) == 10000);
	CHECK(!memcmp(from, to, 10000));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void a_vector_is_one_transfer(void)
{
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct iovec out[4] = { { from, 0 }, { from + 5, 5000 }, { from + 20001, 1 }, { from + 30000, 9000 } };
	struct iovec in[3] = { { to + 7, 3 }, { to + 10000, 10000 }, { to + 40000, 3998 } };
	uint8_t sent[14001], came[14001];
	pid_t child;
	int status;

	fill(from, 40000, 9);
	memcpy(sent, from + 5, 5000);
	memcpy(sent + 5000, from + 20001, 1);
	memcpy(sent + 5001, from + 30000, 9000);
	child = fork();
	if (!child)
		_exit(writev(h2c, out, 4) == 14001 ? 0 : 1);
	CHECK(readv(c2h, in, 3) == 14001);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	memcpy(came, to + 7, 3);
	memcpy(came + 3, to + 10000, 10000);
	memcpy(came + 10003, to + 40000, 3998);
	CHECK(!memcmp(sent, came, 14001));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* 1024 pieces, which do not lie together: the ring has room for 1023 descriptors. */
static void a_transfer_longer_than_the_ring_goes_on(void)
{
	enum { PIECES = 1024, PIECE = 5000, STRIDE = 8192 };
	int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1), status;
	size_t size = (size_t)PIECES * STRIDE;
	uint8_t *from = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct iovec out[PIECES], in[PIECES];
	struct lanescope_info before, after;
	pid_t child;

	CHECK(from != MAP_FAILED && to != MAP_FAILED);
	fill(from, size, 77);
	for (int i = 0; i < PIECES; i++) {
		out[i] = (struct iovec){ from + i * STRIDE + 13, PIECE };
		in[i] = (struct iovec){ to + i * STRIDE + 1, PIECE };
	}
	CHECK(!ioctl(c2h, LANESCOPE_IOC_INFO, &before));
	child = fork();
	if (!child)
		_exit(writev(h2c, out, PIECES) == PIECES * PIECE ? 0 : 1);
	CHECK(readv(c2h, in, PIECES) == PIECES * PIECE);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	for (int i = 0; i < PIECES; i++)
		CHECK(!memcmp(out[i].iov_base, in[i].iov_base, PIECE));
	CHECK(!ioctl(c2h, LANESCOPE_IOC_INFO, &after));
	CHECK(after.descriptors - before.descriptors > before.entries - 1);
	CHECK(after.resets == before.resets);
	munmap(from, size);
	munmap(to, size);
	close(h2c);
	close(c2h);
}

struct worker {
	int card, number;
	pthread_t thread;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	int h2c = channel(worker->card, worker->number, 0), c2h = channel(worker->card, worker->number, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (uint32_t i = 0; i < 12; i++)
		round_trip(h2c, c2h, from + i, to + 2 * i, 1 + 4321 * i, i * 4 + worker->card * 2 + worker->number);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
	return NULL;
}

static void all_channels_of_both_cards_work_at_once(void)
{
	struct worker workers[CARDS * CHANNELS];

	for (int i = 0; i < CARDS * CHANNELS; i++) {
		workers[i].card = i / CHANNELS;
		workers[i].number = i % CHANNELS;
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (int i = 0; i < CARDS * CHANNELS; i++)
		pthread_join(workers[i].thread, NULL);
}

static void the_data_path_loads_no_register_and_stores_one_doorbell_a_call(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint32_t loads = counter(0, LOADS), stores = counter(0, STORES), doorbells = counter(0, DOORBELLS);

	for (int i = 0; i < 20; i++)
		round_trip(h2c, c2h, from, to, 30000, i);
	printf("counted: %u loads, %u stores, %u doorbells in 40 calls of 8 pages\n", counter(0, LOADS) - loads,
	       counter(0, STORES) - stores, counter(0, DOORBELLS) - doorbells);
	CHECK(counter(0, LOADS) == loads);
	CHECK(counter(0, DOORBELLS) == doorbells + 40);
	CHECK(counter(0, STORES) == stores + 40);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void on_alarm(int number)
{
	(void)number;
}

static void a_signal_ends_a_read_in_flight(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int c2h = channel(0, 0, 1);
	uint8_t *to = buffer();
	double begun = now();

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	errno = 0;
	CHECK(read(c2h, to, 100000) == -1 && errno == EINTR);
	CHECK(now() - begun < 3);
	close(c2h);
	munmap(to, MOST);
	quick_trip(0, 0);
}

static void a_signal_ends_a_write_in_flight_with_what_has_gone(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int h2c = channel(0, 1, 0), c2h;
	uint8_t *from = buffer(), *to = buffer();
	struct lanescope_info info;
	ssize_t done, came;

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	/* The loopback holds a few KiB; nobody reads. */
	done = write(h2c, from, 500000);
	CHECK(done >= 0 && done < 500000);
	CHECK(!ioctl(h2c, LANESCOPE_IOC_INFO, &info) && info.resets > 0);
	/* What the loopback has kept, up to the end of the broken frame. */
	c2h = channel(0, 1, 1);
	came = read(c2h, to, MOST);
	CHECK(came > 0 && came < 500000);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
	quick_trip(0, 1);
}

static void a_killed_reader_leaves_nothing_behind(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		int c2h = try_open(1, 0, 1);
		char byte[5000];

		(void)!read(c2h, byte, sizeof(byte));
		_exit(9);
	}
	usleep(300000);
	CHECK(!kill(child, SIGKILL));
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	quick_trip(1, 0);
}

/* ---- io_uring, by its system calls ------------------------------------------------------------------------------ */

struct ring {
	int fd;
	struct io_uring_params params;
	uint8_t *sq, *cq;
	struct io_uring_sqe *sqes;
};

static void ring_open(struct ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(__NR_io_uring_setup, 16, &ring->params);
	CHECK(ring->fd >= 0);
	ring->sq = mmap(NULL, ring->params.sq_off.array + 64, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			IORING_OFF_SQ_RING);
	ring->cq = mmap(NULL, ring->params.cq_off.cqes + 32 * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
			MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->sqes = mmap(NULL, 16 * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			  IORING_OFF_SQES);
	CHECK(ring->sq != MAP_FAILED && ring->cq != MAP_FAILED && ring->sqes != MAP_FAILED);
}

static void ring_put(struct ring *ring, int fd, int opcode, void *data, size_t bytes, uint64_t name)
{
	uint32_t *tail = (uint32_t *)(ring->sq + ring->params.sq_off.tail), slot = *tail & 15;

	ring->sqes[slot] = (struct io_uring_sqe){ .opcode = opcode, .fd = fd, .addr = (uintptr_t)data, .len = bytes,
						  .off = -1, .user_data = name };
	((uint32_t *)(ring->sq + ring->params.sq_off.array))[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

static int ring_get(struct ring *ring, uint64_t *name)
{
	uint32_t *head = (uint32_t *)(ring->cq + ring->params.cq_off.head);
	uint32_t tail = __atomic_load_n((uint32_t *)(ring->cq + ring->params.cq_off.tail), __ATOMIC_ACQUIRE);
	struct io_uring_cqe *cqe = (struct io_uring_cqe *)(ring->cq + ring->params.cq_off.cqes);

	if (*head == tail)
		return INT32_MIN;
	cqe += *head & (ring->params.cq_entries - 1);
	*name = cqe->user_data;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return cqe->res;
}

static int workers(void)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(folder))) {
		char path[300], name[64] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strncmp(name, "iou-wrk", 7))
			count++;
		fclose(file);
	}
	closedir(folder);
	return count;
}

static void io_uring_moves_bytes_without_worker_threads(void)
{
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1), found = 0;
	uint8_t *from = buffer(), *to = buffer();
	size_t bytes = 50000;
	struct ring ring;

	ring_open(&ring);
	fill(from, 4 * bytes, 5);
	for (int i = 0; i < 4; i++)
		ring_put(&ring, c2h, IORING_OP_READ, to + i * bytes, bytes, i);
	for (int i = 0; i < 4; i++)
		ring_put(&ring, h2c, IORING_OP_WRITE, from + i * bytes, bytes, 4 + i);
	CHECK(syscall(__NR_io_uring_enter, ring.fd, 8, 0, 0, NULL, 0) == 8);
	found = workers();
	CHECK(syscall(__NR_io_uring_enter, ring.fd, 0, 8, IORING_ENTER_GETEVENTS, NULL, 0) == 0);
	found += workers();
	for (int i = 0; i < 8; i++) {
		uint64_t name;

		CHECK(ring_get(&ring, &name) == (int)bytes);
	}
	CHECK(!memcmp(from, to, 4 * bytes));
	CHECK(found == 0);
	close(ring.fd);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

static void a_killed_task_leaves_no_request_of_io_uring_behind(void)
{
	int status;
	pid_t child = fork();

	if (!child) {
		int c2h = try_open(1, 1, 1);
		struct ring ring;

		ring_open(&ring);
		ring_put(&ring, c2h, IORING_OP_READ, buffer(), 9000, 0);
		syscall(__NR_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
		_exit(9);
	}
	usleep(300000);
	CHECK(!kill(child, SIGKILL));
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	usleep(300000);
	quick_trip(1, 1);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* What a broken frame has left in a loopback: reads until nothing comes for a second. */
static void drain(int card, int number)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int c2h = channel(card, number, 1);
	uint8_t *to = buffer();
	ssize_t got;

	sigaction(SIGALRM, &action, NULL);
	do {
		alarm(1);
		got = read(c2h, to, MOST);
		alarm(0);
	} while (got > 0);
	close(c2h);
	munmap(to, MOST);
}

static void fails_with(int kind, int expected, uint32_t cause)
{
	int h2c = channel(0, 0, 0);
	uint8_t *from = buffer();
	struct lanescope_info info;
	double begun = now();
	ssize_t done;

	fault(0, kind, 1);
	errno = 0;
	done = write(h2c, from, 3000);
	if (done != -1 || errno != expected)
		fail("fault %d: %zd, errno %d in place of %d", kind, done, errno, expected);
	CHECK(now() - begun < 10);
	CHECK(!ioctl(h2c, LANESCOPE_IOC_INFO, &info) && info.last_cause == cause);
	close(h2c);
	munmap(from, MOST);
}

static void errors_of_the_bus_have_their_errno_and_the_next_transfer_works(void)
{
	static const struct { int kind, expected; uint32_t cause; } all[] = {
		{ UR, EREMOTEIO, LANESCOPE_CAUSE_UR },
		{ CA, ECONNABORTED, LANESCOPE_CAUSE_CA },
		{ NO_DESCRIPTORS, EIO, LANESCOPE_CAUSE_FETCH },
		{ NO_ANSWER, ETIMEDOUT, LANESCOPE_CAUSE_TIMEOUT },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		fails_with(all[i].kind, all[i].expected, all[i].cause);
		drain(0, 0);
		quick_trip(0, 0);
	}
}

static void a_lost_interrupt_costs_a_second_and_no_transfer(void)
{
	double begun = now();

	fault(0, LOST_INTERRUPT, 2);
	quick_trip(0, 0);
	CHECK(now() - begun < 4);
	CHECK(counter(0, FAULT) >> 8 == 0);
	fault(0, 0, 0);
}

static void a_wrong_direction_is_refused(void)
{
	CHECK(open("/dev/lanescope0/h2c0", O_RDONLY) == -1 && errno == EACCES);
	CHECK(open("/dev/lanescope0/c2h0", O_RDWR) == -1 && errno == EACCES);
}

static void a_bad_address_is_refused(void)
{
	int h2c = channel(0, 0, 0);

	CHECK(syscall(__NR_write, h2c, 8UL, 4096UL) == -1 && errno == EFAULT);
	close(h2c);
	quick_trip(0, 0);
}

static void *delayed_reset(void *argument)
{
	char path[128];

	usleep(300000);
	card_path(path, 1, argument);
	if (!strcmp(argument, "reset"))
		write_file(path, "1");
	else
		write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]);
	return NULL;
}

static void a_function_level_reset_ends_what_is_in_flight(void)
{
	int c2h = channel(1, 0, 1);
	uint8_t *to = buffer();
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, delayed_reset, "reset"));
	errno = 0;
	CHECK(read(c2h, to, 50000) == -1 && errno == EIO);
	pthread_join(thread, NULL);
	close(c2h);
	munmap(to, MOST);
	quick_trip(1, 0);
	quick_trip(1, 1);
}

static void unbinding_ends_what_is_in_flight(void)
{
	int c2h = channel(1, 0, 1);
	uint8_t *to = buffer();
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, delayed_reset, "unbind"));
	errno = 0;
	CHECK(read(c2h, to, 50000) == -1 && errno == ENODEV);
	pthread_join(thread, NULL);
	errno = 0;
	CHECK(read(c2h, to, 50000) == -1 && errno == ENODEV);
	close(c2h);
	munmap(to, MOST);
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	usleep(200000);
	quick_trip(1, 0);
}

static void a_module_in_use_stays(void)
{
	int c2h = channel(0, 0, 1);

	CHECK(syscall(__NR_delete_module, "lanescope", O_NONBLOCK) == -1 && errno == EWOULDBLOCK);
	close(c2h);
}

static void a_card_that_dies_ends_what_is_in_flight(void)
{
	int c2h = channel(1, 1, 1);
	uint8_t *to = buffer();
	double begun = now();

	printf("KILL\n");
	fflush(stdout);
	errno = 0;
	CHECK(read(c2h, to, 50000) == -1 && errno == ENODEV);
	CHECK(now() - begun < 10);
	close(c2h);
	munmap(to, MOST);
	CHECK(try_open(1, 0, 0) == -1 && errno == ENODEV);
	quick_trip(0, 0);
}

#define TEST(name) { #name, name }
static const struct { const char *name; void (*run)(void); } tests[] = {
	TEST(two_cards_show_their_channels),
	TEST(every_channel_has_a_vector_of_its_own_that_fires),
	TEST(bytes_of_any_size_and_alignment_come_back),
	TEST(the_end_of_a_frame_ends_a_read),
	TEST(a_vector_is_one_transfer),
	TEST(a_transfer_longer_than_the_ring_goes_on),
	TEST(all_channels_of_both_cards_work_at_once),
	TEST(the_data_path_loads_no_register_and_stores_one_doorbell_a_call),
	TEST(a_signal_ends_a_read_in_flight),
	TEST(a_signal_ends_a_write_in_flight_with_what_has_gone),
	TEST(a_killed_reader_leaves_nothing_behind),
	TEST(io_uring_moves_bytes_without_worker_threads),
	TEST(a_killed_task_leaves_no_request_of_io_uring_behind),
	TEST(errors_of_the_bus_have_their_errno_and_the_next_transfer_works),
	TEST(a_lost_interrupt_costs_a_second_and_no_transfer),
	TEST(a_wrong_direction_is_refused),
	TEST(a_bad_address_is_refused),
	TEST(a_function_level_reset_ends_what_is_in_flight),
	TEST(unbinding_ends_what_is_in_flight),
	TEST(a_module_in_use_stays),
	TEST(a_card_that_dies_ends_what_is_in_flight),
};

int main(int argc, char **argv)
{
	main_thread = pthread_self();
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		volatile double begun = now();

		if (argc > 1 && !strstr(tests[i].name, argv[1]))
			continue;
		if (!setjmp(failed)) {
			tests[i].run();
			printf("ok %s (%.1f s)\n", tests[i].name, now() - begun);
		} else {
			printf("not ok %s: %s\n", tests[i].name, why);
		}
	}
	if (argc == 1)
		printf("all %zu tests run\n", sizeof(tests) / sizeof(*tests));
	return 0;
}
