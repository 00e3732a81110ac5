// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The kinds of faults: what strikes, what calls may say of it, and within which time. */
#include "strikes.h"

#define UNBOUND { { ENODEV, ENOENT, ENXIO }, { ENODEV, ENOENT, ENXIO } }

const struct kind kinds[] = {
	{ .name = "none", .seconds = 8 },
	{ "completion timeout", NO_ANSWER, { { ETIMEDOUT } }, 4, .told = true, .strike = strike_device },
	{ "UR", UR, { { EREMOTEIO } }, 3, .told = true, .strike = strike_device },
	{ "CA", CA, { { ECONNABORTED } }, 3, .told = true, .strike = strike_device },
	{ "poison", POISONED, { { EBADMSG } }, 3, .told = true, .strike = strike_device },
	{ "bad descriptor", BAD_DESCRIPTOR, { { EINVAL }, { EINVAL } }, 3, .told = true, .strike = strike_device },
	{ "no descriptors", NO_DESCRIPTORS, { { EIO }, { EIO } }, 3, .told = true, .strike = strike_device },
	{ "engine stops", STOPS, { { EIO }, { EIO } }, 5, .told = true, .loses = true, .strike = strike_stops },
	{ "channel never idle", NEVER_IDLE, { { EIO, EINTR }, { EIO, EINTR } }, 4, .catches = true, .loses = true,
	  .strike = strike_never_idle },
	{ "interrupt lost", LOST_INTERRUPT, { { 0 } }, 3, .late = true, .strike = strike_device },
	{ "card vanishes", GONE, UNBOUND, 4, .loses = true, .strike = strike_gone, .mend = mend_gone },
	{ "FLR", 0, { { EIO }, { EIO } }, 2, .catches = true, .loses = true, .strike = strike_reset },
	{ "link reset", 0, { { EIO }, { EIO } }, 3, .catches = true, .loses = true, .strike = strike_link },
	{ "link error, not fatal", 0, { { 0 } }, 8, .strike = strike_link_lightly },
	{ "unbind", 0, UNBOUND, 3, .catches = true, .loses = true,
	  .strike = strike_unbind, .mend = mend_unbind },
	{ "signal", 0, { { EINTR }, { EINTR } }, 2, .told = true, .strike = strike_signal },
	{ "kill", 0, { { KILLED }, { KILLED } }, 2, .told = true, .strike = strike_kill },
	{ "allocation", 0, { { ENOMEM, EAGAIN, EFAULT }, { ENOMEM, EAGAIN, EFAULT } }, 2, .task = "failslab", .calls = true,
	  .strike = strike_task, .mend = disarm },
	{ "page", 0, { { ENOMEM, EAGAIN, EFAULT }, { ENOMEM, EAGAIN, EFAULT } }, 2, .task = "fail_page_alloc", .calls = true,
	  .strike = strike_task, .mend = disarm },
	/* A signal whose handler cannot be entered kills. */
	{ "user copy", 0, { { EFAULT, KILLED }, { EFAULT, KILLED } }, 2, .task = "fail_usercopy", .calls = true,
	  .strike = strike_task, .mend = disarm },
	{ "mapping", 0, { { EIO }, { EIO } }, 2, .task = "", .calls = true,
	  .strike = strike_mapping, .mend = mend_mapping },
	{ "probe", 0, UNBOUND, 3, .loses = true, .task = "failslab", .strike = strike_probe, .mend = mend_probe },
	{ "stops and FLR", STOPS, { { EIO }, { EIO } }, 5, .told = true, .loses = true, .strike = strike_stops_reset },
	{ "stops and unbind", STOPS, { { EIO, ENODEV, ENOENT, ENXIO }, { EIO, ENODEV, ENOENT, ENXIO } }, 5, .told = true,
	  .loses = true, .strike = strike_stops_unbind, .mend = mend_unbind },
	{ "signal and unbind", 0, { { EINTR, ENODEV, ENOENT, ENXIO }, { EINTR, ENODEV, ENOENT, ENXIO } }, 3, .catches = true,
	  .loses = true, .strike = strike_signal_unbind, .mend = mend_unbind },
	{ "vanishes and unbind", GONE, UNBOUND, 4, .loses = true, .strike = strike_gone_unbind, .mend = mend_gone },
	{ 0 }
};

bool is_wanted(const struct kind *kind)
{
	const char *wanted = getenv("LANESCOPE_KINDS") ?: "";
	char name[64];

	/* "engine-stops,FLR" */
	strcpy(name, kind->name);
	for (char *at = name; *at; at++)
		if (*at == ' ')
			*at = '-';
	for (const char *at = wanted; (at = strstr(at, name)); at++)
		if ((at == wanted || at[-1] == ',') && strchr(",", at[strlen(name)]))
			return true;
	return !*wanted;
}

bool any_of_the_kernel(void)
{
	for (const struct kind *kind = kinds; kind->name; kind++)
		if (kind->task && is_wanted(kind))
			return true;
	return false;
}
