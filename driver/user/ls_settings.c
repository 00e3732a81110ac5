// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Settings of a channel, in its folder settings/: attributes of its TLPs, how long a call looks for
 * its end before it sleeps, and how often the engine writes a record. They hold until they are
 * changed or the driver leaves the card: a channel that is stopped, or a card that is reset, comes
 * back with them.
 */
#include <linux/capability.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/sysfs.h>

#include "user/ls_user.h"

/* Longest time for which a call may look, microseconds. */
#define LS_POLL_MAX	1000000U

/* When a record is written: descriptors and cycles, at first and at most. */
#define LS_EVERY	64
#define LS_EVERY_MAX	255
#define LS_CYCLES	500
#define LS_CYCLES_MAX	65535

/* An attribute of TLPs: its bit in the control register. */
struct ls_setting {
	struct device_attribute attr;
	u64 bit;
};

static u64 ls_bit_of(const struct device_attribute *attr)
{
	return container_of(attr, struct ls_setting, attr)->bit;
}

static bool ls_allow_id_based_ordering(struct pci_dev *pdev)
{
	u16 value = 0;

	pcie_capability_set_word(pdev, PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_IDO_REQ_EN);
	pcie_capability_read_word(pdev, PCI_EXP_DEVCTL2, &value);
	return value & PCI_EXP_DEVCTL2_IDO_REQ_EN;
}

/**
 * ls_settings_allow - allows again what a reset of the link, or a loss of power, has taken
 * @ls: card, whose channels are to be set up
 */
void ls_settings_allow(struct ls_device *ls)
{
	unsigned int i;

	for (i = 0; i < ls->nchannels; i++)
		if (READ_ONCE(ls->channels[i]->attributes) & LS_ID_BASED_ORDERING)
			ls_allow_id_based_ordering(ls->pdev);
}

/*
 * Whether Device Control lets the card set it. The kernel takes Relaxed Ordering away below root
 * ports that do it wrong, and firmware may take away No Snoop: neither is given back here. ID-based
 * ordering is off until somebody asks for it, and stays off in a card that cannot.
 */
static bool ls_may_set(struct pci_dev *pdev, u64 bit)
{
	u16 value = 0;

	switch (bit) {
	case LS_RELAXED_ORDERING:
		return pcie_relaxed_ordering_enabled(pdev);
	case LS_NO_SNOOP:
		pcie_capability_read_word(pdev, PCI_EXP_DEVCTL, &value);
		return value & PCI_EXP_DEVCTL_NOSNOOP_EN;
	default:
		return ls_allow_id_based_ordering(pdev);
	}
}

/*
 * From the next TLP on, where the driver has the channel; where a process has it, or it is stopped,
 * when the driver sets it up. The channel is locked.
 */
static void ls_apply(struct ls_channel *ch)
{
	if (!ch->stopped && !ch->lent)
		writeq(ls_channel_control(ch), ch->regs + LS_CONTROL);
}

static void ls_set(struct ls_channel *ch, u64 attribute, bool on)
{
	spin_lock(&ch->lock);
	WRITE_ONCE(ch->attributes, on ? ch->attributes | attribute : ch->attributes & ~attribute);
	ls_apply(ch);
	spin_unlock(&ch->lock);
}

static ssize_t ls_setting_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  !!(READ_ONCE(to_ls_channel(dev)->attributes) & ls_bit_of(attr)));
}

static ssize_t ls_setting_store(struct device *dev, struct device_attribute *attr, const char *buf,
				size_t count)
{
	struct ls_channel *ch = to_ls_channel(dev);
	struct ls_device *ls = ch->ls;
	u64 bit = ls_bit_of(attr);
	bool on;
	int error = kstrtobool(buf, &on);

	if (error)
		return error;
	/* What the card then reads or writes may be another thing than what the caches hold. */
	if (on && bit == LS_NO_SNOOP && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	error = ls_life_enter(ls, false);
	if (error)
		return error;
	if (on && !ls_may_set(ls->pdev, bit))
		error = -EOPNOTSUPP;
	else
		ls_set(ch, bit, on);
	ls_life_leave(ls);
	return error ?: count;
}

#define LS_SETTING(_name, _bit) { \
	.attr = __ATTR(_name, 0644, ls_setting_show, ls_setting_store), \
	.bit = _bit, \
}

static struct ls_setting ls_settings[] = {
	LS_SETTING(relaxed_ordering, LS_RELAXED_ORDERING),
	LS_SETTING(no_snoop, LS_NO_SNOOP),
	LS_SETTING(id_based_ordering, LS_ID_BASED_ORDERING),
};

static ssize_t poll_us_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_ls_channel(dev)->poll_us));
}

static ssize_t poll_us_store(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count)
{
	unsigned int value;
	int error = kstrtouint(buf, 0, &value);

	if (error)
		return error;
	if (value > LS_POLL_MAX)
		return -ERANGE;
	WRITE_ONCE(to_ls_channel(dev)->poll_us, value);
	return count;
}
static DEVICE_ATTR_RW(poll_us);

/**
 * ls_settings_init - what a channel begins with
 * @ch: channel
 */
void ls_settings_init(struct ls_channel *ch)
{
	ch->every = LS_EVERY;
	ch->cycles = LS_CYCLES;
}

/* Sets both, or one: NULL leaves the other as it is. */
static int ls_moderate(struct ls_channel *ch, const u32 *every, const u32 *cycles)
{
	int error;

	if (every && (!*every || *every > LS_EVERY_MAX))
		return -ERANGE;
	if (cycles && *cycles > LS_CYCLES_MAX)
		return -ERANGE;
	error = ls_life_enter(ch->ls, false);
	if (error)
		return error;
	spin_lock(&ch->lock);
	if (every)
		WRITE_ONCE(ch->every, *every);
	if (cycles)
		WRITE_ONCE(ch->cycles, *cycles);
	ls_apply(ch);
	spin_unlock(&ch->lock);
	ls_life_leave(ch->ls);
	return 0;
}

/**
 * ls_settings_moderate - sets when the engine writes a record, where the driver has a channel
 * @ch: channel
 * @every: after so many descriptors
 * @cycles: or so many cycles
 */
int ls_settings_moderate(struct ls_channel *ch, u32 every, u32 cycles)
{
	return ls_moderate(ch, &every, &cycles);
}

static ssize_t coalesce_count_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_ls_channel(dev)->every));
}

static ssize_t coalesce_count_store(struct device *dev, struct device_attribute *attr,
				    const char *buf, size_t count)
{
	u32 every;
	int error = kstrtou32(buf, 0, &every) ?: ls_moderate(to_ls_channel(dev), &every, NULL);

	return error ?: count;
}
static DEVICE_ATTR_RW(coalesce_count);

static ssize_t coalesce_cycles_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(to_ls_channel(dev)->cycles));
}

static ssize_t coalesce_cycles_store(struct device *dev, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	u32 cycles;
	int error = kstrtou32(buf, 0, &cycles) ?: ls_moderate(to_ls_channel(dev), NULL, &cycles);

	return error ?: count;
}
static DEVICE_ATTR_RW(coalesce_cycles);

static struct attribute *ls_settings_attrs[] = {
	&ls_settings[0].attr.attr, &ls_settings[1].attr.attr, &ls_settings[2].attr.attr,
	&dev_attr_poll_us.attr, &dev_attr_coalesce_count.attr, &dev_attr_coalesce_cycles.attr, NULL
};

const struct attribute_group ls_settings_group = {
	.name = "settings", .attrs = ls_settings_attrs,
};
