/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The time of a frame to the card and back, where the design in the FPGA sends back what it gets: by calls, and in ring
 * mode, where nothing between the two looks at the clock is a system call.
 *
 *   cc -O2 -I driver/include -o round_trip driver/examples/round_trip.c
 *   round_trip /dev/lanescope0/h2c0 /dev/lanescope0/c2h0 [BYTES [ROUNDS]]
 *
 * For ring mode the driver has to allow it (docs/driver.md). The frame has to fit into what the design holds: by calls, it
 * is written before it is read.
 */
#include <stdio.h>
#include <time.h>

#include <lanescope/card.h>

enum { PAGE = 4096, LARGEST = 1 << 20 };

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static int failed(const char *what, long error)
{
	fprintf(stderr, "round_trip: %s: %s\n", what, lanescope_says((int)error));
	return 1;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void tell(const char *how, double *us, long rounds, size_t bytes)
{
	qsort(us, rounds, sizeof(*us), ascending);
	printf("%s: %zu bytes there and back, %ld rounds: least %.1f us, median %.1f us, 99 %% within %.1f us\n", how, bytes,
	       rounds, us[0], us[rounds / 2], us[rounds * 99 / 100]);
}

/* A frame that no round before had. */
static void fill(uint8_t *data, size_t bytes, long round)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)(i * 7 + round);
}

static int by_calls(const char *to_card, const char *from_card, uint8_t *out, uint8_t *in, size_t bytes, double *us,
		    long rounds)
{
	struct lanescope_channel h2c, c2h;
	int error = lanescope_open(&h2c, to_card);

	if (error)
		return failed(to_card, error);
	error = lanescope_open(&c2h, from_card);
	if (error)
		return failed(from_card, error);
	for (long round = 0; round < rounds; round++) {
		ssize_t moved;
		double begun;

		fill(out, bytes, round);
		begun = now_us();
		moved = lanescope_move(&h2c, out, bytes);
		if (moved != (ssize_t)bytes)
			return failed("write", moved < 0 ? moved : -EIO);
		moved = lanescope_move(&c2h, in, bytes);
		us[round] = now_us() - begun;
		if (moved != (ssize_t)bytes || memcmp(in, out, bytes))
			return failed("another frame came back", moved < 0 ? moved : -EBADMSG);
	}
	lanescope_close(&h2c);
	lanescope_close(&c2h);
	return 0;
}

/* Polls until the transfer that was put last has ended. */
static int finish(struct lanescope_queue *queue)
{
	struct lanescope_done done = { 0 };

	do {
		int found = lanescope_poll(queue, &done);

		if (found < 0)
			return found;
		if (!found)
			continue;
		if (done.cause)
			return -EIO;
	} while (!done.last);
	return 0;
}

static int in_ring_mode(const char *to_card, const char *from_card, uint8_t *out, uint8_t *in, size_t bytes, double *us,
			long rounds)
{
	struct lanescope_memory source, target;
	struct lanescope_queue h2c, c2h;
	int error = lanescope_queue_open(&h2c, to_card, 1, 0);

	if (error)
		return failed("ring mode", error);
	error = lanescope_queue_open(&c2h, from_card, 1, 0);
	if (error)
		return failed("ring mode", error);
	error = lanescope_memory_add(&h2c, &source, out, LARGEST);
	if (!error)
		error = lanescope_memory_add(&c2h, &target, in, LARGEST);
	if (error)
		return failed("memory", error);
	for (long round = 0; round < rounds; round++) {
		double begun;
		int put;

		fill(out, bytes, round);
		begun = now_us();
		put = lanescope_put(&c2h, &target, 0, bytes, 0, 0);
		if (put > 0)
			put = lanescope_put(&h2c, &source, 0, bytes, 0, 0);
		if (put < 0)
			return failed("put", put);
		lanescope_submit(&c2h);
		lanescope_submit(&h2c);
		error = finish(&c2h);
		us[round] = now_us() - begun;
		if (!error)
			error = finish(&h2c);
		if (error || memcmp(in, out, bytes))
			return failed("another frame came back", error ? error : -EBADMSG);
	}
	lanescope_queue_close(&h2c);
	lanescope_queue_close(&c2h);
	lanescope_memory_free(&source);
	lanescope_memory_free(&target);
	return 0;
}

int main(int argc, char **argv)
{
	long bytes = argc > 3 ? atol(argv[3]) : 64, rounds = argc > 4 ? atol(argv[4]) : 1000;
	uint8_t *out, *in;
	double *us;

	if (argc < 3 || argc > 5 || bytes < 1 || bytes > LARGEST || rounds < 1 || rounds > 10000000) {
		fprintf(stderr, "usage: round_trip H2C C2H [BYTES, up to %d [ROUNDS]]\n", LARGEST);
		return 2;
	}
	out = aligned_alloc(PAGE, LARGEST);
	in = aligned_alloc(PAGE, LARGEST);
	us = calloc(rounds, sizeof(*us));
	if (!out || !in || !us)
		return failed("memory", -ENOMEM);
	if (by_calls(argv[1], argv[2], out, in, bytes, us, rounds))
		return 1;
	tell("calls", us, rounds, bytes);
	if (in_ring_mode(argv[1], argv[2], out, in, bytes, us, rounds))
		return 1;
	tell("ring mode", us, rounds, bytes);
	return 0;
}
