/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What programs see of a channel and of a card: files, calls, attributes. */
#ifndef LS_USER_H
#define LS_USER_H

#include <linux/fs.h>
#include <linux/sysfs.h>
#include <linux/uio.h>

#include "engine/ls_engine.h"

/* ls_file.c */
extern const struct file_operations ls_file_operations;

/* ls_ioctl.c */
long ls_ioctl(struct file *filp, unsigned int command, unsigned long argument);

/* ls_frame.c */
long ls_frame_set(struct ls_file *file, u32 flags);
void ls_frame_note(struct ls_file *file, u32 flags, size_t bytes, u32 frames, bool frame_end);
long ls_frame_tell(struct ls_file *file, void __user *argument);
void ls_frame_close(struct ls_file *file);

/* ls_buffer.c */
#define LS_BUFFER_BYTES	SZ_64K
void ls_buffer_init(struct ls_buffer *buffer);
void ls_buffer_wake(struct ls_channel *ch);
void ls_buffer_forget(struct ls_file *file);
int ls_buffer_ahead(struct ls_file *file);
ssize_t ls_buffer_write(struct ls_file *file, struct iov_iter *from, size_t most, u32 flags,
			bool resident);
ssize_t ls_buffer_read(struct ls_file *file, struct iov_iter *to, bool nowait, bool resident,
		       bool *frame_end);

/* ls_sysfs.c */
extern const struct attribute_group *ls_sysfs_channel[];
extern const struct attribute_group *ls_sysfs_card[];

/* ls_settings.c */
extern const struct attribute_group ls_settings_group;
void ls_settings_init(struct ls_channel *ch);
int ls_settings_moderate(struct ls_channel *ch, u32 every, u32 cycles);
void ls_settings_allow(struct ls_device *ls);

#endif
