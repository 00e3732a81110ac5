// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Attributes: what the driver and the engine have counted for a channel, and, at the card itself,
 * what the engine is and the registers of its design. The state of the link and the NUMA node are
 * there by the PCI core.
 */
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/mm.h>
#include <linux/security.h>
#include <linux/sysfs.h>

#include "core/ls_compat.h"
#include "user/ls_user.h"

/* A value of a channel: where it is in the structure, or which register. */
struct ls_attribute {
	struct device_attribute attr;
	unsigned int at;
};

static ssize_t ls_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ls_channel *ch = to_ls_channel(dev);
	u64 value;

	spin_lock(&ch->lock);
	value = *(u64 *)((char *)ch + container_of(attr, struct ls_attribute, attr)->at);
	spin_unlock(&ch->lock);
	return sysfs_emit(buf, "%llu\n", value);
}

/* Files of a channel go before its registers do, and wait for who reads them. */
static ssize_t ls_cycles_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ls_channel *ch = to_ls_channel(dev);

	if (ls_is_leaving(ch->ls))
		return -ENODEV;
	return sysfs_emit(buf, "%llu\n",
			  readq(ch->regs + container_of(attr, struct ls_attribute, attr)->at));
}

#define LS_COUNTER(_name, _at) { \
	.attr = __ATTR(_name, 0444, ls_counter_show, NULL), \
	.at = offsetof(struct ls_channel, _at), \
}

#define LS_CYCLES(_name, _at) { \
	.attr = __ATTR(_name##_cycles, 0444, ls_cycles_show, NULL), \
	.at = _at, \
}

static struct ls_attribute ls_counters[] = {
	LS_COUNTER(transfers, transfers),
	LS_COUNTER(bytes, bytes),
	LS_COUNTER(descriptors, descriptors),
	LS_COUNTER(doorbells, doorbells),
	LS_COUNTER(interrupts, interrupts),
	LS_COUNTER(resets, resets),
};

static struct ls_attribute ls_cycles[] = {
	LS_CYCLES(span, LS_SPAN),
	LS_CYCLES(idle, LS_SPENT(0)),
	LS_CYCLES(moving, LS_SPENT(1)),
	LS_CYCLES(credit, LS_SPENT(2)),
	LS_CYCLES(tag, LS_SPENT(3)),
	LS_CYCLES(stream, LS_SPENT(4)),
	LS_CYCLES(descriptor, LS_SPENT(5)),
	LS_CYCLES(host, LS_SPENT(6)),
	LS_CYCLES(pipeline, LS_SPENT(7)),
};

static ssize_t last_cause_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_ls_channel(dev)->last_cause));
}
static DEVICE_ATTR_RO(last_cause);

static struct attribute *ls_driver_attrs[] = {
	&ls_counters[0].attr.attr, &ls_counters[1].attr.attr, &ls_counters[2].attr.attr,
	&ls_counters[3].attr.attr, &ls_counters[4].attr.attr, &ls_counters[5].attr.attr,
	&dev_attr_last_cause.attr, NULL
};

static struct attribute *ls_engine_attrs[] = {
	&ls_cycles[0].attr.attr, &ls_cycles[1].attr.attr, &ls_cycles[2].attr.attr,
	&ls_cycles[3].attr.attr, &ls_cycles[4].attr.attr, &ls_cycles[5].attr.attr,
	&ls_cycles[6].attr.attr, &ls_cycles[7].attr.attr, &ls_cycles[8].attr.attr, NULL
};

static const struct attribute_group ls_driver_group = {
	.name = "counters", .attrs = ls_driver_attrs,
};

static const struct attribute_group ls_engine_group = {
	.name = "engine", .attrs = ls_engine_attrs,
};

const struct attribute_group *ls_sysfs_channel[] = {
	&ls_driver_group, &ls_engine_group, &ls_settings_group, NULL
};

static ssize_t version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ls_device *ls = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", ls->version);
}
static DEVICE_ATTR_RO(version);

static ssize_t width_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ls_device *ls = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%u\n", ls->width);
}
static DEVICE_ATTR_RO(width);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", ls_state_name(dev_get_drvdata(dev)));
}
static DEVICE_ATTR_RO(state);

/* Faults that belong to no channel: bits as in the register; ones that are written clear theirs. */
static ssize_t faults_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct ls_device *ls = dev_get_drvdata(dev);

	if (ls_is_leaving(ls))
		return -ENODEV;
	return sysfs_emit(buf, "%#llx\n", readq(ls->regs + LS_FAULTS));
}

static ssize_t faults_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	struct ls_device *ls = dev_get_drvdata(dev);
	u64 bits;
	int error = kstrtou64(buf, 0, &bits);

	if (error)
		return error;
	if (ls_is_leaving(ls))
		return -ENODEV;
	writeq(bits, ls->regs + LS_FAULTS);
	return count;
}
static DEVICE_ATTR_RW(faults);

static struct attribute *ls_device_attrs[] = {
	&dev_attr_version.attr, &dev_attr_width.attr, &dev_attr_state.attr,
	&dev_attr_faults.attr, NULL
};

/*
 * The design's own registers, which begin at a page of their own: the engine's cannot be reached
 * by a mapping of these. A mapping goes when the driver leaves the card.
 */
static int ls_user_mmap(struct file *filp, struct kobject *kobj,
			LS_MAPPED_BIN_CONST struct bin_attribute *attr, struct vm_area_struct *vma)
{
	struct ls_device *ls = dev_get_drvdata(kobj_to_dev(kobj));

	int error = security_locked_down(LOCKDOWN_PCI_ACCESS);

	/* As of a card's resources: what the design does with the bus is in nobody's hands. */
	if (error)
		return error;
	if (ls_is_leaving(ls))
		return -ENODEV;
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	return vm_iomap_memory(vma, pci_resource_start(ls->pdev, 0) + LS_USER, LS_USER_BYTES);
}

static LS_LISTED_BIN_CONST struct bin_attribute ls_user_attr = {
	.attr = { .name = "user_registers", .mode = 0600 },
	.size = LS_USER_BYTES,
	.mmap = ls_user_mmap,
};

static LS_LISTED_BIN_CONST struct bin_attribute *LS_LISTED_BIN_CONST ls_device_bin_attrs[] = {
	&ls_user_attr, NULL
};

static const struct attribute_group ls_device_group = {
	.name = "card", .attrs = ls_device_attrs, .bin_attrs = ls_device_bin_attrs,
};

const struct attribute_group *ls_sysfs_card[] = { &ls_device_group, NULL };
