/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The soak of the driver: transfers on all channels of both cards, by a process for each, while one fault after
 * another, drawn at random, strikes each card.
 *
 * Its words. A pair is a loopback: a channel to the card and the channel from it. A trip is one frame through a pair,
 * written by one process and read by another, each in a way of its own (a call, a vector, io_uring, calls that do not
 * wait). A window is the time in which a fault of one kind may show on a card: only then may a call of that card end
 * otherwise than whole, with an error of that kind, within its bound. When the fault is over, each pair settles: what
 * broken frames have left is read until a token comes, and the trip after that has to be whole. Bytes are compared in
 * each trip of which both calls say that they are whole, in a window or not.
 *
 * What it is not: it makes no card lose its process (the suite's last test does), and no suspend.
 */
#ifndef SOAK_H
#define SOAK_H

#include "../suite.h"

#include <stdbool.h>

#define LONGEST_TRIP (4 << 20)
#define ROOM (LONGEST_TRIP + 2 * 4096)
#define MOST_KINDS 32
#define MOST_ERRNO 140
/* In place of an errno: the process was killed. */
#define KILLED 139

/* One call of a trip. */
struct side {
	pid_t pid;
	int in_call;
	ssize_t result;		/* bytes, or -errno */
	double begun, ended;
	bool interrupted;	/* by its own pair, because the other side had failed, or its bytes were lost */
};

/* What a pair's processes share with the card's, which picks victims. */
struct pair {
	int card, number;
	struct side sides[2];	/* to the card, to the host */
};

/* What of a card is under way. */
struct window {
	int kind;		/* 0: none */
	unsigned int number;	/* counts windows */
	double struck;
	bool closing;		/* the fault is over */
	int settled;		/* pairs */
	int told;		/* calls that have ended otherwise than whole by themselves */
	int caught;		/* of them, under way when it struck */
};

struct tally {
	unsigned int struck, idle;	/* faults; idle: found nothing to strike */
	unsigned int whole, broken;	/* calls; broken: some bytes */
	unsigned int errors[MOST_ERRNO];
	double slowest;		/* from the strike, or the call's begin, to its end */
};

struct shared {
	bool stop;
	bool faults;		/* in place of bytes alone */
	unsigned int struck, wrong, trips, changes, refused;
	unsigned long long bytes, goal;
	struct window windows[CARDS];
	struct pair pairs[CARDS][CHANNELS];
	struct tally tallies[MOST_KINDS];
};

extern struct shared *shared;

/* ---- soak.c ----------------------------------------------------------------------------------------------------- */

/* Something that must not be: it is printed, counted, and the soak goes on. */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where in the kernel a process sleeps. */
void show_stack(pid_t pid);
void seed_random(unsigned int seed);
unsigned int random_below(unsigned int bound);

/* ---- ways.c ----------------------------------------------------------------------------------------------------- */

struct way {
	const char *name;
	size_t most;
	bool copied;		/* the driver copies it, and a frame that is cut has failed */
	struct ring *ring;	/* to be opened before */
	ssize_t (*run)(int fd, uint8_t *data, size_t bytes);
};

/* One that can move so many bytes. */
const struct way *draw_way(bool to_host, size_t bytes);
/* Draws flags for the frames of a file that is read, and sets them: 0 or -errno. */
int draw_flags(int fd, uint32_t *flags);
/* What the driver has noted of reads that came to so many bytes. */
void check_notes(int fd, uint32_t flags, ssize_t bytes);

/* ---- settings.c ------------------------------------------------------------------------------------------------- */

/* Changes one of a card, drawn at random; a card that is struck may refuse it. */
void change_a_setting(int card, bool struck);
/* The driver has left the card. */
void forget_settings(void);

/* ---- faults.c --------------------------------------------------------------------------------------------------- */

struct kind {
	const char *name;
	int fault;		/* of the card's process */
	int errors[2][4];	/* that calls may tell, to the card and to the host */
	double seconds;		/* within which they have to */
	bool told;		/* one has to tell */
	bool catches;		/* it counts where a call that was under way has told it */
	bool late;		/* calls are whole, but late */
	bool loses;		/* bytes that are in the card are lost */
	const char *task;	/* the kernel's, by a folder of its debugfs: strikes tasks that ask for it */
	bool calls;		/* those of the calls ask */
	bool (*strike)(int card, const struct kind *kind);
	void (*mend)(int card, const struct kind *kind);
};

/* The first one, 0, is none; the last one has no name. */
extern const struct kind kinds[];
/* Whether LANESCOPE_KINDS has it; all without that. */
bool is_wanted(const struct kind *kind);
void prepare_faults(void);
/* Where a channel's file is, whatever number the card has now; false with an errno where there is none. */
bool channel_path(char *path, int card, int number, bool to_host);

/* ---- cancels.c -------------------------------------------------------------------------------------------------- */

/* From now on SIGUSR1 ends what this process has under way of that file, where there is one. */
void cancel_when_told(volatile int *fd);

/* ---- card.c, pair.c --------------------------------------------------------------------------------------------- */

/* The process of a card: strikes until enough has been struck. */
void soak_card(int card, unsigned int seed, unsigned int count);
/* The process of a pair: trips until it is to stop. */
void soak_pair(struct pair *pair, unsigned int seed);

/* ---- crowd.c ---------------------------------------------------------------------------------------------------- */

/* Processes without regard for each other, until they have done so much. */
void soak_crowd(unsigned int seed, unsigned int wanted);

#endif
