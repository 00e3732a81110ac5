// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What strikes a card and who uses it, and how that is mended. */
#include "strikes.h"

#include <dirent.h>


void write_to(const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s%s", folder, name);
	if (write_file(path, text))
		fail("%s: %s (errno %d)", path, text, errno);
}

bool channel_path(char *path, int card, int number, bool to_host)
{
	char folder[128], ending[16];
	struct dirent *entry;
	bool found = false;
	DIR *directory;

	card_path(folder, card, "lanescope");
	directory = opendir(folder);
	if (!directory)
		return false;
	sprintf(ending, "!%s%d", to_host ? "c2h" : "h2c", number);
	while (!found && (entry = readdir(directory))) {
		char *mark = strchr(entry->d_name, '!');

		if (mark && !strcmp(mark, ending)) {
			sprintf(path, "/dev/%.*s/%s", (int)(mark - entry->d_name), entry->d_name, mark + 1);
			found = true;
		}
	}
	closedir(directory);
	if (!found)
		errno = ENOENT;
	return found;
}

bool comes(bool (*condition)(int card), int card, double seconds)
{
	double begun = now();

	while (!condition(card)) {
		if (now() - begun > seconds * patience())
			return false;
		usleep(2000);
	}
	return true;
}

static bool used_up(int card)
{
	return !(counter(card, FAULT) >> 8 & 0xff);
}

static bool was_told(int card)
{
	return __atomic_load_n(&shared->windows[card].told, __ATOMIC_SEQ_CST) > 0;
}

/* ---- of the card's process -------------------------------------------------------------------------------------- */

bool strike_device(int card, const struct kind *kind)
{
	bool struck;

	fault(card, kind->fault, 1);
	struck = comes(used_up, card, STRIKE_SECONDS);
	fault(card, 0, 0);
	return struck;
}

/* How often channels were set up anew. A reset of the card does it to each. */
static long resets[CARDS][2 * CHANNELS];

static long resets_of(int card, int channel)
{
	char path[400], folder[128], node[128], *slash;

	CHECK(channel_path(node, card, channel / 2, channel % 2));
	slash = strrchr(node, '/');
	*slash = '!';
	card_path(folder, card, "lanescope");
	snprintf(path, sizeof(path), "%s/%s/counters/resets", folder, node + strlen("/dev/"));
	return read_number(path);
}

static void note_resets(int card)
{
	for (int i = 0; i < 2 * CHANNELS; i++)
		resets[card][i] = resets_of(card, i);
}

static bool all_were_reset(int card)
{
	for (int i = 0; i < 2 * CHANNELS; i++)
		if (resets_of(card, i) == resets[card][i])
			return false;
	return true;
}

static bool signal_a_call(int card, int number)
{
	struct side *side = &shared->pairs[card][random_below(CHANNELS)].sides[random_below(2)];
	pid_t pid = __atomic_load_n(&side->pid, __ATOMIC_SEQ_CST);

	if (!pid || !__atomic_load_n(&side->in_call, __ATOMIC_SEQ_CST))
		return false;
	usleep(random_below(10000));
	return !kill(pid, number);
}

bool strike_stops(int card, const struct kind *kind)
{
	note_resets(card);
	if (!strike_device(card, kind))
		return false;
	if (!comes(all_were_reset, card, 8))
		wrong("card %d: %s: no reset came", card, kind->name);
	return true;
}

/* Somebody has to want a channel to stop. */
bool strike_never_idle(int card, const struct kind *kind)
{
	double begun = now();

	note_resets(card);
	fault(card, kind->fault, 1);
	while (!used_up(card)) {
		if (now() - begun > STRIKE_SECONDS * patience()) {
			fault(card, 0, 0);
			return false;
		}
		signal_a_call(card, SIGUSR1);
		usleep(20000);
	}
	/* Which may have been somebody's who clears a pair's way, and whom nobody counts. */
	shared->windows[card].struck = now();
	if (!comes(all_were_reset, card, 8))
		wrong("card %d: %s: no reset came", card, kind->name);
	return true;
}

/* ---- of who uses the card --------------------------------------------------------------------------------------- */

static bool strike_call(int card, int number)
{
	double begun = now();

	while (!was_told(card)) {
		if (now() - begun > STRIKE_SECONDS * patience())
			return false;
		if (!signal_a_call(card, number))
			usleep(1000);
	}
	return true;
}

bool strike_signal(int card, const struct kind *kind)
{
	(void)kind;
	return strike_call(card, SIGUSR1);
}

bool strike_kill(int card, const struct kind *kind)
{
	(void)kind;
	return strike_call(card, SIGKILL);
}

/* ---- of the card as a whole ------------------------------------------------------------------------------------- */

bool strike_reset(int card, const struct kind *kind)
{
	char path[128];

	card_path(path, card, "reset");
	if (write_file(path, "1"))
		wrong("card %d: %s: errno %d", card, kind->name, errno);
	return true;
}

static bool link_error(int card, const struct kind *kind, const char *what)
{
	char text[64];

	sprintf(text, "%s %s", slots[card], what);
	if (write_file("/sys/module/ls_aer/parameters/strike", text))
		wrong("card %d: %s: errno %d", card, kind->name, errno);
	return true;
}

bool strike_link(int card, const struct kind *kind)
{
	return link_error(card, kind, "frozen");
}

bool strike_link_lightly(int card, const struct kind *kind)
{
	return link_error(card, kind, "normal");
}

bool is_bound(int card)
{
	char path[128];

	return channel_path(path, card, 0, false);
}

bool strike_unbind(int card, const struct kind *kind)
{
	if (write_file(DRIVER "unbind", slots[card]))
		wrong("card %d: %s: errno %d", card, kind->name, errno);
	usleep(random_below(50000));
	return true;
}

void mend_unbind(int card, const struct kind *kind)
{
	if (!is_bound(card) && write_file(DRIVER "bind", slots[card]))
		wrong("card %d: %s: cannot be bound: errno %d", card, kind->name, errno);
}

static bool has_gone(int card)
{
	char path[128];
	int fd;

	if (!channel_path(path, card, 0, false))
		return true;
	fd = open(path, O_WRONLY);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENODEV;
}

/* It comes back as after power-up: the system has to find it anew. */
bool strike_gone(int card, const struct kind *kind)
{
	fault(card, kind->fault, 1);
	if (random_below(4) && !comes(has_gone, card, 5))
		wrong("card %d: %s: nobody has seen it", card, kind->name);
	return true;
}

void mend_gone(int card, const struct kind *kind)
{
	char path[128];

	fault(card, 0, 0);
	card_path(path, card, "remove");
	write_to(path, "", "1");
	write_to("/sys/bus/pci/rescan", "", "1");
	if (!comes(is_bound, card, 2))
		wrong("card %d: %s: does not come back", card, kind->name);
}

/* ---- two at once: the second comes before the first is mended --------------------------------------------------- */

bool strike_stops_reset(int card, const struct kind *kind)
{
	note_resets(card);
	if (!strike_device(card, kind))
		return false;
	usleep(random_below(2500000));
	strike_reset(card, kind);
	if (!comes(all_were_reset, card, 8))
		wrong("card %d: %s: no reset came", card, kind->name);
	return true;
}

bool strike_stops_unbind(int card, const struct kind *kind)
{
	if (!strike_device(card, kind))
		return false;
	usleep(random_below(2500000));
	return strike_unbind(card, kind);
}

/* A call that gives up meets a driver that leaves. */
bool strike_signal_unbind(int card, const struct kind *kind)
{
	for (int i = 0; i < 4; i++)
		signal_a_call(card, SIGUSR1);
	return strike_unbind(card, kind);
}

bool strike_gone_unbind(int card, const struct kind *kind)
{
	fault(card, kind->fault, 1);
	usleep(random_below(2000000));
	return strike_unbind(card, kind);
}
