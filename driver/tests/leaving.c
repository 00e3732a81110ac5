// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A card that is let go while something happens to it: nothing begins any more, and memory that the engine may still reach
 * stays; and memory that nobody faults in holds up nobody.
 */
#include "suite.h"

#include <linux/userfaultfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { CARD = 1, SOON_S = 8, BYTES = 50000, PAGES = 13 };

/* A channel's registers, of which the first is its control, in units of 256 bytes. */
enum { C2H0 = 2, C2H1 = 6, ENABLE = 1 };

static void *unbind(void *unused)
{
	(void)unused;
	write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[CARD]);
	return NULL;
}

static void bind(void)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[CARD]));
}

static uint32_t control_of(int registers)
{
	volatile uint32_t *bar;
	char path[128];
	uint32_t value;
	int fd;

	card_path(path, CARD, "resource0");
	fd = open(path, O_RDWR | O_SYNC);
	CHECK(fd >= 0);
	bar = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(bar != MAP_FAILED);
	value = bar[registers * 64];
	munmap((void *)bar, 65536);
	close(fd);
	return value;
}

static void *read_some(void *argument)
{
	struct frame *frame = argument;

	frame->result = read(frame->fd, buffer(), BYTES);
	frame->error = errno;
	return NULL;
}

/*
 * While the last channel is being stopped, another has a read queued, and a read of a file that is then closed is cancelled.
 */
static void a_channel_of_a_card_that_goes_is_not_started_again(void)
{
	struct frame frame = { .fd = channel(CARD, 0, 1) };
	int other = channel(CARD, 0, 1), busy = channel(CARD, 1, 1);
	struct frame last = { .fd = busy };
	uint8_t *to = buffer();
	struct iocb iocb, *ended;
	aio_context_t context;
	uint32_t doorbells;
	pthread_t thread;
	int enabled;

	CHECK(!pthread_create(&last.thread, NULL, read_some, &last));
	usleep(200000 * patience());
	fault(CARD, SLOW_IDLE, C2H1);
	doorbells = counter(CARD, DOORBELLS);
	CHECK(!pthread_create(&thread, NULL, unbind, NULL));
	usleep(200000);
	CHECK(!pthread_create(&frame.thread, NULL, read_some, &frame));
	usleep(50000);
	context = aio_open();
	aio_put(context, &iocb, other, IOCB_CMD_PREAD, to, BYTES);
	aio_cancel(context, &iocb);
	CHECK(aio_get(context, &ended) == -ENODEV);
	aio_close(context);
	close(other);
	pthread_join(thread, NULL);
	end(&frame);
	end(&last);
	enabled = control_of(C2H0) & ENABLE;
	doorbells = counter(CARD, DOORBELLS) - doorbells;
	fault(CARD, 0, 0);
	close(frame.fd);
	close(busy);
	bind();
	CHECK(frame.result == -1 && frame.error == ENODEV && last.result == -1 && last.error == ENODEV);
	if (enabled || doorbells)
		fail("memory is unpinned, and the engine enabled: %d, after %u doorbells", enabled, doorbells);
	quick_trip(CARD, 0);
	quick_trip(CARD, 1);
	munmap(to, MOST);
}

/* The engine does not stop, and the card goes on mastering the bus. A reset makes it fit again. */
static void memory_of_a_card_that_keeps_the_bus_stays_pinned(void)
{
	int c2h = channel(CARD, 0, 1);
	uint8_t *to = buffer();
	long pinned = pinned_pages();

	fault(CARD, HOLDS_BUS, 1);
	after_ms(200);
	errno = 0;
	CHECK(read(c2h, to, BYTES) == -1 && errno == EIO);
	after_ms(0);
	fault(CARD, 0, 0);
	if (pinned_pages() != pinned + PAGES)
		fail("%ld pages are pinned in place of %d", pinned_pages() - pinned, PAGES);
	close(c2h);
	munmap(to, MOST);
	quick_trip(CARD, 0);
	quick_trip(CARD, 1);
}

/* The same where the card is let go. */
static void memory_of_a_card_that_goes_with_the_bus_stays_pinned(void)
{
	struct frame frame = { .fd = -1 };
	long pinned = pinned_pages();

	/* A kernel that looks for mappings that a driver leaves behind reports these. */
	if (has_symbol("debug_dma_alloc_coherent"))
		return;
	frame.fd = channel(CARD, 0, 1);
	CHECK(!pthread_create(&frame.thread, NULL, read_some, &frame));
	usleep(200000 * patience());
	fault(CARD, HOLDS_BUS, 1);
	unbind(NULL);
	fault(CARD, 0, 0);
	end(&frame);
	close(frame.fd);
	bind();
	CHECK(frame.result == -1 && frame.error == ENODEV);
	if (pinned_pages() != pinned + PAGES)
		fail("%ld pages are pinned in place of %d", pinned_pages() - pinned, PAGES);
	quick_trip(CARD, 0);
}

/* None of its channels says that it has stopped: who lets the card go takes the bus from it, and waits for the first alone. */
static void a_card_that_does_not_stop_is_waited_for_once(void)
{
	static const char said[] = "the engine does not stop";
	int before = log_count(said), times;

	fault(CARD, NEVER_IDLE, 1);
	unbind(NULL);
	fault(CARD, 0, 0);
	times = log_count(said) - before;
	bind();
	quick_trip(CARD, 0);
	quick_trip(CARD, 1);
	if (times != 1)
		fail("it was waited for %d times", times);
}

/* Memory of this process whose pages never come. */
static uint8_t *unanswered(void)
{
	uint8_t *data = buffer();
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)data, MOST }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(__NR_userfaultfd, 0);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		return NULL;
	return data;
}

static void faults_in_read(void)
{
	(void)!read(try_open(CARD, 0, 1), unanswered(), BYTES);
}

static void faults_in_write(void)
{
	(void)!write(try_open(CARD, 0, 0), unanswered(), BYTES);
}

static void faults_in_write_that_does_not_wait(void)
{
	int fd = try_open(CARD, 0, 0);

	fcntl(fd, F_SETFL, O_NONBLOCK);
	(void)!write(fd, unanswered(), BYTES);
}

/* Memory for a ring, and then the argument of an ioctl. */
static void faults_in_ring_buffer(void)
{
	struct lanescope_ring ring = { .every = 1 };
	struct lanescope_ring_buffer memory = { .bytes = MOST };
	char path[64];
	int fd;

	sprintf(path, "/dev/lanescope%d/c2h0", CARD);
	fd = open(path, O_RDWR);
	allow_ring_mode(!has_iommu());
	if (ioctl(fd, LANESCOPE_IOC_RING, &ring))
		_exit(2);
	memory.address = (uintptr_t)unanswered();
	ioctl(fd, LANESCOPE_IOC_RING_BUFFER, &memory);
}

static void faults_in_argument(void)
{
	ioctl(try_open(CARD, 0, 1), LANESCOPE_IOC_RING, unanswered());
}

static void a_fault_that_nobody_answers_holds_up_nobody(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = { { "read", faults_in_read }, { "write", faults_in_write },
		     { "write that does not wait", faults_in_write_that_does_not_wait },
		     { "ring buffer", faults_in_ring_buffer }, { "argument", faults_in_argument } };

	for (size_t i = 0; i < COUNT(ways); i++) {
		pthread_t thread;
		double begun;
		int status;
		pid_t child = fork();

		if (!child) {
			ways[i].run();
			_exit(1);
		}
		usleep(300000 * patience());
		/* Pages that are pinned for long fail at once on 6.1. */
		if (waitpid(child, &status, WNOHANG)) {
			if (ways[i].run == faults_in_ring_buffer && status == 1 << 8)
				continue;
			fail("%s: it did not wait for its memory: %#x", ways[i].name, status);
		}
		CHECK(!pthread_create(&thread, NULL, unbind, NULL));
		begun = now();
		while (pthread_tryjoin_np(thread, NULL)) {
			if (now() - begun > SOON_S * patience()) {
				kill(child, SIGKILL);
				waitpid(child, &status, 0);
				pthread_join(thread, NULL);
				bind();
				fail("%s: unbinding waits for it", ways[i].name);
			}
			usleep(10000);
		}
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
		bind();
		quick_trip(CARD, 0);
	}
	allow_ring_mode(0);
}

static ssize_t asks_libaio_not_to_wait(int fd, int opcode, struct iovec memory)
{
	struct iocb iocb = { .aio_lio_opcode = opcode, .aio_fildes = fd, .aio_buf = (uintptr_t)memory.iov_base,
			     .aio_nbytes = memory.iov_len, .aio_rw_flags = RWF_NOWAIT }, *pointer = &iocb, *ended;
	aio_context_t context = aio_open();
	ssize_t result;

	if (syscall(__NR_io_submit, context, 1, &pointer) != 1)
		return -errno;
	result = aio_get(context, &ended);
	aio_close(context);
	return result;
}

/* RWF_NOWAIT, with something to read, and room for a write: EAGAIN, because the memory is not there. */
static int asks_not_to_wait(void)
{
	int h2c = try_open(CARD, 0, 0), c2h = try_open(CARD, 0, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	struct iovec vector = { unanswered(), 1000 };
	uint8_t data[1000] = { 7 };

	if (!vector.iov_base || write(h2c, data, 1000) != 1000 || poll(&pollfd, 1, 4000) != 1)
		return 2;
	if (preadv2(c2h, &vector, 1, -1, RWF_NOWAIT) != -1 || errno != EAGAIN)
		return 3;
	if (pwritev2(h2c, &vector, 1, -1, RWF_NOWAIT) != -1 || errno != EAGAIN)
		return 4;
	if (asks_libaio_not_to_wait(c2h, IOCB_CMD_PREAD, vector) != -EAGAIN)
		return 5;
	if (asks_libaio_not_to_wait(h2c, IOCB_CMD_PWRITE, vector) != -EAGAIN)
		return 6;
	/* Nothing of what was there is lost. */
	return read(c2h, data, 1000) != 1000 || data[0] != 7;
}

static void a_call_that_waits_for_nothing_does_not_wait_for_its_memory(void)
{
	double begun = now();
	pid_t child = fork();
	int status;

	if (!child)
		_exit(asks_not_to_wait());
	while (!waitpid(child, &status, WNOHANG)) {
		if (now() - begun > SOON_S * patience()) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			drain(CARD, 0);
			fail("it waits");
		}
		usleep(10000);
	}
	if (status)
		fail("it ends with %#x", status);
	quick_trip(CARD, 0);
}

const struct test leaving_tests[] = {
	TEST(a_channel_of_a_card_that_goes_is_not_started_again),
	TEST(a_card_that_does_not_stop_is_waited_for_once),
	TEST(memory_of_a_card_that_keeps_the_bus_stays_pinned),
	TEST(memory_of_a_card_that_goes_with_the_bus_stays_pinned),
	TEST(a_fault_that_nobody_answers_holds_up_nobody),
	TEST(a_call_that_waits_for_nothing_does_not_wait_for_its_memory),
	{ 0 }
};
