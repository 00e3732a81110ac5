// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For the soak of the driver: two cards whose registers are memory, on a bus of their own, so that
 * no transfer ever ends by itself, and every call is pending when something happens to it. Any
 * number of processors may use them. Now and then an abort is answered, as by an engine with
 * nothing to do; the rest of the time the engine does not stop, and is reset.
 *
 * The memory is some that the kernel does not know of, by mem=960M on its command line, in a
 * machine with 1 GiB.
 */
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/sched.h>

#include "../engine/ls_regs.h"

static unsigned long base = 0x3c000000;
module_param(base, ulong, 0444);
MODULE_PARM_DESC(base, "where the memory is");

static unsigned int answers = 75;
module_param(answers, uint, 0644);
MODULE_PARM_DESC(answers, "of a hundred aborts");

#define CARDS		2
#define FIRST_SLOT	5
#define DOMAIN		1
#define WINDOW		SZ_4M
#define BAR0		0x10
#define BAR0_BYTES	SZ_64K
#define BAR2		0x18
#define BAR2_BYTES	SZ_1M
#define DEVICE_CONTROL	0x68
#define FAULT		0xd4
#define FAULT_GONE	10
/* Two channels each way, of 64 bit. */
#define PARAMETERS	(64 | 1ULL << 24 | 1ULL << 27 | LS_HAS_ENDS)

struct card {
	u8 config[256];
	u8 mask[256];
	bool answered[4];
};

static struct card cards[CARDS];
static DEFINE_RAW_SPINLOCK(lock);
static void __iomem *window;
static struct pci_bus *bus;
static struct task_struct *thread;
static struct pci_sysdata sysdata = { .domain = DOMAIN, .node = NUMA_NO_NODE };
static struct resource numbers = { .name = "ls_silent", .end = 0, .flags = IORESOURCE_BUS };
static struct resource memory = { .name = "ls_silent", .flags = IORESOURCE_MEM };

static u32 word_of(const struct card *card, int at)
{
	return card->config[at] | card->config[at + 1] << 8 | card->config[at + 2] << 16 |
	       (u32)card->config[at + 3] << 24;
}

static void put_word(u8 *bytes, int at, u32 word)
{
	int i;

	for (i = 0; i < 4; i++)
		bytes[at + i] = word >> (8 * i);
}

/* As the tests' other card shows itself (crates/remote/src/config.rs). */
static void power_up(struct card *card)
{
	static const u32 words[][3] = {
		{ 0x00, 0x4c5310ee, 0 },	  { 0x04, 0x00100000, 0x00000406 },
		{ 0x08, 0x05800000, 0 },	  { BAR0, 0, ~(BAR0_BYTES - 1) },
		{ BAR2, 0, ~(BAR2_BYTES - 1) },	  { 0x2c, 0x4c5310ee, 0 },
		{ 0x34, 0x40, 0 },		  { 0x3c, 0, 0xff },
		{ 0x40, 0x00034801, 0 },	  { 0x44, 0, 0x3 },
		{ 0x48, 0x00076011, 0xc0000000 }, { 0x4c, 0x1000, 0 },
		{ 0x50, 0x1080, 0 },		  { 0x60, 0x0002c010, 0 },
		{ 0x64, 0x10008022, 0 },	  { DEVICE_CONTROL, 0x00002810, 0x00007fff },
		{ 0x6c, 0x00000042, 0 },	  { 0x70, 0x00420000, 0x00000003 },
		{ 0x88, 0, 0x00000100 },	  { 0xc0, 0x00200009, 0 },
	};
	u32 fault = word_of(card, FAULT);
	int i;

	memset(card, 0, sizeof(*card));
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		put_word(card->config, words[i][0], words[i][1]);
		put_word(card->mask, words[i][0], words[i][2]);
	}
	put_word(card->config, FAULT, fault);
}

/* Where its registers are; NULL while it has no address. */
static void __iomem *registers_of(const struct card *card)
{
	u32 at = word_of(card, BAR0) & ~0xf;

	return at >= base && at - base <= WINDOW - BAR0_BYTES ? window + (at - base) : NULL;
}

static void show_registers(struct card *card)
{
	void __iomem *regs = registers_of(card);

	if (!regs || readl(regs + LS_IDENTITY) == LS_MAGIC)
		return;
	memset_io(regs, 0, BAR0_BYTES);
	writeq(LS_MAGIC | 1ULL << 32, regs + LS_IDENTITY);
	writeq(PARAMETERS, regs + LS_PARAMETERS);
}

static bool is_gone(const struct card *card)
{
	return card->config[FAULT] == FAULT_GONE && card->config[FAULT + 1];
}

static struct card *card_at(unsigned int devfn)
{
	unsigned int slot = PCI_SLOT(devfn) - FIRST_SLOT;

	return PCI_FUNC(devfn) || slot >= CARDS ? NULL : &cards[slot];
}

static int silent_read(struct pci_bus *on, unsigned int devfn, int at, int bytes, u32 *value)
{
	struct card *card = card_at(devfn);
	unsigned long flags;

	*value = U32_MAX >> (32 - 8 * bytes);
	if (!card || at + bytes > sizeof(card->config))
		return PCIBIOS_SUCCESSFUL;
	raw_spin_lock_irqsave(&lock, flags);
	if (!is_gone(card) || (at & ~3) == FAULT)
		*value &= word_of(card, at & ~3) >> (8 * (at & 3));
	raw_spin_unlock_irqrestore(&lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

/* A reset takes the registers with it, which are shown anew where it gets an address. */
static void silent_reset(struct card *card)
{
	void __iomem *regs = registers_of(card);

	if (regs)
		writeq(0, regs + LS_IDENTITY);
	power_up(card);
}

static void silent_store(struct card *card, int at, int bytes, u32 value)
{
	bool resets = false;
	int i;

	for (i = at; i < at + bytes; i++, value >>= 8) {
		resets |= i == DEVICE_CONTROL + 1 && value & 0x80;
		card->config[i] = (card->config[i] & ~card->mask[i]) | (value & card->mask[i]);
	}
	if (resets)
		silent_reset(card);
	else if (word_of(card, 4) & PCI_COMMAND_MEMORY)
		show_registers(card);
}

static int silent_write(struct pci_bus *on, unsigned int devfn, int at, int bytes, u32 value)
{
	struct card *card = card_at(devfn);
	unsigned long flags;

	if (!card || at + bytes > sizeof(card->config))
		return PCIBIOS_SUCCESSFUL;
	raw_spin_lock_irqsave(&lock, flags);
	if (at == FAULT) {
		bool gone = is_gone(card);

		put_word(card->config, FAULT, value);
		if (gone != is_gone(card))
			silent_reset(card);
	} else if (!is_gone(card)) {
		silent_store(card, at, bytes, value);
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops ops = { .read = silent_read, .write = silent_write };

/* The record that ends an abort: the first of its round. */
static void write_record(phys_addr_t at)
{
	struct ls_record *record;

	if (!pfn_valid(PHYS_PFN(at)))
		return;
	record = phys_to_virt(at);
	WRITE_ONCE(record->state,
		   cpu_to_le32(LS_REC_PHASE | FIELD_PREP(LS_REC_CAUSE, LS_REC_ABORTED)));
}

static void look_at(struct card *card, void __iomem *regs, bool *answered)
{
	u64 control = readq(regs + LS_CONTROL);

	if (!(control & LS_ABORT) || !(control & LS_TELL)) {
		*answered = false;
		return;
	}
	if (*answered || !(word_of(card, 4) & PCI_COMMAND_MASTER))
		return;
	*answered = true;
	if (get_random_u32() % 100 < READ_ONCE(answers))
		write_record(readq(regs + LS_RECORD_BASE));
}

/*
 * Who has cleared Bus Master Enable finds nothing written afterwards: the lock is that of
 * configuration space.
 */
static int answer(void *nothing)
{
	static const unsigned int channels[] = { LS_H2C(0), LS_C2H(0), LS_H2C(1), LS_C2H(1) };
	int i, j;

	while (!kthread_should_stop()) {
		for (i = 0; i < CARDS; i++) {
			unsigned long flags;
			void __iomem *regs;

			raw_spin_lock_irqsave(&lock, flags);
			regs = is_gone(&cards[i]) ? NULL : registers_of(&cards[i]);
			for (j = 0; regs && j < ARRAY_SIZE(channels); j++)
				look_at(&cards[i], regs + channels[j], &cards[i].answered[j]);
			raw_spin_unlock_irqrestore(&lock, flags);
		}
		usleep_range(500, 2000);
	}
	return 0;
}

static int __init ls_silent_init(void)
{
	LIST_HEAD(resources);
	int i;

	window = ioremap(base, WINDOW);
	if (!window)
		return -ENOMEM;
	for (i = 0; i < CARDS; i++)
		power_up(&cards[i]);
	memory.start = base;
	memory.end = base + WINDOW - 1;
	pci_add_resource(&resources, &memory);
	pci_add_resource(&resources, &numbers);
	thread = kthread_run(answer, NULL, "ls_silent");
	if (IS_ERR(thread)) {
		iounmap(window);
		return PTR_ERR(thread);
	}
	pci_lock_rescan_remove();
	bus = pci_scan_root_bus(NULL, 0, &ops, &sysdata, &resources);
	if (bus) {
		pci_assign_unassigned_bus_resources(bus);
		pci_bus_add_devices(bus);
	}
	pci_unlock_rescan_remove();
	if (bus)
		return 0;
	kthread_stop(thread);
	pci_free_resource_list(&resources);
	iounmap(window);
	return -ENOMEM;
}

static void __exit ls_silent_exit(void)
{
	pci_lock_rescan_remove();
	pci_stop_root_bus(bus);
	pci_remove_root_bus(bus);
	pci_unlock_rescan_remove();
	kthread_stop(thread);
	iounmap(window);
}

module_init(ls_silent_init);
module_exit(ls_silent_exit);

MODULE_DESCRIPTION("cards whose transfers never end, for the soak of lanescope's driver");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
