// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Who keeps a card from being reset, or let go, as long as he holds its life. */
#include "core/ls_core.h"

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
	if (nowait) {
		if (!down_read_trylock(&ls->life))
			return -EAGAIN;
	} else if (down_read_killable(&ls->life)) {
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
