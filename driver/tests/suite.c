// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The driver's tests. Each prints "ok NAME" or "not ok NAME: why". With arguments, those whose name has one of them in it.
 */
#include "suite.h"

#include <setjmp.h>
#include <stdarg.h>

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
	bytes_tests, uring_tests, buffer_tests, frames_tests, framereads_tests, sysfs_tests, settings_tests, errors_tests,
	ringmode_tests, ringends_tests, domain_tests, domainfaults_tests, costs_tests, dmabuf_tests, window_tests,
	windowends_tests, windowfaults_tests, ends_tests, power_tests, last_tests,
};

static void run(const struct test *test)
{
	volatile double begun = now();

	if (!setjmp(failed)) {
		test->run();
		printf("ok %s (%.1f s)\n", test->name, now() - begun);
	} else {
		printf("not ok %s: %s\n", test->name, why);
	}
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
	for (size_t i = 0; i < COUNT(subjects); i++) {
		for (const struct test *test = subjects[i]; test->name; test++) {
			if (is_wanted(test, argv + (argc > 0)))
				run(test);
		}
	}
	printf("%.1f s in all\nall tests run\n", now() - begun);
	return 0;
}
