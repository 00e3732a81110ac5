// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Attributes: counters, the link, and the registers of the design. */
#include "suite.h"

#include <setjmp.h>
#include <sys/stat.h>

enum { USER_BYTES = 0x8000, SCRATCH = 8 };

static long attribute(int card, const char *channel, const char *name)
{
	char path[200];

	sprintf(path, "/sys/class/lanescope/lanescope%d!%s/%s", card, channel, name);
	return read_number(path);
}

static void counters_count_transfers(void)
{
	static const char *const names[] = { "h2c1", "c2h1" };

	for (size_t i = 0; i < COUNT(names); i++) {
		long transfers = attribute(0, names[i], "counters/transfers");
		long bytes = attribute(0, names[i], "counters/bytes");
		long doorbells = attribute(0, names[i], "counters/doorbells");

		quick_trip(0, 1);
		CHECK(attribute(0, names[i], "counters/transfers") == transfers + 1);
		CHECK(attribute(0, names[i], "counters/bytes") == bytes + 10000);
		CHECK(attribute(0, names[i], "counters/doorbells") == doorbells + 1);
		CHECK(attribute(0, names[i], "counters/interrupts") > 0);
		CHECK(attribute(0, names[i], "engine/moving_cycles") >= 10000 / 8);
		CHECK(attribute(0, names[i], "engine/idle_cycles") > 0);
	}
}

static void the_card_says_what_it_and_its_link_are(void)
{
	char path[128], text[64] = "";
	int fd;

	card_path(path, 0, "card/width");
	CHECK(read_number(path) == 64);
	card_path(path, 0, "card/faults");
	CHECK(read_number(path) >= 0);
	CHECK(!write_file(path, "0x1ff"));
	CHECK(read_number(path) == 0);
	card_path(path, 0, "current_link_width");
	CHECK(read_number(path) == 4);
	card_path(path, 0, "current_link_speed");
	fd = open(path, O_RDONLY);
	CHECK(read(fd, text, sizeof(text) - 1) > 0 && !strncmp(text, "5.0 GT/s", 8));
	close(fd);
	card_path(path, 0, "numa_node");
	CHECK(read_number(path) >= -1);
}

static int user_file(int card)
{
	char path[128];
	int fd;

	card_path(path, card, "card/user_registers");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	return fd;
}

static void registers_of_the_design_are_mapped_and_no_others(void)
{
	int fd = user_file(1);
	volatile uint64_t *user = mmap(NULL, USER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	uint32_t loads, stores;
	char path[128];
	void *all;

	CHECK(user != MAP_FAILED);
	loads = counter(1, LOADS);
	stores = counter(1, STORES);
	for (int i = 0; i < SCRATCH; i++)
		user[i] = 0x0123456789abcdefULL * (i + 1);
	for (int i = 0; i < SCRATCH; i++)
		CHECK(user[i] == 0x0123456789abcdefULL * (i + 1));
	CHECK(counter(1, STORES) == stores + SCRATCH && counter(1, LOADS) == loads + SCRATCH);
	munmap((void *)user, USER_BYTES);
	errno = 0;
	CHECK(mmap(NULL, USER_BYTES + 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, USER_BYTES) == MAP_FAILED);
	CHECK(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, USER_BYTES - 4096) == MAP_FAILED);
	close(fd);
	/* Nor by the way of the PCI core, while the driver has the card. */
	card_path(path, 1, "resource0");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	all = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(all == MAP_FAILED);
	close(fd);
}

static sigjmp_buf faulted;

static void on_bus_error(int number)
{
	siglongjmp(faulted, number);
}

static void a_mapping_goes_when_the_driver_does(void)
{
	struct sigaction action = { .sa_handler = on_bus_error }, old;
	int fd = user_file(1);
	volatile uint64_t *user = mmap(NULL, USER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	volatile int number = 0;

	CHECK(user != MAP_FAILED);
	user[0] = 1;
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]));
	sigaction(SIGBUS, &action, &old);
	number = sigsetjmp(faulted, 1);
	if (!number)
		user[0] = 2;
	sigaction(SIGBUS, &old, NULL);
	CHECK(number == SIGBUS);
	munmap((void *)user, USER_BYTES);
	close(fd);
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	quick_trip(1, 0);
}

const struct test sysfs_tests[] = {
	TEST(counters_count_transfers),
	TEST(the_card_says_what_it_and_its_link_are),
	TEST(registers_of_the_design_are_mapped_and_no_others),
	TEST(a_mapping_goes_when_the_driver_does),
	{ 0 }
};
