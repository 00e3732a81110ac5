// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For the tests of the driver: exports a dma-buf of one page, whose exporter takes its time when a
 * device lets it go. The ioctl 0 of /dev/ls_slow returns one; its argument is the time in
 * milliseconds. The ioctl 1 lets a dma-buf, its argument, be in use for ever. What was let go by a
 * device that has no driver any more is counted in /sys/module/ls_slow/parameters/late.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int late;
module_param(late, uint, 0444);
MODULE_PARM_DESC(late, "mappings that were let go by a device without a driver");

static DEFINE_SPINLOCK(ls_slow_lock);

struct ls_slow {
	struct page *page;
	unsigned long ms;
};

static struct sg_table *ls_slow_map(struct dma_buf_attachment *attach,
				    enum dma_data_direction direction)
{
	struct ls_slow *slow = attach->dmabuf->priv;
	struct sg_table *sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	int error = -ENOMEM;

	if (!sgt)
		return ERR_PTR(error);
	error = sg_alloc_table(sgt, 1, GFP_KERNEL);
	if (error)
		goto err_free;
	sg_set_page(sgt->sgl, slow->page, PAGE_SIZE, 0);
	error = dma_map_sgtable(attach->dev, sgt, direction, 0);
	if (!error)
		return sgt;
	sg_free_table(sgt);
err_free:
	kfree(sgt);
	return ERR_PTR(error);
}

static void ls_slow_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			  enum dma_data_direction direction)
{
	struct ls_slow *slow = attach->dmabuf->priv;

	msleep(slow->ms);
	/* It is in no order with the driver's leaving but that of the driver itself. */
	if (!READ_ONCE(attach->dev->driver))
		late++;
	dma_unmap_sgtable(attach->dev, sgt, direction, 0);
	sg_free_table(sgt);
	kfree(sgt);
}

static void ls_slow_release(struct dma_buf *dmabuf)
{
	struct ls_slow *slow = dmabuf->priv;

	__free_page(slow->page);
	kfree(slow);
}

static const struct dma_buf_ops ls_slow_buffer_ops = {
	.map_dma_buf = ls_slow_map,
	.unmap_dma_buf = ls_slow_unmap,
	.release = ls_slow_release,
};

static int ls_slow_export(unsigned long ms)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct ls_slow *slow = kzalloc(sizeof(*slow), GFP_KERNEL);
	struct dma_buf *dmabuf;
	int fd;

	if (!slow)
		return -ENOMEM;
	slow->ms = ms;
	slow->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!slow->page) {
		kfree(slow);
		return -ENOMEM;
	}
	info.ops = &ls_slow_buffer_ops;
	info.size = PAGE_SIZE;
	info.flags = O_RDWR;
	info.priv = slow;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		__free_page(slow->page);
		kfree(slow);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

static const char *ls_slow_name(struct dma_fence *fence)
{
	return "ls_slow";
}

static const struct dma_fence_ops ls_slow_fence_ops = {
	.get_driver_name = ls_slow_name,
	.get_timeline_name = ls_slow_name,
};

/* Somebody writes to the buffer, and never tells that it has ended. */
static int ls_slow_hold(int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct dma_fence *fence;
	int error;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	fence = kzalloc(sizeof(*fence), GFP_KERNEL);
	if (!fence) {
		dma_buf_put(dmabuf);
		return -ENOMEM;
	}
	dma_fence_init(fence, &ls_slow_fence_ops, &ls_slow_lock, dma_fence_context_alloc(1), 1);
	dma_resv_lock(dmabuf->resv, NULL);
	error = dma_resv_reserve_fences(dmabuf->resv, 1);
	if (!error)
		dma_resv_add_fence(dmabuf->resv, fence, DMA_RESV_USAGE_WRITE);
	dma_resv_unlock(dmabuf->resv);
	dma_fence_put(fence);
	dma_buf_put(dmabuf);
	return error;
}

static long ls_slow_ioctl(struct file *filp, unsigned int command, unsigned long argument)
{
	return command == 1 ? ls_slow_hold(argument) : ls_slow_export(argument);
}

static const struct file_operations ls_slow_ops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = ls_slow_ioctl,
};

static struct miscdevice ls_slow_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ls_slow",
	.fops = &ls_slow_ops,
};
module_misc_device(ls_slow_device);

MODULE_DESCRIPTION("exports dma-bufs that are slow to be let go, for the tests of lanescope");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_IMPORT_NS(DMA_BUF);
