/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Buffers of others (dma-bufs): those that a transfer is of, and the window that a card exports. */
#ifndef LS_PEER_H
#define LS_PEER_H

#include "engine/ls_engine.h"

struct dma_buf;
struct lanescope_transfer;

/**
 * struct ls_ends - ends of frames in what a transfer has from the card
 * @frames: how many
 * @last: its last byte is one
 */
struct ls_ends {
	u32 frames;
	bool last;
};

/* ls_window.c */
bool ls_window_exists(struct ls_device *ls);
int ls_window_export(struct ls_device *ls, void __user *argument);
void ls_window_close_all(struct ls_device *ls, int error);
bool ls_window_is(const struct dma_buf *dmabuf);
int ls_window_closed(const struct dma_buf *dmabuf);

/* ls_import.c */
ssize_t ls_import_transfer(struct ls_file *file, const struct lanescope_transfer *args,
			   struct ls_ends *ends);
void ls_import_end_all(struct ls_device *ls);

/* ls_fence.c */
unsigned long ls_fence_ticks(void);
unsigned int ls_fence_seconds(void);

#endif
