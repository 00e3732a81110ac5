// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The kinds of faults: what strikes, what calls may say of it, and within which time. */
#include "soak.h"

#include <dirent.h>

#define STRIKE_SECONDS 3
#define DEBUG "/sys/kernel/debug/"
#define MAPPINGS "/sys/module/ls_fault/parameters/"

static void write_to(const char *folder, const char *name, const char *text)
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

/* Waits for a condition, which reads what the fault has done; false where it did not come. */
static bool comes(bool (*condition)(int card), int card, double seconds)
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

static bool strike_device(int card, const struct kind *kind)
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

static bool strike_stops(int card, const struct kind *kind)
{
	note_resets(card);
	if (!strike_device(card, kind))
		return false;
	if (!comes(all_were_reset, card, 8))
		wrong("card %d: %s: no reset came", card, kind->name);
	return true;
}

/* Somebody has to want a channel to stop. */
static bool strike_never_idle(int card, const struct kind *kind)
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

static bool strike_signal(int card, const struct kind *kind)
{
	(void)kind;
	return strike_call(card, SIGUSR1);
}

static bool strike_kill(int card, const struct kind *kind)
{
	(void)kind;
	return strike_call(card, SIGKILL);
}

/* ---- of the card as a whole ------------------------------------------------------------------------------------- */

static bool strike_reset(int card, const struct kind *kind)
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

static bool strike_link(int card, const struct kind *kind)
{
	return link_error(card, kind, "frozen");
}

static bool strike_link_lightly(int card, const struct kind *kind)
{
	return link_error(card, kind, "normal");
}

#define DRIVER "/sys/bus/pci/drivers/lanescope/"

static bool is_bound(int card)
{
	char path[128];

	return channel_path(path, card, 0, false);
}

static bool strike_unbind(int card, const struct kind *kind)
{
	if (write_file(DRIVER "unbind", slots[card]))
		wrong("card %d: %s: errno %d", card, kind->name, errno);
	usleep(random_below(50000));
	return true;
}

static void mend_unbind(int card, const struct kind *kind)
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
static bool strike_gone(int card, const struct kind *kind)
{
	fault(card, kind->fault, 1);
	if (random_below(4) && !comes(has_gone, card, 5))
		wrong("card %d: %s: nobody has seen it", card, kind->name);
	return true;
}

static void mend_gone(int card, const struct kind *kind)
{
	char path[128];

	fault(card, 0, 0);
	card_path(path, card, "remove");
	write_to(path, "", "1");
	write_to("/sys/bus/pci/rescan", "", "1");
	if (!comes(is_bound, card, 2))
		wrong("card %d: %s: does not come back", card, kind->name);
}

/* ---- two at once: an engine that stops, or a card that vanishes, and before that is mended ---------------------- */

static bool strike_stops_reset(int card, const struct kind *kind)
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

static bool strike_stops_unbind(int card, const struct kind *kind)
{
	if (!strike_device(card, kind))
		return false;
	usleep(random_below(2500000));
	return strike_unbind(card, kind);
}

static bool strike_gone_unbind(int card, const struct kind *kind)
{
	fault(card, kind->fault, 1);
	usleep(random_below(2000000));
	return strike_unbind(card, kind);
}

/* ---- in the kernel ---------------------------------------------------------------------------------------------- */

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

static void disarm(int card, const struct kind *kind)
{
	char folder[128];

	(void)card;
	sprintf(folder, DEBUG "%s/", kind->task);
	write_to(folder, "probability", "0");
}

static bool strike_task(int card, const struct kind *kind)
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

static bool strike_mapping(int card, const struct kind *kind)
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

static void mend_mapping(int card, const struct kind *kind)
{
	(void)card;
	(void)kind;
	write_to(MAPPINGS, "percent", "0");
}

/* The driver takes the card, and something that it needs for that is refused: it takes it not at all, or wholly. */
static bool strike_probe(int card, const struct kind *kind)
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
	if (done < 0 && !(struck && (error == ENOMEM || error == EIO || error == ENOSPC)))
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
static void mend_probe(int card, const struct kind *kind)
{
	if (is_bound(card) && !all_files_are_there(card))
		strike_unbind(card, kind);
	mend_unbind(card, kind);
	if (!comes(all_files_are_there, card, 2))
		wrong("card %d: %s: a file is missing", card, kind->name);
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

#define UNBOUND { { ENODEV, ENOENT, ENXIO }, { ENODEV, ENOENT, ENXIO } }

const struct kind kinds[] = {
	{ .name = "none", .seconds = 8 },
	{ "completion timeout", NO_ANSWER, { { ETIMEDOUT } }, 4, .told = true, .strike = strike_device },
	{ "UR", UR, { { EREMOTEIO } }, 3, .told = true, .strike = strike_device },
	{ "CA", CA, { { ECONNABORTED } }, 3, .told = true, .strike = strike_device },
	{ "poison", POISONED, { { EBADMSG } }, 3, .told = true, .strike = strike_device },
	{ "bad descriptor", BAD_DESCRIPTOR, { { EINVAL }, { EINVAL } }, 3, .told = true, .strike = strike_device },
	{ "no descriptors", NO_DESCRIPTORS, { { EIO }, { EIO } }, 3, .told = true, .strike = strike_device },
	{ "engine stops", STOPS, { { EIO }, { EIO } }, 5, .told = true, .loses = true, .strike = strike_stops },
	{ "channel never idle", NEVER_IDLE, { { EIO, EINTR }, { EIO, EINTR } }, 4, .told = true, .loses = true,
	  .strike = strike_never_idle },
	{ "interrupt lost", LOST_INTERRUPT, { { 0 } }, 3, .late = true, .strike = strike_device },
	{ "card vanishes", GONE, UNBOUND, 4, .loses = true, .strike = strike_gone, .mend = mend_gone },
	{ "FLR", 0, { { EIO }, { EIO } }, 2, .catches = true, .loses = true, .strike = strike_reset },
	{ "link reset", 0, { { EIO }, { EIO } }, 3, .catches = true, .loses = true, .strike = strike_link },
	{ "link error, not fatal", 0, { { 0 } }, 8, .strike = strike_link_lightly },
	{ "unbind", 0, UNBOUND, 3, .catches = true, .loses = true,
	  .strike = strike_unbind, .mend = mend_unbind },
	{ "signal", 0, { { EINTR }, { EINTR } }, 2, .told = true, .strike = strike_signal },
	{ "kill", 0, { { KILLED }, { KILLED } }, 2, .told = true, .strike = strike_kill },
	{ "allocation", 0, { { ENOMEM, EAGAIN, EFAULT }, { ENOMEM, EAGAIN, EFAULT } }, 2, .task = "failslab", .calls = true,
	  .strike = strike_task, .mend = disarm },
	{ "page", 0, { { ENOMEM, EAGAIN, EFAULT }, { ENOMEM, EAGAIN, EFAULT } }, 2, .task = "fail_page_alloc", .calls = true,
	  .strike = strike_task, .mend = disarm },
	/* A signal whose handler cannot be entered kills. */
	{ "user copy", 0, { { EFAULT, KILLED }, { EFAULT, KILLED } }, 2, .task = "fail_usercopy", .calls = true,
	  .strike = strike_task, .mend = disarm },
	{ "mapping", 0, { { EIO }, { EIO } }, 2, .task = "", .calls = true,
	  .strike = strike_mapping, .mend = mend_mapping },
	{ "probe", 0, UNBOUND, 3, .loses = true, .task = "failslab", .strike = strike_probe, .mend = mend_probe },
	{ "stops and FLR", STOPS, { { EIO }, { EIO } }, 5, .told = true, .loses = true, .strike = strike_stops_reset },
	{ "stops and unbind", STOPS, { { EIO, ENODEV, ENOENT, ENXIO }, { EIO, ENODEV, ENOENT, ENXIO } }, 5, .told = true,
	  .loses = true, .strike = strike_stops_unbind, .mend = mend_unbind },
	{ "vanishes and unbind", GONE, UNBOUND, 4, .loses = true, .strike = strike_gone_unbind, .mend = mend_gone },
	{ 0 }
};

bool is_wanted(const struct kind *kind)
{
	const char *wanted = getenv("LANESCOPE_KINDS") ?: "";
	char name[64];

	/* "engine-stops,FLR" */
	strcpy(name, kind->name);
	for (char *at = name; *at; at++)
		if (*at == ' ')
			*at = '-';
	for (const char *at = wanted; (at = strstr(at, name)); at++)
		if ((at == wanted || at[-1] == ',') && strchr(",", at[strlen(name)]))
			return true;
	return !*wanted;
}

/* Whether any of the kernel's is to be drawn. */
static bool any_of_the_kernel(void)
{
	for (const struct kind *kind = kinds; kind->name; kind++)
		if (kind->task && is_wanted(kind))
			return true;
	return false;
}

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
