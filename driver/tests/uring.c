// SPDX-License-Identifier: GPL-2.0 OR MIT
/* io_uring by its system calls, and its tests. */
#include "suite.h"

#include <dirent.h>
#include <sys/syscall.h>

void ring_open(struct ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(__NR_io_uring_setup, 16, &ring->params);
	CHECK(ring->fd >= 0);
	ring->sq = mmap(NULL, ring->params.sq_off.array + 64, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			IORING_OFF_SQ_RING);
	ring->cq = mmap(NULL, ring->params.cq_off.cqes + 32 * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
			MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
	ring->sqes = mmap(NULL, 16 * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd,
			  IORING_OFF_SQES);
	CHECK(ring->sq != MAP_FAILED && ring->cq != MAP_FAILED && ring->sqes != MAP_FAILED);
}

struct io_uring_sqe *ring_put(struct ring *ring, int fd, int opcode, void *data, size_t bytes, uint64_t name)
{
	uint32_t *tail = (uint32_t *)(ring->sq + ring->params.sq_off.tail), slot = *tail & 15;

	ring->sqes[slot] = (struct io_uring_sqe){ .opcode = opcode, .fd = fd, .addr = (uintptr_t)data, .len = bytes,
						  .off = -1, .user_data = name };
	((uint32_t *)(ring->sq + ring->params.sq_off.array))[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return &ring->sqes[slot];
}

int ring_enter(struct ring *ring, unsigned int submit, unsigned int wait)
{
	return syscall(__NR_io_uring_enter, ring->fd, submit, wait, wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
}

int ring_get(struct ring *ring, uint64_t *name)
{
	uint32_t *head = (uint32_t *)(ring->cq + ring->params.cq_off.head);
	uint32_t tail = __atomic_load_n((uint32_t *)(ring->cq + ring->params.cq_off.tail), __ATOMIC_ACQUIRE);
	struct io_uring_cqe *cqe = (struct io_uring_cqe *)(ring->cq + ring->params.cq_off.cqes);

	if (*head == tail)
		return INT32_MIN;
	cqe += *head & (ring->params.cq_entries - 1);
	*name = cqe->user_data;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return cqe->res;
}

int ring_wait(struct ring *ring, uint64_t *name)
{
	struct pollfd pollfd = { .fd = ring->fd, .events = POLLIN };

	return poll(&pollfd, 1, 5000 * patience()) == 1 ? ring_get(ring, name) : INT32_MIN;
}

int workers(void)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(folder))) {
		char path[300], name[64] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file) && !strncmp(name, "iou-wrk", 7))
			count++;
		fclose(file);
	}
	closedir(folder);
	return count;
}

/* Operations that wait are served in no order, so that each frame goes with a byte that says which it is. */
static void io_uring_moves_bytes_without_worker_threads(void)
{
	enum { FRAMES = 4, EACH = 50000 };
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1), found = 0, seen = 0;
	uint8_t *from = buffer(), *to = buffer();
	struct ring ring;

	ring_open(&ring);
	fill(from, FRAMES * EACH, 5);
	for (int i = 0; i < FRAMES; i++) {
		from[i * EACH] = i;
		ring_put(&ring, c2h, IORING_OP_READ, to + i * EACH, EACH, i);
		ring_put(&ring, h2c, IORING_OP_WRITE, from + i * EACH, EACH, FRAMES + i);
	}
	CHECK(ring_enter(&ring, 2 * FRAMES, 0) == 2 * FRAMES);
	found = workers();
	CHECK(ring_enter(&ring, 0, 2 * FRAMES) == 0);
	found += workers();
	for (int i = 0; i < 2 * FRAMES; i++) {
		uint64_t name;

		CHECK(ring_get(&ring, &name) == EACH);
	}
	for (int i = 0; i < FRAMES; i++) {
		int which = to[i * EACH];

		CHECK(which < FRAMES && !memcmp(from + which * EACH, to + i * EACH, EACH));
		seen |= 1 << which;
	}
	if (seen != (1 << FRAMES) - 1 || found)
		fail("frames %#x, and %d workers", seen, found);
	close(ring.fd);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

/* Above what is kept for calls that do not wait. */
static void io_uring_writes_a_long_frame_without_worker_threads(void)
{
	enum { BYTES = 300000 };
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct ring ring;
	uint64_t name;

	ring_open(&ring);
	fill(from, BYTES, 6);
	ring_put(&ring, h2c, IORING_OP_WRITE, from, BYTES, 0);
	CHECK(ring_enter(&ring, 1, 1) == 1 && ring_get(&ring, &name) == BYTES);
	memcpy(from + BYTES, from, BYTES);
	memset(from, 0, BYTES);
	CHECK(read(c2h, to, MOST) == BYTES && !memcmp(from + BYTES, to, BYTES));
	CHECK(!fsync(h2c) && workers() == 0);
	close(ring.fd);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

const struct test uring_tests[] = {
	TEST(io_uring_moves_bytes_without_worker_threads),
	TEST(io_uring_writes_a_long_frame_without_worker_threads),
	{ 0 }
};
