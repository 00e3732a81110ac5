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

/* refusals.c: one thing that the kernel refuses a process, now and then. */
void prepare_a_crowd(void);
void end_refusals(void);
/* Of this process, from now on; mappings for a card, too, or not. */
void crowd_is_refused(bool mappings);
void draw_refusal(void);
/* Between true and false, where one was drawn and has not come. */
void be_refused(bool yes);

#endif
