// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What the kernel refuses: memory, pages, copies from and to programs, mappings for the card. */
#include "strikes.h"

#include "crowd.h"

#define DEBUG "/sys/kernel/debug/"
#define MAPPINGS "/sys/module/ls_fault/parameters/"

void prepare_faults(void)
{
	static const char *const folders[] = { DEBUG "failslab/", DEBUG "fail_page_alloc/", DEBUG "fail_usercopy/" };

	if (!any_of_the_kernel())
		return;
	for (size_t i = 0; i < COUNT(folders); i++) {
		write_to(folders[i], "probability", "0");
		write_to(folders[i], "verbose", "0");
		write_to(folders[i], "task-filter", "Y");
		if (i < 2)
			write_to(folders[i], "ignore-gfp-wait", "N");
	}
	write_to(DEBUG "fail_page_alloc/", "min-order", "0");
}

static long times_left(const struct kind *kind)
{
	char path[128];

	sprintf(path, DEBUG "%s/times", kind->task);
	return read_number(path);
}

/* In one of so many percent of the calls, up to @most. */
static void arm(const struct kind *kind, unsigned int most)
{
	char folder[128], text[16];

	sprintf(folder, DEBUG "%s/", kind->task);
	write_to(folder, "times", "1");
	sprintf(text, "%u", 1 + random_below(most));
	write_to(folder, "probability", text);
}

void disarm(int card, const struct kind *kind)
{
	char folder[128];

	(void)card;
	sprintf(folder, DEBUG "%s/", kind->task);
	write_to(folder, "probability", "0");
}

bool strike_task(int card, const struct kind *kind)
{
	double begun = now();

	(void)card;
	arm(kind, 30);
	while (times_left(kind)) {
		if (now() - begun > STRIKE_SECONDS * patience())
			return false;
		usleep(2000);
	}
	return true;
}

bool strike_mapping(int card, const struct kind *kind)
{
	long before = read_number(MAPPINGS "struck");
	double begun = now();

	(void)card;
	(void)kind;
	write_to(MAPPINGS, "percent", "30");
	while (read_number(MAPPINGS "struck") == before) {
		if (now() - begun > STRIKE_SECONDS * patience())
			return false;
		usleep(2000);
	}
	return true;
}

void mend_mapping(int card, const struct kind *kind)
{
	(void)card;
	(void)kind;
	write_to(MAPPINGS, "percent", "0");
}

/* The driver takes the card, and something that it needs for that is refused: it takes it not at all, or wholly. */
bool strike_probe(int card, const struct kind *kind)
{
	int self = open("/proc/self/make-it-fail", O_WRONLY), device = open(DRIVER "bind", O_WRONLY);
	bool mapping = !random_below(4), struck;
	long before = read_number(MAPPINGS "struck");
	ssize_t done;
	int error;

	CHECK(self >= 0 && device >= 0);
	if (write_file(DRIVER "unbind", slots[card]))
		wrong("card %d: %s: errno %d", card, kind->name, errno);
	if (mapping)
		write_to(MAPPINGS, "percent", "20");
	else
		arm(kind, 8);
	CHECK(write(self, "1", 1) == 1);
	done = write(device, slots[card], strlen(slots[card]));
	error = errno;
	CHECK(write(self, "0", 1) == 1);
	struck = mapping ? read_number(MAPPINGS "struck") != before : !times_left(kind);
	disarm(card, kind);
	mend_mapping(card, kind);
	close(self);
	close(device);
	/* Which errno is the choice of whatever part of the kernel was refused something. */
	if (done < 0 && !struck)
		wrong("card %d: %s: errno %d", card, kind->name, error);
	return struck;
}

static bool all_files_are_there(int card)
{
	char path[128];

	for (int i = 0; i < 2 * CHANNELS; i++)
		if (!channel_path(path, card, i / 2, i % 2) || access(path, F_OK))
			return false;
	return true;
}

/* The kernel says nothing where it could not make a file in /dev. */
void mend_probe(int card, const struct kind *kind)
{
	if (is_bound(card) && !all_files_are_there(card))
		strike_unbind(card, kind);
	mend_unbind(card, kind);
	if (!comes(all_files_are_there, card, 2))
		wrong("card %d: %s: a file is missing", card, kind->name);
}

/* ---- of a crowd: to each process its own ------------------------------------------------------------------------ */

#define NTH 40
#define NTH_OF_A_PROBE 700

/* The kernel's word of how many things more this thread gets before it is refused one; -1 where the kernel refuses nothing. */
static int left = -1;
static unsigned int nth;

void crowd_is_refused(bool mappings)
{
	left = access("/proc/self/make-it-fail", W_OK) ? -1 : refusals();
	if (left >= 0 && mappings && !access(MAPPINGS "percent", W_OK))
		(void)write_file("/proc/self/make-it-fail", "1");
}

void prepare_a_crowd(void)
{
	if (access("/proc/self/make-it-fail", W_OK))
		return;
	prepare_faults();
	write_to(MAPPINGS, "percent", "5");
}

void end_refusals(void)
{
	if (!access(MAPPINGS "percent", W_OK))
		write_to(MAPPINGS, "percent", "0");
}

void draw_refusal(void)
{
	nth = random_below(2) ? 0 : 1 + random_below(NTH);
}

void be_refused(bool yes)
{
	static bool waits;

	if (left < 0 || !nth)
		return;
	if (!refuse(left, yes ? nth : 0) && waits) {
		__atomic_add_fetch(&shared->refused, 1, __ATOMIC_SEQ_CST);
		nth = 0;
		(void)refuse(left, 0);
	}
	waits = yes && nth;
}

/* The driver takes the card, and is refused one thing that it asks for. */
void strike_a_probe(int card, const struct kind *kind)
{
	int device = open(DRIVER "bind", O_WRONLY);

	strike_unbind(card, kind);
	nth = 1 + random_below(NTH_OF_A_PROBE);
	be_refused(true);
	(void)!write(device, slots[card], strlen(slots[card]));
	be_refused(false);
	close(device);
	mend_probe(card, kind);
}
