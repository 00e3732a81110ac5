// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ring mode: waits that end by themselves, poll(), and memory that is unpinned while the ring goes on. */
#include "lent.h"

#include <sys/epoll.h>
#include <sys/resource.h>

enum { PAGE = 4096, CARD = 1, MS = 1000000 };

static void lend(struct lent *in)
{
	allow_ring_mode(!has_iommu());
	take(in, CARD, 0, 1, 1, 0);
}

static void take_it_back(struct lent *in)
{
	give_back(in);
	allow_ring_mode(0);
	quick_trip(CARD, 0);
}

/* A frame for the read that waits. */
static void send_frame(struct lent *out, int name)
{
	struct lanescope_done done = { 0 };

	CHECK(lanescope_put(&out->queue, &out->memory, 0, 100, name, 0) == 1);
	lanescope_submit(&out->queue);
	done = next_done(out);
	CHECK(done.name == (uint64_t)name && !done.cause);
}

/* How often this thread has slept. */
static long sleeps(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_THREAD, &usage));
	return usage.ru_nvcsw;
}

static void a_wait_ends_at_its_deadline(void)
{
	struct lanescope_done done = { 0 };
	struct lent in, out;
	double begun;
	long slept;

	lend(&in);
	take(&out, CARD, 0, 0, 1, 0);
	CHECK(lanescope_put(&in.queue, &in.memory, 0, PAGE, 1, LANESCOPE_WAKES) == 1);
	lanescope_submit(&in.queue);
	begun = now();
	CHECK(lanescope_wait_for(&in.queue, 200 * MS) == -ETIMEDOUT);
	CHECK(now() - begun >= 0.2 && now() - begun < 0.9 * patience());
	/* One that has passed waits for nothing: the thread does not sleep. */
	slept = sleeps();
	CHECK(lanescope_wait_for(&in.queue, 0) == -ETIMEDOUT && sleeps() == slept);
	/* A signal before it. */
	after_ms(100);
	CHECK(lanescope_wait_for(&in.queue, 60000LL * MS) == -EINTR);
	after_ms(0);
	send_frame(&out, 2);
	CHECK(!lanescope_wait_for(&in.queue, 8000LL * MS));
	CHECK(lanescope_poll(&in.queue, &done) == 1 && done.bytes == 100);
	give_back(&out);
	take_it_back(&in);
}

static void poll_says_when_a_lent_channel_has_more(void)
{
	struct epoll_event event = { .events = EPOLLIN }, told = { 0 };
	int set = epoll_create1(0);
	struct lanescope_done done = { 0 };
	struct lent in, out;
	char path[128];

	lend(&in);
	take(&out, CARD, 0, 0, 1, 0);
	CHECK(set >= 0 && !epoll_ctl(set, EPOLL_CTL_ADD, in.queue.channel.fd, &event));
	for (int round = 0; round < 3; round++) {
		CHECK(lanescope_put(&in.queue, &in.memory, 0, PAGE, 1, LANESCOPE_WAKES) == 1);
		lanescope_submit(&in.queue);
		CHECK(!lanescope_arm(&in.queue));
		CHECK(epoll_wait(set, &told, 1, 100) == 0);
		send_frame(&out, round);
		CHECK(epoll_wait(set, &told, 1, 8000 * patience()) == 1 && told.events == EPOLLIN);
		CHECK(lanescope_poll(&in.queue, &done) == 1 && done.bytes == 100);
	}
	CHECK(!lanescope_arm(&in.queue));
	CHECK(epoll_wait(set, &told, 1, 100) == 0);
	card_path(path, CARD, "reset");
	CHECK(!write_file(path, "1"));
	CHECK(epoll_wait(set, &told, 1, 8000 * patience()) == 1 && told.events & EPOLLERR && told.events & EPOLLHUP);
	close(set);
	give_back(&out);
	take_it_back(&in);
}

static void memory_of_a_ring_is_unpinned_while_it_goes_on(void)
{
	struct lanescope_ring_unpin again;
	long pinned = pinned_pages();
	struct lanescope_memory more;
	struct lent in, out;

	lend(&in);
	take(&out, CARD, 0, 0, 1, 0);
	for (int round = 0; round < 3; round++) {
		CHECK(!lanescope_memory_add(&out.queue, &more, buffer_of(ROOM), ROOM));
		CHECK(pinned_pages() == pinned + 3 * ROOM / PAGE);
		trip(&out, &in, 0, 0, 5000, 3);
		again = (struct lanescope_ring_unpin){ .id = more.id };
		CHECK(!lanescope_memory_remove(&out.queue, &more));
		munmap(more.data, ROOM);
		CHECK(pinned_pages() == pinned + 2 * ROOM / PAGE);
		CHECK(ioctl(out.queue.channel.fd, LANESCOPE_IOC_RING_UNPIN, &again) == -1 && errno == ENOENT);
		/* Of another ring, too. */
		again.id = 1000;
		CHECK(ioctl(in.queue.channel.fd, LANESCOPE_IOC_RING_UNPIN, &again) == -1 && errno == ENOENT);
	}
	trip(&out, &in, 0, 0, 5000, 4);
	give_back(&out);
	take_it_back(&in);
	CHECK(pinned_pages() == pinned);
}

/*
 * While a descriptor waits: where nothing else keeps the card from the memory, it stays; where an IOMMU does, it goes, and the
 * card finds nothing there.
 */
static void memory_that_is_unpinned_is_not_reached(void)
{
	long pinned = pinned_pages();
	struct lanescope_memory more;
	struct lanescope_done done = { 0 };
	struct lent in, out;
	uint8_t *data;

	lend(&in);
	take(&out, CARD, 0, 0, 1, 0);
	data = buffer_of(PAGE);
	memset(data, 0x5a, PAGE);
	CHECK(!lanescope_memory_add(&in.queue, &more, data, PAGE));
	CHECK(lanescope_put(&in.queue, &more, 0, PAGE, 1, 0) == 1);
	lanescope_submit(&in.queue);
	if (!lanescope_queue_is_bounded(&in.queue)) {
		CHECK(lanescope_memory_remove(&in.queue, &more) == -EBUSY);
		CHECK(pinned_pages() == pinned + 2 * ROOM / PAGE + 1);
		send_frame(&out, 2);
		CHECK(next_done(&in).bytes == 100);
	}
	CHECK(!lanescope_memory_remove(&in.queue, &more));
	CHECK(pinned_pages() == pinned + 2 * ROOM / PAGE);
	memset(data, 0x5a, PAGE);
	if (lanescope_queue_is_bounded(&in.queue)) {
		CHECK(lanescope_put(&out.queue, &out.memory, 0, 100, 3, 0) == 1);
		lanescope_submit(&out.queue);
		done = next_done(&out);
		CHECK(done.name == 3);
		usleep(300000 * patience());
	}
	for (int i = 0; i < PAGE; i++)
		CHECK(data[i] == 0x5a);
	munmap(data, PAGE);
	give_back(&out);
	take_it_back(&in);
}

const struct test ringwaits_tests[] = {
	TEST(a_wait_ends_at_its_deadline),
	TEST(poll_says_when_a_lent_channel_has_more),
	TEST(memory_of_a_ring_is_unpinned_while_it_goes_on),
	TEST(memory_that_is_unpinned_is_not_reached),
	{ 0 }
};
