/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A channel in ring mode: a part of lanescope/card.h, which says what it is. */
#ifndef LANESCOPE_QUEUE_H
#define LANESCOPE_QUEUE_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

/* Orders stores to memory before a store to the card, and loads of what the card wrote after the load that told of it. */
#if defined(__x86_64__)
#define LANESCOPE_BEFORE_DOORBELL() __asm__ volatile("" ::: "memory")
#define LANESCOPE_AFTER_RECORD() __asm__ volatile("" ::: "memory")
#elif defined(__aarch64__)
#define LANESCOPE_BEFORE_DOORBELL() __asm__ volatile("dsb st" ::: "memory")
#define LANESCOPE_AFTER_RECORD() __asm__ volatile("dmb oshld" ::: "memory")
#else
#error "lanescope/queue.h knows no barriers of this processor"
#endif

/* Memory that the card reaches, until it is removed, or the queue that it was added to is closed. */
struct lanescope_memory {
	uint8_t *data;
	size_t bytes;
	size_t page;
	uint64_t *addresses; /* bus address of each page */
	uint32_t id;	     /* the driver's name for it */
};

/* What is kept of a descriptor until it is done. */
struct lanescope_slot {
	uint64_t name;
	uint32_t bytes;
	uint32_t last;
};

struct lanescope_queue {
	struct lanescope_channel channel;
	struct lanescope_ring ring;
	uint8_t *mapping;
	struct lanescope_slot *slots;
	uint32_t put, submitted, done; /* descriptors since the ring began */
	uint32_t record;	       /* records since then */
	uint32_t owed;		       /* descriptors of the last record that were not reported */
	uint32_t state, bytes;	       /* of the last record */
};

/* A descriptor that is done. */
struct lanescope_done {
	uint64_t name;	/* of its transfer */
	uint32_t bytes; /* moved by it */
	uint32_t cause; /* LANESCOPE_CAUSE_*: 0 without an error */
	int frame_end;	/* a frame from the card ends here */
	int last;	/* it is the last of its transfer */
};

enum {
	LANESCOPE_WAKES = 1, /* lanescope_wait() is to wake for it: an interrupt */
	LANESCOPE_MORE = 2,  /* the frame to the card goes on with the next transfer */
	LANESCOPE_GOES_ON = 4 /* and it began with an earlier one */
};

static inline void lanescope_queue_close(struct lanescope_queue *queue)
{
	if (queue->mapping)
		munmap(queue->mapping, queue->ring.bytes);
	queue->mapping = NULL;
	free(queue->slots);
	queue->slots = NULL;
	lanescope_close(&queue->channel);
}

/*
 * Takes a channel. The card writes a record after every so many descriptors (1 to 255), or after so many cycles (up to
 * 65535), whichever comes first. For errors see LANESCOPE_IOC_RING.
 */
static inline int lanescope_queue_open(struct lanescope_queue *queue, const char *path, uint32_t every, uint32_t cycles)
{
	void *mapping;
	int error;

	memset(queue, 0, sizeof(*queue));
	error = lanescope_open(&queue->channel, path);
	if (error)
		return error;
	queue->ring.every = every;
	queue->ring.cycles = cycles;
	if (ioctl(queue->channel.fd, LANESCOPE_IOC_RING, &queue->ring)) {
		error = -errno;
		lanescope_queue_close(queue);
		return error;
	}
	mapping = mmap(NULL, queue->ring.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, queue->channel.fd, 0);
	if (mapping != MAP_FAILED)
		queue->mapping = (uint8_t *)mapping;
	queue->slots = (struct lanescope_slot *)calloc(queue->ring.entries, sizeof(*queue->slots));
	if (!queue->mapping || !queue->slots) {
		lanescope_queue_close(queue);
		return -ENOMEM;
	}
	return 0;
}

/* True where an IOMMU bounds what this process reaches by the card, which is its own then. */
static inline int lanescope_queue_is_bounded(const struct lanescope_queue *queue)
{
	return queue->ring.mode == LANESCOPE_RING_BOUNDED;
}

/* Pins memory for a queue. Both figures are multiples of the page size; the memory has to be writable. */
static inline int lanescope_memory_add(struct lanescope_queue *queue, struct lanescope_memory *memory, void *data,
				       size_t bytes)
{
	struct lanescope_ring_buffer buffer;
	int error = 0;

	memory->data = (uint8_t *)data;
	memory->bytes = bytes;
	memory->page = (size_t)sysconf(_SC_PAGESIZE);
	memory->addresses = (uint64_t *)calloc(bytes / memory->page + 1, sizeof(*memory->addresses));
	if (!memory->addresses)
		return -ENOMEM;
	memset(&buffer, 0, sizeof(buffer));
	buffer.address = (uintptr_t)data;
	buffer.bytes = bytes;
	buffer.addresses = (uintptr_t)memory->addresses;
	if (ioctl(queue->channel.fd, LANESCOPE_IOC_RING_BUFFER, &buffer)) {
		error = -errno;
		free(memory->addresses);
		memory->addresses = NULL;
	}
	memory->id = buffer.id;
	return error;
}

/*
 * Unpins memory of a queue, which the card reaches no more, and forgets it. EBUSY: no IOMMU bounds the queue, and a descriptor
 * that was submitted is not done. Do so when nothing of that memory is under way: a queue that an IOMMU bounds would find it
 * gone (LANESCOPE_CAUSE_UR).
 */
static inline int lanescope_memory_remove(struct lanescope_queue *queue, struct lanescope_memory *memory)
{
	struct lanescope_ring_unpin args;

	memset(&args, 0, sizeof(args));
	args.id = memory->id;
	if (ioctl(queue->channel.fd, LANESCOPE_IOC_RING_UNPIN, &args))
		return -errno;
	free(memory->addresses);
	memory->addresses = NULL;
	return 0;
}

/* Forgets it, and no more: memory that was not removed stays pinned until its queue is closed. */
static inline void lanescope_memory_free(struct lanescope_memory *memory)
{
	free(memory->addresses);
	memory->addresses = NULL;
}

/* How many bytes from there on lie together for the card, as one descriptor. */
static inline size_t lanescope_memory_piece(const struct lanescope_memory *memory, size_t offset, size_t bytes)
{
	size_t page = offset / memory->page, piece = memory->page - offset % memory->page;

	while (piece < bytes && memory->addresses[page + 1] == memory->addresses[page] + memory->page) {
		piece += memory->page;
		page++;
	}
	if (piece > LANESCOPE_DESC_BYTES_MAX)
		piece = LANESCOPE_DESC_BYTES_MAX;
	return piece < bytes ? piece : bytes;
}

/* Descriptors that may be put now. */
static inline uint32_t lanescope_queue_room(const struct lanescope_queue *queue)
{
	return queue->ring.entries - 1 - (queue->put - queue->done);
}

/*
 * Puts a transfer, which lanescope_submit() gives to the card. `name` comes back with each of its descriptors. A read whose
 * memory is in several pieces goes on with the next frame where one ends early: give it one piece to have a frame a read.
 * How many descriptors it took; EAGAIN: no room now; EMSGSIZE: more pieces than the ring has entries; EINVAL: no bytes, or
 * not in the memory.
 */
static inline int lanescope_put(struct lanescope_queue *queue, const struct lanescope_memory *memory, size_t offset,
				size_t bytes, uint64_t name, int flags)
{
	uint64_t *descriptors = (uint64_t *)(void *)queue->mapping;
	uint32_t room = lanescope_queue_room(queue), put = queue->put;
	size_t done = 0;

	if (!bytes || offset > memory->bytes || bytes > memory->bytes - offset)
		return -EINVAL;
	while (done < bytes) {
		size_t piece = lanescope_memory_piece(memory, offset + done, bytes - done), at = offset + done;
		struct lanescope_slot *slot = &queue->slots[put % queue->ring.entries];
		uint64_t *descriptor = &descriptors[2 * (put % queue->ring.entries)], control = piece;

		if (put - queue->put == room)
			return room == queue->ring.entries - 1 ? -EMSGSIZE : -EAGAIN;
		slot->name = name;
		slot->bytes = (uint32_t)piece;
		slot->last = done + piece == bytes;
		if (!done && !(flags & LANESCOPE_GOES_ON))
			control |= LANESCOPE_DESC_FIRST;
		if (slot->last && !(flags & LANESCOPE_MORE))
			control |= LANESCOPE_DESC_LAST;
		if (flags & LANESCOPE_WAKES && (slot->last || queue->channel.info.to_host))
			control |= LANESCOPE_DESC_INTERRUPT;
		descriptor[0] = htole64(memory->addresses[at / memory->page] + at % memory->page);
		descriptor[1] = htole64(control);
		done += piece;
		put++;
	}
	done = put - queue->put;
	queue->put = put;
	return (int)done;
}

/* Gives the card all that was put, with one store. */
static inline void lanescope_submit(struct lanescope_queue *queue)
{
	volatile uint64_t *doorbell = (volatile uint64_t *)(void *)(queue->mapping + queue->ring.doorbell);

	if (queue->put == queue->submitted)
		return;
	queue->submitted = queue->put;
	LANESCOPE_BEFORE_DOORBELL();
	*doorbell = htole64(queue->put % queue->ring.entries);
}

/* 1 where the next record is there; else 0, or why the driver took the channel back. */
static inline int lanescope_queue_has(const struct lanescope_queue *queue)
{
	uint32_t at = queue->record % queue->ring.entries, round = !(queue->record / queue->ring.entries % 2);
	const volatile uint32_t *record = (const volatile uint32_t *)(void *)(queue->mapping + queue->ring.records) + 4 * at;
	const volatile struct lanescope_ring_state *state =
		(const volatile struct lanescope_ring_state *)(void *)(queue->mapping + queue->ring.state);

	if ((le32toh(record[0]) & LANESCOPE_RECORD_PHASE) == round)
		return 1;
	return -(int)state->error;
}

/* 1 with the next descriptor that is done; 0 where none is; or why the driver took the channel back. */
static inline int lanescope_poll(struct lanescope_queue *queue, struct lanescope_done *done)
{
	uint32_t at = queue->record % queue->ring.entries;
	const volatile uint32_t *record = (const volatile uint32_t *)(void *)(queue->mapping + queue->ring.records) + 4 * at;
	const struct lanescope_slot *slot;
	int last;

	if (!queue->owed) {
		int has = lanescope_queue_has(queue);

		if (has != 1)
			return has;
		LANESCOPE_AFTER_RECORD();
		queue->state = le32toh(record[0]);
		queue->bytes = le32toh(record[1]);
		queue->owed = queue->state >> LANESCOPE_RECORD_COUNT_SHIFT;
		/* No more than the card was given, whatever it says. */
		if (queue->owed > queue->submitted - queue->done)
			queue->owed = queue->submitted - queue->done;
		queue->record++;
		if (!queue->owed)
			return 0;
	}
	/* All but the last that a record tells of have ended as they should. */
	last = queue->owed == 1;
	slot = &queue->slots[queue->done % queue->ring.entries];
	done->name = slot->name;
	done->bytes = last && queue->bytes < slot->bytes ? queue->bytes : slot->bytes;
	done->cause = last ? queue->state >> LANESCOPE_RECORD_CAUSE_SHIFT & 15 : 0;
	done->frame_end = last && queue->channel.info.to_host && queue->state & LANESCOPE_RECORD_LAST;
	done->last = (int)slot->last;
	queue->owed--;
	queue->done++;
	return 1;
}

/*
 * Sleeps until something is done, by a system call, for so many nanoseconds at most, or for ever where they are negative:
 * wanted are transfers put with LANESCOPE_WAKES (without it, the driver looks once a second). ETIMEDOUT: nothing was; EINTR: a
 * signal; or why the driver took the channel back.
 */
static inline int lanescope_wait_for(struct lanescope_queue *queue, int64_t nanoseconds)
{
	int has = queue->owed ? 1 : lanescope_queue_has(queue);
	struct lanescope_ring_wait args;
	struct timespec now;

	if (has)
		return has < 0 ? has : 0;
	memset(&args, 0, sizeof(args));
	args.number = queue->record;
	args.deadline = LANESCOPE_FOR_EVER;
	if (nanoseconds >= 0) {
		if (clock_gettime(CLOCK_MONOTONIC, &now))
			return -errno;
		args.deadline = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec + (uint64_t)nanoseconds;
	}
	return ioctl(queue->channel.fd, LANESCOPE_IOC_RING_WAIT, &args) ? -errno : 0;
}

/* The same for ever. */
static inline int lanescope_wait(struct lanescope_queue *queue)
{
	return lanescope_wait_for(queue, -1);
}

/*
 * Lets poll() say POLLIN for the queue's file (queue->channel.fd) when more is done than lanescope_poll() has told; to be
 * called before each. 1 where that is so already, and there is no need to.
 */
static inline int lanescope_arm(struct lanescope_queue *queue)
{
	volatile struct lanescope_ring_state *state =
		(volatile struct lanescope_ring_state *)(void *)(queue->mapping + queue->ring.state);

	state->seen = queue->record;
	return queue->owed ? 1 : lanescope_queue_has(queue);
}

#endif
