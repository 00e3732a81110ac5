// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ring mode: who is refused, and what it moves. */
#include "lent.h"

#include <grp.h>

static void ring_mode_is_refused_where_nothing_bounds_it_and_nobody_allowed_that(void)
{
	if (has_iommu())
		return;
	CHECK(error_of_ring(path_of(0, 0, 0)) == -EOPNOTSUPP);
	CHECK(error_of_ring(path_of(0, 0, 1)) == -EOPNOTSUPP);
	quick_trip(0, 0);
}

static void ring_mode_is_refused_without_its_capability(void)
{
	int fd = open(path_of(0, 0, 1), O_RDWR), status;
	struct lanescope_ring ring = { .every = 1 };
	pid_t child;

	allow_ring_mode(1);
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setuid(1000))
			_exit(1);
		_exit(ioctl(fd, LANESCOPE_IOC_RING, &ring) == -1 && errno == EPERM ? 0 : 2);
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	allow_ring_mode(0);
	close(fd);
}

static void wrong_arguments_of_ring_mode_are_refused(void)
{
	struct lanescope_ring ring = { .every = 0 }, good = { .every = 1 };
	struct lanescope_ring_buffer memory = { .address = (uintptr_t)buffer(), .bytes = 4096 };
	struct lanescope_ring_wait wait = { 0 };
	uint64_t address;
	uint8_t byte = 0;
	int fd;

	allow_ring_mode(1);
	fd = channel(0, 0, 1);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING, &good) == -1 && errno == EACCES);
	close(fd);
	fd = open(path_of(0, 0, 1), O_RDWR);
	CHECK(fd >= 0);
	CHECK(write(fd, &byte, 1) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, LANESCOPE_IOC_RING_WAIT, &wait) == -1 && errno == ENXIO);
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
	allow_ring_mode(0);
}

static void a_channel_in_ring_mode_is_busy_for_others_and_the_reverse(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	struct lent in, out;
	uint8_t byte = 1;

	allow_ring_mode(1);
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
	allow_ring_mode(0);
}

static void ring_mode_moves_bytes_and_loads_no_register(void)
{
	static const size_t sizes[] = { 1, 7, 64, 4095, 4096, 4097, 30000, 100000 };
	static const size_t offsets[] = { 0, 1, 63, 4095 };
	uint32_t loads, stores, doorbells, trips = 0;
	struct lent in, out;

	allow_ring_mode(1);
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
	allow_ring_mode(0);
	quick_trip(0, 1);
}

/* Records that tell of several descriptors, and both rings more than once around. */
static void rings_go_round_with_records_that_tell_of_many(void)
{
	enum { FRAMES = 3000, BYTES = 64, AHEAD = 100 };
	uint32_t put = 0, sent = 0, came = 0, records;
	struct lanescope_done done = { 0 };
	struct lent in, out;
	double begun;

	allow_ring_mode(1);
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
		CHECK(!found && now() - begun < 60 * patience());
	}
	records = out.queue.record;
	printf("ring mode: %u frames, %u records, %.1f s\n", sent, records, now() - begun);
	CHECK(records < FRAMES / 4);
	give_back(&in);
	give_back(&out);
	allow_ring_mode(0);
	quick_trip(1, 0);
}

static void more_than_there_is_room_for_is_refused(void)
{
	uint32_t entries;
	struct lent out;
	int taken = 0;

	allow_ring_mode(1);
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
	allow_ring_mode(0);
}

static void waiting_for_a_record_sleeps_until_its_interrupt(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	struct lanescope_done done = { 0 };
	struct lent in;
	double begun;

	allow_ring_mode(1);
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
	CHECK(!lanescope_wait(&in.queue) && now() - begun < 4 * patience());
	CHECK(lanescope_poll(&in.queue, &done) == 1 && done.bytes == 100);
	give_back(&in);
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
	allow_ring_mode(0);
}

static void an_error_of_the_bus_is_a_cause_in_ring_mode(void)
{
	struct lanescope_done done = { 0 };
	struct lent out;

	allow_ring_mode(1);
	take(&out, 0, 0, 0, 1, 0);
	fault(0, UR, 1);
	CHECK(lanescope_put(&out.queue, &out.memory, 0, 64, 1, 0) == 1);
	lanescope_submit(&out.queue);
	done = next_done(&out);
	CHECK(done.cause == LANESCOPE_CAUSE_UR);
	give_back(&out);
	allow_ring_mode(0);
	drain(0, 0);
	quick_trip(0, 0);
}

const struct test ringmode_tests[] = {
	TEST(ring_mode_is_refused_where_nothing_bounds_it_and_nobody_allowed_that),
	TEST(ring_mode_is_refused_without_its_capability),
	TEST(wrong_arguments_of_ring_mode_are_refused),
	TEST(a_channel_in_ring_mode_is_busy_for_others_and_the_reverse),
	TEST(ring_mode_moves_bytes_and_loads_no_register),
	TEST(rings_go_round_with_records_that_tell_of_many),
	TEST(more_than_there_is_room_for_is_refused),
	TEST(waiting_for_a_record_sleeps_until_its_interrupt),
	TEST(an_error_of_the_bus_is_a_cause_in_ring_mode),
	{ 0 }
};
