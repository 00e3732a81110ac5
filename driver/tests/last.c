// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What comes last, because a card does not come back from it. */
#include "suite.h"

#include <sys/syscall.h>

static void a_module_in_use_stays(void)
{
	int c2h = channel(0, 0, 1);

	CHECK(syscall(__NR_delete_module, "lanescope", O_NONBLOCK) == -1 && errno == EWOULDBLOCK);
	close(c2h);
}

static void a_card_that_dies_ends_what_is_in_flight(void)
{
	int c2h = channel(1, 1, 1);
	uint8_t *to = buffer();
	double begun = now();

	printf("KILL\n");
	fflush(stdout);
	errno = 0;
	CHECK(read(c2h, to, 50000) == -1 && errno == ENODEV);
	CHECK(now() - begun < 10 * patience());
	close(c2h);
	munmap(to, MOST);
	CHECK(try_open(1, 0, 0) == -1 && errno == ENODEV);
	quick_trip(0, 0);
}

/* Nothing takes a lockdown back: where all is bounced, no test comes after it. */
static void registers_are_not_mapped_under_lockdown_with_all_bounced(void)
{
	char path[128], line[1024] = "";
	FILE *file = fopen("/proc/cmdline", "r");
	void *registers;
	int fd;

	CHECK(file && fgets(line, sizeof(line), file));
	fclose(file);
	if (!strstr(line, "swiotlb=force"))
		return;
	card_path(path, 0, "card/user_registers");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	registers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(registers != MAP_FAILED);
	munmap(registers, 4096);
	CHECK(!write_file("/sys/kernel/security/lockdown", "integrity"));
	errno = 0;
	registers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(registers == MAP_FAILED && errno == EPERM);
	close(fd);
}

const struct test last_tests[] = {
	TEST(a_module_in_use_stays),
	TEST(a_card_that_dies_ends_what_is_in_flight),
	TEST(registers_are_not_mapped_under_lockdown_with_all_bounced),
	{ 0 }
};
