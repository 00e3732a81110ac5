/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the kinds of faults are made of. */
#ifndef STRIKES_H
#define STRIKES_H

#include "soak.h"

#define DRIVER "/sys/bus/pci/drivers/lanescope/"
/* Until a fault that was asked for has struck; patience counts. */
#define STRIKE_SECONDS 3

/* A file that has to take it. */
void write_to(const char *folder, const char *name, const char *text);
/* Waits for a condition, which reads what the fault has done; false where it did not come. */
bool comes(bool (*condition)(int card), int card, double seconds);
bool is_bound(int card);
/* Whether any kind that the kernel makes is to be drawn. */
bool any_of_the_kernel(void);

/* strikes.c and refusals.c: true where it has struck. */
bool strike_device(int card, const struct kind *kind);
bool strike_gone(int card, const struct kind *kind);
bool strike_gone_unbind(int card, const struct kind *kind);
bool strike_kill(int card, const struct kind *kind);
bool strike_link(int card, const struct kind *kind);
bool strike_link_lightly(int card, const struct kind *kind);
bool strike_mapping(int card, const struct kind *kind);
bool strike_never_idle(int card, const struct kind *kind);
bool strike_probe(int card, const struct kind *kind);
bool strike_reset(int card, const struct kind *kind);
bool strike_signal(int card, const struct kind *kind);
bool strike_signal_unbind(int card, const struct kind *kind);
bool strike_stops(int card, const struct kind *kind);
bool strike_stops_reset(int card, const struct kind *kind);
bool strike_stops_unbind(int card, const struct kind *kind);
bool strike_task(int card, const struct kind *kind);
bool strike_unbind(int card, const struct kind *kind);

/* For a crowd, which looks at no window. */
void strike_a_probe(int card, const struct kind *kind);

void disarm(int card, const struct kind *kind);
void mend_gone(int card, const struct kind *kind);
void mend_mapping(int card, const struct kind *kind);
void mend_probe(int card, const struct kind *kind);
void mend_unbind(int card, const struct kind *kind);

#endif
