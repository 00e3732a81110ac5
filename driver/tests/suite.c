// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver's tests. Each prints "ok NAME" or "not ok NAME: why". With arguments, those whose name has one of them in it.
 */
#include "suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/time.h>

/* Seconds in which nothing comes of a test and of no card: it waits for ever. */
#define QUIET_S 240
/* How often one that goes on for long says so: who waits for the guest hears that it lives. */
#define SAY_S 60
/* A look at the cards, and how many are remembered. */
#define LOOK_MS 100
#define LOOKS 16

static jmp_buf failed;
static char why[256];
static pthread_t main_thread;
static pid_t main_process;

void fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why, sizeof(why), format, list);
	va_end(list);
	if (getpid() == main_process && pthread_equal(pthread_self(), main_thread))
		longjmp(failed, 1);
	printf("not ok in a thread or process: %s\n", why);
	exit(1);
}

/* In their order: what ends cards comes last. */
static const struct test *const subjects[] = {
	library_tests, interface_tests, watch_tests, bytes_tests, uring_tests, aio_tests, buffer_tests, cancel_tests, frames_tests, framereads_tests, whole_tests, sysfs_tests, settings_tests, errors_tests, limits_tests,
	ringmode_tests, ringwaits_tests, resetwaits_tests, ringends_tests, domain_tests, domainfaults_tests, costs_tests, dmabuf_tests, window_tests,
	windowends_tests, windowfaults_tests, ends_tests, leaving_tests, power_tests, last_tests,
};

static const char *volatile running;
static volatile double began;

/* All that the cards have been told to do, and have told. A card that has gone says nothing new. */
static uint32_t done_by_cards(void)
{
	static const int counters[] = { DOORBELLS, MESSAGES };
	uint32_t done = 0;

	for (int card = 0; card < CARDS; card++) {
		char path[128];
		int fd;

		card_path(path, card, "config");
		fd = open(path, O_RDONLY | O_CLOEXEC);
		for (size_t i = 0; i < COUNT(counters); i++) {
			uint32_t value = 0;

			(void)!pread(fd, &value, sizeof(value), counters[i]);
			done += value;
		}
		close(fd);
	}
	return done;
}

/* How much longer a sleep and a look at both cards take than the sleep alone would: that is how slow this machine is now. */
static uint32_t look(void)
{
	static double slow[LOOKS];
	static unsigned int looks;
	double begun = now(), most = 1;
	uint32_t done;

	usleep(LOOK_MS * 1000);
	done = done_by_cards();
	slow[looks++ % LOOKS] = (now() - begun) / (LOOK_MS * 1e-3);
	for (int i = 0; i < LOOKS; i++)
		most = slow[i] > most ? slow[i] : most;
	slowness = most;
	return done;
}

/*
 * A test that waits for ever is a failure, with its name, and so is one after which the cards have nothing to do for as long; however
 * long the others take. What comes after it is not run: the card may be busy.
 */
static void *watches(void *unused)
{
	uint32_t done = 0;
	double moved = 0, said = 0, of = 0;

	(void)unused;
	for (;;) {
		uint32_t before = done;
		const char *name = running;

		done = look();
		if (done != before || of != began)
			moved = now();
		if (of != began)
			said = of = began;
		if (name && now() - moved > QUIET_S) {
			printf("not ok %s: it does not end, and nothing moves\n", name);
			_exit(1);
		}
		if (name && now() - said > SAY_S) {
			said = now();
			printf("%s goes on, after %.0f s\n", name, said - began);
		}
	}
}

/* Signals are for the tests. */
static void watch(void)
{
	pthread_t thread;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, watches, NULL))
		puts("not ok: no thread that watches the tests");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run(const struct test *test)
{
	static const struct itimerval none;

	began = now();
	running = test->name;
	if (!setjmp(failed)) {
		test->run();
		printf("ok %s (%.1f s)\n", test->name, now() - began);
	} else {
		printf("not ok %s: %s\n", test->name, why);
	}
	/* One that failed may have left it running. */
	setitimer(ITIMER_REAL, &none, NULL);
	running = NULL;
}

static int is_wanted(const struct test *test, char **words)
{
	for (char **word = words; *word; word++)
		if (strstr(test->name, *word))
			return 1;
	return !*words;
}

int main(int argc, char **argv)
{
	double begun = now();

	main_thread = pthread_self();
	main_process = getpid();
	setvbuf(stdout, NULL, _IOLBF, 0);
	watch();
	for (size_t i = 0; i < COUNT(subjects); i++) {
		for (const struct test *test = subjects[i]; test->name; test++) {
			if (is_wanted(test, argv + (argc > 0)))
				run(test);
		}
	}
	printf("%.1f s in all\nall tests run\n", now() - begun);
	return 0;
}
