// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The life of a card: one state, and all moves between its states. What a state allows is in
 * docs/driver.md. And whether the card masters the bus, which says what pages may be let go.
 *
 * Lock order: a card's life, its turn, windows and their reservations, a channel's mutex, the lock
 * of a card's domain, the lock of a channel, the lock of the state.
 */
#include <linux/pci.h>
#include <linux/wait_bit.h>

#include "ls.h"

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

/**
 * ls_bus_off - takes the bus from a card
 * @ls: card
 *
 * What it has written before is in memory then, ahead of the answer to the load of its Command
 * register. A card that is not there reads all ones, and has no link to write by.
 */
void ls_bus_off(struct ls_device *ls)
{
	u16 command = ~0;

	pci_clear_master(ls->pdev);
	pci_read_config_word(ls->pdev, PCI_COMMAND, &command);
	if (command == (u16)~0 || !(command & PCI_COMMAND_MASTER)) {
		WRITE_ONCE(ls->bus, LS_BUS_OFF);
		return;
	}
	dev_err(&ls->pdev->dev, "does not let go of the bus\n");
	WRITE_ONCE(ls->bus, LS_BUS_STUCK);
}

/**
 * ls_bus_on - gives it back
 * @ls: card, whose engine was just reset
 */
void ls_bus_on(struct ls_device *ls)
{
	pci_set_master(ls->pdev);
	WRITE_ONCE(ls->bus, LS_BUS_ON);
}

/**
 * ls_channel_holds - whether the engine may still reach what it was given
 * @ch: channel, stopped: it is not known to be idle, and has not lost the bus
 */
bool ls_channel_holds(const struct ls_channel *ch)
{
	return !READ_ONCE(ch->quiet) && READ_ONCE(ch->ls->bus) != LS_BUS_OFF;
}
