// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Card to card, when the bus, an engine or the kernel's memory fails, and when cards are struck while frames go without end. */
#include "far.h"

static void frozen(int card)
{
	CHECK(!strike(card, "frozen"));
}

/* The engine stops at the next request that it has to send: that of another channel, which fails as well. */
static void stops(int card)
{
	int h2c = channel(card, CHANNELS - 1, 0);
	uint8_t bytes[100] = { 0 };

	fault(card, STOPS, 1);
	errno = 0;
	CHECK(write(h2c, bytes, sizeof(bytes)) == -1 && errno == EIO);
	close(h2c);
}

static void each_card_fails(void (*strike_it)(int card))
{
	if (!is_connected())
		return;
	for (int card = 0; card < CARDS; card++) {
		struct frame far;
		struct way way;

		open_way(&way, 0);
		begin_waiting(&far, &way);
		strike_it(card);
		if (end_soon(&far) != -EIO)
			fail("card %d: %zd in place of EIO", card, far.result);
		far_trip(&way, 10000, 1, by_call);
		close_way(&way);
	}
}

static void an_error_of_the_link_of_either_card_ends_what_goes_card_to_card(void)
{
	each_card_fails(frozen);
}

static void an_engine_that_stops_ends_what_goes_card_to_card(void)
{
	each_card_fails(stops);
}

/* ---- refused memory ----------------------------------------------------------------------------------------------- */

/* Each of the allocations of an export, and of a transfer, one after the other, until none is left to be refused. */
static void whatever_is_refused_to_card_to_card_is_told(void)
{
	int exports = 0, transfers = 0, nth;
	struct frame out;
	struct way way;

	if (!is_connected())
		return;
	nth = refusals();
	if (nth < 0)
		return;
	open_way(&way, 0);
	for (int left = 0; !left; exports++) {
		int h2c = channel(1, 0, 0), fd;

		refuse(nth, exports + 1);
		fd = export(h2c, O_CLOEXEC);
		left = refuse(nth, 0);
		CHECK(left ? fd >= 0 : fd >= 0 || fd == -ENOMEM || fd == -EFAULT);
		if (fd >= 0)
			close(fd);
		close(h2c);
	}
	begin(&out, way.out, way.from, 100);
	CHECK(end(&out) == 100);
	for (int left = 0; !left; transfers++) {
		ssize_t moved;
		uint8_t byte[100];

		refuse(nth, transfers + 1);
		moved = transfer(way.back, way.window, 0, 100);
		left = refuse(nth, 0);
		if (moved == 100) {
			CHECK(read(way.in, byte, 100) == 100 && !memcmp(byte, way.from, 100));
			begin(&out, way.out, way.from, 100);
			CHECK(end(&out) == 100);
			continue;
		}
		CHECK(!left && (moved == -ENOMEM || moved == -EFAULT));
	}
	printf("refused: %d of an export, %d of a transfer\n", exports - 1, transfers - 1);
	CHECK(exports > 4 && transfers > 4);
	close(nth);
	/* The frame that is still in the first card. */
	CHECK(read(way.back, way.to, 100) == 100);
	far_trip(&way, 10000, 1, by_call);
	close_way(&way);
}

/* ---- frames without end ------------------------------------------------------------------------------------------- */

static struct stream {
	struct way way;
	size_t bytes;
	int stop;
	unsigned int frames;
} stream;

/* What a call may come to: frames that are cut, and what cards that are struck make of it. */
static int may_be(ssize_t result)
{
	return result >= 0 || result == -EIO || result == -ENODEV || result == -EINTR;
}

static void *stream_side(void *argument)
{
	static uint8_t data[3][1 << 17];
	long side = (long)argument;

	while (!__atomic_load_n(&stream.stop, __ATOMIC_SEQ_CST)) {
		ssize_t result;

		if (side == 0)
			result = write(stream.way.out, data[0], stream.bytes);
		else if (side == 1)
			result = transfer(stream.way.back, stream.way.window, 0, stream.bytes);
		else
			result = read(stream.way.in, data[2], stream.bytes);
		if (side != 1 && result < 0)
			result = -errno;
		if (!may_be(result))
			fail("side %ld: %zd", side, result);
		if (side == 2 && result == (ssize_t)stream.bytes)
			stream.frames++;
		/* Until the card is there again, all calls come to this. */
		if (result == -ENODEV)
			usleep(1000);
	}
	return NULL;
}

static void strike_at_random(int card, int what)
{
	switch (what) {
	case 0:
		reset_card(card);
		break;
	case 1:
		frozen(card);
		break;
	case 2:
		unbind_card(card);
		break;
	default:
		after_ms(1);
		usleep(20000 * patience());
		after_ms(0);
	}
}

/* LANESCOPE_ROUNDS times. Resets clear what either card holds of broken frames, and one frame is compared. */
static void cards_are_struck_while_frames_go_card_to_card(void)
{
	const char *text = getenv("LANESCOPE_ROUNDS");
	int rounds = text && *text ? atoi(text) : 12;
	uint32_t random = 7;

	if (!is_connected())
		return;
	for (int i = 0; i < rounds; i++) {
		int card = i % CARDS, what = i / CARDS % 4;
		pthread_t sides[3];

		random = random * 1664525 + 1013904223;
		stream.bytes = 1 + random % (1 << 16);
		stream.stop = 0;
		open_way(&stream.way, 0);
		for (long side = 0; side < 3; side++)
			CHECK(!pthread_create(&sides[side], NULL, stream_side, (void *)side));
		usleep((30000 + (random >> 8) % 100000) * patience());
		strike_at_random(card, what);
		__atomic_store_n(&stream.stop, 1, __ATOMIC_SEQ_CST);
		for (int side = 0; side < 3; side++) {
			struct timespec tick = { .tv_nsec = 0 };

			/* A call that waits for a frame that does not come, or that is not taken. */
			do {
				ioctl(stream.way.out, LANESCOPE_IOC_CANCEL);
				ioctl(stream.way.back, LANESCOPE_IOC_CANCEL);
				ioctl(stream.way.in, LANESCOPE_IOC_CANCEL);
				clock_gettime(CLOCK_REALTIME, &tick);
				tick.tv_nsec += 20000000;
				tick.tv_sec += tick.tv_nsec / 1000000000;
				tick.tv_nsec %= 1000000000;
			} while (pthread_timedjoin_np(sides[side], NULL, &tick));
		}
		close_way(&stream.way);
		if (what == 2)
			bind_card(card);
		for (int j = 0; j < CARDS; j++)
			reset_card(j);
		open_way(&stream.way, 0);
		far_trip(&stream.way, stream.bytes, i, by_call);
		close_way(&stream.way);
	}
	printf("%d strikes, beside %u frames\n", rounds, stream.frames);
	CHECK(stream.frames);
}

const struct test windowfaults_tests[] = {
	TEST(an_error_of_the_link_of_either_card_ends_what_goes_card_to_card),
	TEST(an_engine_that_stops_ends_what_goes_card_to_card),
	TEST(whatever_is_refused_to_card_to_card_is_told),
	TEST(cards_are_struck_while_frames_go_card_to_card),
	{ 0 }
};
