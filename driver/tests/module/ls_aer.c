// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For the tests of the driver: calls its handlers of link errors in the order of the system's own
 * recovery, which needs configuration space that the tests' cards have not. To be written to
 * /sys/module/ls_aer/parameters/strike: "0000:00:06.0 normal", "frozen", "fatal" or "lost" in the
 * place of "normal". "held" has the device, so that nobody resets it, and "reset" has it in the
 * middle of a reset, until whoever wrote that is killed.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sched/signal.h>

static int ls_aer_frozen(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	pdev->error_state = pci_channel_io_frozen;
	if (handlers->error_detected(pdev, pci_channel_io_frozen) != PCI_ERS_RESULT_NEED_RESET)
		return -EPROTO;
	/* As long as the reset of a link may take; what is asked for in between waits. */
	msleep(300);
	pdev->error_state = pci_channel_io_normal;
	__pci_reset_function_locked(pdev);
	if (handlers->slot_reset(pdev) != PCI_ERS_RESULT_RECOVERED)
		return -EPROTO;
	handlers->resume(pdev);
	return 0;
}

static int ls_aer_normal(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	if (handlers->error_detected(pdev, pci_channel_io_normal) != PCI_ERS_RESULT_CAN_RECOVER)
		return -EPROTO;
	if (handlers->mmio_enabled(pdev) != PCI_ERS_RESULT_RECOVERED)
		return -EPROTO;
	handlers->resume(pdev);
	return 0;
}

static int ls_aer_fatal(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	bool right = handlers->error_detected(pdev, pci_channel_io_perm_failure) ==
		     PCI_ERS_RESULT_DISCONNECT;

	return right ? 0 : -EPROTO;
}

/* Another device of the link does not come back, and nobody hears of it. */
static int ls_aer_lost(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	int result = handlers->error_detected(pdev, pci_channel_io_frozen);

	return result == PCI_ERS_RESULT_NEED_RESET ? 0 : -EPROTO;
}

static int ls_aer_held(void)
{
	while (!fatal_signal_pending(current))
		msleep_interruptible(1000);
	return 0;
}

/* A reset that takes long. */
static int ls_aer_reset(struct pci_dev *pdev, const struct pci_error_handlers *handlers)
{
	handlers->reset_prepare(pdev);
	pci_save_state(pdev);
	ls_aer_held();
	__pci_reset_function_locked(pdev);
	pci_restore_state(pdev);
	handlers->reset_done(pdev);
	return 0;
}

static int ls_aer_strike(const char *text, const struct kernel_param *param)
{
	unsigned int domain, bus, device, function;
	struct pci_dev *pdev;
	char what[8];
	int error = -ENODEV;

	if (sscanf(text, "%x:%x:%x.%x %7s", &domain, &bus, &device, &function, what) != 5)
		return -EINVAL;
	pdev = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(device, function));
	if (!pdev)
		return -ENODEV;
	device_lock(&pdev->dev);
	if (pdev->dev.driver) {
		const struct pci_error_handlers *handlers =
			to_pci_driver(pdev->dev.driver)->err_handler;

		if (!strcmp(what, "normal"))
			error = ls_aer_normal(pdev, handlers);
		else if (!strcmp(what, "frozen"))
			error = ls_aer_frozen(pdev, handlers);
		else if (!strcmp(what, "fatal"))
			error = ls_aer_fatal(pdev, handlers);
		else if (!strcmp(what, "lost"))
			error = ls_aer_lost(pdev, handlers);
		else if (!strcmp(what, "held"))
			error = ls_aer_held();
		else if (!strcmp(what, "reset"))
			error = ls_aer_reset(pdev, handlers);
		else
			error = -EINVAL;
	}
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
	return error;
}

static const struct kernel_param_ops ls_aer_ops = { .set = ls_aer_strike };
module_param_cb(strike, &ls_aer_ops, NULL, 0200);

MODULE_DESCRIPTION("calls the error handlers of lanescope's driver, for its tests");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
