// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Card to card, when the bus, an engine or the kernel's memory fails, and when cards are struck while frames go without end. */
#include "far.h"
#include "frames.h"

#include "../include/lanescope/card.h"

#include <sys/syscall.h>

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

#define FAILSLAB "/sys/kernel/debug/failslab/"

/*
 * The nth allocation of what comes, or copy from or to this process, is refused; 0: none any more. Whether the one before was
 * not: some of what was counted is left.
 */
static int refuse(int fd, int nth)
{
	char text[16] = "";
	/* Where this very copy is refused, what came before was not. */
	int left = pread(fd, text, sizeof(text) - 1, 0) < 1 || atoi(text) > 0;

	sprintf(text, "%d", nth);
	while (pwrite(fd, text, strlen(text), 0) < 0)
		CHECK(errno == EFAULT);
	return left;
}

/* Each of the allocations of an export, and of a transfer, one after the other, until none is left to be refused. */
static void whatever_is_refused_to_card_to_card_is_told(void)
{
	int exports = 0, transfers = 0, nth;
	struct frame out;
	char path[64];
	struct way way;

	if (!is_connected())
		return;
	if (access(FAILSLAB, F_OK)) {
		printf("the kernel refuses nothing\n");
		return;
	}
	CHECK(!write_file(FAILSLAB "ignore-gfp-wait", "N"));
	CHECK(!write_file(FAILSLAB "verbose", "0"));
	CHECK(!write_file("/sys/kernel/debug/fail_usercopy/verbose", "0"));
	sprintf(path, "/proc/self/task/%ld/fail-nth", (long)syscall(SYS_gettid));
	nth = open(path, O_RDWR);
	CHECK(nth >= 0);
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

/* What strikes, and the errno that calls may tell of it. */
static const struct strike {
	const char *name;
	int fault;	/* of the card's process */
	int error;
	int told;	/* a call has to tell it */
	void (*run)(int card);
} strikes[] = {
	{ "FLR", 0, EIO, 0, reset_card },
	{ "link reset", 0, EIO, 0, frozen },
	{ "unbind", 0, ENODEV, 0, unbind_card },
	{ "signal", 0, 0, 0, NULL },
	{ "UR", UR, EREMOTEIO, 1, NULL },
	{ "CA", CA, ECONNABORTED, 1, NULL },
	{ "completion timeout", NO_ANSWER, ETIMEDOUT, 1, NULL },
	{ "poison", POISONED, EBADMSG, 1, NULL },
	{ "bad descriptor", BAD_DESCRIPTOR, EINVAL, 1, NULL },
	{ "no descriptors", NO_DESCRIPTORS, EIO, 1, NULL },
	{ "engine stops", STOPS, EIO, 0, NULL },
	{ "channel never idle", NEVER_IDLE, EIO, 0, NULL },
	{ "interrupt lost", LOST_INTERRUPT, 0, 0, NULL },
};

static struct stream {
	struct way way;
	const struct strike *strike;
	size_t bytes;
	int pieces;		/* frames are written in two */
	uint32_t flags;		/* of transfers and reads */
	int stop;
	unsigned int frames, told;
} stream;

static uint32_t state = 7;

static uint32_t below(uint32_t bound)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % bound;
}

/* What a call may come to: frames that are cut, and what a card that is struck makes of it. */
static int may_be(ssize_t result)
{
	return result >= 0 || result == -EIO || result == -EINTR || result == -stream.strike->error;
}

static ssize_t write_stream(uint8_t *data)
{
	struct lanescope_channel channel = { .fd = stream.way.out };
	size_t half = stream.bytes / 2;
	ssize_t written;

	if (!stream.pieces || !half)
		return write(stream.way.out, data, stream.bytes);
	CHECK(!lanescope_set_frames(&channel, LANESCOPE_FRAME_MORE));
	written = write(stream.way.out, data, half);
	CHECK(!lanescope_set_frames(&channel, 0));
	if (written != (ssize_t)half)
		return written;
	written = write(stream.way.out, data + half, stream.bytes - half);
	return written < 0 ? written : (ssize_t)half + written;
}

static void *stream_side(void *argument)
{
	static uint8_t data[3][1 << 17];
	struct lanescope_channel back = { .fd = stream.way.back };
	long side = (long)argument;

	while (!__atomic_load_n(&stream.stop, __ATOMIC_SEQ_CST)) {
		ssize_t result;

		if (side == 0)
			result = write_stream(data[0]);
		else if (side == 1)
			result = lanescope_move_dmabuf_frames(&back, stream.way.window, 0, stream.bytes, stream.flags);
		else
			result = read(stream.way.in, data[2], stream.bytes);
		if (side != 1 && result < 0)
			result = -errno;
		if (!may_be(result))
			fail("%s: side %ld: %zd", stream.strike->name, side, result);
		/* Of a transfer that has failed, what was moved is told. */
		if (result != (ssize_t)stream.bytes && result != -EINTR)
			__atomic_add_fetch(&stream.told, 1, __ATOMIC_SEQ_CST);
		if (side == 2 && result == (ssize_t)stream.bytes)
			stream.frames++;
		/* Until the card is there again, all calls come to this. */
		if (result == -ENODEV)
			usleep(1000);
	}
	return NULL;
}

/* A setting of one of the channels that the frames pass. */
static void change_one(void)
{
	static const char *const names[] = { "relaxed_ordering", "no_snoop", "id_based_ordering", "poll_us" };
	static const char *const channels[] = { "lanescope0!h2c0", "lanescope0!c2h0", "lanescope1!c2h1" };
	static const char *const values[] = { "0", "1", "0", "1000" };
	uint32_t which = below(COUNT(names));
	char path[200];

	sprintf(path, "/sys/class/lanescope/%s/settings/%s", channels[below(COUNT(channels))], names[which]);
	CHECK(!write_file(path, values[which == 3 ? 2 + below(2) : below(2)]));
}

/* True where it has struck: a fault of the card's process may find nothing to strike. */
static int strike_now(int card)
{
	const struct strike *strike = stream.strike;
	double begun = now();
	int struck;

	if (strike->run) {
		strike->run(card);
		return 1;
	}
	if (!strike->fault) {
		after_ms(1);
		usleep(20000);
		after_ms(0);
		return 1;
	}
	fault(card, strike->fault, 1);
	while (!(struck = !(counter(card, FAULT) >> 8 & 0xff)) && now() - begun < 2 * patience())
		usleep(2000);
	fault(card, 0, 0);
	while (struck && strike->told && !__atomic_load_n(&stream.told, __ATOMIC_SEQ_CST)) {
		if (now() - begun > 5 * patience())
			fail("%s of card %d: no call has told it", strike->name, card);
		usleep(2000);
	}
	return struck;
}

/* LANESCOPE_ROUNDS times. Resets clear what either card holds of broken frames, and one frame is compared. */
static void cards_are_struck_while_frames_go_card_to_card(void)
{
	const char *text = getenv("LANESCOPE_ROUNDS"), *seed = getenv("LANESCOPE_SEED");
	unsigned int struck[COUNT(strikes)] = { 0 }, all = 0;
	int rounds = text && *text ? atoi(text) : 12;

	if (!is_connected())
		return;
	state = seed && *seed ? strtoul(seed, NULL, 0) : 7;
	/* A signal without a handler would end the process. */
	after_ms(0);
	for (int i = 0; i < rounds; i++) {
		uint32_t what = below(COUNT(strikes));
		int card = below(CARDS);
		pthread_t sides[3];

		stream.strike = &strikes[what];
		stream.bytes = 1 + below(1 << 16);
		stream.pieces = below(2);
		stream.flags = below(2) ? LANESCOPE_FRAME_KEEP : 0;
		stream.stop = 0;
		stream.told = 0;
		change_one();
		open_way(&stream.way, 0);
		set_flags(stream.way.in, below(2) ? LANESCOPE_FRAME_KEEP | LANESCOPE_FRAME_REPORT : 0);
		for (long side = 0; side < 3; side++)
			CHECK(!pthread_create(&sides[side], NULL, stream_side, (void *)side));
		usleep((30000 + below(100000)) * patience());
		change_one();
		if (strike_now(card))
			struck[what]++;
		__atomic_store_n(&stream.stop, 1, __ATOMIC_SEQ_CST);
		for (int side = 0; side < 3; side++) {
			struct timespec tick = { .tv_nsec = 0 };

			/* A call that waits for a frame that does not come. */
			do {
				pthread_kill(sides[side], SIGALRM);
				clock_gettime(CLOCK_REALTIME, &tick);
				tick.tv_nsec += 20000000;
				tick.tv_sec += tick.tv_nsec / 1000000000;
				tick.tv_nsec %= 1000000000;
			} while (pthread_timedjoin_np(sides[side], NULL, &tick));
		}
		close_way(&stream.way);
		if (stream.strike->run == unbind_card)
			bind_card(card);
		for (int j = 0; j < CARDS; j++)
			reset_card(j);
		open_way(&stream.way, 0);
		far_trip(&stream.way, stream.bytes, i, by_call);
		close_way(&stream.way);
	}
	for (size_t i = 0; i < COUNT(strikes); i++) {
		printf("%s%u %s", i ? ", " : "card to card: ", struck[i], strikes[i].name);
		all += struck[i];
	}
	printf("\n%u strikes of %d, beside %u frames\n", all, rounds, stream.frames);
	CHECK(stream.frames && all * 2 >= (unsigned int)rounds);
}

const struct test windowfaults_tests[] = {
	TEST(an_error_of_the_link_of_either_card_ends_what_goes_card_to_card),
	TEST(an_engine_that_stops_ends_what_goes_card_to_card),
	TEST(whatever_is_refused_to_card_to_card_is_told),
	TEST(cards_are_struck_while_frames_go_card_to_card),
	{ 0 }
};
