// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the system tells of a card: function-level resets, errors of the link that it handles (AER),
 * suspend and resume.
 */
#include <linux/module.h>

#include "card/ls_card.h"
#include "engine/ls_engine.h"
#include "peer/ls_peer.h"
#include "user/ls_user.h"

static unsigned int recovery_seconds = 60;
module_param(recovery_seconds, uint, 0644);
MODULE_PARM_DESC(recovery_seconds,
		 "a card whose link the system has not recovered in so long is given up (0: never)");

/* A card that is not there after so long in a reset is given up; the system waits for longer. */
#define LS_RESET_SECONDS	5

/* A function-level reset: what is under way ends, and channels begin anew afterwards. */
static void ls_reset_prepare(struct pci_dev *pdev)
{
	struct ls_device *ls = pci_get_drvdata(pdev);

	if (!ls)
		return;	/* from ls_card_settle() */
	ls_life_close(ls);
	ls_card_pause(ls, -EIO);
	mod_delayed_work(system_freezable_wq, &ls->recovery, LS_RESET_SECONDS * HZ);
}

static void ls_reset_done(struct pci_dev *pdev)
{
	struct ls_device *ls = pci_get_drvdata(pdev);
	unsigned int i;

	if (!ls)
		return;
	cancel_delayed_work_sync(&ls->recovery);
	ls_card_start(ls);
	ls_device_watch(ls);
	ls_life_open(ls);
	for (i = 0; i < ls->nchannels; i++)
		ls_buffer_wake(ls->channels[i]);
}

/* A reset under way. A card that vanishes in it is not there for those who wait, either. */
static void ls_reset_look(struct ls_device *ls)
{
	if (pci_device_is_present(ls->pdev)) {
		queue_delayed_work(system_freezable_wq, &ls->recovery, HZ);
		return;
	}
	dev_err(&ls->pdev->dev, "has gone in a reset: given up\n");
	ls_card_leave(ls, -ENODEV);
}

/*
 * Nobody tells a driver that recovery has failed: another device of the link may not have come
 * back. What waits for it ends here. A reset that somebody has asked for meanwhile has mended the
 * card.
 */
static void ls_recovery(struct work_struct *work)
{
	struct ls_device *ls = container_of(to_delayed_work(work), struct ls_device, recovery);

	if (READ_ONCE(ls->resetting)) {
		if (!ls_is_leaving(ls))
			ls_reset_look(ls);
		return;
	}
	if (ls_state(ls) != LS_PAUSED || READ_ONCE(ls->bus) == LS_BUS_ON)
		return;
	dev_err(&ls->pdev->dev, "the system has not recovered its link in %u s: given up\n",
		READ_ONCE(recovery_seconds));
	ls_card_leave(ls, -EIO);
}

/**
 * ls_events_init - what this file keeps of a card
 * @ls: card
 */
void ls_events_init(struct ls_device *ls)
{
	INIT_DELAYED_WORK(&ls->recovery, ls_recovery);
}

/*
 * Errors of the link. One that is not fatal is the engine's own to report, by a cause. Until a
 * fatal one is handled, requests wait in their queues.
 */
static pci_ers_result_t ls_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	unsigned long seconds = READ_ONCE(recovery_seconds);
	struct ls_device *ls = pci_get_drvdata(pdev);

	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	/* Nobody asks the engine to stop: it must reach no memory before that is given back. */
	ls_bus_off(ls);
	if (state == pci_channel_io_perm_failure) {
		cancel_delayed_work_sync(&ls->watch);
		ls_card_leave(ls, -ENODEV);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	ls_card_pause(ls, -EIO);
	if (seconds)
		mod_delayed_work(system_freezable_wq, &ls->recovery, seconds * HZ);
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t ls_mmio_enabled(struct pci_dev *pdev)
{
	return PCI_ERS_RESULT_RECOVERED;
}

static pci_ers_result_t ls_slot_reset(struct pci_dev *pdev)
{
	struct ls_device *ls = pci_get_drvdata(pdev);

	pci_restore_state(pdev);
	if (ls_card_answers(ls))
		return PCI_ERS_RESULT_RECOVERED;
	dev_err(&pdev->dev, "does not answer after the link was reset: given up\n");
	ls_card_leave(ls, -ENODEV);
	return PCI_ERS_RESULT_DISCONNECT;
}

static void ls_error_resume(struct pci_dev *pdev)
{
	struct ls_device *ls = pci_get_drvdata(pdev);

	cancel_delayed_work_sync(&ls->recovery);
	if (READ_ONCE(ls->bus) == LS_BUS_ON)
		return;
	ls_card_start(ls);
	ls_device_watch(ls);
}

const struct pci_error_handlers ls_events_errors = {
	.error_detected = ls_error_detected,
	.mmio_enabled = ls_mmio_enabled,
	.slot_reset = ls_slot_reset,
	.resume = ls_error_resume,
	.reset_prepare = ls_reset_prepare,
	.reset_done = ls_reset_done,
};

/*
 * Tasks are frozen by now. Requests of which nothing was moved begin anew at resume; one that was
 * cut ends with what it has, and so does what another card writes to this one's window.
 */
static int ls_suspend(struct device *dev)
{
	struct ls_device *ls = dev_get_drvdata(dev);

	ls_card_pause(ls, 0);
	ls_window_close_all(ls, -EIO);
	/* An engine that did not stop is off the bus, and reset afterwards. */
	if (READ_ONCE(ls->bus) != LS_BUS_ON)
		ls_card_stop(ls, -EIO);
	return 0;
}

static int ls_resume(struct device *dev)
{
	struct ls_device *ls = dev_get_drvdata(dev);

	if (READ_ONCE(ls->bus) == LS_BUS_ON) {
		ls_card_start(ls);
		ls_device_watch(ls);
	} else {
		queue_delayed_work(system_freezable_wq, &ls->revive, 0);
	}
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(ls_events_pm, ls_suspend, ls_resume);
