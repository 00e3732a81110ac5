/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the tests of ring mode share: channels that are lent to this process, by the library of programs. */
#ifndef LENT_H
#define LENT_H

#include "suite.h"

#include "../include/lanescope/card.h"

enum { ROOM = 1 << 18, SOON_S = 8 };

const char *path_of(int card, int number, int to_host);

/* A queue, and memory of its own. */
struct lent {
	struct lanescope_queue queue;
	struct lanescope_memory memory;
};

void take(struct lent *lent, int card, int number, int to_host, uint32_t every, uint32_t cycles);
void give_back(struct lent *lent);
/* What is done next, in time. */
struct lanescope_done next_done(struct lent *lent);
/* A frame there and back. */
void trip(struct lent *out, struct lent *in, size_t from, size_t to, size_t bytes, uint32_t seed);
/* Why a channel is not lent; 0 where it is. */
int error_of_ring(const char *path);
/* Whether an IOMMU bounds a process in ring mode (domain.c). */
int is_bounded(void);

#endif
