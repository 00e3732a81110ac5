// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Suspend and resume by the system's own test of them (all steps up to the one that would stop the machine), and errors of
 * the link, whose handlers a module calls (module/ls_aer.c).
 */
#include "suite.h"

void suspend_and_resume(void)
{
	CHECK(!write_file("/sys/module/suspend/parameters/pm_test_delay", "1"));
	CHECK(!write_file("/sys/power/pm_test", "platform"));
	CHECK(!write_file("/sys/power/state", "freeze"));
	CHECK(!write_file("/sys/power/pm_test", "none"));
}

static void a_read_that_waits_outlives_a_suspend(void)
{
	int h2c = channel(0, 0, 0), status;
	uint8_t *from = buffer(), *to = buffer();
	pid_t child;

	fill(from, 20000, 3);
	child = fork();
	if (!child) {
		int c2h = try_open(0, 0, 1);

		_exit(read(c2h, to, 20000) != 20000 || memcmp(from, to, 20000));
	}
	usleep(200000 * patience());
	suspend_and_resume();
	CHECK(write(h2c, from, 20000) == 20000);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	close(h2c);
	munmap(from, MOST);
	munmap(to, MOST);
	for (int card = 0; card < CARDS; card++)
		for (int i = 0; i < CHANNELS; i++)
			quick_trip(card, i);
}

static void a_write_that_is_cut_by_a_suspend_is_short(void)
{
	int h2c = channel(0, 1, 0);
	uint8_t *from = buffer();
	struct frame frame;
	ssize_t done;

	begin(&frame, h2c, from, 500000);
	usleep(200000 * patience());
	suspend_and_resume();
	done = end(&frame);
	CHECK(done > 0 && done < 500000);
	close(h2c);
	munmap(from, MOST);
	drain(0, 1);
	quick_trip(0, 1);
}

int strike(int card, const char *what)
{
	char text[64];

	sprintf(text, "%s %s", slots[card], what);
	return write_file("/sys/module/ls_aer/parameters/strike", text);
}

pid_t hold(int card, const char *how)
{
	pid_t holder = fork();

	CHECK(holder >= 0);
	if (!holder)
		_exit(strike(card, how) ? 1 : 0);
	usleep(200000 * patience());
	return holder;
}

void let_go(pid_t holder)
{
	int status;

	/* One that could not begin has ended by itself. */
	CHECK(!kill(holder, SIGKILL) && waitpid(holder, &status, 0) == holder && WIFSIGNALED(status));
}

struct reader {
	int fd;
	uint8_t *to;
	ssize_t got;
	int error;
	pthread_t thread;
};

static void *read_frame(void *argument)
{
	struct reader *reader = argument;

	reader->got = read(reader->fd, reader->to, 10000);
	reader->error = errno;
	return NULL;
}

static void begin_read(struct reader *reader, int card)
{
	*reader = (struct reader){ .fd = channel(card, 0, 1), .to = buffer() };
	CHECK(!pthread_create(&reader->thread, NULL, read_frame, reader));
	usleep(200000 * patience());
}

static void end_read(struct reader *reader)
{
	pthread_join(reader->thread, NULL);
	close(reader->fd);
	munmap(reader->to, MOST);
}

static void an_error_of_the_link_that_is_not_fatal_ends_nothing(void)
{
	int h2c = channel(1, 0, 0);
	uint8_t *from = buffer();
	struct reader reader;

	begin_read(&reader, 1);
	CHECK(!strike(1, "normal"));
	CHECK(write(h2c, from, 10000) == 10000);
	end_read(&reader);
	CHECK(reader.got == 10000);
	close(h2c);
	munmap(from, MOST);
}

static void *strike_frozen(void *result)
{
	*(int *)result = strike(1, "frozen");
	return NULL;
}

/* What is under way ends; what comes while the link is reset waits for it. */
static void a_link_that_is_reset_ends_what_is_in_flight(void)
{
	struct reader reader;
	pthread_t thread;
	int result = 1;

	begin_read(&reader, 1);
	CHECK(!pthread_create(&thread, NULL, strike_frozen, &result));
	end_read(&reader);
	CHECK(reader.got == -1 && reader.error == EIO);
	quick_trip(1, 0);
	pthread_join(thread, NULL);
	CHECK(result == 0);
	quick_trip(1, 0);
	quick_trip(1, 1);
}

static void a_link_that_is_lost_is_a_card_that_has_gone(void)
{
	struct reader reader;

	begin_read(&reader, 1);
	CHECK(!strike(1, "fatal"));
	end_read(&reader);
	CHECK(reader.got == -1 && reader.error == ENODEV);
	CHECK(try_open(1, 0, 0) == -1 && errno == ENODEV);
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]));
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	quick_trip(1, 0);
}

/* The system begins to handle an error, and comes to no end: calls that wait for that are told, and the card is given up. */
static void a_link_that_is_not_recovered_holds_calls_for_a_while_only(void)
{
	static const char limit[] = "/sys/module/lanescope/parameters/recovery_seconds";
	struct reader reader;
	double begun;

	CHECK(!write_file(limit, "2"));
	begin_read(&reader, 1);
	CHECK(!strike(1, "lost"));
	end_read(&reader);
	CHECK(reader.got == -1 && reader.error == EIO);
	begun = now();
	begin_read(&reader, 1);
	end_read(&reader);
	CHECK(now() - begun < 8 * patience());
	CHECK(reader.got == -1 && reader.error == EIO);
	CHECK(log_has("the system has not recovered its link in 2 s: given up"));
	CHECK(try_open(1, 0, 0) == -1 && errno == ENODEV);
	CHECK(!write_file(limit, "60"));
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]));
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	quick_trip(1, 0);
}

static void an_engine_that_does_not_stop_is_reset_after_a_suspend(void)
{
	long pinned = pinned_pages();
	struct reader reader;

	begin_read(&reader, 1);
	fault(1, NEVER_IDLE, 1);
	suspend_and_resume();
	fault(1, 0, 0);
	end_read(&reader);
	CHECK(reader.got == -1 && reader.error == EIO);
	quick_trip(1, 0);
	quick_trip(1, 1);
	CHECK(pinned_pages() == pinned);
}

const struct test power_tests[] = {
	TEST(a_read_that_waits_outlives_a_suspend),
	TEST(a_write_that_is_cut_by_a_suspend_is_short),
	TEST(an_engine_that_does_not_stop_is_reset_after_a_suspend),
	TEST(an_error_of_the_link_that_is_not_fatal_ends_nothing),
	TEST(a_link_that_is_reset_ends_what_is_in_flight),
	TEST(a_link_that_is_lost_is_a_card_that_has_gone),
	TEST(a_link_that_is_not_recovered_holds_calls_for_a_while_only),
	{ 0 }
};
