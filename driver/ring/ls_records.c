// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What the engine has told a process that has a channel. */
#include "ring/ls_ring.h"

/**
 * ls_records_have - whether the engine has written a record
 * @ring: ring
 * @number: which, counted from the ring's beginning
 */
bool ls_records_have(const struct ls_ring *ring, u32 number)
{
	const struct ls_record *records = ls_ring_memory(ring) + LS_RING_RECORDS;
	u32 state = le32_to_cpu(READ_ONCE(records[number % LS_ENTRIES].state));

	return !!(state & LS_REC_PHASE) == !(number / LS_ENTRIES % 2);
}

/**
 * ls_records_done - how many descriptors are done, as its newest record says
 * @ring: ring
 *
 * A record follows the data that it speaks of, which a load of a register may pass.
 */
u32 ls_records_done(const struct ls_ring *ring)
{
	const struct ls_record *records = ls_ring_memory(ring) + LS_RING_RECORDS;
	u32 phase = le32_to_cpu(READ_ONCE(records[0].state)) & LS_REC_PHASE;
	unsigned int newest = 0;

	while (newest + 1 < LS_ENTRIES &&
	       (le32_to_cpu(READ_ONCE(records[newest + 1].state)) & LS_REC_PHASE) == phase)
		newest++;
	dma_rmb();
	return le32_to_cpu(READ_ONCE(records[newest].done));
}
