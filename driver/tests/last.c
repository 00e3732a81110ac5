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

const struct test last_tests[] = {
	TEST(a_module_in_use_stays),
	TEST(a_card_that_dies_ends_what_is_in_flight),
	{ 0 }
};
