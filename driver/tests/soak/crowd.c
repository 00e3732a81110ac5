// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A crowd: 20 processes that use all channels of both cards without regard for each other, are stopped and killed, and leave things
 * undone, while the cards are struck. Nobody knows what a call comes to. What has to hold:
 * - no process sleeps for more than 10 s so that nothing wakes it (state D);
 * - memory that a call has given back is not written to: each such piece is filled, and looked at later;
 * - a process that has nothing under way has nothing pinned (VmPin), and no page of anybody is at the end.
 */
#include "strikes.h"

#include "crowd.h"

#include <dirent.h>
#include <sys/time.h>

#define MEMBERS 20
#define ASLEEP_S 10
#define KILLED_AT_ONCE 3
#define SEEN 64
/* Between two looks at all processes, which take long. */
#define LOOK_S 3
/* After the last process has gone: until what it had under way has ended. */
#define END_S 20

static void on_alarm(int number)
{
	(void)number;
}

/* Signals again and again, so that what waits is woken now and then. */
static void be_woken(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = random_below(2) ? SA_RESTART : 0 };
	long us = 5000 + random_below(200000);
	struct itimerval timer = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* A process of the crowd: until it is killed, or enough has been done. */
static void member(unsigned int seed)
{
	seed_random(seed);
	be_woken();
	crowd_begins();
	while (!shared->stop) {
		crowd_acts();
		__atomic_add_fetch(&shared->trips, 1, __ATOMIC_SEQ_CST);
	}
	crowd_ends();
	exit(0);
}

/* ---- who sleeps ------------------------------------------------------------------------------------------------- */

static struct sleeper {
	int pid;
	unsigned long long ticks;	/* of its CPU time: one that has run since does not sleep */
	double since;
} sleepers[SEEN];

/* State of a process, and the time that it has run. */
static char state_of(int pid, unsigned long long *ticks)
{
	unsigned long long user = 0, system = 0;
	char path[64], text[512] = "", state = 0, *end;
	int fd;

	sprintf(path, "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	end = strrchr(text, ')');
	if (end)
		sscanf(end + 2, "%c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &state, &user, &system);
	*ticks = user + system;
	return state;
}

static void look_at(int pid)
{
	struct sleeper *place = NULL;
	unsigned long long ticks;
	char state = state_of(pid, &ticks);

	for (int i = 0; i < SEEN; i++) {
		if (sleepers[i].pid == pid)
			place = &sleepers[i];
		else if (!place && !sleepers[i].pid)
			place = &sleepers[i];
	}
	if (!place)
		return;
	if (state != 'D') {
		if (place->pid == pid)
			place->pid = 0;
		return;
	}
	if (place->pid != pid || place->ticks != ticks)
		*place = (struct sleeper){ pid, ticks, now() };
	if (now() - place->since < ASLEEP_S * patience())
		return;
	wrong("process %d sleeps for %d s, and nothing wakes it", pid, ASLEEP_S);
	show_stack(pid);
	place->since = now() + 1000;
}

static void look_for_sleepers(void)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	for (int i = 0; i < SEEN; i++) {
		unsigned long long ticks;

		if (sleepers[i].pid && state_of(sleepers[i].pid, &ticks) != 'D')
			sleepers[i].pid = 0;
	}
	while ((entry = readdir(folder)))
		if (atoi(entry->d_name) > 1)
			look_at(atoi(entry->d_name));
	closedir(folder);
}

/* ---- the cards ---------------------------------------------------------------------------------------------------- */

static void strike_card(int card)
{
	static const int faults[] = { STOPS, NEVER_IDLE, NO_ANSWER, UR, LOST_INTERRUPT, NO_DESCRIPTORS, BAD_DESCRIPTOR };
	static const struct kind kind = { .name = "crowd" }, gone = { .name = "crowd", .fault = GONE };
	unsigned int drawn = random_below(16);

	if (drawn < COUNT(faults)) {
		/* A card that does not answer at all is silent until the fault is over. */
		fault(card, faults[drawn], faults[drawn] == NO_ANSWER ? 255 : 1);
		usleep(random_below(1500000));
		fault(card, 0, 0);
	} else if (drawn < 9) {
		strike_reset(card, &kind);
	} else if (drawn < 11) {
		strike_unbind(card, &kind);
		mend_unbind(card, &kind);
	} else if (drawn == 11) {
		strike_link(card, &kind);
	} else if (drawn == 12) {
		strike_gone_unbind(card, &gone);
		mend_gone(card, &gone);
	} else if (drawn == 13) {
		strike_link_lightly(card, &kind);
	} else if (drawn == 14) {
		strike_a_probe(card, &kind);
	} else if (!write_file("/sys/module/suspend/parameters/pm_test_delay", "1") &&
		   !write_file("/sys/power/pm_test", "platform")) {
		/* (Without the test of it, nobody would wake the system.) One that cannot be stopped in time refuses it. */
		(void)write_file("/sys/power/state", "freeze");
	} else {
		wrong("no test of a suspend: errno %d", errno);
	}
	__atomic_add_fetch(&shared->struck, 1, __ATOMIC_SEQ_CST);
}

static void striker(int card, unsigned int seed)
{
	seed_random(seed);
	crowd_is_refused(false);
	while (!shared->stop) {
		usleep(random_below(600000));
		strike_card(card);
	}
	exit(0);
}

/* ---- the crowd ---------------------------------------------------------------------------------------------------- */

static pid_t begin_member(unsigned int seed)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid)
		member(seed);
	return pid;
}

static void end_process(pid_t pid, const char *what)
{
	double begun = now();
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (now() - begun > END_S * patience()) {
			wrong("%s (%d) is there %d s after it was killed", what, pid, END_S);
			show_stack(pid);
			return;
		}
		usleep(10000);
	}
}

/* Some of them at once. One that has gone, for whatever reason, is replaced. */
static void kill_some(pid_t *members, unsigned int first, unsigned int *seed)
{
	unsigned int count = 1 + random_below(KILLED_AT_ONCE);

	for (unsigned int i = 0; i < count; i++)
		kill(members[(first + i) % MEMBERS], SIGKILL);
	for (unsigned int i = 0; i < count; i++) {
		pid_t *pid = &members[(first + i) % MEMBERS];

		end_process(*pid, "a process");
		*pid = begin_member(++*seed);
	}
}

/* Stops, continues and kills. */
static void disturb(pid_t *members, unsigned int *seed)
{
	unsigned int which = random_below(MEMBERS);
	pid_t pid = members[which];

	switch (random_below(4)) {
	case 0:
		kill(pid, SIGSTOP);
		usleep(random_below(300000));
		kill(pid, SIGCONT);
		break;
	case 1:
		kill(pid, SIGUSR1);
		break;
	default:
		kill_some(members, which, seed);
		break;
	}
}

static void check_pins(long before)
{
	double begun = now();

	while (pinned_pages() != before && now() - begun < END_S * patience())
		usleep(100000);
	if (pinned_pages() != before)
		wrong("%ld pages stay pinned", pinned_pages() - before);
}

void soak_crowd(unsigned int seed, unsigned int wanted)
{
	pid_t members[MEMBERS], strikers[CARDS];
	double begun = now(), looked = begun, said = begun;
	long pinned = pinned_pages();
	unsigned int next = seed * 4096;

	seed_random(seed);
	signal(SIGUSR1, SIG_IGN);
	allow_ring_mode(!has_iommu());
	prepare_a_crowd();
	for (int i = 0; i < MEMBERS; i++)
		members[i] = begin_member(++next);
	for (int card = 0; card < CARDS; card++) {
		strikers[card] = fork();
		if (!strikers[card])
			striker(card, seed * 64 + card);
	}
	while (!shared->stop && shared->trips < wanted) {
		usleep(random_below(100000));
		disturb(members, &next);
		if (now() - looked > LOOK_S) {
			looked = now();
			look_for_sleepers();
		}
		if (now() - said > 20) {
			said = now();
			printf("%.0f s: %u of %u operations, %u strikes, %u wrong\n", now() - begun, shared->trips, wanted,
			       shared->struck, shared->wrong);
		}
	}
	shared->stop = true;
	/* A card comes back before those who wait for it go. */
	for (int card = 0; card < CARDS; card++)
		end_process(strikers[card], "who strikes a card");
	for (int i = 0; i < MEMBERS; i++) {
		kill(members[i], SIGKILL);
		end_process(members[i], "a process");
	}
	end_refusals();
	check_pins(pinned);
	allow_ring_mode(0);
	printf("crowd: %u operations of %d processes, %u strikes and %u refusals in %.0f s; %u pieces of memory looked at, %u wrong\n",
	       shared->trips, MEMBERS, shared->struck, shared->refused, now() - begun, shared->changes, shared->wrong);
	if (!shared->wrong)
		printf("ok the_crowd\n");
}
