// SPDX-License-Identifier: GPL-2.0 OR MIT
/* libaio by its system calls, and its tests: a queue of transfers of a program's own pages. */
#include "suite.h"

#include <sys/syscall.h>
#include <time.h>

enum { MOST_EVENTS = 16 };

aio_context_t aio_open(void)
{
	aio_context_t context = 0;

	CHECK(!syscall(__NR_io_setup, MOST_EVENTS, &context));
	return context;
}

void aio_put(aio_context_t context, struct iocb *iocb, int fd, int opcode, void *data, size_t bytes)
{
	*iocb = (struct iocb){ .aio_data = (uintptr_t)iocb, .aio_lio_opcode = opcode, .aio_fildes = fd,
			       .aio_buf = (uintptr_t)data, .aio_nbytes = bytes };
	CHECK(syscall(__NR_io_submit, context, 1, &iocb) == 1);
}

ssize_t aio_get_within(aio_context_t context, struct iocb **iocb, int ms)
{
	struct timespec most = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	struct io_event event;

	if (syscall(__NR_io_getevents, context, 1, 1, &event, &most) != 1)
		return INT32_MIN;
	*iocb = (struct iocb *)(uintptr_t)event.data;
	return event.res;
}

ssize_t aio_get(aio_context_t context, struct iocb **iocb)
{
	return aio_get_within(context, iocb, 5000 * patience());
}

int aio_cancel(aio_context_t context, struct iocb *iocb)
{
	struct io_event event;

	return syscall(__NR_io_cancel, context, iocb, &event) ? -errno : 0;
}

void aio_close(aio_context_t context)
{
	CHECK(!syscall(__NR_io_destroy, context));
}

static void libaio_moves_bytes_in_the_order_of_its_calls(void)
{
	enum { CALLS = 4, BYTES = 50000 };
	int h2c = channel(1, 0, 0), c2h = channel(1, 0, 1);
	uint8_t *from = buffer(), *to = buffer();
	struct iocb reads[CALLS], writes[CALLS], *ended;
	aio_context_t context = aio_open();

	fill(from, CALLS * BYTES, 5);
	for (int i = 0; i < CALLS; i++)
		aio_put(context, &reads[i], c2h, IOCB_CMD_PREAD, to + i * BYTES, BYTES);
	for (int i = 0; i < CALLS; i++)
		aio_put(context, &writes[i], h2c, IOCB_CMD_PWRITE, from + i * BYTES, BYTES);
	for (int i = 0; i < 2 * CALLS; i++)
		CHECK(aio_get(context, &ended) == BYTES);
	CHECK(!memcmp(from, to, CALLS * BYTES));
	aio_close(context);
	close(h2c);
	close(c2h);
	munmap(from, MOST);
	munmap(to, MOST);
}

const struct test aio_tests[] = {
	TEST(libaio_moves_bytes_in_the_order_of_its_calls),
	{ 0 }
};
