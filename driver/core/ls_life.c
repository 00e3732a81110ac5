// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who keeps a card from being reset, or let go, as long as he holds its life. A reset does not hold
 * it: a card that does not come back from one takes the system more than a minute, and is given up
 * before (ls_events.c).
 */
#include <linux/wait_bit.h>

#include "core/ls_core.h"

static bool ls_life_is_open(struct ls_device *ls)
{
	return !READ_ONCE(ls->resetting) || ls_is_leaving(ls);
}

/**
 * ls_life_enter - keeps a card from being reset, or let go
 * @ls: card
 * @nowait: -EAGAIN in place of waiting until it has been reset
 *
 * Killable. Whoever holds it waits for nobody's memory: what is pinned or copied is so before.
 *
 * Return: 0, and ls_life_leave() has to follow; or why not.
 */
int ls_life_enter(struct ls_device *ls, bool nowait)
{
	for (;;) {
		if (nowait) {
			if (!down_read_trylock(&ls->life))
				return -EAGAIN;
		} else if (down_read_killable(&ls->life)) {
			return -EINTR;
		}
		if (ls_life_is_open(ls))
			break;
		up_read(&ls->life);
		if (nowait)
			return -EAGAIN;
		if (wait_var_event_killable(&ls->state, ls_life_is_open(ls)))
			return -EINTR;
	}
	if (!ls_is_leaving(ls))
		return 0;
	up_read(&ls->life);
	return -ENODEV;
}

/**
 * ls_life_leave - the reverse
 * @ls: card
 */
void ls_life_leave(struct ls_device *ls)
{
	up_read(&ls->life);
}

/**
 * ls_life_close - a reset begins: nobody holds the card's life when this returns, or gets it
 * @ls: card, whose device is locked
 */
void ls_life_close(struct ls_device *ls)
{
	down_write(&ls->life);
	WRITE_ONCE(ls->resetting, true);
	up_write(&ls->life);
}

/**
 * ls_life_open - the reset is over
 * @ls: card
 */
void ls_life_open(struct ls_device *ls)
{
	down_write(&ls->life);
	WRITE_ONCE(ls->resetting, false);
	up_write(&ls->life);
	wake_up_var(&ls->state);
}
