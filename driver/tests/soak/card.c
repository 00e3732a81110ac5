// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A card's process: opens a window, strikes, mends, and waits until the card's pairs have settled. */
#include "soak.h"

#include <sys/file.h>

#define SETTLE_SECONDS 25

/* What the kernel lets fail is one setting for all: a kind of that sort waits for nobody, another is drawn. */
static int draw_kind(int lock)
{
	int count = 0, kind;

	while (kinds[count].name)
		count++;
	do
		kind = 1 + random_below(count - 1);
	while (!is_wanted(&kinds[kind]) || (kinds[kind].task && flock(lock, LOCK_EX | LOCK_NB)));
	return kind;
}

/* Until one is under way that has begun in this window, and so waits for its other side; for a little longer. */
static void wait_for_a_call(int card)
{
	struct window *window = &shared->windows[card];
	double begun = now();
	bool any = false;

	while (!any && now() - begun < patience()) {
		for (int i = 0; i < 2 * CHANNELS; i++) {
			struct side *side = &shared->pairs[card][i / 2].sides[i % 2];

			any |= __atomic_load_n(&side->in_call, __ATOMIC_SEQ_CST) && side->begun > begun;
		}
		/* A call that has begun has to open its file before the engine hears of it. */
		usleep(any ? 20000 + random_below(40000) : 500);
	}
	window->struck = now();
}

static void wait_until_settled(int card, const struct kind *kind)
{
	struct window *window = &shared->windows[card];
	double begun = now();

	__atomic_store_n(&window->closing, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&window->settled, __ATOMIC_SEQ_CST) < CHANNELS) {
		if (now() - begun > SETTLE_SECONDS * patience()) {
			for (int i = 0; i < 2 * CHANNELS; i++)
				show_stack(shared->pairs[card][i / 2].sides[i % 2].pid);
			wrong("card %d: %s: its pairs do not settle", card, kind->name);
			shared->stop = true;
			return;
		}
		usleep(2000);
	}
}

/* Whether the driver may have left the card. */
static bool leaves(const struct kind *kind)
{
	for (size_t i = 0; i < COUNT(kind->errors[0]); i++)
		if (kind->errors[0][i] == ENODEV)
			return true;
	return false;
}

static void strike_and_mend(int card, int number)
{
	struct window *window = &shared->windows[card];
	const struct kind *kind = &kinds[number];
	bool struck;

	window->told = 0;
	window->caught = 0;
	window->settled = 0;
	window->number++;
	window->struck = now();
	__atomic_store_n(&window->kind, number, __ATOMIC_SEQ_CST);
	if (kind->catches)
		wait_for_a_call(card);
	struck = kind->strike(card, kind);
	change_a_setting(card, true);
	if (kind->mend)
		kind->mend(card, kind);
	wait_until_settled(card, kind);
	if (leaves(kind))
		forget_settings();
	if (kind->catches && !window->caught)
		struck = false;
	if (struck && kind->told && !window->told)
		wrong("card %d: %s: no call has told it", card, kind->name);
	__atomic_add_fetch(struck ? &shared->tallies[number].struck : &shared->tallies[number].idle, 1, __ATOMIC_SEQ_CST);
	if (struck)
		__atomic_add_fetch(&shared->struck, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&window->kind, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&window->closing, false, __ATOMIC_SEQ_CST);
}

void soak_card(int card, unsigned int seed, unsigned int count)
{
	int lock = open("/soak.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(lock >= 0);
	seed_random(seed);
	while (!shared->stop && __atomic_load_n(&shared->struck, __ATOMIC_SEQ_CST) < count) {
		usleep(random_below(40000));
		change_a_setting(card, false);
		strike_and_mend(card, draw_kind(lock));
		flock(lock, LOCK_UN);
	}
}
