// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ring mode: who is refused, what it moves, and how it ends; through the library of programs (include/lanescope/card.h).
 */
#include "suite.h"

#include <grp.h>

#include "../include/lanescope/card.h"

#define UNSAFE "/sys/module/lanescope/parameters/unsafe_rings"

enum { ROOM = 1 << 18, SOON_S = 8 };

static const char *path_of(int card, int number, int to_host)
{
	static _Thread_local char path[64];

	sprintf(path, "/dev/lanescope%d/%s%d", card, to_host ? "c2h" : "h2c", number);
	return path;
}

/* A queue, and memory of its own. */
struct lent {
	struct lanescope_queue queue;
	struct lanescope_memory memory;
};

static void take(struct lent *lent, int card, int number, int to_host, uint32_t every, uint32_t cycles)
{
	int error = lanescope_queue_open(&lent->queue, path_of(card, number, to_host), every, cycles);

	if (error)
		fail("ring mode is refused: %s", strerror(-error));
	CHECK(!lanescope_memory_add(&lent->queue, &lent->memory, buffer_of(ROOM), ROOM));
}

static void give_back(struct lent *lent)
{
	lanescope_queue_close(&lent->queue);
	lanescope_memory_free(&lent->memory);
	munmap(lent->memory.data, ROOM);
}

static struct lanescope_done next_done(struct lent *lent)
{
	double begun = now();
	struct lanescope_done done;
	int found;

	while (!(found = lanescope_poll(&lent->queue, &done)))
		CHECK(now() - begun < SOON_S);
	CHECK(found == 1);
	return done;
}

/* A frame there and back; the read is of one piece. */
static void trip(struct lent *out, struct lent *in, size_t from, size_t to, size_t bytes, uint32_t seed)
{
	struct lanescope_done done;
	size_t came = 0;

	fill(out->memory.data + from, bytes, seed);
	memset(in->memory.data + to, 0x5a, bytes + 1);
	CHECK(lanescope_put(&in->queue, &in->memory, to, bytes, seed, 0) > 0);
	lanescope_submit(&in->queue);
	CHECK(lanescope_put(&out->queue, &out->memory, from, bytes, seed + 1, 0) > 0);
	lanescope_submit(&out->queue);
	do {
		done = next_done(in);
		CHECK(done.name == seed && !done.cause);
		came += done.bytes;
		CHECK(done.frame_end == done.last);
	} while (!done.last);
	CHECK(came == bytes);
	do {
		done = next_done(out);
		CHECK(done.name == seed + 1 && !done.cause);
	} while (!done.last);
	CHECK(!memcmp(out->memory.data + from, in->memory.data + to, bytes));
	CHECK(in->memory.data[to + bytes] == 0x5a);
}

static void allow(int yes)
{
	CHECK(!write_file(UNSAFE, yes ? "1" : "0"));
}

static int error_of_ring(const char *path)
{
	struct lanescope_queue queue;
	int error = lanescope_queue_open(&queue, path, 1, 0);

	if (!error)
		lanescope_queue_close(&queue);
	return error;
}

static void ring_mode_is_refused_where_nobody_allowed_it(void)
{
	CHECK(error_of_ring(path_of(0, 0, 0)) == -EOPNOTSUPP);
	CHECK(error_of_ring(path_of(0, 0, 1)) == -EOPNOTSUPP);
	quick_trip(0, 0);
}

static void ring_mode_is_refused_without_its_capability(void)
{
	int fd = open(path_of(0, 0, 1), O_RDWR), status;
	struct lanescope_ring ring = { .every = 1 };
	pid_t child;

	allow(1);
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setuid(1000))
			_exit(1);
		_exit(ioctl(fd, LANESCOPE_IOC_RING, &ring) == -1 && errno == EPERM ? 0 : 2);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	allow(0);
	close(fd);
}

static void wrong_arguments_of_ring_mode_are_refused(void)
{
	struct lanescope_ring ring = { .every = 0 }, good = { .every = 1 };
	struct lanescope_ring_buffer memory = { .address = (uintptr_t)buffer(), .bytes = 4096 };
	uint64_t address;
	uint32_t record = 0;
	int fd;

	allow(1);
	fd = channel(0, 0, 1);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &good) == -1 && errno == EACCES);
	close(fd);
	fd = open(path_of(0, 0, 1), O_RDWR);
	CHECK(fd >= 0);
	CHECK(write(fd, &record, 4) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_WAIT, &record) == -1 && errno == ENXIO);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory) == -1 && errno == ENXIO);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENXIO);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &ring) == -1 && errno == EINVAL);
	ring = (struct lanescope_ring){ .every = 256 };
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &ring) == -1 && errno == EINVAL);
	ring = (struct lanescope_ring){ .every = 1, .cycles = 65536 };
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &ring) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, 8) == -1 && errno == EFAULT);
	CHECK(!ioctl(fd, LANESCOPE_IOC_RING, &good));
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &good) == -1 && errno == EBUSY);
	/* The doorbell is the last page of what can be mapped. */
	CHECK(good.doorbell + 4096 == good.bytes);
	CHECK(mmap(NULL, good.bytes + 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, good.bytes) == MAP_FAILED && errno == EINVAL);
	CHECK(mmap(NULL, good.bytes, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL);
	memory.addresses = (uintptr_t)&address;
	memory.bytes = 100;
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory) == -1 && errno == EINVAL);
	memory.bytes = 4096;
	memory.addresses = 8;
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory) == -1 && errno == EFAULT);
	memory.addresses = (uintptr_t)&address;
	memory.address = 4096;
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory) == -1 && errno == EFAULT);
	close(fd);
	munmap((void *)(uintptr_t)memory.address, MOST);
	quick_trip(0, 0);
	allow(0);
}

static void a_channel_in_ring_mode_is_busy_for_others_and_the_reverse(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	struct lent in, out;
	uint8_t byte = 1;

	allow(1);
	take(&in, 0, 0, 1, 1, 0);
	CHECK(read(c2h, &byte, 1) == -1 && errno == EBUSY);
	CHECK(poll(&pollfd, 1, 0) == 1 && pollfd.revents & POLLERR);
	CHECK(error_of_ring(path_of(0, 0, 1)) == -EBUSY);
	take(&out, 0, 0, 0, 1, 0);
	CHECK(write(h2c, &byte, 1) == -1 && errno == EBUSY);
	fcntl(h2c, F_SETFL, O_NONBLOCK);
	CHECK(write(h2c, &byte, 1) == -1 && errno == EBUSY);
	trip(&out, &in, 0, 0, 100, 5);
	quick_trip(0, 1);
	give_back(&in);
	give_back(&out);
	quick_trip(0, 0);
	/* What poll() has begun to read ahead. */
	CHECK(poll(&pollfd, 1, 0) == 0);
	CHECK(error_of_ring(path_of(0, 0, 1)) == -EBUSY);
	fcntl(h2c, F_SETFL, 0);
	CHECK(write(h2c, &byte, 1) == 1 && read(c2h, &byte, 1) == 1);
	CHECK(!error_of_ring(path_of(0, 0, 1)));
	close(h2c);
	close(c2h);
	allow(0);
}

static void ring_mode_moves_bytes_and_loads_no_register(void)
{
	static const size_t sizes[] = { 1, 7, 64, 4095, 4096, 4097, 30000, 100000 };
	static const size_t offsets[] = { 0, 1, 63, 4095 };
	uint32_t loads, stores, doorbells, trips = 0;
	struct lent in, out;

	allow(1);
	take(&out, 0, 1, 0, 1, 0);
	take(&in, 0, 1, 1, 1, 0);
	loads = counter(0, LOADS);
	stores = counter(0, STORES);
	doorbells = counter(0, DOORBELLS);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (size_t j = 0; j < COUNT(offsets); j++)
			trip(&out, &in, offsets[j], offsets[(i + j) % 4], sizes[i], 3 + 2 * trips++);
	}
	CHECK(counter(0, LOADS) == loads);
	CHECK(counter(0, DOORBELLS) == doorbells + 2 * trips);
	CHECK(counter(0, STORES) == stores + 2 * trips);
	give_back(&in);
	give_back(&out);
	allow(0);
	quick_trip(0, 1);
}

/* Records that tell of several descriptors, and both rings more than once around. */
static void rings_go_round_with_records_that_tell_of_many(void)
{
	enum { FRAMES = 3000, BYTES = 64, AHEAD = 100 };
	uint32_t put = 0, sent = 0, came = 0, records;
	struct lanescope_done done;
	struct lent in, out;
	double begun;

	allow(1);
	take(&out, 1, 0, 0, 16, 2000);
	take(&in, 1, 0, 1, 16, 2000);
	fill(out.memory.data, ROOM, 1);
	begun = now();
	while (came < FRAMES || sent < FRAMES) {
		int found;

		for (; put < FRAMES && put < came + AHEAD && put < sent + AHEAD; put++) {
			size_t at = put % 1000 * BYTES;

			CHECK(lanescope_put(&in.queue, &in.memory, at, BYTES, put, 0) == 1);
			CHECK(lanescope_put(&out.queue, &out.memory, at, BYTES, put, 0) == 1);
		}
		lanescope_submit(&in.queue);
		lanescope_submit(&out.queue);
		while ((found = lanescope_poll(&in.queue, &done)) == 1) {
			CHECK(done.name == came && done.bytes == BYTES && !done.cause && done.last);
			CHECK(!memcmp(in.memory.data + came % 1000 * BYTES, out.memory.data + came % 1000 * BYTES, BYTES));
			came++;
		}
		CHECK(!found);
		while ((found = lanescope_poll(&out.queue, &done)) == 1)
			CHECK(done.name == sent++ && done.bytes == BYTES && !done.cause && done.last);
		CHECK(!found && now() - begun < 60);
	}
	records = out.queue.record;
	printf("ring mode: %u frames, %u records, %.1f s\n", sent, records, now() - begun);
	CHECK(records < FRAMES / 4);
	give_back(&in);
	give_back(&out);
	allow(0);
	quick_trip(1, 0);
}

static void more_than_there_is_room_for_is_refused(void)
{
	uint32_t entries;
	struct lent out;
	int taken = 0;

	allow(1);
	take(&out, 0, 0, 0, 1, 0);
	entries = out.queue.ring.entries;
	CHECK(lanescope_put(&out.queue, &out.memory, 0, 0, 0, 0) == -EINVAL);
	CHECK(lanescope_put(&out.queue, &out.memory, ROOM - 10, 11, 0, 0) == -EINVAL);
	while (lanescope_put(&out.queue, &out.memory, 0, 1, 0, 0) == 1)
		taken++;
	CHECK(taken == (int)entries - 1);
	CHECK(lanescope_put(&out.queue, &out.memory, 0, 1, 0, 0) == -EAGAIN);
	/* Nothing was submitted: nothing comes. */
	give_back(&out);
	quick_trip(0, 0);
	allow(0);
}

static void waiting_for_a_record_sleeps_until_its_interrupt(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct lanescope_done done;
	struct lent in;
	double begun;

	allow(1);
	take(&in, 0, 0, 1, 1, 0);
	CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 1, LANESCOPE_WAKES) == 1);
	lanescope_submit(&in.queue);
	after_ms(100);
	CHECK(lanescope_wait(&in.queue) == -EINTR);
	after_ms(0);
	CHECK(write(h2c, buffer(), 100) == 100);
	CHECK(!lanescope_wait(&in.queue));
	CHECK(lanescope_poll(&in.queue, &done) == 1 && done.bytes == 100 && done.frame_end && done.name == 1);
	/* Without one, when the driver looks. */
	CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 2, 0) == 1);
	lanescope_submit(&in.queue);
	begun = now();
	CHECK(write(h2c, buffer(), 100) == 100);
	CHECK(!lanescope_wait(&in.queue) && now() - begun < 4);
	CHECK(lanescope_poll(&in.queue, &done) == 1 && done.bytes == 100);
	give_back(&in);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
	allow(0);
}

static void an_error_of_the_bus_is_a_cause_in_ring_mode(void)
{
	struct lanescope_done done;
	struct lent out;

	allow(1);
	take(&out, 0, 0, 0, 1, 0);
	fault(0, UR, 1);
	CHECK(lanescope_put(&out.queue, &out.memory, 0, 64, 1, 0) == 1);
	lanescope_submit(&out.queue);
	done = next_done(&out);
	CHECK(done.cause == LANESCOPE_CAUSE_UR);
	give_back(&out);
	allow(0);
	drain(0, 0);
	quick_trip(0, 0);
}

/* ---- how it ends -------------------------------------------------------------------------------------------------- */

static long pinned_pages(void)
{
	long acquired = -1, released = -1, value;
	FILE *file;
	char name[64];

	/* What each processor has counted by itself. */
	CHECK(!write_file("/proc/sys/vm/stat_refresh", "1"));
	file = fopen("/proc/vmstat", "r");
	CHECK(file);
	while (fscanf(file, "%63s %ld", name, &value) == 2) {
		if (!strcmp(name, "nr_foll_pin_acquired"))
			acquired = value;
		if (!strcmp(name, "nr_foll_pin_released"))
			released = value;
	}
	fclose(file);
	CHECK(acquired >= 0 && released >= 0);
	return acquired - released;
}

static void a_process_killed_in_ring_mode_leaves_nothing_behind(void)
{
	long pinned = pinned_pages();
	uint8_t byte = 0;
	int status, ends[2];
	pid_t child;

	allow(1);
	CHECK(!pipe(ends));
	child = fork();
	if (!child) {
		struct lent in;

		take(&in, 1, 1, 1, 1, 0);
		/* A read that nothing ends. */
		CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 1, 0) == 1);
		lanescope_submit(&in.queue);
		CHECK(write(ends[1], &byte, 1) == 1);
		for (;;)
			pause();
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK(pinned_pages() == pinned + ROOM / 4096);
	CHECK(error_of_ring(path_of(1, 1, 1)) == -EBUSY);
	CHECK(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child);
	close(ends[0]);
	close(ends[1]);
	CHECK(pinned_pages() == pinned);
	quick_trip(1, 1);
	allow(0);
}

static void reset_card(void)
{
	char path[128];

	card_path(path, 1, "reset");
	CHECK(!write_file(path, "1"));
}

static void leave(void)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]));
}

/* The engine stops at the next request of another channel, which the driver finds. */
static void stop_engine(void)
{
	int h2c = channel(1, 1, 0);
	uint8_t byte = 0;

	fault(1, STOPS, 1);
	CHECK(write(h2c, &byte, 1) == -1 && errno == EIO);
	close(h2c);
}

/* What the process has mapped stays, and its doorbell rings no more. */
static void ring_mode_ends_when_the_card_is_taken_from_it(void)
{
	static const struct {
		void (*strike)(void);
		int error, bind;
	} ends[] = { { reset_card, -EIO, 0 }, { stop_engine, -EIO, 0 }, { leave, -ENODEV, 1 } };
	long pinned = pinned_pages();

	allow(1);
	for (size_t i = 0; i < COUNT(ends); i++) {
		struct lanescope_done done;
		uint32_t doorbells;
		struct lent in;
		double begun;
		int found;

		take(&in, 1, 0, 1, 1, 0);
		CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 1, 0) == 1);
		lanescope_submit(&in.queue);
		CHECK(lanescope_poll(&in.queue, &done) == 0);
		ends[i].strike();
		/* An engine that still could has told of what it gave up. */
		begun = now();
		while ((found = lanescope_poll(&in.queue, &done)) >= 0)
			CHECK(now() - begun < SOON_S && (!found || done.cause == LANESCOPE_CAUSE_ABORT));
		CHECK(found == ends[i].error);
		CHECK(lanescope_wait(&in.queue) == ends[i].error);
		CHECK(pinned_pages() == pinned);
		if (!ends[i].bind)
			quick_trip(1, 0);
		doorbells = counter(1, DOORBELLS);
		CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 1, 0) == 1);
		lanescope_submit(&in.queue);
		CHECK(counter(1, DOORBELLS) == doorbells);
		if (!ends[i].bind)
			quick_trip(1, 0);
		CHECK(ioctl(in.queue.channel.fd, LANESCOPE_IOC_RING, &in.queue.ring) == -1);
		give_back(&in);
		if (ends[i].bind)
			CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
		quick_trip(1, 0);
	}
	allow(0);
}

const struct test ringmode_tests[] = {
	TEST(ring_mode_is_refused_where_nobody_allowed_it),
	TEST(ring_mode_is_refused_without_its_capability),
	TEST(wrong_arguments_of_ring_mode_are_refused),
	TEST(a_channel_in_ring_mode_is_busy_for_others_and_the_reverse),
	TEST(ring_mode_moves_bytes_and_loads_no_register),
	TEST(rings_go_round_with_records_that_tell_of_many),
	TEST(more_than_there_is_room_for_is_refused),
	TEST(waiting_for_a_record_sleeps_until_its_interrupt),
	TEST(an_error_of_the_bus_is_a_cause_in_ring_mode),
	TEST(a_process_killed_in_ring_mode_leaves_nothing_behind),
	TEST(ring_mode_ends_when_the_card_is_taken_from_it),
	{ 0 }
};
