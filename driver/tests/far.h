/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Card to card, for its tests. A frame goes to a channel of one card, comes back from its loopback, goes into the window of
 * the other card by a transfer, and comes out of that one's last channel, between frames of its loopback. The design has room
 * for 1 MiB that nobody reads.
 */
#ifndef FAR_H
#define FAR_H

#include "suite.h"

enum { FRAME = 1 << 18, WINDOW = 1 << 20, FAR_S = 8 };

/* From a card to the other. */
struct way {
	int out, back;	/* of the first card */
	int window, in; /* of the second */
	uint8_t *from, *to;
};

/* The window of the channel's card, by a file of it; -errno where it is not exported. */
int export(int fd, int flags);
int window_of(int card);
int has_p2pdma(void);
/* Both cards are below a switch of their own; else the kernel knows nothing of a way between them. */
int is_below_a_switch(void);
/* Whether card to card may be; says why not. */
int is_connected(void);

void open_way(struct way *way, int card);
void close_way(struct way *way);
/* A frame that goes by @move from the first card to the window, and its bytes compared. */
void far_trip(struct way *way, size_t bytes, uint32_t seed, ssize_t (*move)(struct way *way, size_t bytes));
/* Moves it by a call. */
ssize_t by_call(struct way *way, size_t bytes);
/* A read, of which the engine has heard. */
void begin_read(struct frame *frame, int fd, uint8_t *data, size_t bytes);
/* A transfer to the window that waits for its frame, of FRAME bytes; it is to be ended. */
void begin_waiting(struct frame *far, struct way *way);
/* Its end, in time. */
ssize_t end_soon(struct frame *frame);

void reset_card(int card);
void unbind_card(int card);
void bind_card(int card);

#endif
