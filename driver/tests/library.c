// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The library of programs (include/lanescope/card.h) by itself, with a ring that no card has. */
#include "suite.h"

#include "../include/lanescope/card.h"

enum { ENTRIES = 4, RECORDS = 4096, STATE = 8192, DOORBELL = 12288, END = 16384 };

/* A record that tells of so many descriptors. */
static void record(struct lanescope_queue *queue, uint32_t number, uint32_t count)
{
	uint32_t *at = (uint32_t *)(void *)(queue->mapping + RECORDS) + 4 * (number % ENTRIES);

	at[0] = htole32(count << LANESCOPE_RECORD_COUNT_SHIFT | LANESCOPE_RECORD_PHASE);
}

static void the_library_survives_records_that_tell_of_too_much_or_nothing(void)
{
	struct lanescope_queue queue = { .channel.fd = -1 };
	uint64_t address = 0;
	uint8_t data[64];
	struct lanescope_memory memory = { .data = data, .bytes = 64, .page = 4096, .addresses = &address };
	struct lanescope_done done;

	queue.ring = (struct lanescope_ring){ .entries = ENTRIES, .bytes = END, .records = RECORDS, .state = STATE,
					      .doorbell = DOORBELL };
	queue.mapping = buffer_of(END);
	queue.slots = calloc(ENTRIES, sizeof(*queue.slots));
	CHECK(queue.slots);
	CHECK(lanescope_put(&queue, &memory, 0, 64, 7, 0) == 1);
	lanescope_submit(&queue);
	record(&queue, 0, 0);
	CHECK(lanescope_poll(&queue, &done) == 0);
	record(&queue, 1, 3);
	CHECK(lanescope_poll(&queue, &done) == 1 && done.name == 7);
	CHECK(lanescope_poll(&queue, &done) == 0);
	CHECK(lanescope_queue_room(&queue) == ENTRIES - 1);
	lanescope_queue_close(&queue);
}

/* The descriptor would be somebody else's by the time that it is closed again. */
static void the_library_has_no_descriptor_of_a_channel_that_was_not_opened(void)
{
	struct lanescope_queue queue;
	int other;

	CHECK(lanescope_queue_open(&queue, "/dev/null", 1, 0) == -ENOTTY);
	other = open("/dev/null", O_RDONLY);
	CHECK(other >= 0 && queue.channel.fd != other);
	lanescope_queue_close(&queue);
	CHECK(fcntl(other, F_GETFD) >= 0);
	close(other);
}

const struct test library_tests[] = {
	TEST(the_library_survives_records_that_tell_of_too_much_or_nothing),
	TEST(the_library_has_no_descriptor_of_a_channel_that_was_not_opened),
	{ 0 }
};
