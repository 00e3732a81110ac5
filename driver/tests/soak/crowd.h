/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the processes of a crowd do: crowd.c says what that is. */
#ifndef CROWD_H
#define CROWD_H

#include "soak.h"

/* acts.c: before the first of them. */
void crowd_begins(void);
/* One thing, drawn at random; it may leave things undone, or not come back. */
void crowd_acts(void);
/* What was given back is looked at a last time. */
void crowd_ends(void);

#endif
