// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What programs and the driver know of each other: capabilities, what is refused because nobody knows it, and programs of before. */
#include "lent.h"

#include <grp.h>

static int refused(int fd, unsigned long command, const void *argument)
{
	return ioctl(fd, command, argument) == -1 ? errno : 0;
}

static void a_driver_says_what_it_can(void)
{
	uint64_t all = LANESCOPE_CAN_FRAMES | LANESCOPE_CAN_TRANSFER | LANESCOPE_CAN_MODERATE | LANESCOPE_CAN_RING |
		       LANESCOPE_CAN_UNPIN | LANESCOPE_CAN_DEADLINE | LANESCOPE_CAN_POLL_RING;
	struct lanescope_channel channel;

	CHECK(!lanescope_open(&channel, path_of(0, 0, 1)));
	CHECK(lanescope_can(&channel, all));
	CHECK(lanescope_can(&channel, LANESCOPE_CAN_WINDOW) == has_symbol("pci_p2pdma_distance_many"));
	CHECK(!lanescope_can(&channel, all | 1ULL << 63));
	lanescope_close(&channel);
}

/* A program of later may set one; it has to hear that this driver does not do what it asks for. */
static void flags_and_reserved_fields_that_nobody_knows_are_refused(void)
{
	int fd = open(path_of(0, 0, 0), O_RDWR), other = open(path_of(0, 0, 1), O_RDWR);
	struct lanescope_notes notes[] = { { .flags = 1 }, { .reserved = 1 } };
	struct lanescope_info info[] = { { .flags = 1 }, { .reserved = 1 } };
	struct lanescope_moderation moderation[] = { { .every = 1, .flags = 1 }, { .every = 1, .reserved = 1 } };
	struct lanescope_ring ring[] = { { .every = 1, .flags = 1 }, { .every = 1, .reserved = 1 } }, good = { .every = 1 };
	struct lanescope_ring_buffer memory = { .address = (uintptr_t)buffer(), .bytes = 4096, .flags = 1 };
	struct lanescope_ring_unpin unpin = { .flags = 1 };
	struct lanescope_ring_wait wait = { .flags = 1 };
	struct lanescope_window window = { .flags = 1 };
	struct lanescope_transfer transfer = { .fd = fd, .flags = 1U << 31 };
	uint32_t frames = 1U << 31;

	CHECK(fd >= 0 && other >= 0);
	allow_ring_mode(!has_iommu());
	for (int i = 0; i < 2; i++) {
		CHECK(refused(fd, LANESCOPE_IOC_INFO, &info[i]) == EINVAL);
		CHECK(refused(fd, LANESCOPE_IOC_MODERATE, &moderation[i]) == EINVAL);
		CHECK(refused(fd, LANESCOPE_IOC_RING, &ring[i]) == EINVAL);
		CHECK(refused(other, LANESCOPE_IOC_NOTES, &notes[i]) == EINVAL);
	}
	CHECK(refused(fd, LANESCOPE_IOC_SET_FRAMES, &frames) == EINVAL);
	CHECK(refused(fd, LANESCOPE_IOC_TRANSFER, &transfer) == EINVAL);
	CHECK(refused(fd, LANESCOPE_IOC_WINDOW, &window) == EINVAL || !has_symbol("pci_p2pdma_distance_many"));
	CHECK(!refused(fd, LANESCOPE_IOC_RING, &good));
	CHECK(refused(fd, LANESCOPE_IOC_RING_BUFFER, &memory) == EINVAL);
	CHECK(refused(fd, LANESCOPE_IOC_RING_UNPIN, &unpin) == EINVAL);
	CHECK(refused(fd, LANESCOPE_IOC_RING_WAIT, &wait) == EINVAL);
	CHECK(refused(fd, _IO('l', 0x7f), NULL) == ENOTTY);
	munmap((void *)(uintptr_t)memory.address, MOST);
	close(fd);
	close(other);
	allow_ring_mode(0);
	quick_trip(0, 0);
}

/* What it sets all others hear of: who may read a channel alone leaves it as it is, however the file was opened. */
static void moderation_is_for_those_who_may_write_to_the_file(void)
{
	struct lanescope_moderation as_it_is = { .every = 64, .cycles = 500 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1), status;
	pid_t child;

	/* As root, that may write to the file. */
	CHECK(!refused(h2c, LANESCOPE_IOC_MODERATE, &as_it_is) && !refused(c2h, LANESCOPE_IOC_MODERATE, &as_it_is));
	child = fork();
	if (!child) {
		if (setgroups(0, NULL) || setuid(1000))
			_exit(1);
		_exit(refused(c2h, LANESCOPE_IOC_MODERATE, &as_it_is) != EACCES ||
		      refused(h2c, LANESCOPE_IOC_MODERATE, &as_it_is));
	}
	CHECK(waitpid(child, &status, 0) == child && !status);
	close(h2c);
	close(c2h);
}

/* It knows a version, the first word of an answer of 80 bytes, and says that the driver has another one. */
static void a_program_of_before_capabilities_is_refused_with_a_sentence(void)
{
	int fd = channel(0, 0, 1);
	uint32_t info[20] = { 0 }, ring[8] = { 1 }, memory[6] = { 0 }, wait = 0, notes[4] = { 0 };

	CHECK(!ioctl(fd, _IOR('l', 0x40, info), info));
	CHECK(info[0] == 2);
	CHECK(refused(fd, _IOWR('l', 0x41, ring), ring) == EPROTO);
	CHECK(refused(fd, _IOW('l', 0x42, memory), memory) == EPROTO);
	CHECK(refused(fd, _IOW('l', 0x43, wait), &wait) == EPROTO);
	CHECK(refused(fd, _IOWR('l', 0x52, notes), notes) == EPROTO);
	close(fd);
	CHECK(log_has("was built for the driver of before capabilities: build it anew"));
	CHECK(strstr(lanescope_says(-EPROTO), "before capabilities"));
	quick_trip(0, 0);
}

const struct test interface_tests[] = {
	TEST(a_driver_says_what_it_can),
	TEST(flags_and_reserved_fields_that_nobody_knows_are_refused),
	TEST(moderation_is_for_those_who_may_write_to_the_file),
	TEST(a_program_of_before_capabilities_is_refused_with_a_sentence),
	{ 0 }
};
