// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A card's window (BAR 2), exported as a dma-buf, so that another device can write to the design
 * of this card. The window is a FIFO: bytes count in the order of their arrival, and the only thing
 * that an address in it says is whether a write ends a frame, which those to its upper half do.
 *
 * Such a buffer has no struct pages, cannot be mapped by a process, and cannot be read. It goes
 * with its card. So it is for devices whose drivers know both things, and say so (allow_peer2peer,
 * which goes with move_notify), and for pairs of devices that the kernel's P2PDMA takes for
 * connected.
 *
 * While the card is reset, suspended or given up, and for ever when it is removed, a window is
 * closed: devices that use it are told, and nobody is given its address.
 */
#include <linux/dma-buf.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/pci-p2pdma.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/ls_compat.h"
#include "include/uapi/linux/lanescope.h"
#include "peer/ls_peer.h"

#define LS_WINDOW_BAR	2

/**
 * struct ls_window - a window that was exported
 * @node: in the list of its card
 * @ls: card, of which it holds a reference
 * @dmabuf: the buffer
 * @closed: 0, or why nobody may write to it; under the lock of the buffer's reservation
 */
struct ls_window {
	struct list_head node;
	struct ls_device *ls;
	struct dma_buf *dmabuf;
	int closed;
};

static int ls_window_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct ls_window *window = dmabuf->priv;
	struct pci_dev *pdev = window->ls->pdev;

	if (READ_ONCE(window->closed))
		return READ_ONCE(window->closed);
	/* A card's writes to itself are no transfer of the bus. */
	if (attach->dev == &pdev->dev)
		return -EINVAL;
	if (!attach->peer2peer || pci_p2pdma_distance_many(pdev, &attach->dev, 1, true) < 0)
		return -EOPNOTSUPP;
	return 0;
}

/* It stays where it is; that it may be closed is known to whoever may attach to it. */
static int ls_window_pin(struct dma_buf_attachment *attach)
{
	return attach->peer2peer ? 0 : -EOPNOTSUPP;
}

static void ls_window_unpin(struct dma_buf_attachment *attach)
{
}

/**
 * struct ls_window_table - a window, mapped for a device
 * @sgt: what the device gets
 * @mapped: what is to be unmapped; DMA_MAPPING_ERROR where nothing is
 */
struct ls_window_table {
	struct sg_table sgt;
	dma_addr_t mapped;
};

static bool ls_redirects(struct pci_dev *bridge)
{
	u16 acs = pci_find_ext_capability(bridge, PCI_EXT_CAP_ID_ACS), control = 0;

	if (acs)
		pci_read_config_word(bridge, acs + PCI_ACS_CTRL, &control);
	return control & (PCI_ACS_RR | PCI_ACS_CR | PCI_ACS_EC);
}

static bool ls_reaches(struct pci_dev *pdev, const struct pci_dev *top)
{
	struct pci_dev *up;

	for (up = pci_upstream_bridge(pdev); up; up = pci_upstream_bridge(up)) {
		if (ls_redirects(up))
			return false;
		if (up == top)
			return true;
	}
	return false;
}

/* Whether a bridge above both sends what one writes to the other, and no ACS to its host bridge. */
static bool ls_below_one_switch(struct pci_dev *one, struct pci_dev *other)
{
	struct pci_dev *up;

	for (up = pci_upstream_bridge(one); up; up = pci_upstream_bridge(up)) {
		if (ls_redirects(up))
			return false;
		if (ls_reaches(other, up))
			return true;
	}
	return false;
}

/* What the window is called on the bus of a device. */
static dma_addr_t ls_bus_address(struct pci_dev *pdev, struct pci_dev *other)
{
	struct pci_bus_region region;

	pcibios_resource_to_bus(other->bus, &region, &pdev->resource[LS_WINDOW_BAR]);
	return region.start;
}

/*
 * Its address for a device. Below a switch that no ACS redirects, what is sent there comes by no
 * IOMMU: it is the bus's. Else the system maps it; where it does not translate, that gives the
 * processor's address, which may have another name on the bus.
 */
static int ls_window_address(struct pci_dev *pdev, struct device *dev, size_t bytes,
			     enum dma_data_direction dir, struct ls_window_table *table)
{
	phys_addr_t start = pci_resource_start(pdev, LS_WINDOW_BAR);
	struct pci_dev *other = dev_is_pci(dev) ? to_pci_dev(dev) : NULL;
	dma_addr_t address;

	table->mapped = DMA_MAPPING_ERROR;
	if (other && ls_below_one_switch(pdev, other)) {
		address = ls_bus_address(pdev, other);
	} else {
		address = dma_map_resource(dev, start, bytes, dir, DMA_ATTR_SKIP_CPU_SYNC);
		if (dma_mapping_error(dev, address))
			return -EIO;
		table->mapped = address;
		if (other && address == start)
			address = ls_bus_address(pdev, other);
	}
	sg_set_page(table->sgt.sgl, NULL, bytes, 0);
	sg_dma_address(table->sgt.sgl) = address;
	sg_dma_len(table->sgt.sgl) = bytes;
	return 0;
}

static struct sg_table *ls_window_map(struct dma_buf_attachment *attach,
				      enum dma_data_direction dir)
{
	struct ls_window *window = attach->dmabuf->priv;
	struct pci_dev *pdev = window->ls->pdev;
	struct ls_window_table *table;
	int error;

	if (window->closed)
		return ERR_PTR(window->closed);
	if (dir != DMA_FROM_DEVICE && dir != DMA_BIDIRECTIONAL)
		return ERR_PTR(-EINVAL);
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	error = sg_alloc_table(&table->sgt, 1, GFP_KERNEL);
	if (error)
		goto err_free;
	error = ls_window_address(pdev, attach->dev, attach->dmabuf->size, dir, table);
	if (!error)
		return &table->sgt;
	sg_free_table(&table->sgt);
err_free:
	kfree(table);
	return ERR_PTR(error);
}

static void ls_window_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			    enum dma_data_direction dir)
{
	struct ls_window_table *table = container_of(sgt, struct ls_window_table, sgt);

	if (table->mapped != DMA_MAPPING_ERROR)
		dma_unmap_resource(attach->dev, table->mapped, attach->dmabuf->size, dir,
				   DMA_ATTR_SKIP_CPU_SYNC);
	sg_free_table(sgt);
	kfree(table);
}

static void ls_window_release(struct dma_buf *dmabuf)
{
	struct ls_window *window = dmabuf->priv;
	struct ls_device *ls = window->ls;

	mutex_lock(&ls->windows_lock);
	list_del(&window->node);
	mutex_unlock(&ls->windows_lock);
	kfree(window);
	ls_device_put(ls);
}

static const struct dma_buf_ops ls_window_ops = {
	.attach = ls_window_attach,
	.pin = ls_window_pin,
	.unpin = ls_window_unpin,
	.map_dma_buf = ls_window_map,
	.unmap_dma_buf = ls_window_unmap,
	.release = ls_window_release,
};

/**
 * ls_window_is - true where a buffer is the window of a card of this driver
 * @dmabuf: any buffer
 */
bool ls_window_is(const struct dma_buf *dmabuf)
{
	return dmabuf->ops == &ls_window_ops;
}

/**
 * ls_window_closed - 0, or why nobody may write to a window
 * @dmabuf: the window, with its reservation locked
 */
int ls_window_closed(const struct dma_buf *dmabuf)
{
	const struct ls_window *window = dmabuf->priv;

	return window->closed;
}

/* The window as a buffer, in the list of its card. */
static struct dma_buf *ls_window_new(struct ls_device *ls)
{
	struct ls_window *window = kzalloc(sizeof(*window), GFP_KERNEL);
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;

	if (!window)
		return ERR_PTR(-ENOMEM);
	info.ops = &ls_window_ops;
	info.size = pci_resource_len(ls->pdev, LS_WINDOW_BAR);
	info.flags = O_RDWR;
	info.priv = window;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		kfree(window);
		return dmabuf;
	}
	window->ls = ls_device_get(ls);
	window->dmabuf = dmabuf;
	mutex_lock(&ls->windows_lock);
	list_add_tail(&window->node, &ls->windows);
	mutex_unlock(&ls->windows_lock);
	return dmabuf;
}

/**
 * ls_window_exists - whether a card shows a window that this kernel lets it export
 * @ls: card
 */
bool ls_window_exists(struct ls_device *ls)
{
	resource_size_t bytes = pci_resource_len(ls->pdev, LS_WINDOW_BAR);

	return IS_ENABLED(CONFIG_PCI_P2PDMA) && is_power_of_2(bytes) && bytes >= 2 * PAGE_SIZE &&
	       pci_resource_flags(ls->pdev, LS_WINDOW_BAR) & IORESOURCE_MEM;
}

/**
 * ls_window_export - gives a process the window of a card
 * @ls: card
 * @argument: a struct lanescope_window
 */
int ls_window_export(struct ls_device *ls, void __user *argument)
{
	struct lanescope_window args;
	struct dma_buf *dmabuf;
	int error;

	/* Without it, no pair is known to be connected. */
	if (!IS_ENABLED(CONFIG_PCI_P2PDMA))
		return -EOPNOTSUPP;
	if (copy_from_user(&args, argument, sizeof(args)))
		return -EFAULT;
	if (args.flags & ~O_CLOEXEC)
		return -EINVAL;
	if (!ls_window_exists(ls))
		return -ENXIO;
	args.fd = get_unused_fd_flags(args.flags);
	if (args.fd < 0)
		return args.fd;
	args.bytes = pci_resource_len(ls->pdev, LS_WINDOW_BAR);
	error = ls_life_enter(ls, false);
	if (error) {
		put_unused_fd(args.fd);
		return error;
	}
	dmabuf = ls_window_new(ls);
	ls_life_leave(ls);
	if (IS_ERR(dmabuf)) {
		put_unused_fd(args.fd);
		return PTR_ERR(dmabuf);
	}
	if (copy_to_user(argument, &args, sizeof(args))) {
		put_unused_fd(args.fd);
		dma_buf_put(dmabuf);
		return -EFAULT;
	}
	fd_install(args.fd, dmabuf->file);
	return 0;
}

static unsigned long ls_ticks_until(unsigned long until)
{
	return time_before(jiffies, until) ? until - jiffies : 1;
}

/**
 * ls_window_close_all - closes all windows of a card, or opens them again
 * @ls: card
 * @error: why; 0 opens them
 *
 * This driver has ended its transfers into them when it returns; of others, what they have told of
 * by fences has ended, or the kernel's log says that it has not: nobody else holds up a card.
 */
void ls_window_close_all(struct ls_device *ls, int error)
{
	unsigned long until = jiffies + ls_fence_ticks();
	struct ls_window *window;

	mutex_lock(&ls->windows_lock);
	list_for_each_entry(window, &ls->windows, node) {
		struct dma_resv *resv = window->dmabuf->resv;

		if (READ_ONCE(window->closed) == error)
			continue;
		dma_resv_lock(resv, NULL);
		WRITE_ONCE(window->closed, error);
		if (error)
			ls_dma_buf_move_notify(window->dmabuf);
		dma_resv_unlock(resv);
		if (error && ls_resv_wait_all(resv, ls_ticks_until(until)) <= 0)
			dev_err(&ls->pdev->dev,
				"others may still write to its window: they have not told in time that they are done\n");
	}
	mutex_unlock(&ls->windows_lock);
}

LS_IMPORT_NS(DMA_BUF);
