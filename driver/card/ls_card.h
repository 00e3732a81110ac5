/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Cards: how they come, run, are reset, and go. */
#ifndef LS_CARD_H
#define LS_CARD_H

#include <linux/pci.h>

#include "core/ls_core.h"

/* ls_card.c */
void ls_card_init(struct ls_device *ls);
int ls_card_settle(struct ls_device *ls);
void ls_card_start(struct ls_device *ls);
void ls_card_leave(struct ls_device *ls, int error);
void ls_card_end(struct ls_device *ls);
void ls_card_shutdown(struct ls_device *ls);
void ls_card_pause(struct ls_device *ls, int error);
void ls_card_stop(struct ls_device *ls, int error);
bool ls_card_answers(struct ls_device *ls);

/* ls_events.c */
extern const struct pci_error_handlers ls_events_errors;
extern const struct dev_pm_ops ls_events_pm;
void ls_events_init(struct ls_device *ls);

#endif
