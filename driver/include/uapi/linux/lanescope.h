/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * What programs and the driver of lanescope's DMA engine share.
 *
 * A channel is a file: /dev/lanescopeN/h2cK (write) or /dev/lanescopeN/c2hK (read). One call is one
 * transfer; the end of a frame ends a read.
 */
#ifndef _UAPI_LINUX_LANESCOPE_H
#define _UAPI_LINUX_LANESCOPE_H

#include <linux/const.h>
#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * There is no version: a driver says what it can, and a program asks for what it needs. What a
 * driver does not know it refuses: an ioctl with ENOTTY, a flag, or a reserved field that is not 0,
 * with EINVAL. Programs set to 0 what they do not use. A program of before capabilities (its struct
 * lanescope_info began with a version) is told so, by that version, by EPROTO, and in the kernel's
 * log: it has to be built anew.
 */
#define LANESCOPE_CAN_FRAMES	_BITULL(0)	/* LANESCOPE_FRAME_*, notes */
#define LANESCOPE_CAN_TRANSFER	_BITULL(1)	/* LANESCOPE_IOC_TRANSFER */
#define LANESCOPE_CAN_WINDOW	_BITULL(2)	/* LANESCOPE_IOC_WINDOW: this kernel, this card */
#define LANESCOPE_CAN_RING	_BITULL(3)	/* this channel has what ring mode needs */
#define LANESCOPE_CAN_UNPIN	_BITULL(4)	/* LANESCOPE_IOC_RING_UNPIN */
#define LANESCOPE_CAN_DEADLINE	_BITULL(5)	/* of LANESCOPE_IOC_RING_WAIT */
#define LANESCOPE_CAN_POLL_RING	_BITULL(6)	/* poll() of a channel that is lent */
#define LANESCOPE_CAN_MODERATE	_BITULL(7)	/* LANESCOPE_IOC_MODERATE */
#define LANESCOPE_CAN_CANCEL	_BITULL(8)	/* LANESCOPE_IOC_CANCEL */

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
 * @flags: 0
 * @engine: upper half of the identity register
 * @capabilities: LANESCOPE_CAN_* of the driver, for this channel
 * @channel: number of the channel in its direction
 * @to_host: 1 for card to host
 * @width: bits of the engine's data path
 * @entries: descriptors in the ring
 * @last_cause: LANESCOPE_CAUSE_* of the last failure, 0 without one
 * @every: a record for so many descriptors: see struct lanescope_moderation
 * @cycles: or after so many cycles
 * @reserved: 0
 * @transfers: transfers that have ended
 * @bytes: bytes moved by them
 * @descriptors: descriptors given to the engine
 * @doorbells: stores to the tail register
 * @interrupts: interrupts taken
 * @resets: times that the channel was set up anew after a failure, or to end what had begun
 *
 * All but @flags and @reserved is returned.
 */
struct lanescope_info {
	__u32 flags;
	__u32 engine;
	__u64 capabilities;
	__u32 channel;
	__u32 to_host;
	__u32 width;
	__u32 entries;
	__u32 last_cause;
	__u32 every;
	__u32 cycles;
	__u32 reserved;
	__u64 transfers;
	__u64 bytes;
	__u64 descriptors;
	__u64 doorbells;
	__u64 interrupts;
	__u64 resets;
};

#define LANESCOPE_IOC_INFO	_IOWR('l', 0x40, struct lanescope_info)

/**
 * struct lanescope_moderation - how often the engine writes a record, which an interrupt follows
 * @flags: 0
 * @every: a record for so many descriptors, 1 to 255
 * @cycles: or after so many cycles, up to 65535
 * @reserved: 0
 *
 * It is the channel's, whoever has it open, from the next record on until it is changed or the
 * driver leaves the card; and in sysfs, settings/coalesce_count and settings/coalesce_cycles. It
 * wants the right to write to the file (EACCES), also where that was opened to be read. What a
 * process has in ring mode has figures of its own.
 */
struct lanescope_moderation {
	__u32 flags;
	__u32 every;
	__u32 cycles;
	__u32 reserved;
};

#define LANESCOPE_IOC_MODERATE	_IOW('l', 0x47, struct lanescope_moderation)

/*
 * Frames. An open file has flags, none at first, for the frames of its calls: a call has those that
 * are set when it is made, an asynchronous one when it is submitted. EINVAL where one is not known,
 * or is for the other direction; drivers from before there were any say ENOTTY.
 */

/*
 * Host to card: a write does not end its frame, which goes on with the next write or transfer of
 * the same file, and ends with the first one without this flag. Until then the channel takes
 * nothing from other files (EBUSY). After an error or a short write the frame is broken: the card
 * gets its end, in error, and the next write begins another. Where it breaks between two writes,
 * the next call says EIO; it breaks also where the file is closed before its end.
 */
#define LANESCOPE_FRAME_MORE	_BITUL(0)

/*
 * Card to host: a read goes on over ends of frames until it has all that it asked for. It is slower
 * where its memory is in several pieces: the card has one of them at a time.
 */
#define LANESCOPE_FRAME_FILL	_BITUL(1)

/*
 * Card to host: a read that ends with a frame takes nothing of the next one, wherever its memory
 * lies. So does one without this flag, which says nothing any more.
 */
#define LANESCOPE_FRAME_KEEP	_BITUL(2)

/* Card to host: what each read came to is noted, for LANESCOPE_IOC_NOTES. */
#define LANESCOPE_FRAME_REPORT	_BITUL(3)

/*
 * Ends what calls of this file have under way, whatever they have moved: each returns the bytes
 * that it has moved, or ECANCELED. What the card had of a frame is dropped. A signal does less: it
 * ends a call of which nothing has moved, and a read with LANESCOPE_FRAME_FILL; a call that has
 * begun is ended by this, or by the end of its process.
 */
#define LANESCOPE_IOC_CANCEL		_IO('l', 0x54)

#define LANESCOPE_IOC_SET_FRAMES	_IOW('l', 0x50, __u32)
#define LANESCOPE_IOC_GET_FRAMES	_IOR('l', 0x51, __u32)

/* The last byte of a read is the last of a frame; else the frame goes on in the next read. */
#define LANESCOPE_NOTE_END	_BITUL(0)

/**
 * struct lanescope_note - what a read came to
 * @bytes: what it returned
 * @frames: frames that ended in it
 * @flags: LANESCOPE_NOTE_*
 * @reserved: 0
 */
struct lanescope_note {
	__u32 bytes;
	__u32 frames;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct lanescope_notes - takes notes of reads of this file that returned bytes, in their order
 * @notes: where they are to be stored, a struct lanescope_note each
 * @count: how many have room there, 1024 at most
 * @lost: returned: older ones that were dropped since the last time; the driver keeps 1024
 * @flags: 0
 * @reserved: 0
 *
 * The ioctl returns how many were stored. ENXIO where LANESCOPE_FRAME_REPORT was never set.
 */
struct lanescope_notes {
	__u64 notes;
	__u32 count;
	__u32 lost;
	__u32 flags;
	__u32 reserved;
};

#define LANESCOPE_IOC_NOTES	_IOWR('l', 0x52, struct lanescope_notes)

/*
 * Ring mode. A process that has opened a channel with O_RDWR, in either direction, takes it by
 * LANESCOPE_IOC_RING, has memory pinned by LANESCOPE_IOC_RING_BUFFER, and maps the file, shared,
 * from offset 0. It writes descriptors, stores the index after the last one at the doorbell, and
 * finds records in memory. The channel is its own until it has closed the file and unmapped it.
 */

/* A descriptor: two words of 64 bits, little endian: the bus address; the length, and flags. */
#define LANESCOPE_DESC_FIRST		_BITULL(32)	/* of a frame */
#define LANESCOPE_DESC_LAST		_BITULL(33)
#define LANESCOPE_DESC_INTERRUPT	_BITULL(34)	/* for LANESCOPE_IOC_RING_WAIT */
#define LANESCOPE_DESC_NUMBER_SHIFT	40		/* 24 bits, which the record repeats */
#define LANESCOPE_DESC_BYTES_MAX	(8U << 20)

/*
 * A record: four words of 32 bits, little endian: what follows; bytes of its last descriptor;
 * descriptors done since the ring began; the number of its last descriptor.
 */
#define LANESCOPE_RECORD_PHASE		_BITUL(0)	/* 1 in the first round, then 0, 1, ... */
#define LANESCOPE_RECORD_LAST		_BITUL(2)	/* a frame from the card ends */
#define LANESCOPE_RECORD_CAUSE_SHIFT	8		/* 4 bits: LANESCOPE_CAUSE_* */
#define LANESCOPE_RECORD_COUNT_SHIFT	16	/* 16 bits: how many descriptors it tells of */

/*
 * What the process reaches by its descriptors: all that the card reaches, by bus addresses of the
 * system; or, with the whole card to itself behind a domain of an IOMMU, the memory that it has had
 * pinned, of which it writes only what was pinned for a channel that does. Bus addresses are of
 * that domain then, and follow one another in memory that was pinned at once.
 */
#define LANESCOPE_RING_UNSAFE		0
#define LANESCOPE_RING_BOUNDED		1

/**
 * struct lanescope_ring - takes a channel, and says what a mapping of its file has
 * @every: a record for so many descriptors, 1 to 255
 * @cycles: or after so many cycles, up to 65535
 * @entries: returned: descriptors, and records; one less than that may be outstanding
 * @bytes: returned: of the whole mapping, which begins with the descriptors
 * @records: returned: where the records begin in it
 * @state: returned: where a struct lanescope_ring_state is
 * @doorbell: returned: where the tail is stored, 64 bits
 * @mode: returned: LANESCOPE_RING_*
 * @flags: 0
 * @reserved: 0
 *
 * EOPNOTSUPP where nothing bounds the process, and the module's parameter unsafe_rings is not set
 * (or for this machine's pages or caches); EPERM where that is set, without CAP_SYS_RAWIO; ENXIO
 * where the channel has no doorbell page; EACCES where the file was not opened with O_RDWR; EBUSY
 * while the channel is in use, or, for one that is bounded, any channel of the card by others.
 */
struct lanescope_ring {
	__u32 every;
	__u32 cycles;
	__u32 entries;
	__u32 bytes;
	__u32 records;
	__u32 state;
	__u32 doorbell;
	__u32 mode;
	__u32 flags;
	__u32 reserved;
};

/**
 * struct lanescope_ring_state - how it is
 * @error: the driver writes it: 0, or the errno that says why the process has lost the channel
 * @seen: the process writes it, before it calls poll(): records that it has read since the ring
 *	began. POLLIN says that there is one more (which wants a descriptor with
 *	LANESCOPE_DESC_INTERRUPT, or the driver looks once a second); POLLERR that the channel was
 *	taken from it. A file is to be added to an epoll set after it has taken its channel.
 */
struct lanescope_ring_state {
	__u32 error;
	__u32 seen;
};

/**
 * struct lanescope_ring_buffer - memory that is pinned until it is unpinned, or the ring ends
 * @address: where it begins, a multiple of the page size
 * @bytes: how long it is, likewise, up to 1 GiB
 * @addresses: where the bus address of each page is to be stored, 64 bits each
 * @flags: 0
 * @id: returned: by which it is unpinned
 *
 * It counts against RLIMIT_MEMLOCK, beside what else was pinned for devices: ENOMEM above that,
 * without CAP_IPC_LOCK.
 */
struct lanescope_ring_buffer {
	__u64 address;
	__u64 bytes;
	__u64 addresses;
	__u32 flags;
	__u32 id;
};

/**
 * struct lanescope_ring_unpin - memory that the card is to reach no more
 * @flags: 0
 * @id: which
 *
 * ENOENT: none of this ring. With LANESCOPE_RING_UNSAFE, EBUSY while any descriptor of the ring is
 * not done: nothing else would keep the card from memory that has other users. With
 * LANESCOPE_RING_BOUNDED it is taken from the card at once, for which it is not there then.
 */
struct lanescope_ring_unpin {
	__u32 flags;
	__u32 id;
};

/* No deadline. */
#define LANESCOPE_FOR_EVER	(~0ULL)

/**
 * struct lanescope_ring_wait - sleeps until a record is there
 * @flags: 0
 * @number: of the record, counted from the ring's beginning
 * @deadline: until when, in nanoseconds of CLOCK_MONOTONIC, so that a call goes on after a signal;
 *	or LANESCOPE_FOR_EVER
 *
 * ETIMEDOUT: the deadline has passed.
 */
struct lanescope_ring_wait {
	__u32 flags;
	__u32 number;
	__u64 deadline;
};

#define LANESCOPE_IOC_RING		_IOWR('l', 0x41, struct lanescope_ring)
#define LANESCOPE_IOC_RING_BUFFER	_IOWR('l', 0x42, struct lanescope_ring_buffer)
#define LANESCOPE_IOC_RING_WAIT		_IOW('l', 0x43, struct lanescope_ring_wait)
#define LANESCOPE_IOC_RING_UNPIN	_IOW('l', 0x46, struct lanescope_ring_unpin)

/*
 * dma-bufs: the window of a card for others, and buffers of others for a channel.
 */

/**
 * struct lanescope_window - exports the window of the channel's card, to which other devices write
 * @flags: 0 or O_CLOEXEC
 * @fd: returned: a dma-buf
 * @bytes: returned: of the window
 *
 * Bytes count in the order of their arrival; a write (a TLP) to the upper half ends a frame. EACCES
 * where the channel was not opened for writing; EOPNOTSUPP where the kernel has no P2PDMA; ENXIO
 * where the card shows no window.
 */
struct lanescope_window {
	__u32 flags;
	__s32 fd;
	__u64 bytes;
};

/**
 * struct lanescope_transfer - one transfer of the channel, from or to a dma-buf
 * @fd: the dma-buf
 * @flags: LANESCOPE_FRAME_MORE, _FILL or _KEEP of this transfer; those of the file do not count
 * @offset: where in it; 0 for a window
 * @bytes: how much; for a window, of one frame of the other card
 *
 * The ioctl returns the bytes that were moved, as read and write do. EOPNOTSUPP where the buffer
 * cannot be reached by this card; EINVAL where it is too short, or is a window that is to be read,
 * filled, or the card's own; EBUSY where something was read ahead, the channel is lent, or a frame
 * of another file goes on; ENODEV where the other card has gone, EIO where it is reset.
 */
struct lanescope_transfer {
	__s32 fd;
	__u32 flags;
	__u64 offset;
	__u64 bytes;
};

#define LANESCOPE_IOC_WINDOW		_IOWR('l', 0x44, struct lanescope_window)
#define LANESCOPE_IOC_TRANSFER		_IOW('l', 0x45, struct lanescope_transfer)

#endif
