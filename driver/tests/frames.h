/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the tests of flags for frames share. */
#ifndef FRAMES_H
#define FRAMES_H

#include "suite.h"

/* A call that has to return so many bytes. */
#define CHECK_BYTES(call, bytes) check_bytes(call, bytes, #call, __LINE__)

void check_bytes(ssize_t got, ssize_t wanted, const char *call, int line);
void set_flags(int fd, uint32_t flags);
/* What the last read came to, of which no note has been taken. */
struct lanescope_note note_of(int fd);

#endif
