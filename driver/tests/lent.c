// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Channels in ring mode, by the library of programs. */
#include "lent.h"

const char *path_of(int card, int number, int to_host)
{
	static _Thread_local char path[64];

	sprintf(path, "/dev/lanescope%d/%s%d", card, to_host ? "c2h" : "h2c", number);
	return path;
}

void take(struct lent *lent, int card, int number, int to_host, uint32_t every, uint32_t cycles)
{
	int error = lanescope_queue_open(&lent->queue, path_of(card, number, to_host), every, cycles);

	if (error)
		fail("ring mode is refused: %s", strerror(-error));
	CHECK(!lanescope_memory_add(&lent->queue, &lent->memory, buffer_of(ROOM), ROOM));
}

void give_back(struct lent *lent)
{
	lanescope_queue_close(&lent->queue);
	lanescope_memory_free(&lent->memory);
	munmap(lent->memory.data, ROOM);
}

struct lanescope_done next_done(struct lent *lent)
{
	double begun = now();
	struct lanescope_done done = { 0 };
	int found;

	while (!(found = lanescope_poll(&lent->queue, &done)))
		CHECK(now() - begun < SOON_S * patience());
	CHECK(found == 1);
	return done;
}

/* A frame there and back; the read is of one piece. */
void trip(struct lent *out, struct lent *in, size_t from, size_t to, size_t bytes, uint32_t seed)
{
	struct lanescope_done done = { 0 };
	size_t came = 0;

	fill(out->memory.data + from, bytes, seed);
	memset(in->memory.data + to, 0x5a, bytes + 1);
	CHECK(lanescope_put(&in->queue, &in->memory, to, bytes, seed, 0) > 0);
	lanescope_submit(&in->queue);
	CHECK(lanescope_put(&out->queue, &out->memory, from, bytes, seed + 1, 0) > 0);
	lanescope_submit(&out->queue);
	do {
		done = next_done(in);
		CHECK(done.name == seed && !done.cause);
		came += done.bytes;
		CHECK(done.frame_end == done.last);
	} while (!done.last);
	CHECK(came == bytes);
	do {
		done = next_done(out);
		CHECK(done.name == seed + 1 && !done.cause);
	} while (!done.last);
	CHECK(!memcmp(out->memory.data + from, in->memory.data + to, bytes));
	CHECK(in->memory.data[to + bytes] == 0x5a);
}

int error_of_ring(const char *path)
{
	struct lanescope_queue queue;
	int error = lanescope_queue_open(&queue, path, 1, 0);

	if (!error)
		lanescope_queue_close(&queue);
	return error;
}
