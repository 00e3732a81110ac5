// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The life of a card: one state, and all moves between its states. What a state allows is in
 * docs/driver.md.
 *
 * Lock order: a card's life, its turn, windows and their reservations, a channel's mutex, the lock
 * of a card's domain, the lock of a channel, the lock of the state.
 */
#include <linux/wait_bit.h>

#include "core/ls_core.h"

/* What becomes of a move: done; it is there; somebody else has let the card go; a mistake. */
enum ls_move { LS_NEVER, LS_MOVE, LS_KEEP, LS_LATE };

static const enum ls_move ls_moves[][LS_STATES] = {
	[LS_PAUSED] = { [LS_PAUSED] = LS_KEEP, [LS_RUNNING] = LS_MOVE, [LS_GOING] = LS_MOVE },
	[LS_RUNNING] = { [LS_PAUSED] = LS_MOVE, [LS_GOING] = LS_MOVE },
	[LS_GOING] = { [LS_PAUSED] = LS_LATE, [LS_RUNNING] = LS_LATE, [LS_GOING] = LS_KEEP,
		       [LS_GONE] = LS_MOVE },
	[LS_GONE] = { [LS_PAUSED] = LS_LATE, [LS_RUNNING] = LS_LATE, [LS_GOING] = LS_LATE,
		      [LS_GONE] = LS_KEEP },
};

static const char *const ls_names[] = {
	[LS_PAUSED] = "paused", [LS_RUNNING] = "running", [LS_GOING] = "going", [LS_GONE] = "gone",
};

/**
 * ls_state_name - the name of a card's state
 * @ls: card
 */
const char *ls_state_name(const struct ls_device *ls)
{
	return ls_names[ls_state(ls)];
}

/**
 * ls_state_move - brings a card into a state
 * @ls: card
 * @to: the state
 *
 * Return: whether it is in that state, now or already. A card that is let go stays so.
 */
bool ls_state_move(struct ls_device *ls, enum ls_state to)
{
	enum ls_state from;
	enum ls_move move;

	spin_lock(&ls->state_lock);
	from = ls->state;
	move = ls_moves[from][to];
	if (move == LS_MOVE)
		WRITE_ONCE(ls->state, to);
	spin_unlock(&ls->state_lock);
	WARN_ONCE(move == LS_NEVER, "lanescope: %s after %s\n", ls_names[to], ls_names[from]);
	if (move == LS_MOVE)
		wake_up_var(&ls->state);
	return move == LS_MOVE || move == LS_KEEP;
}

/**
 * ls_state_settle - waits while a card is going: afterwards its engine reaches nothing
 * @ls: card
 */
void ls_state_settle(struct ls_device *ls)
{
	wait_var_event(&ls->state, ls_state(ls) != LS_GOING);
}
