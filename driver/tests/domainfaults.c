// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Ring mode behind an IOMMU where the kernel refuses memory: nothing is left of what was begun. */
#include "lent.h"

enum { PAGE = 4096 };

/* What a call tells of which something was refused, and what it leaves. */
static int ended(int nth, int result)
{
	int error = result ? errno : 0, left = refuse(nth, 0);

	CHECK(!error || error == ENOMEM || error == EFAULT);
	return left;
}

static void whatever_is_refused_to_a_ring_that_is_bounded_is_told(void)
{
	struct lanescope_ring_buffer memory = { .address = (uintptr_t)buffer(), .bytes = 4 * PAGE };
	int rings = 0, memories = 0, nth;
	uint64_t addresses[4];
	long pinned;

	if (!is_bounded())
		return;
	nth = refusals();
	if (nth < 0)
		return;
	pinned = pinned_pages();
	memory.addresses = (uintptr_t)addresses;
	for (int left = 0; !left; rings++) {
		struct lanescope_ring ring = { .every = 1 };
		int fd = open(path_of(0, 0, 1), O_RDWR);

		CHECK(fd >= 0);
		refuse(nth, rings + 1);
		left = ended(nth, ioctl(fd, LANESCOPE_IOC_RING, &ring));
		close(fd);
		quick_trip(0, 1);
	}
	for (int left = 0; !left; memories++) {
		struct lanescope_ring ring = { .every = 1 };
		int fd = open(path_of(0, 0, 1), O_RDWR);

		CHECK(fd >= 0 && !ioctl(fd, LANESCOPE_IOC_RING, &ring));
		refuse(nth, memories + 1);
		left = ended(nth, ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory));
		close(fd);
		CHECK(pinned_pages() == pinned);
	}
	printf("refused: %d of a ring, %d of its memory\n", rings - 1, memories - 1);
	CHECK(rings > 6 && memories > 4);
	close(nth);
	quick_trip(0, 0);
}

const struct test domainfaults_tests[] = {
	TEST(whatever_is_refused_to_a_ring_that_is_bounded_is_told),
	{ 0 }
};
