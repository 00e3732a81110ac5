// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What is kept of a card, for as long as somebody has a reference; and how it is asked to be looked
 * at, or to be reset, by work of ls_card.c.
 */
#include <linux/idr.h>
#include <linux/slab.h>

#include "core/ls_core.h"

#define LS_WATCH_JIFFIES	HZ

static DEFINE_IDA(ls_numbers);

/**
 * ls_device_new - what is kept of a card, with a number of its own
 * @pdev: the card
 */
struct ls_device *ls_device_new(struct pci_dev *pdev)
{
	struct ls_device *ls = kzalloc_node(sizeof(*ls), GFP_KERNEL, dev_to_node(&pdev->dev));
	int number;

	if (!ls)
		return ERR_PTR(-ENOMEM);
	number = ida_alloc(&ls_numbers, GFP_KERNEL);
	if (number < 0) {
		kfree(ls);
		return ERR_PTR(number);
	}
	kref_init(&ls->ref);
	ls->number = number;
	ls->pdev = pci_dev_get(pdev);
	ls->state = LS_PAUSED;
	ls->bus = LS_BUS_OFF;
	spin_lock_init(&ls->state_lock);
	mutex_init(&ls->turn);
	init_rwsem(&ls->life);
	atomic_set(&ls->imports, 0);
	mutex_init(&ls->windows_lock);
	INIT_LIST_HEAD(&ls->windows);
	mutex_init(&ls->domain_lock);
	return ls;
}

static void ls_device_release(struct kref *ref)
{
	struct ls_device *ls = container_of(ref, struct ls_device, ref);

	ida_free(&ls_numbers, ls->number);
	pci_dev_put(ls->pdev);
	kfree(ls);
}

/**
 * ls_device_get - a reference to what is kept of a card, which outlives the card
 * @ls: card
 */
struct ls_device *ls_device_get(struct ls_device *ls)
{
	kref_get(&ls->ref);
	return ls;
}

/**
 * ls_device_put - the reverse
 * @ls: card
 */
void ls_device_put(struct ls_device *ls)
{
	kref_put(&ls->ref, ls_device_release);
}

/**
 * ls_device_watch - lets the watch look in a second, and again while something is under way
 * @ls: card
 */
void ls_device_watch(struct ls_device *ls)
{
	queue_delayed_work(system_freezable_wq, &ls->watch, LS_WATCH_JIFFIES);
}

/**
 * ls_device_give_up - an engine does not stop, or does not answer: it is to be reset
 * @ls: card
 * @what: which of them
 *
 * Whatever it still has, it can reach no memory any more. Requests end when it has been reset, so
 * that who hears of it finds a card that works.
 */
void ls_device_give_up(struct ls_device *ls, const char *what)
{
	ls_bus_off(ls);
	if (!pci_device_is_present(ls->pdev)) {
		dev_err(&ls->pdev->dev, "does not answer any more\n");
		ls_state_move(ls, LS_GOING);
	} else if (ls_state_move(ls, LS_PAUSED)) {
		dev_err(&ls->pdev->dev, "the engine %s: resetting it\n", what);
	}
	queue_delayed_work(system_freezable_wq, &ls->revive, 0);
}
