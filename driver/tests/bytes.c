// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Bytes: sizes, alignments, vectors, frames, several channels and processes, and what the data path costs. */
#include "suite.h"

#include <sys/uio.h>

static void two_cards_show_their_channels(void)
{
	for (int card = 0; card < CARDS; card++) {
		for (int i = 0; i < 2 * CHANNELS; i++) {
			struct lanescope_info info = { 0 };
			int fd = channel(card, i / 2, i % 2);

			CHECK(!ioctl(fd, LANESCOPE_IOC_INFO, &info));
			CHECK(info.capabilities & LANESCOPE_CAN_FRAMES && info.width == 64);
			CHECK(info.to_host == (uint32_t)i % 2 && info.channel == (uint32_t)i / 2);
			close(fd);
		}
	}
}

static void every_channel_has_a_vector_of_its_own_that_fires(void)
{
	for (int card = 0; card < CARDS; card++) {
		for (int i = 0; i < CHANNELS; i++) {
			struct lanescope_info info = { 0 };
			uint32_t before = counter(card, MESSAGES);
			int fd;

			quick_trip(card, i);
			/* What a record told before its message went is done by then. */
			for (int tries = 0; tries < 100 && counter(card, MESSAGES) < before + 2; tries++)
				usleep(10000);
			CHECK(counter(card, MESSAGES) >= before + 2);
			for (int to_host = 0; to_host < 2; to_host++) {
				fd = channel(card, i, to_host);
				CHECK(!ioctl(fd, LANESCOPE_IOC_INFO, &info));
				CHECK(info.interrupts >= 1);
				close(fd);
			}
		}
	}
}

static void bytes_of_any_size_and_alignment_come_back(void)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 8, 63, 64, 65, 511, 4095, 4096, 4097, 8191, 65536, 65537, 262144 };
	static const size_t offsets[] = { 0, 1, 3, 4, 63, 4095 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		size_t count = sizes[i] > 9000 ? 2 : 6;

		for (size_t j = 0; j < count; j++)
			round_trip(h2c, c2h, from + offsets[j], to + offsets[(i + j) % 6], sizes[i], i * 8 + j);
	}
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void the_end_of_a_frame_ends_a_read(void)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct frame frame;

	fill(from, 20000, 3);
	/* In the first, a middle and the last page of what was asked for. */
	for (size_t bytes = 100; bytes < 20000; bytes += 6000) {
		begin(&frame, h2c, from, bytes);
		CHECK(read(c2h, to, 20000) == (ssize_t)bytes);
		CHECK(end(&frame) == (ssize_t)bytes);
		CHECK(!memcmp(from, to, bytes));
	}
	/* A frame longer than the read goes on in the next. */
	begin(&frame, h2c, from, 10000);
	CHECK(read(c2h, to, 6000) == 6000);
	CHECK(read(c2h, to + 6000, 4000) == 4000);
	CHECK(end(&frame) == 10000);
	CHECK(!memcmp(from, to, 10000));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

static void a_vector_is_one_transfer(void)
{
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct iovec out[4] = { { from, 0 }, { from + 5, 5000 }, { from + 20001, 1 }, { from + 30000, 9000 } };
	struct iovec in[3] = { { to + 7, 3 }, { to + 10000, 10000 }, { to + 40000, 3998 } };
	uint8_t sent[14001], came[14001];
	pid_t child;
	int status;

	fill(from, 40000, 9);
	memcpy(sent, from + 5, 5000);
	memcpy(sent + 5000, from + 20001, 1);
	memcpy(sent + 5001, from + 30000, 9000);
	child = fork();
	if (!child)
		_exit(writev(h2c, out, 4) == 14001 ? 0 : 1);
	CHECK(readv(c2h, in, 3) == 14001);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	memcpy(came, to + 7, 3);
	memcpy(came + 3, to + 10000, 10000);
	memcpy(came + 10003, to + 40000, 3998);
	CHECK(!memcmp(sent, came, 14001));
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

/* 1024 pieces, which do not lie together: the ring has room for 1023 descriptors. */
static void a_transfer_longer_than_the_ring_goes_on(void)
{
	enum { PIECES = 1024, PIECE = 5000, STRIDE = 8192 };
	int h2c = channel(1, 1, 0), c2h = channel(1, 1, 1), status;
	size_t size = (size_t)PIECES * STRIDE;
	uint8_t *from = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct iovec out[PIECES], in[PIECES];
	struct lanescope_info before = { 0 }, after = { 0 };
	pid_t child;

	CHECK(from != MAP_FAILED && to != MAP_FAILED);
	fill(from, size, 77);
	for (int i = 0; i < PIECES; i++) {
		out[i] = (struct iovec){ from + i * STRIDE + 13, PIECE };
		in[i] = (struct iovec){ to + i * STRIDE + 1, PIECE };
	}
	CHECK(!ioctl(c2h, LANESCOPE_IOC_INFO, &before));
	child = fork();
	if (!child)
		_exit(writev(h2c, out, PIECES) == PIECES * PIECE ? 0 : 1);
	CHECK(readv(c2h, in, PIECES) == PIECES * PIECE);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	for (int i = 0; i < PIECES; i++)
		CHECK(!memcmp(out[i].iov_base, in[i].iov_base, PIECE));
	CHECK(!ioctl(c2h, LANESCOPE_IOC_INFO, &after));
	CHECK(after.descriptors - before.descriptors > before.entries - 1);
	CHECK(after.resets == before.resets);
	munmap(from, size);
	munmap(to, size);
	close(h2c);
	close(c2h);
}

struct worker {
	int card, number;
	pthread_t thread;
};

static void *work(void *argument)
{
	struct worker *worker = argument;
	int h2c = channel(worker->card, worker->number, 0), c2h = channel(worker->card, worker->number, 1);
	uint8_t *from = buffer(), *to = buffer();

	for (uint32_t i = 0; i < 12; i++)
		round_trip(h2c, c2h, from + i, to + 2 * i, 1 + 4321 * i, i * 4 + worker->card * 2 + worker->number);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
	return NULL;
}

static void all_channels_of_both_cards_work_at_once(void)
{
	struct worker workers[CARDS * CHANNELS];

	for (int i = 0; i < CARDS * CHANNELS; i++) {
		workers[i].card = i / CHANNELS;
		workers[i].number = i % CHANNELS;
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (int i = 0; i < CARDS * CHANNELS; i++)
		pthread_join(workers[i].thread, NULL);
}

/* A process for each channel, with sizes up to 16 MiB; the largest by one. */
/* One piece, as far as the engine goes; where the kernel bounces all (swiotlb=force), it bounces no more at a time than it can. */
static void a_huge_page_comes_back_bounced_or_not(void)
{
	enum { HUGE = 2 << 20 };
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *room[2], *data[2];

	for (int i = 0; i < 2; i++) {
		room[i] = buffer_of(2 * HUGE);
		data[i] = (uint8_t *)(((uintptr_t)room[i] + HUGE - 1) & -(uintptr_t)HUGE);
		madvise(data[i], HUGE, MADV_HUGEPAGE);
	}
	round_trip(h2c, c2h, data[0], data[1], 600000, 11);
	for (int i = 0; i < 2; i++)
		munmap(room[i], 2 * HUGE);
	close(h2c);
	close(c2h);
}

static void processes_move_up_to_16_mib(void)
{
	static const size_t sizes[CARDS * CHANNELS] = { 16 << 20, 1 << 20, (2 << 20) + 1, (1 << 20) - 4097 };
	pid_t children[CARDS * CHANNELS];

	for (int i = 0; i < CARDS * CHANNELS; i++) {
		children[i] = fork();
		if (!children[i]) {
			int h2c = channel(i / CHANNELS, i % CHANNELS, 0), c2h = channel(i / CHANNELS, i % CHANNELS, 1);
			size_t room = sizes[i] + 8192;

			round_trip(h2c, c2h, buffer_of(room) + 5 * i, buffer_of(room) + 1021 * i, sizes[i], i);
			_exit(0);
		}
	}
	for (int i = 0; i < CARDS * CHANNELS; i++) {
		int status;

		CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
	}
}

static void the_data_path_loads_no_register_and_stores_one_doorbell_a_call(void)
{
	int h2c = channel(0, 0, 0), c2h = channel(0, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	uint32_t loads = counter(0, LOADS), stores = counter(0, STORES), doorbells = counter(0, DOORBELLS);

	for (int i = 0; i < 20; i++)
		round_trip(h2c, c2h, from, to, 30000, i);
	printf("counted: %u loads, %u stores, %u doorbells in 40 calls of 8 pages\n", counter(0, LOADS) - loads,
	       counter(0, STORES) - stores, counter(0, DOORBELLS) - doorbells);
	CHECK(counter(0, LOADS) == loads);
	CHECK(counter(0, DOORBELLS) == doorbells + 40);
	CHECK(counter(0, STORES) == stores + 40);
	munmap(from, MOST);
	munmap(to, MOST);
	close(h2c);
	close(c2h);
}

const struct test bytes_tests[] = {
	TEST(two_cards_show_their_channels),
	TEST(every_channel_has_a_vector_of_its_own_that_fires),
	TEST(bytes_of_any_size_and_alignment_come_back),
	TEST(the_end_of_a_frame_ends_a_read),
	TEST(a_vector_is_one_transfer),
	TEST(a_transfer_longer_than_the_ring_goes_on),
	TEST(all_channels_of_both_cards_work_at_once),
	TEST(processes_move_up_to_16_mib),
	TEST(a_huge_page_comes_back_bounced_or_not),
	TEST(the_data_path_loads_no_register_and_stores_one_doorbell_a_call),
	{ 0 }
};
