// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What a transfer costs: system calls (counted by a tracer), pages pinned (by the kernel), loads and stores of registers (by
 * the card). The figures are those of docs/driver.md.
 */
#include "lent.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { TRANSFERS = 4, BYTES = 65536, TOTAL = TRANSFERS * BYTES, CARD = 0, NUMBER = 0 };

struct costs {
	long calls, pins;
	uint32_t loads, stores;
};

/* One way to make TRANSFERS transfers, prepared and run. */
struct way {
	const char *name;
	void (*prepare)(int to_host);
	void (*run)(int to_host);
	struct costs each;
};

static int file;
static uint8_t *data;
static struct ring uring;
static aio_context_t aio;
static struct lanescope_queue queue;
static struct lanescope_memory memory;

static void prepare_calls(int to_host)
{
	file = channel(CARD, NUMBER, to_host);
	data = buffer_of(TOTAL);
	memset(data, 1, TOTAL);
}

static void run_calls(int to_host)
{
	for (int i = 0; i < TRANSFERS; i++)
		CHECK((to_host ? read(file, data + i * BYTES, BYTES) : write(file, data + i * BYTES, BYTES)) == BYTES);
}

static void prepare_uring(int to_host)
{
	prepare_calls(to_host);
	ring_open(&uring);
	for (int i = 0; i < TRANSFERS; i++)
		ring_put(&uring, file, to_host ? IORING_OP_READ : IORING_OP_WRITE, data + i * BYTES, BYTES, i);
}

static void run_uring(int to_host)
{
	uint64_t name;

	(void)to_host;
	CHECK(ring_enter(&uring, TRANSFERS, TRANSFERS) == TRANSFERS);
	for (int i = 0; i < TRANSFERS; i++)
		CHECK(ring_get(&uring, &name) == BYTES);
}

static void prepare_aio(int to_host)
{
	prepare_calls(to_host);
	aio = aio_open();
}

static void run_aio(int to_host)
{
	struct iocb all[TRANSFERS], *pointers[TRANSFERS];
	struct io_event events[TRANSFERS];

	for (int i = 0; i < TRANSFERS; i++) {
		all[i] = (struct iocb){ .aio_lio_opcode = to_host ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
					.aio_fildes = file, .aio_buf = (uintptr_t)data + i * BYTES, .aio_nbytes = BYTES };
		pointers[i] = &all[i];
	}
	CHECK(syscall(__NR_io_submit, aio, TRANSFERS, pointers) == TRANSFERS);
	CHECK(syscall(__NR_io_getevents, aio, TRANSFERS, TRANSFERS, events, NULL) == TRANSFERS);
	for (int i = 0; i < TRANSFERS; i++)
		CHECK(events[i].res == BYTES);
}

static void prepare_ring_mode(int to_host)
{
	CHECK(!lanescope_queue_open(&queue, path_of(CARD, NUMBER, to_host), 16, 500));
	CHECK(!lanescope_memory_add(&queue, &memory, buffer_of(TOTAL), TOTAL));
	/* Its pages are mapped by the first access, which is not what is counted. */
	CHECK(!lanescope_queue_has(&queue) && queue.mapping[0] == 0);
	*(volatile uint64_t *)(void *)(queue.mapping + queue.ring.doorbell) = 0;
}

static void run_ring_mode(int to_host)
{
	struct lanescope_done done = { 0 };

	(void)to_host;
	for (int i = 0; i < TRANSFERS; i++) {
		int found;

		CHECK(lanescope_put(&queue, &memory, i * BYTES, BYTES, i, 0) > 0);
		lanescope_submit(&queue);
		do {
			found = lanescope_poll(&queue, &done);
			CHECK(found >= 0);
		} while (!found || !done.last);
		CHECK(!done.cause && done.name == (uint64_t)i);
	}
}

static const struct way ways[] = {
	{ "read and write", prepare_calls, run_calls, { TRANSFERS, TOTAL / 4096, 0, TRANSFERS } },
	{ "libaio", prepare_aio, run_aio, { 2, TOTAL / 4096, 0, TRANSFERS } },
	{ "io_uring", prepare_uring, run_uring, { 1, 0, 0, TRANSFERS } },
	{ "ring mode", prepare_ring_mode, run_ring_mode, { 0, 0, 0, TRANSFERS } },
};

static struct costs costs_now(long calls)
{
	return (struct costs){ calls, pins_acquired(), counter(CARD, LOADS), counter(CARD, STORES) };
}

/* Runs a child to its next call of getppid(), which says where a run begins and ends. */
static long calls_to_mark(pid_t child)
{
	for (long calls = 0;;) {
		struct __ptrace_syscall_info info;
		int status;

		CHECK(!ptrace(PTRACE_SYSCALL, child, 0, 0) && waitpid(child, &status, 0) == child);
		if (!WIFSTOPPED(status))
			fail("the child has ended: %#x", status);
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) > 0);
		if (info.op != PTRACE_SYSCALL_INFO_ENTRY)
			continue;
		if (info.entry.nr == __NR_getppid)
			return calls;
		calls++;
	}
}

static struct costs count(const struct way *way, int to_host)
{
	struct costs before, after;
	pid_t child = fork();
	int status;

	if (!child) {
		way->prepare(to_host);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		syscall(__NR_getppid);
		way->run(to_host);
		syscall(__NR_getppid);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFSTOPPED(status))
		fail("%s cannot be prepared", way->name);
	CHECK(!ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	calls_to_mark(child);
	before = costs_now(0);
	after = costs_now(calls_to_mark(child));
	CHECK(!ptrace(PTRACE_DETACH, child, 0, 0));
	CHECK(waitpid(child, &status, 0) == child && !status);
	return (struct costs){ after.calls, after.pins - before.pins, after.loads - before.loads,
			       after.stores - before.stores };
}

/* The other direction of the loopback is a queue of this process, which has submitted all beforehand. */
static struct costs measure(const struct way *way, int to_host)
{
	struct lanescope_queue other;
	struct lanescope_memory room;
	struct lanescope_done done = { 0 };
	struct costs costs;
	int last = 0;

	CHECK(!lanescope_queue_open(&other, path_of(CARD, NUMBER, !to_host), 64, 500));
	CHECK(!lanescope_memory_add(&other, &room, buffer_of(TOTAL), TOTAL));
	for (int i = 0; i < TRANSFERS; i++)
		CHECK(lanescope_put(&other, &room, i * BYTES, BYTES, i, 0) > 0);
	lanescope_submit(&other);
	costs = count(way, to_host);
	printf("costs: %s, %s, %d of %d KiB: %ld system calls, %ld pages pinned, %u loads, %u stores\n", way->name,
	       to_host ? "card to host" : "host to card", TRANSFERS, BYTES >> 10, costs.calls, costs.pins, costs.loads,
	       costs.stores);
	while (last < TRANSFERS) {
		int found = lanescope_poll(&other, &done);

		CHECK(found >= 0);
		if (found)
			last += done.last;
	}
	lanescope_queue_close(&other);
	lanescope_memory_free(&room);
	munmap(room.data, TOTAL);
	return costs;
}

/* Of a channel of which nothing has moved for a second the driver asks the card, by a load: then it is measured again. */
static void check(const struct way *way, int to_host)
{
	struct costs costs;
	double begun;
	int times = 0;

	do {
		begun = now();
		costs = measure(way, to_host);
	} while (costs.loads > way->each.loads && now() - begun > 1 && ++times < 5);
	CHECK(costs.calls == way->each.calls && costs.pins == way->each.pins);
	CHECK(costs.loads == way->each.loads && costs.stores == way->each.stores);
}

static void a_transfer_costs_what_the_page_says(void)
{
	allow_ring_mode(1);
	for (size_t i = 0; i < COUNT(ways); i++) {
		check(&ways[i], 0);
		check(&ways[i], 1);
	}
	allow_ring_mode(0);
	quick_trip(CARD, NUMBER);
}

const struct test costs_tests[] = {
	TEST(a_transfer_costs_what_the_page_says),
	{ 0 }
};
