// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What queued calls may hold: pages count against RLIMIT_MEMLOCK of the process, as those of ring
 * mode do, and each file has so many requests. A call waits until others have ended, and one that
 * is longer than the limit goes in pieces.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "core/ls_core.h"

/* Requests of one file that have not ended. */
#define LS_FILE_REQUESTS	1024

/* Pages that others let go of wake nobody here: for how long to sleep before looking again. */
#define LS_CHARGE_JIFFIES	(HZ / 10)

static DECLARE_WAIT_QUEUE_HEAD(ls_charges);

/* Whoever stays below the limit is not asked for a privilege. */
static u64 ls_limit(struct mm_struct *mm, unsigned int npages)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;

	if (atomic64_read(&mm->pinned_vm) + npages <= limit || !capable(CAP_IPC_LOCK))
		return limit;
	return S64_MAX;
}

static bool ls_try_charge(struct mm_struct *mm, unsigned int npages, u64 limit)
{
	u64 all = atomic64_add_return(npages, &mm->pinned_vm);

	if (all <= limit)
		return true;
	atomic64_sub(npages, &mm->pinned_vm);
	return false;
}

/* Sleeps until that many count, or a signal comes. */
static int ls_charge_wait(struct mm_struct *mm, unsigned int npages, u64 limit)
{
	long left = 0;

	while (!left)
		left = wait_event_interruptible_timeout(ls_charges,
							ls_try_charge(mm, npages, limit),
							LS_CHARGE_JIFFIES);
	return left < 0 ? left : 0;
}

/**
 * ls_charge - lets pages of a request count
 * @req: request of this process
 * @npages: how many it wants
 * @whole: all or none: -EMSGSIZE where the limit is less
 * @nowait: -EAGAIN in place of waiting
 */
int ls_charge(struct ls_request *req, unsigned int npages, bool whole, bool nowait)
{
	struct mm_struct *mm = current->mm;
	u64 limit = ls_limit(mm, npages);
	int error = 0;

	if (!limit)
		return -EPERM;
	if (npages > limit && whole)
		return -EMSGSIZE;
	npages = min_t(u64, npages, limit);
	if (!ls_try_charge(mm, npages, limit))
		error = nowait ? -EAGAIN : ls_charge_wait(mm, npages, limit);
	if (error)
		return error;
	req->charged = npages;
	req->mm = mm;
	mmgrab(mm);
	return 0;
}

/**
 * ls_charge_drop - they count no more
 * @req: request
 */
void ls_charge_drop(struct ls_request *req)
{
	if (!req->mm)
		return;
	atomic64_sub(req->charged, &req->mm->pinned_vm);
	mmdrop(req->mm);
	req->mm = NULL;
	wake_up_all(&ls_charges);
}

/**
 * ls_charge_keep - they count for as long as the process lives: they stay pinned
 * @req: request
 */
void ls_charge_keep(struct ls_request *req)
{
	if (req->mm)
		mmdrop(req->mm);
	req->mm = NULL;
}

static bool ls_try_admit(struct ls_file *file)
{
	return atomic_add_unless(&file->queued, 1, LS_FILE_REQUESTS);
}

/**
 * ls_charge_admit - makes room for a request of a file
 * @file: the file
 * @nowait: -EAGAIN in place of waiting
 */
int ls_charge_admit(struct ls_file *file, bool nowait)
{
	if (ls_try_admit(file))
		return 0;
	return nowait ? -EAGAIN : wait_event_interruptible(ls_charges, ls_try_admit(file));
}

/**
 * ls_charge_dismiss - a request has ended
 * @file: its file
 */
void ls_charge_dismiss(struct ls_file *file)
{
	if (atomic_dec_return(&file->queued) == LS_FILE_REQUESTS - 1)
		wake_up_all(&ls_charges);
}
