// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The PCI driver of lanescope's DMA engine: cards come and go here. Channels are in ls_channel.c,
 * files in ls_file.c, resets in ls_card.c.
 */
#include <linux/bitfield.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "card/ls_card.h"
#include "engine/ls_engine.h"
#include "user/ls_user.h"

#define LS_MINORS	1024

static struct class ls_class = { .name = LS_NAME };
static dev_t ls_first;
static DEFINE_IDA(ls_minors);

static void ls_channel_release(struct device *dev)
{
	struct ls_channel *ch = container_of(dev, struct ls_channel, dev);

	ida_free(&ls_minors, MINOR(dev->devt));
	kvfree(ch->buffer.data);
	ls_device_put(ch->ls);
	kfree(ch);
}

static irqreturn_t ls_interrupt(int irq, void *data)
{
	return IRQ_WAKE_THREAD;
}

static irqreturn_t ls_interrupt_thread(int irq, void *data)
{
	struct ls_vector *vector = data;
	struct ls_device *ls = vector->ls;
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++) {
		if (ls->channels[i]->vector == vector->number) {
			ls->channels[i]->interrupts++;
			ls_channel_service(ls->channels[i]);
		}
	}
	return IRQ_HANDLED;
}

static struct ls_channel *ls_channel_new(struct ls_device *ls, unsigned int index, bool to_host)
{
	struct ls_channel *ch = kzalloc_node(sizeof(*ch), GFP_KERNEL, dev_to_node(&ls->pdev->dev));
	int minor, error;

	if (!ch)
		return ERR_PTR(-ENOMEM);
	minor = ida_alloc_max(&ls_minors, LS_MINORS - 1, GFP_KERNEL);
	if (minor < 0) {
		kfree(ch);
		return ERR_PTR(minor);
	}
	ch->ls = ls_device_get(ls);
	ch->index = index;
	ch->to_host = to_host;
	ch->dir = to_host ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
	ch->regs = ls->regs + (to_host ? LS_C2H(index) : LS_H2C(index));
	ch->vector = ls->nchannels % ls->nvectors;
	ls_restart_init(ch);
	ls_cancel_init(ch);
	ls_buffer_init(&ch->buffer);
	ls_settings_init(ch);
	device_initialize(&ch->dev);
	ch->dev.class = &ls_class;
	ch->dev.parent = &ls->pdev->dev;
	ch->dev.groups = ls_sysfs_channel;
	ch->dev.release = ls_channel_release;
	ch->dev.devt = MKDEV(MAJOR(ls_first), minor);
	error = dev_set_name(&ch->dev, LS_NAME "%d!%s%u", ls->number, to_host ? "c2h" : "h2c",
			     index);
	if (!error)
		error = ls_channel_setup(ch);
	if (error) {
		put_device(&ch->dev);
		return ERR_PTR(error);
	}
	cdev_init(&ch->cdev, &ls_file_operations);
	ch->cdev.owner = THIS_MODULE;
	return ch;
}

static int ls_channels_new(struct ls_device *ls, unsigned int count, bool to_host)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct ls_channel *ch = ls_channel_new(ls, i, to_host);

		if (IS_ERR(ch))
			return PTR_ERR(ch);
		ls->channels[ls->nchannels++] = ch;
	}
	return 0;
}

static void ls_channels_free(struct ls_device *ls)
{
	while (ls->nchannels) {
		struct ls_channel *ch = ls->channels[--ls->nchannels];

		ls_channel_free(ch);
		put_device(&ch->dev);
	}
}

static void ls_vectors_free(struct ls_device *ls, unsigned int count)
{
	while (count--)
		free_irq(pci_irq_vector(ls->pdev, count), &ls->vectors[count]);
}

static int ls_vectors_request(struct ls_device *ls)
{
	unsigned int i;
	int error;

	for (i = 0; i < ls->nvectors; i++) {
		ls->vectors[i] = (struct ls_vector){ .ls = ls, .number = i };
		error = request_threaded_irq(pci_irq_vector(ls->pdev, i), ls_interrupt,
					     ls_interrupt_thread, 0, pci_name(ls->pdev),
					     &ls->vectors[i]);
		if (error) {
			ls_vectors_free(ls, i);
			return error;
		}
	}
	return 0;
}

static int ls_files_add(struct ls_device *ls)
{
	unsigned int i;
	int error;

	for (i = 0; i < ls->nchannels; i++) {
		error = cdev_device_add(&ls->channels[i]->cdev, &ls->channels[i]->dev);
		if (error) {
			while (i--)
				cdev_device_del(&ls->channels[i]->cdev, &ls->channels[i]->dev);
			return error;
		}
	}
	return 0;
}

static int ls_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	unsigned int h2c, c2h;
	struct ls_device *ls;
	u64 identity, parameters;
	int error;

	error = pcim_enable_device(pdev);
	if (error)
		return error;
	pci_clear_master(pdev);
	error = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (error)
		return error;
	dma_set_max_seg_size(&pdev->dev, LS_DESC_MAX);
	error = pcim_iomap_regions(pdev, BIT(0), LS_NAME);
	if (error)
		return error;

	ls = ls_device_new(pdev);
	if (IS_ERR(ls))
		return PTR_ERR(ls);
	ls_card_init(ls);
	ls_events_init(ls);
	ls->regs = pcim_iomap_table(pdev)[0];

	identity = readq(ls->regs + LS_IDENTITY);
	if (identity == ~0ULL) {
		/* An engine that has stopped, and whose driver went before it was reset. */
		dev_info(&pdev->dev, "does not answer: resetting it\n");
		error = pci_reset_function_locked(pdev);
		if (error)
			goto err_put;
		identity = readq(ls->regs + LS_IDENTITY);
	}
	parameters = readq(ls->regs + LS_PARAMETERS);
	if (lower_32_bits(identity) != LS_MAGIC) {
		error = dev_err_probe(&pdev->dev, -ENODEV, "identity is %#llx, not this engine's\n",
				      identity);
		goto err_put;
	}
	/* Without, no driver knows when its pages are its own again. */
	if (!(parameters & LS_HAS_ENDS)) {
		error = dev_err_probe(&pdev->dev, -ENODEV,
				      "an engine from before aborts ended with a record\n");
		goto err_put;
	}
	ls->version = upper_32_bits(identity);
	ls->width = FIELD_GET(GENMASK_ULL(15, 0), parameters);
	ls->doorbells = parameters & LS_HAS_DOORBELLS;
	h2c = FIELD_GET(GENMASK_ULL(26, 24), parameters) + 1;
	c2h = FIELD_GET(GENMASK_ULL(29, 27), parameters) + 1;

	error = pci_alloc_irq_vectors(pdev, 1, h2c + c2h, PCI_IRQ_MSIX | PCI_IRQ_MSI);
	if (error < 0)
		goto err_put;
	ls->nvectors = error;
	error = ls_channels_new(ls, h2c, false);
	if (!error)
		error = ls_channels_new(ls, c2h, true);
	if (!error)
		error = ls_card_settle(ls);
	if (!error)
		error = ls_vectors_request(ls);
	if (error)
		goto err_channels;
	pci_set_drvdata(pdev, ls);
	ls_card_start(ls);
	error = ls_files_add(ls);
	if (error)
		goto err_vectors;
	ls_device_watch(ls);
	dev_info(&pdev->dev, "%s%d: version %u, %u bit, channels %u h2c, %u c2h, %u vectors\n",
		 LS_NAME, ls->number, ls->version, ls->width, h2c, c2h, ls->nvectors);
	return 0;

err_vectors:
	ls_card_end(ls);
	ls_vectors_free(ls, ls->nvectors);
err_channels:
	ls_channels_free(ls);
	pci_free_irq_vectors(pdev);
err_put:
	ls_device_put(ls);
	return error;
}

/* Transfers that are being prepared see that the card goes, and the rest ends. */
static void ls_remove(struct pci_dev *pdev)
{
	struct ls_device *ls = pci_get_drvdata(pdev);
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++)
		cdev_device_del(&ls->channels[i]->cdev, &ls->channels[i]->dev);
	ls_card_end(ls);
	ls_vectors_free(ls, ls->nvectors);
	ls_channels_free(ls);
	pci_free_irq_vectors(pdev);
	ls_device_put(ls);
}

/* The next kernel, of kexec, is to find a card that has nothing of this one. */
static void ls_shutdown(struct pci_dev *pdev)
{
	ls_card_shutdown(pci_get_drvdata(pdev));
}

static const struct pci_device_id ls_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x4c53) },
	{ PCI_DEVICE(PCI_VENDOR_ID_XILINX, 0x4c54) },
	{}
};
MODULE_DEVICE_TABLE(pci, ls_ids);

static struct pci_driver ls_driver = {
	.name = LS_NAME,
	.id_table = ls_ids,
	.probe = ls_probe,
	.remove = ls_remove,
	.shutdown = ls_shutdown,
	.err_handler = &ls_events_errors,
	.dev_groups = ls_sysfs_card,
	.driver.pm = pm_sleep_ptr(&ls_events_pm),
};

static int __init ls_init(void)
{
	int error = class_register(&ls_class);

	if (error)
		return error;
	error = alloc_chrdev_region(&ls_first, 0, LS_MINORS, LS_NAME);
	if (error)
		goto err_class;
	error = pci_register_driver(&ls_driver);
	if (!error)
		return 0;
	unregister_chrdev_region(ls_first, LS_MINORS);
err_class:
	class_unregister(&ls_class);
	return error;
}

static void __exit ls_exit(void)
{
	pci_unregister_driver(&ls_driver);
	unregister_chrdev_region(ls_first, LS_MINORS);
	class_unregister(&ls_class);
}

module_init(ls_init);
module_exit(ls_exit);

MODULE_DESCRIPTION("lanescope's PCI Express DMA engine");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
