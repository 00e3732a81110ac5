/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * What programs and the driver of lanescope's DMA engine share.
 *
 * A channel is a file: /dev/lanescopeN/h2cK (write) or /dev/lanescopeN/c2hK (read). One call is one
 * transfer; the end of a frame ends a read.
 */
#ifndef _UAPI_LINUX_LANESCOPE_H
#define _UAPI_LINUX_LANESCOPE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes when a program has to be built anew. */
#define LANESCOPE_ABI_VERSION	1

/* Causes of a failure, as the engine's records have them. */
#define LANESCOPE_CAUSE_NONE		0
#define LANESCOPE_CAUSE_TIMEOUT		1
#define LANESCOPE_CAUSE_UR		2
#define LANESCOPE_CAUSE_CA		3
#define LANESCOPE_CAUSE_POISON		4
#define LANESCOPE_CAUSE_LENGTH		5
#define LANESCOPE_CAUSE_ABORT		6
#define LANESCOPE_CAUSE_FETCH		7
#define LANESCOPE_CAUSE_COMPLETION	9
#define LANESCOPE_CAUSE_SLVERR		10
#define LANESCOPE_CAUSE_DECERR		11

/**
 * struct lanescope_info - what a channel is, and what it has done
 * @abi: LANESCOPE_ABI_VERSION of the driver
 * @engine: upper half of the identity register
 * @channel: number of the channel in its direction
 * @to_host: 1 for card to host
 * @width: bits of the engine's data path
 * @entries: descriptors in the ring
 * @last_cause: LANESCOPE_CAUSE_* of the last failure, 0 without one
 * @reserved: 0
 * @transfers: transfers that have ended
 * @bytes: bytes moved by them
 * @descriptors: descriptors given to the engine
 * @doorbells: stores to the tail register
 * @interrupts: interrupts taken
 * @resets: times that the channel was set up anew after a failure or a signal
 */
struct lanescope_info {
	__u32 abi;
	__u32 engine;
	__u32 channel;
	__u32 to_host;
	__u32 width;
	__u32 entries;
	__u32 last_cause;
	__u32 reserved;
	__u64 transfers;
	__u64 bytes;
	__u64 descriptors;
	__u64 doorbells;
	__u64 interrupts;
	__u64 resets;
};

#define LANESCOPE_IOC_INFO	_IOR('l', 0x40, struct lanescope_info)

#endif
