// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Settings of channels, changed while frames go and while faults strike. What was set is to be there as long as the driver
 * has the card.
 */
#include "soak.h"

enum { SETTINGS = 4 };

static const char *const names[SETTINGS] = { "relaxed_ordering", "no_snoop", "id_based_ordering", "poll_us" };
static const int looks[] = { 0, 20, 2000, 100000 };

/* What was set last, and one more; 0: not known. */
static int known[2 * CHANNELS][SETTINGS];

static bool setting_path(char *path, int card, int channel, const char *name)
{
	char folder[128], node[128], *slash;

	if (!channel_path(node, card, channel / 2, channel % 2))
		return false;
	slash = strrchr(node, '/');
	*slash = '!';
	card_path(folder, card, "lanescope");
	sprintf(path, "%s/%s/settings/%s", folder, node + strlen("/dev/"), name);
	return true;
}

static int value_of(const char *path)
{
	FILE *file = fopen(path, "r");
	int value = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &value) != 1)
		value = -1;
	fclose(file);
	return value;
}

void change_a_setting(int card, bool struck)
{
	int channel = random_below(2 * CHANNELS), which = random_below(SETTINGS);
	int value = which == SETTINGS - 1 ? looks[random_below(COUNT(looks))] : (int)random_below(2), had;
	char path[400], text[16];

	if (!setting_path(path, card, channel, names[which])) {
		if (!struck)
			wrong("card %d: no settings: errno %d", card, errno);
		return;
	}
	had = value_of(path);
	if (known[channel][which] && had != known[channel][which] - 1 && !struck)
		wrong("card %d: channel %d: %s is %d in place of %d", card, channel, names[which], had,
		      known[channel][which] - 1);
	known[channel][which] = 0;
	sprintf(text, "%d", value);
	if (!write_file(path, text)) {
		known[channel][which] = value + 1;
		__atomic_add_fetch(&shared->changes, 1, __ATOMIC_SEQ_CST);
	} else if (!struck || (errno != ENODEV && errno != ENOENT)) {
		wrong("card %d: channel %d: %s cannot be %d: errno %d", card, channel, names[which], value, errno);
	}
}

void forget_settings(void)
{
	memset(known, 0, sizeof(known));
}
