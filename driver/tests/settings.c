// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Settings of a channel: attributes of its TLPs, seen at the device, and calls that look for their end. */
#include "far.h"

#include "../include/lanescope/card.h"

enum { DEVCTL = 0x68, RELAX_EN = 0x10, DEVCTL2 = 0x88, IDO_REQ_EN = 0x100, READS = 1, WRITES = 1 << 8 };

static void setting_path(char *path, int card, const char *channel, const char *name)
{
	sprintf(path, "/sys/class/lanescope/lanescope%d!%s/settings/%s", card, channel, name);
}

static int set(int card, const char *channel, const char *name, const char *value)
{
	char path[200];

	setting_path(path, card, channel, name);
	return write_file(path, value) ? -errno : 0;
}

static long setting(int card, const char *channel, const char *name)
{
	char path[200];

	setting_path(path, card, channel, name);
	return read_number(path);
}

static void write_config(int card, int at, uint32_t value, int bytes)
{
	char path[128];
	int fd;

	card_path(path, card, "config");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK(pwrite(fd, &value, bytes, at) == bytes);
	close(fd);
}

/* The attributes of what the card asks of memory for a trip through channel 1. */
static uint32_t seen(int card)
{
	write_config(card, ATTRIBUTES, 0, 4);
	quick_trip(card, 1);
	return counter(card, ATTRIBUTES);
}

static void attributes_are_those_of_the_channels_tlps(void)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} all[] = { { "no_snoop", 1 }, { "relaxed_ordering", 2 }, { "id_based_ordering", 4 } };

	CHECK(seen(0) == 0);
	for (size_t i = 0; i < COUNT(all); i++) {
		CHECK(setting(0, "h2c1", all[i].name) == 0);
		CHECK(!set(0, "h2c1", all[i].name, "1"));
		CHECK(setting(0, "h2c1", all[i].name) == 1);
		CHECK(seen(0) == all[i].bit * READS);
		CHECK(!set(0, "c2h1", all[i].name, "1"));
		CHECK(seen(0) == all[i].bit * (READS | WRITES));
		/* A card that was reset comes back with them, and so does a channel that was stopped. */
		reset_card(0);
		CHECK(seen(0) == all[i].bit * (READS | WRITES));
		CHECK(!set(0, "h2c1", all[i].name, "0"));
		CHECK(seen(0) == all[i].bit * WRITES);
		CHECK(!set(0, "c2h1", all[i].name, "0"));
		CHECK(seen(0) == 0);
	}
	CHECK(seen(1) == 0);
}

static void what_the_host_forbids_is_refused(void)
{
	uint32_t control = counter(0, DEVCTL) & 0x7fff;

	CHECK(set(0, "h2c1", "relaxed_ordering", "perhaps") == -EINVAL);
	write_config(0, DEVCTL, control & ~RELAX_EN, 2);
	CHECK(set(0, "h2c1", "relaxed_ordering", "1") == -EOPNOTSUPP);
	CHECK(setting(0, "h2c1", "relaxed_ordering") == 0);
	CHECK(!set(0, "h2c1", "relaxed_ordering", "0"));
	write_config(0, DEVCTL, control, 2);
	CHECK(!set(0, "h2c1", "relaxed_ordering", "1"));
	CHECK(!set(0, "h2c1", "relaxed_ordering", "0"));
}

/* A reset of the link takes what Device Control 2 allowed: a card that goes on as it was set may not do so. */
static void what_is_set_is_allowed_after_a_reset_of_the_link(void)
{
	CHECK(!(counter(1, DEVCTL2) & IDO_REQ_EN));
	CHECK(!set(1, "c2h1", "id_based_ordering", "1"));
	CHECK(counter(1, DEVCTL2) & IDO_REQ_EN);
	CHECK(!strike(1, "frozen"));
	CHECK(counter(1, DEVCTL2) & IDO_REQ_EN);
	CHECK(seen(1) == 4 * WRITES);
	CHECK(!set(1, "c2h1", "id_based_ordering", "0"));
}

static void poll_both(const char *us)
{
	CHECK(!set(0, "h2c1", "poll_us", us));
	CHECK(!set(0, "c2h1", "poll_us", us));
}

static void a_call_that_looks_for_its_end_needs_no_interrupt(void)
{
	enum { TRIPS = 20 };
	uint32_t messages;

	CHECK(set(0, "h2c1", "poll_us", "1000001") == -ERANGE);
	CHECK(set(0, "h2c1", "poll_us", "some") == -EINVAL);
	CHECK(setting(0, "h2c1", "poll_us") == 0);
	poll_both("100000");
	messages = counter(0, MESSAGES);
	for (int i = 0; i < TRIPS; i++)
		quick_trip(0, 1);
	CHECK(counter(0, MESSAGES) == messages);
	poll_both("0");
	quick_trip(0, 1);
	CHECK(counter(0, MESSAGES) > messages);
}

/* A frame that comes later than the call looks for it. */
static void it_sleeps_when_its_time_is_up(void)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frame in;
	uint32_t messages;

	poll_both("1000");
	fill(from, 5000, 9);
	begin_read(&in, c2h, to, 5000);
	usleep(300000 * patience());
	/* Now, since the one of a call before may have come late: a call also ends without it. */
	messages = counter(0, MESSAGES);
	CHECK(write(h2c, from, 5000) == 5000);
	CHECK(end_soon(&in) == 5000);
	CHECK(!memcmp(from, to, 5000));
	CHECK(counter(0, MESSAGES) == messages);
	poll_both("0");
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void a_signal_ends_it_while_it_looks_and_after(void)
{
	static const char *const us[] = { "1000000", "1000" };
	uint8_t *data = buffer();
	int c2h = channel(0, 1, 1);

	for (size_t i = 0; i < COUNT(us); i++) {
		double begun = now();

		poll_both(us[i]);
		after_ms(200);
		CHECK(read(c2h, data, 100) < 0 && errno == EINTR);
		after_ms(0);
		CHECK(now() - begun < 0.9 * patience());
		poll_both("0");
		quick_trip(0, 1);
	}
	munmap(data, MOST);
	close(c2h);
}

/* How many messages the card sends for so many writes that libaio has queued. */
static uint32_t messages_of_writes(int writes)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	aio_context_t context = aio_open();
	static struct iocb iocbs[32];
	uint8_t *data = buffer();
	struct iocb *ended;
	uint32_t before = counter(0, MESSAGES), messages;

	for (int i = 0; i < writes; i++)
		aio_put(context, &iocbs[i], h2c, IOCB_CMD_PWRITE, data, 16);
	for (int i = 0; i < writes; i++)
		CHECK(aio_get(context, &ended) == 16);
	messages = counter(0, MESSAGES) - before;
	for (int i = 0; i < writes; i++)
		CHECK(read(c2h, data, 16) == 16);
	aio_close(context);
	munmap(data, MOST);
	close(h2c);
	close(c2h);
	return messages;
}

/* By ioctl and by sysfs: one channel's, seen in both, and kept where it is set up anew. */
static void moderation_is_that_of_a_channel(void)
{
	struct lanescope_moderation wrong[] = { { .every = 0 }, { .every = 256 }, { .every = 1, .cycles = 65536 } };
	struct lanescope_channel channel;
	uint32_t at_once, together;

	CHECK(!lanescope_open(&channel, "/dev/lanescope0/h2c1"));
	CHECK(channel.info.every == 64 && channel.info.cycles == 500);
	for (size_t i = 0; i < COUNT(wrong); i++)
		CHECK(ioctl(channel.fd, LANESCOPE_IOC_MODERATE, &wrong[i]) == -1 && errno == ERANGE);
	CHECK(set(0, "h2c1", "coalesce_count", "256") == -ERANGE && set(0, "h2c1", "coalesce_count", "0") == -ERANGE);
	CHECK(set(0, "h2c1", "coalesce_cycles", "65536") == -ERANGE && set(0, "h2c1", "coalesce_cycles", "4294967295") == -ERANGE);
	CHECK(setting(0, "h2c1", "coalesce_count") == 64 && setting(0, "h2c1", "coalesce_cycles") == 500);

	CHECK(!lanescope_moderate(&channel, 1, 0));
	CHECK(setting(0, "h2c1", "coalesce_count") == 1 && setting(0, "h2c1", "coalesce_cycles") == 0);
	CHECK(setting(0, "c2h1", "coalesce_count") == 64 && setting(0, "h2c0", "coalesce_count") == 64);
	at_once = messages_of_writes(32);
	CHECK(!set(0, "h2c1", "coalesce_count", "32") && !set(0, "h2c1", "coalesce_cycles", "65535"));
	reset_card(0);
	CHECK(info_of(channel.fd).every == 32 && info_of(channel.fd).cycles == 65535);
	together = messages_of_writes(32);
	printf("32 writes: %u messages, %u with a record for 32\n", at_once, together);
	CHECK(2 * together < at_once);
	CHECK(!lanescope_moderate(&channel, 64, 500));
	lanescope_close(&channel);
	quick_trip(0, 1);
}

const struct test settings_tests[] = {
	TEST(attributes_are_those_of_the_channels_tlps),
	TEST(what_the_host_forbids_is_refused),
	TEST(what_is_set_is_allowed_after_a_reset_of_the_link),
	TEST(a_call_that_looks_for_its_end_needs_no_interrupt),
	TEST(it_sleeps_when_its_time_is_up),
	TEST(a_signal_ends_it_while_it_looks_and_after),
	TEST(moderation_is_that_of_a_channel),
	{ 0 }
};
