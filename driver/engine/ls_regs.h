/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Registers of lanescope's DMA engine, its descriptors and records (gateware/docs/ls_core.md). */
#ifndef LS_REGS_H
#define LS_REGS_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/types.h>

/* BAR 0 */
#define LS_IDENTITY		0x000
#define LS_MAGIC		0x5043534cU
#define LS_PARAMETERS		0x008
#define LS_FAULTS		0x010
#define LS_TIMEOUT		0x018
#define LS_H2C(k)		(0x100 + 0x400 * (k))
#define LS_C2H(k)		(0x200 + 0x400 * (k))

/* A channel */
#define LS_CONTROL		0x00
#define LS_ENABLE		BIT_ULL(0)
#define LS_ABORT		BIT_ULL(1)
#define LS_RING			BIT_ULL(2)
#define LS_RECORDS		BIT_ULL(3)
#define LS_NO_SNOOP		BIT_ULL(4)
#define LS_RELAXED_ORDERING	BIT_ULL(5)
#define LS_ID_BASED_ORDERING	BIT_ULL(6)
/* Card to host: frames begin in descriptors with LS_DESC_SOF; others are skipped there. */
#define LS_FIRST		BIT_ULL(24)
/* With LS_ABORT: nothing of the stream is dropped; and the last record is one of no descriptors. */
#define LS_KEEP_DATA		BIT_ULL(25)
#define LS_TELL			BIT_ULL(26)
#define LS_SIZE_SHIFT		8
#define LS_VECTOR_SHIFT		12
#define LS_EVERY_SHIFT		16
#define LS_CYCLES_SHIFT		32
#define LS_RING_BASE		0x08
#define LS_RECORD_BASE		0x10
#define LS_TAIL			0x18
#define LS_CLEAR		0x30
#define LS_STATE		0x40
#define LS_BUSY			BIT_ULL(0)
#define LS_SPAN			0x48
#define LS_SPENT(n)		(0x80 + 8 * (n))

/* A page with nothing but the tail register of one channel, for the first channels */
#define LS_DOORBELL_H2C(k)	(0x2000 + 0x2000 * (k))
#define LS_DOORBELL_C2H(k)	(0x3000 + 0x2000 * (k))
#define LS_DOORBELL_BYTES	0x1000
#define LS_DOORBELL_CHANNELS	3
#define LS_HAS_DOORBELLS	BIT_ULL(30)
#define LS_HAS_ENDS		BIT_ULL(31)	/* LS_FIRST, LS_KEEP_DATA, LS_TELL */

/* The design's own registers, to the end of BAR 0 */
#define LS_USER			0x8000
#define LS_USER_BYTES		0x8000

/* A descriptor, and the flags of its second word */
struct ls_desc {
	__le64 address;
	__le64 control;
};

#define LS_DESC_SOF		BIT_ULL(32)
#define LS_DESC_EOF		BIT_ULL(33)
#define LS_DESC_IRQ		BIT_ULL(34)
#define LS_DESC_MAX		(8U << 20)

/* A record, and the fields of its first double word */
struct ls_record {
	__le32 state;
	__le32 bytes;
	__le32 done;
	__le32 id;
};

#define LS_REC_PHASE		BIT(0)
#define LS_REC_ABORTED		6
#define LS_REC_EOF		BIT(2)
#define LS_REC_CAUSE		GENMASK(11, 8)
#define LS_REC_COUNT		GENMASK(31, 16)

/* Of a channel that was stopped with LS_TELL: all else that it has written is in memory. */
static inline bool ls_record_is_last(u32 state)
{
	return FIELD_GET(LS_REC_CAUSE, state) == LS_REC_ABORTED && !FIELD_GET(LS_REC_COUNT, state);
}

#endif
