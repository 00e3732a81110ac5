// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * An engine that does not stop, and has lost the bus, while its card cannot be reset yet: what is killed or cancelled does not wait
 * for that, and leaves nothing pinned; what a signal ends does, and can be killed.
 */
#include "lent.h"

enum { CARD = 0, BYTES = 50000 };

static void no_action(int number)
{
	(void)number;
}

/* Whether it ends so soon, and how. */
static int ends_soon(pid_t child, int *status)
{
	double begun = now();

	for (; now() - begun < SOON_S * patience(); usleep(10000))
		if (waitpid(child, status, WNOHANG) == child)
			return 1;
	return 0;
}

/* A process that reads what never comes. */
static pid_t reader(void)
{
	struct sigaction action = { .sa_handler = no_action };
	pid_t child = fork();

	CHECK(child >= 0);
	if (child)
		return child;
	sigaction(SIGUSR1, &action, NULL);
	_exit(read(try_open(CARD, 0, 1), buffer(), BYTES) == -1 ? 0 : 1);
}

static void check_mended(const char *what, int ended, long pinned, long left)
{
	fault(CARD, 0, 0);
	usleep(1500000 * patience());
	quick_trip(CARD, 0);
	quick_trip(CARD, 1);
	if (!ended)
		fail("%s waits until the card is reset", what);
	if (left != pinned)
		fail("%s: %ld pages stay pinned until the card is reset", what, left - pinned);
}

static void a_killed_read_does_not_wait_for_a_reset(void)
{
	for (int signalled = 0; signalled < 2; signalled++) {
		long pinned = pinned_pages(), left;
		pid_t child = reader(), holder;
		int ended, status;

		usleep(300000 * patience());
		holder = hold(CARD, "held");
		fault(CARD, NEVER_IDLE, 1);
		/* The engine has not stopped by then, and the call waits for the reset. */
		if (signalled) {
			CHECK(!kill(child, SIGUSR1));
			usleep(2000000 * patience());
			CHECK(!waitpid(child, &status, WNOHANG));
		}
		CHECK(!kill(child, SIGKILL));
		ended = ends_soon(child, &status);
		left = pinned_pages();
		let_go(holder);
		if (!ended)
			waitpid(child, &status, 0);
		check_mended(signalled ? "a read that a signal had ended, and was killed," : "a killed read", ended, pinned, left);
	}
}

static void a_cancelled_read_of_libaio_does_not_wait_for_a_reset(void)
{
	long pinned = pinned_pages(), left;
	int c2h = channel(CARD, 0, 1);
	aio_context_t context = aio_open();
	struct iocb iocb, *ended = NULL;
	uint8_t *to = buffer();
	pid_t holder;
	ssize_t got;

	aio_put(context, &iocb, c2h, IOCB_CMD_PREAD, to, BYTES);
	holder = hold(CARD, "held");
	fault(CARD, NEVER_IDLE, 1);
	aio_cancel(context, &iocb);
	got = aio_get_within(context, &ended, SOON_S * 1000 * patience());
	left = pinned_pages();
	let_go(holder);
	aio_close(context);
	close(c2h);
	munmap(to, MOST);
	check_mended("a cancelled read of libaio", got == -ECANCELED, pinned, left);
}

/* The file of a ring is closed by the end of its process. */
static void a_process_killed_in_ring_mode_does_not_wait_for_a_reset(void)
{
	long pinned = pinned_pages(), left;
	pid_t child, holder;
	uint8_t byte = 0;
	int ends[2], ended, status;

	allow_ring_mode(!has_iommu());
	CHECK(!pipe(ends));
	child = fork();
	if (!child) {
		struct lent in;

		take(&in, CARD, 1, 1, 1, 0);
		CHECK(write(ends[1], &byte, 1) == 1);
		for (;;)
			pause();
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	holder = hold(CARD, "reset");
	CHECK(!kill(child, SIGKILL));
	ended = ends_soon(child, &status);
	left = pinned_pages();
	let_go(holder);
	if (!ended)
		waitpid(child, &status, 0);
	close(ends[0]);
	close(ends[1]);
	allow_ring_mode(0);
	check_mended("a process in ring mode", ended, pinned, left);
}

/* The system waits for the end of that reset; who uses the card does not. */
static void a_card_that_vanishes_in_a_reset_holds_no_call(void)
{
	int c2h = channel(CARD, 0, 1), ended, polled, status = -1;
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	pid_t child, holder = hold(CARD, "reset");
	char path[128], byte;

	fault(CARD, GONE, 1);
	child = fork();
	if (!child)
		_exit(read(c2h, &byte, 1) == -1 && errno == ENODEV ? 0 : 1);
	ended = ends_soon(child, &status);
	polled = poll(&pollfd, 1, 0);
	if (!ended)
		CHECK(!kill(child, SIGKILL) && waitpid(child, NULL, 0) == child);
	fault(CARD, 0, 0);
	let_go(holder);
	close(c2h);
	card_path(path, CARD, "remove");
	CHECK(!write_file(path, "1"));
	CHECK(!write_file("/sys/bus/pci/rescan", "1"));
	usleep(500000 * patience());
	quick_trip(CARD, 0);
	quick_trip(CARD, 1);
	if (!ended)
		fail("a read waits for a card that has gone in a reset");
	CHECK(!status && polled == 1 && pollfd.revents & POLLHUP);
}

const struct test resetwaits_tests[] = {
	TEST(a_killed_read_does_not_wait_for_a_reset),
	TEST(a_cancelled_read_of_libaio_does_not_wait_for_a_reset),
	TEST(a_process_killed_in_ring_mode_does_not_wait_for_a_reset),
	TEST(a_card_that_vanishes_in_a_reset_holds_no_call),
	{ 0 }
};
