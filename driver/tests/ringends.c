// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How ring mode ends: by its process, and by what befalls the card. Behind an IOMMU the process is bounded, else not.
 */
#include "lent.h"

static void a_process_killed_in_ring_mode_leaves_nothing_behind(void)
{
	long pinned = pinned_pages();
	uint8_t byte = 0;
	int status, ends[2];
	pid_t child;

	allow_ring_mode(!has_iommu());
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
	allow_ring_mode(0);
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

static void reset_link(void)
{
	CHECK(!strike(1, "frozen"));
}

/* What the process has mapped stays, and its doorbell rings no more. */
static void ring_mode_ends_when_the_card_is_taken_from_it(void)
{
	static const struct {
		void (*strike)(void);
		int error, bind;
	} ends[] = { { reset_card, -EIO, 0 }, { stop_engine, -EIO, 0 }, { suspend_and_resume, -EIO, 0 },
		     { reset_link, -EIO, 0 }, { leave, -ENODEV, 1 } };
	long pinned = pinned_pages();

	allow_ring_mode(!has_iommu());
	for (size_t i = 0; i < COUNT(ends); i++) {
		struct lanescope_done done = { 0 };
		uint32_t doorbells;
		struct lent in;
		double begun;
		int found;

		/* Behind an IOMMU there is no other channel by which the driver could find that (domain.c). */
		if (ends[i].strike == stop_engine && has_iommu())
			continue;
		take(&in, 1, 0, 1, 1, 0);
		CHECK(lanescope_queue_is_bounded(&in.queue) == has_iommu());
		CHECK(lanescope_put(&in.queue, &in.memory, 0, 4096, 1, 0) == 1);
		lanescope_submit(&in.queue);
		CHECK(lanescope_poll(&in.queue, &done) == 0);
		ends[i].strike();
		/* An engine that still could has told of what it gave up. */
		begun = now();
		while ((found = lanescope_poll(&in.queue, &done)) >= 0)
			CHECK(now() - begun < SOON_S * patience() && (!found || done.cause == LANESCOPE_CAUSE_ABORT));
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
	allow_ring_mode(0);
}

/*
 * The engine has nothing of the other channels, and its IOMMU keeps it from their records as long as the process has the card: who
 * resets or leaves that does not wait for them.
 */
static void other_channels_of_a_card_that_a_process_has_are_not_waited_for(void)
{
	static void (*const strikes[])(void) = { reset_card, reset_link, leave };
	static const char said[] = "the engine does not stop";
	int before = log_count(said), times;

	if (!has_iommu())
		return;
	for (size_t i = 0; i < COUNT(strikes); i++) {
		struct lent in;

		take(&in, 1, 1, 1, 1, 0);
		CHECK(lanescope_queue_is_bounded(&in.queue));
		strikes[i]();
		give_back(&in);
	}
	times = log_count(said) - before;
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	quick_trip(1, 0);
	quick_trip(1, 1);
	if (times)
		fail("%d times a channel was waited for", times);
}

/* The process can write to the word that says why its ring has ended; the driver believes its own. */
static void what_a_process_writes_of_its_ring_is_told_by_no_call(void)
{
	struct lanescope_ring_wait wait = { .deadline = LANESCOPE_FOR_EVER };
	struct lent in;
	int told, error;

	allow_ring_mode(!has_iommu());
	take(&in, 1, 1, 1, 1, 0);
	*(volatile uint32_t *)(void *)(in.queue.mapping + in.queue.ring.state) = 1234;
	after_ms(300 * patience());
	told = ioctl(in.queue.channel.fd, LANESCOPE_IOC_RING_WAIT, &wait);
	error = errno;
	after_ms(0);
	give_back(&in);
	allow_ring_mode(0);
	if (told != -1 || error != EINTR)
		fail("to wait for a record came to %d (errno %d)", told, error);
	quick_trip(1, 1);
}

const struct test ringends_tests[] = {
	TEST(what_a_process_writes_of_its_ring_is_told_by_no_call),
	TEST(a_process_killed_in_ring_mode_leaves_nothing_behind),
	TEST(ring_mode_ends_when_the_card_is_taken_from_it),
	TEST(other_channels_of_a_card_that_a_process_has_are_not_waited_for),
	{ 0 }
};
