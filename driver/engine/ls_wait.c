// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How a call waits for the end of its request. */
#include <linux/freezer.h>
#include <linux/sched/signal.h>

#include "engine/ls_engine.h"

/*
 * Whether its task is to stop waiting. Work that is there for a task, as from io_uring, ends
 * sleeps, too, but waits for the call; to a thread that io_uring has for calls that wait, it says
 * that the call is cancelled.
 */
static bool ls_is_interrupted(void)
{
	return task_sigpending(current) ||
	       (current->flags & PF_IO_WORKER && signal_pending(current));
}

/* Whether that ends the request, whatever it has moved. */
static bool ls_is_killed(void)
{
	return fatal_signal_pending(current) ||
	       (current->flags & PF_IO_WORKER && signal_pending(current));
}

/*
 * Sleeps until a request has ended, for so many ticks: what is left of them, or an errno. Of one
 * that has @begun only a kill wakes it.
 */
static long ls_sleep(struct ls_request *req, long ticks, bool begun)
{
	long left;

	/* Again and again, because a task that only a kill wakes is to be frozen for a suspend. */
	if (begun)
		return wait_for_completion_killable_timeout(&req->done, min(ticks, HZ / 10L));
	left = wait_for_completion_interruptible_timeout(&req->done, ticks);
	if (left < 0 && !ls_is_interrupted())
		left = wait_for_completion_timeout(&req->done, 1);
	return left;
}

/*
 * Looks for the records of a request of which no interrupt tells: without sleeping for as long as
 * the channel is set to, then once in a tick. An interrupt that tells of another is welcome.
 */
static void ls_look(struct ls_channel *ch, struct ls_request *req)
{
	ktime_t until = ktime_add_us(ktime_get(), READ_ONCE(ch->poll_us));

	while (!completion_done(&req->done) && ktime_before(ktime_get(), until)) {
		if (ls_is_interrupted())
			break;
		ls_channel_service(ch);
		cpu_relax();
		cond_resched();
	}
}

/**
 * ls_wait_for - waits for a request of a call, or for a signal that ends it
 * @ch: channel
 * @req: the request, which its call frees
 */
ssize_t ls_wait_for(struct ls_channel *ch, struct ls_request *req)
{
	bool begun = false, signal = false;
	ssize_t result;
	long left;

	if (req->polled)
		ls_look(ch, req);
	for (;;) {
		left = ls_sleep(req, req->polled ? 1 : MAX_SCHEDULE_TIMEOUT, begun);
		if (left > 0)
			break;
		if (!left) {
			if (req->polled)
				ls_channel_service(ch);
			try_to_freeze();
			continue;
		}
		if (!ls_is_killed() && !ls_cancel_for_signal(ch, req)) {
			begun = true;
			continue;
		}
		signal = true;
		/* Until a reset, where the engine does not stop. */
		if (!ls_is_killed() && !wait_for_completion_killable(&req->done))
			break;
		ls_cancel_one(ch, req, -EINTR);
		wait_for_completion(&req->done);
		break;
	}
	result = ls_request_result(req);
	if (signal && (result == -EINTR || !result))
		return -ERESTARTSYS;
	return result;
}
