// SPDX-License-Identifier: GPL-2.0 OR MIT
/* For how long devices that use a buffer, or a window, hold up others. */
#include <linux/jiffies.h>
#include <linux/module.h>

#include "peer/ls_peer.h"

static unsigned int fence_seconds = 10;
module_param(fence_seconds, uint, 0644);
MODULE_PARM_DESC(fence_seconds,
		 "how long to wait for other devices that use a buffer, or a window, at least 1");

/**
 * ls_fence_seconds - for how long the fences of other devices are waited for
 */
unsigned int ls_fence_seconds(void)
{
	return max(READ_ONCE(fence_seconds), 1U);
}

/**
 * ls_fence_ticks - the same
 */
unsigned long ls_fence_ticks(void)
{
	return ls_fence_seconds() * HZ;
}
