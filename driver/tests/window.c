// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Card to card: who may, frames, and bytes. */
#include "far.h"
#include "lent.h"

enum { LAST = 128 };

static void a_window_is_exported_for_card_to_card_where_the_kernel_has_p2pdma(void)
{
	int h2c = channel(1, 0, 0), c2h = channel(1, 1, 1), fd = export(h2c, O_CLOEXEC);

	CHECK(fd >= 0 ? has_p2pdma() : fd == -EOPNOTSUPP && !has_p2pdma());
	CHECK(export(c2h, 0) == -EACCES);
	if (fd >= 0) {
		CHECK(export(h2c, 1) == -EINVAL);
		CHECK(ioctl(h2c, LANESCOPE_IOC_WINDOW, 8) == -1 && errno == EFAULT);
		CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
		CHECK(lseek(fd, 0, SEEK_END) == WINDOW);
		CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
		/* The same card, the other direction, another place, and a pair that nothing is known of. */
		CHECK(transfer(c2h, fd, 0, 100) == -EINVAL);
		close(c2h);
		c2h = channel(0, 0, 1);
		CHECK(transfer(c2h, fd, 128, 100) == -EINVAL);
		if (!is_below_a_switch())
			CHECK(transfer(c2h, fd, 0, 100) == -EOPNOTSUPP);
		close(h2c);
		h2c = channel(0, 0, 0);
		CHECK(transfer(h2c, fd, 0, 100) == (is_below_a_switch() ? -EINVAL : -EOPNOTSUPP));
		close(fd);
	}
	close(h2c);
	close(c2h);
	quick_trip(0, 0);
	quick_trip(1, 1);
}

static void frames_go_card_to_card_both_ways(void)
{
	static const size_t sizes[] = { 1, 7, 127, 128, 129, 255, 256, 4096, 5001, 65536, FRAME, 700001 };

	if (!is_connected())
		return;
	for (int card = 0; card < CARDS; card++) {
		struct way way;

		open_way(&way, card);
		for (size_t i = 0; i < COUNT(sizes); i++)
			far_trip(&way, sizes[i], 3 + i, by_call);
		close_way(&way);
		/* Frames of the loopback come between those of the other card. */
		quick_trip(!card, CHANNELS - 1);
	}
}

/* LANESCOPE_FAR_BYTES MiB, half of them each way. */
static void bytes_go_card_to_card(void)
{
	const char *text = getenv("LANESCOPE_FAR_BYTES");
	uint64_t wanted = (text && *text ? strtoull(text, NULL, 0) : 16) << 20, moved = 0;
	double begun = now(), said = begun;
	struct way ways[CARDS];

	if (!is_connected())
		return;
	for (int card = 0; card < CARDS; card++)
		open_way(&ways[card], card);
	for (uint32_t i = 0; moved < wanted; i++) {
		far_trip(&ways[i % CARDS], FRAME, i, by_call);
		moved += FRAME;
		if (now() - said > 20) {
			said = now();
			printf("%.0f s: %llu MiB card to card\n", said - begun, (unsigned long long)moved >> 20);
		}
	}
	printf("%llu MiB card to card in %.1f s: %.2f MB/s\n", (unsigned long long)moved >> 20, now() - begun,
	       moved / (now() - begun) / 1e6);
	for (int card = 0; card < CARDS; card++)
		close_way(&ways[card]);
}

/* ---- without the driver's help ------------------------------------------------------------------------------------- */

static uint64_t window_address(int card)
{
	unsigned long long address = 0;
	char path[128];
	FILE *file;

	card_path(path, card, "resource");
	file = fopen(path, "r");
	CHECK(file);
	for (int bar = 0; bar <= 2; bar++)
		CHECK(fscanf(file, "%llx %*x %*x", &address) == 1);
	fclose(file);
	return address;
}

static struct lent *sender;
static struct lanescope_memory window_memory;

static ssize_t by_ring_mode(struct way *way, size_t bytes)
{
	struct lanescope_done done = { 0 };
	size_t last = bytes < LAST ? bytes : LAST, moved = 0;

	(void)way;
	if (bytes > last)
		CHECK(lanescope_put(&sender->queue, &window_memory, 0, bytes - last, 1, 0) == 1);
	CHECK(lanescope_put(&sender->queue, &window_memory, WINDOW / 2, last, 2, 0) == 1);
	lanescope_submit(&sender->queue);
	do {
		done = next_done(sender);
		CHECK(!done.cause);
		moved += done.bytes;
	} while (done.name != 2);
	return moved;
}

/* On any kernel: the process writes the descriptors, with addresses of the other card's window. */
static void frames_of_ring_mode_go_card_to_card(void)
{
	enum { MIB = 16 };
	uint64_t address = window_address(1), addresses[WINDOW / 4096];
	struct lent lent;
	struct way way = { channel(0, 0, 0), -1, -1, channel(1, CHANNELS - 1, 1), buffer(), buffer() };
	double begun;

	for (size_t i = 0; i < COUNT(addresses); i++)
		addresses[i] = address + 4096 * i;
	window_memory = (struct lanescope_memory){ .bytes = WINDOW, .page = 4096, .addresses = addresses };
	allow_ring_mode(1);
	take(&lent, 0, 0, 1, 1, 0);
	sender = &lent;
	for (size_t bytes = 1; bytes < 400; bytes += 61)
		far_trip(&way, bytes, bytes, by_ring_mode);
	begun = now();
	for (uint32_t i = 0; i < (MIB << 20) / FRAME; i++)
		far_trip(&way, FRAME, i, by_ring_mode);
	printf("ring mode: %d MiB card to card in %.1f s\n", MIB, now() - begun);
	give_back(&lent);
	allow_ring_mode(0);
	close_way(&way);
	quick_trip(0, 0);
	quick_trip(1, 1);
}

const struct test window_tests[] = {
	TEST(a_window_is_exported_for_card_to_card_where_the_kernel_has_p2pdma),
	TEST(frames_of_ring_mode_go_card_to_card),
	TEST(frames_go_card_to_card_both_ways),
	TEST(bytes_go_card_to_card),
	{ 0 }
};
