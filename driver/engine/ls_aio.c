// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How libaio cancels a request: it is marked, and work of its channel ends it (ls_cancel.c). */
#include <linux/aio.h>

#include "engine/ls_engine.h"

/* From libaio, with its lock held. */
static int ls_aio_cancel(struct kiocb *iocb)
{
	struct ls_request *req = iocb->private;

	WRITE_ONCE(req->cancelled, true);
	schedule_work(&req->file->ch->cancel);
	return 0;
}

/**
 * ls_aio_arm - lets libaio cancel a request
 * @req: the request, which is about to be queued: its channel is locked, and nothing can fail
 *	any more
 */
void ls_aio_arm(struct ls_request *req)
{
	if (!req->iocb)
		return;
	req->iocb->private = req;
	kiocb_set_cancel_fn(req->iocb, ls_aio_cancel);
}
