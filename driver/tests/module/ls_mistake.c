// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For the soak of the driver: makes one mistake of each kind that the kernel is to find, so that a
 * run without a report means something. To be written to /sys/module/ls_mistake/parameters/make:
 * "lock_order", "use_after_free", "sleep", "mapping", "leak"; the first one first, because lockdep
 * looks no further after any report.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);

static void ls_use_after_free(void)
{
	u8 *bytes = kmalloc(64, GFP_KERNEL);

	kfree(bytes);
	OPTIMIZER_HIDE_VAR(bytes);
	if (bytes)
		READ_ONCE(*bytes);
}

static void ls_sleep(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

/* One of which the device never had anything. */
static void ls_mapping(void)
{
	struct pci_dev *pdev = pci_get_domain_bus_and_slot(0, 0, PCI_DEVFN(5, 0));

	if (pdev)
		dma_unmap_single(&pdev->dev, 0x123000, 4096, DMA_TO_DEVICE);
	pci_dev_put(pdev);
}

static void ls_leak(void)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		void *lost = kmalloc(77, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(lost);
	}
}

static void ls_lock_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static int ls_make(const char *text, const struct kernel_param *param)
{
	static const struct {
		const char *name;
		void (*make)(void);
	} mistakes[] = {
		{ "use_after_free", ls_use_after_free },
		{ "sleep", ls_sleep },
		{ "mapping", ls_mapping },
		{ "leak", ls_leak },
		{ "lock_order", ls_lock_order },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (sysfs_streq(text, mistakes[i].name)) {
			mistakes[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops ls_make_ops = { .set = ls_make };
module_param_cb(make, &ls_make_ops, NULL, 0200);

MODULE_DESCRIPTION("mistakes for the kernel to find, for the tests of lanescope's driver");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
