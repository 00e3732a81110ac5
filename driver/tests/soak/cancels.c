// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ends the calls of a process that is told to end by SIGUSR1, also one that has begun, which no signal ends. */
#include "soak.h"

static volatile int *file;
static pthread_t caller;

/* By a thread of its own. What else the process waits in is interrupted. */
static void *cancels(void *argument)
{
	const sigset_t *set = argument;
	int number;

	while (!sigwait(set, &number)) {
		if (*file >= 0)
			ioctl(*file, LANESCOPE_IOC_CANCEL);
		pthread_kill(caller, SIGUSR2);
	}
	return NULL;
}

void cancel_when_told(volatile int *fd)
{
	static sigset_t set;
	pthread_t thread;

	file = fd;
	caller = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	CHECK(!pthread_create(&thread, NULL, cancels, &set));
}
