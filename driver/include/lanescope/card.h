/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A card with lanescope's DMA engine from a program in C or C++, over its Linux driver: no library to link, and no
 * system call that is not named here.
 *
 * A channel is a file. lanescope_move() makes one call, which is one transfer: a write is a frame, and the end of a frame
 * ends a read. A queue is a channel in ring mode, which this process drives by itself: it puts transfers, submits them with
 * one store to the card, and polls for what is done in memory; none of that is a system call. The driver refuses ring mode
 * unless it was loaded to allow it (docs/driver.md).
 *
 * Functions return 0 or what they say, or a negative errno. None of them may run twice at a time on one queue.
 *
 * What this is not: it knows no io_uring (a channel's file works with it), and it does not set a queue up anew after an
 * error: close it, and open it again.
 */
#ifndef LANESCOPE_CARD_H
#define LANESCOPE_CARD_H

#include "channel.h"
#include "queue.h"

#endif
