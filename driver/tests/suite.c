// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver's tests. Each prints "ok NAME" or "not ok NAME: why". With arguments, those whose name has one of them in it.
 */
#include "suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/time.h>

/* Seconds, of one test: many times what it takes on a busy machine. */
#define LONGEST 240

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
	ringmode_tests, ringwaits_tests, ringends_tests, domain_tests, domainfaults_tests, costs_tests, dmabuf_tests, window_tests,
	windowends_tests, windowfaults_tests, ends_tests, leaving_tests, power_tests, last_tests,
};

static const char *volatile running;
static volatile double began;

/* A test that waits for ever is a failure, with its name. What comes after it is not run: the card may be busy. */
static void *watches(void *unused)
{
	(void)unused;
	for (;;) {
		const char *name = running;

		if (name && now() - began > LONGEST) {
			printf("not ok %s: it does not end\n", name);
			_exit(1);
		}
		sleep(1);
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
