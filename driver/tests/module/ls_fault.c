// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For the soak of the driver: lets the mapping of memory for a device fail, which the kernel's own
 * fault injection does not know. Like that, it strikes tasks that have asked for it by
 * /proc/self/make-it-fail, and no others: /sys/module/ls_fault/parameters/percent says how often,
 * and struck how often it did.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static unsigned int percent;
module_param(percent, uint, 0644);
MODULE_PARM_DESC(percent, "of the mappings that fail");

static unsigned int struck;
module_param(struck, uint, 0444);
MODULE_PARM_DESC(struck, "mappings that have failed");

static u32 state = 1;

/*
 * At the first instruction: the function returns 0, which is "nothing mapped", at once.
 * A probe runs as if in an interrupt, wherever it strikes; nothing here maps in one.
 */
static int ls_fault_enter(struct kprobe *probe, struct pt_regs *regs)
{
	if (!percent || !current->make_it_fail)
		return 0;
	state = state * 1664525 + 1013904223;
	if ((state >> 16) % 100 >= percent)
		return 0;
	struck++;
	regs->ax = 0;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	return 1;
}

/* There so that the probe is not made a jump, which could not return elsewhere. */
static void ls_fault_after(struct kprobe *probe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probes[] = {
	{
		.symbol_name = "dma_map_sg_attrs",
		.pre_handler = ls_fault_enter,
		.post_handler = ls_fault_after,
	},
	{
		.symbol_name = "dma_alloc_attrs",
		.pre_handler = ls_fault_enter,
		.post_handler = ls_fault_after,
	},
};

static int __init ls_fault_init(void)
{
	struct kprobe *all[ARRAY_SIZE(probes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		all[i] = &probes[i];
	return register_kprobes(all, ARRAY_SIZE(all));
}

static void __exit ls_fault_exit(void)
{
	struct kprobe *all[ARRAY_SIZE(probes)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		all[i] = &probes[i];
	unregister_kprobes(all, ARRAY_SIZE(all));
}

module_init(ls_fault_init);
module_exit(ls_fault_exit);

MODULE_DESCRIPTION("lets mappings for a device fail, for the tests of lanescope's driver");
MODULE_AUTHOR("the lanescope project");
MODULE_LICENSE("Dual MIT/GPL");
