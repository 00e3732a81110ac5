// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Errors of the bus, of the engine, and of who calls: the right errno in time, and the next transfer works. */
#include "suite.h"

#include <sys/syscall.h>

static const struct failure {
	int kind, to_host, expected;
	uint32_t cause;
} failures[] = {
	{ UR, 0, EREMOTEIO, LANESCOPE_CAUSE_UR },
	{ CA, 0, ECONNABORTED, LANESCOPE_CAUSE_CA },
	{ POISONED, 0, EBADMSG, LANESCOPE_CAUSE_POISON },
	{ NO_DESCRIPTORS, 0, EIO, LANESCOPE_CAUSE_FETCH },
	{ NO_DESCRIPTORS, 1, EIO, LANESCOPE_CAUSE_FETCH },
	{ BAD_DESCRIPTOR, 0, EINVAL, LANESCOPE_CAUSE_LENGTH },
	{ BAD_DESCRIPTOR, 1, EINVAL, LANESCOPE_CAUSE_LENGTH },
	{ NO_ANSWER, 0, ETIMEDOUT, LANESCOPE_CAUSE_TIMEOUT },
};

static void errors_of_the_bus_have_their_errno_and_the_next_transfer_works(void)
{
	uint8_t *data = buffer();

	for (const struct failure *f = failures; f < failures + COUNT(failures); f++) {
		int fd = channel(0, 0, f->to_host);
		double begun = now();
		ssize_t done;

		fault(0, f->kind, 1);
		errno = 0;
		done = f->to_host ? read(fd, data, 3000) : write(fd, data, 3000);
		if (done != -1 || errno != f->expected)
			fail("fault %d: %zd, errno %d in place of %d", f->kind, done, errno, f->expected);
		CHECK(now() - begun < 10 * patience());
		CHECK(info_of(fd).last_cause == f->cause);
		close(fd);
		drain(0, 0);
		quick_trip(0, 0);
	}
	munmap(data, MOST);
}

static void a_lost_interrupt_costs_a_second_and_no_transfer(void)
{
	double begun = now();

	fault(0, LOST_INTERRUPT, 2);
	quick_trip(0, 0);
	CHECK(now() - begun < 4 * patience());
	CHECK(counter(0, FAULT) >> 8 == 0);
	fault(0, 0, 0);
}

/* The signal would end the read; the engine does not let it, and is reset. */
static void a_channel_that_does_not_stop_is_reset_in_two_seconds(void)
{
	int c2h = channel(0, 0, 1);
	uint8_t *data = buffer();
	double begun = now();

	fault(0, NEVER_IDLE, 1);
	after_ms(200);
	errno = 0;
	CHECK(read(c2h, data, 50000) == -1 && errno == EIO);
	after_ms(0);
	CHECK(now() - begun < 4 * patience());
	close(c2h);
	munmap(data, MOST);
	quick_trip(0, 0);
	quick_trip(0, 1);
}

#define STALL "/sys/module/lanescope/parameters/stall_seconds"

static void a_transfer_that_waits_for_too_long_fails_where_that_was_asked_for(void)
{
	int c2h = channel(0, 0, 1);
	uint8_t *data = buffer();
	double begun = now();

	CHECK(!write_file(STALL, "2"));
	errno = 0;
	CHECK(read(c2h, data, 50000) == -1 && errno == ETIMEDOUT);
	CHECK(now() - begun > 1 && now() - begun < 6 * patience());
	CHECK(!write_file(STALL, "0"));
	close(c2h);
	munmap(data, MOST);
	quick_trip(0, 0);
}

static volatile int keeps_on;

/* Another channel, for which the card is looked at whatever this one has. */
static void *keeps_busy(void *unused)
{
	int c2h = channel(0, 1, 1);
	uint8_t *data = buffer();

	(void)unused;
	while (keeps_on)
		(void)!read(c2h, data, 50000);
	close(c2h);
	munmap(data, MOST);
	return NULL;
}

static void a_transfer_fails_no_sooner_beside_others_that_wait(void)
{
	int c2h = channel(0, 0, 1);
	uint8_t *data = buffer();
	double soonest = 60;
	pthread_t thread;

	CHECK(!write_file(STALL, "1"));
	keeps_on = 1;
	CHECK(!pthread_create(&thread, NULL, keeps_busy, NULL));
	for (int i = 0; i < 4; i++) {
		double begun;

		usleep(300000);
		begun = now();
		CHECK(read(c2h, data, 50000) == -1 && errno == ETIMEDOUT);
		soonest = now() - begun < soonest ? now() - begun : soonest;
	}
	keeps_on = 0;
	pthread_join(thread, NULL);
	CHECK(!write_file(STALL, "0"));
	close(c2h);
	munmap(data, MOST);
	quick_trip(0, 0);
	quick_trip(0, 1);
	if (soonest < 0.95)
		fail("a read has failed after %.2f s", soonest);
}

static void a_wrong_direction_is_refused(void)
{
	CHECK(open("/dev/lanescope0/h2c0", O_RDONLY) == -1 && errno == EACCES);
	CHECK(open("/dev/lanescope0/c2h0", O_WRONLY) == -1 && errno == EACCES);
}

static void a_bad_address_is_refused(void)
{
	int h2c = channel(0, 0, 0);

	CHECK(syscall(__NR_write, h2c, 8UL, 4096UL) == -1 && errno == EFAULT);
	fcntl(h2c, F_SETFL, O_NONBLOCK);
	CHECK(syscall(__NR_write, h2c, 8UL, 4096UL) == -1 && errno == EFAULT);
	close(h2c);
	quick_trip(0, 0);
}

const struct test errors_tests[] = {
	TEST(errors_of_the_bus_have_their_errno_and_the_next_transfer_works),
	TEST(a_lost_interrupt_costs_a_second_and_no_transfer),
	TEST(a_channel_that_does_not_stop_is_reset_in_two_seconds),
	TEST(a_transfer_that_waits_for_too_long_fails_where_that_was_asked_for),
	TEST(a_transfer_fails_no_sooner_beside_others_that_wait),
	TEST(a_wrong_direction_is_refused),
	TEST(a_bad_address_is_refused),
	{ 0 }
};
