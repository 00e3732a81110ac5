// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What queued calls of an ordinary user pin: no more than RLIMIT_MEMLOCK, and all of them end. What the kernel allocates for calls is
 * their group's.
 */
#include "suite.h"

#include <grp.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { CARD = 0, READS = 400, LIMIT_PAGES = 16, BYTES = 64 << 20, FRAME_BYTES = 1000 };
/* Reads of one buffer, and what each wants at least: a pointer for a page. */
enum { CHARGED = 16, CHARGED_BYTES = 16 << 20, CHARGED_EACH = CHARGED_BYTES / 4096 * 8 };
#define GROUPS "/tmp/groups"

static int shared_fd;
static uint8_t *shared_data;

static void *read_frame(void *result)
{
	*(ssize_t *)result = read(shared_fd, shared_data, BYTES);
	return NULL;
}

static void become_ordinary(void)
{
	struct rlimit limit = { LIMIT_PAGES * 4096, LIMIT_PAGES * 4096 };

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit) && !setgroups(0, NULL) && !setuid(1000));
}

/* Many reads of one buffer, each of which takes a frame. */
static int reads_at_once(void)
{
	uint32_t keep = LANESCOPE_FRAME_KEEP;
	ssize_t results[READS];
	pthread_t threads[READS];

	shared_fd = try_open(CARD, 0, 1);
	CHECK(shared_fd >= 0 && !ioctl(shared_fd, LANESCOPE_IOC_SET_FRAMES, &keep));
	become_ordinary();
	shared_data = buffer_of(BYTES);
	for (int i = 0; i < READS; i++)
		CHECK(!pthread_create(&threads[i], NULL, read_frame, &results[i]));
	for (int i = 0; i < READS; i++) {
		pthread_join(threads[i], NULL);
		if (results[i] != FRAME_BYTES)
			return 1;
	}
	return 0;
}

static long pinned_of(pid_t process)
{
	char path[64], line[256];
	long kib = -1;
	FILE *file;

	sprintf(path, "/proc/%d/status", process);
	file = fopen(path, "r");
	CHECK(file);
	while (kib < 0 && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "VmPin: %ld", &kib);
	fclose(file);
	return kib;
}

static void calls_pin_no_more_than_the_limit_of_their_process(void)
{
	int h2c = channel(CARD, 0, 0), status;
	long pinned = pinned_pages(), now_pinned, counted;
	uint8_t *frame = buffer();
	pid_t child = fork();

	if (!child)
		_exit(reads_at_once());
	usleep(1000000 * patience());
	now_pinned = pinned_pages() - pinned;
	counted = pinned_of(child);
	for (int i = 0; i < READS; i++)
		CHECK(write(h2c, frame, FRAME_BYTES) == FRAME_BYTES);
	CHECK(waitpid(child, &status, 0) == child);
	close(h2c);
	munmap(frame, MOST);
	if (now_pinned < 1 || now_pinned > LIMIT_PAGES || counted < 4 || counted > LIMIT_PAGES * 4)
		fail("%ld pages are pinned, and %ld KiB counted", now_pinned, counted);
	CHECK(status == 0 && pinned_pages() == pinned);
	quick_trip(CARD, 0);
}

/* A write is a frame: it is whole, or refused. */
static int writes_of_an_ordinary_user(void)
{
	int h2c = try_open(CARD, 0, 0);
	uint8_t *data = buffer();

	become_ordinary();
	/* Where it is not refused, it waits until somebody reads. */
	after_ms(500 * patience());
	if (write(h2c, data, (LIMIT_PAGES + 1) * 4096) != -1 || errno != EMSGSIZE)
		return 1;
	return write(h2c, data, 2000) != 2000;
}

static void a_write_above_the_limit_is_refused_whole(void)
{
	int c2h = channel(CARD, 0, 1), status;
	uint8_t *to = buffer();
	pid_t child = fork();

	if (!child)
		_exit(writes_of_an_ordinary_user());
	CHECK(waitpid(child, &status, 0) == child);
	if (status)
		drain(CARD, 0);
	CHECK(status == 0);
	CHECK(read(c2h, to, MOST) == 2000);
	close(c2h);
	munmap(to, MOST);
}

/* The same of one that is longer than what a call moves. */
static void a_write_above_64_mib_is_refused_whole(void)
{
	enum { TOO_LONG = (64 << 20) + 1 };
	int h2c = channel(CARD, 0, 0);
	uint8_t *data = mmap(NULL, TOO_LONG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t done;

	CHECK(data != MAP_FAILED);
	after_ms(1000 * patience());
	errno = 0;
	done = write(h2c, data, TOO_LONG);
	after_ms(0);
	munmap(data, TOO_LONG);
	if (done != -1 || errno != EMSGSIZE) {
		int error = errno;

		drain(CARD, 0);
		fail("it came to %zd (errno %d)", done, error);
	}
	close(h2c);
	quick_trip(CARD, 0);
}

/* The same of one whose memory ends early. */
static void a_write_beyond_the_limit_of_its_memory_is_refused_whole(void)
{
	int h2c = channel(CARD, 0, 0);
	uint8_t *data = buffer();
	ssize_t done;

	munmap(data + 8192, MOST - 8192);
	after_ms(500 * patience());
	errno = 0;
	done = write(h2c, data, 12000);
	after_ms(0);
	if (done > 0)
		drain(CARD, 0);
	CHECK(done == -1 && errno == EFAULT);
	close(h2c);
	munmap(data, 8192);
	quick_trip(CARD, 0);
}

/* ---- what is allocated for calls --------------------------------------------------------------------------------- */

/* A group of processes whose memory is counted; false where the kernel has none. */
static int make_group(void)
{
	mkdir(GROUPS, 0755);
	return !mount("none", GROUPS, "cgroup2", 0, NULL) && !write_file(GROUPS "/cgroup.subtree_control", "+memory") &&
	       !mkdir(GROUPS "/reader", 0755);
}

/* Bytes that the kernel has for the group. */
static long of_kernel(void)
{
	char line[128];
	long bytes = -1;
	FILE *file = fopen(GROUPS "/reader/memory.stat", "r");

	while (file && bytes < 0 && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "kernel %ld", &bytes);
	if (file)
		fclose(file);
	return bytes;
}

/* What its group has been charged more when reads wait; -1: something else is wrong. */
static long charged_for_reads(void)
{
	struct iocb reads[CHARGED];
	uint8_t *data = buffer_of(CHARGED_BYTES);
	aio_context_t context;
	long before;
	int fd;

	if (write_file(GROUPS "/reader/cgroup.procs", "0"))
		return -1;
	fd = try_open(CARD, 0, 1);
	context = aio_open();
	memset(data, 1, CHARGED_BYTES);
	before = of_kernel();
	for (int i = 0; i < CHARGED; i++)
		aio_put(context, &reads[i], fd, IOCB_CMD_PREAD, data, CHARGED_BYTES);
	return fd < 0 || before < 0 ? -1 : of_kernel() - before;
}

static void what_is_allocated_for_calls_is_charged_to_their_group(void)
{
	long *charged = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t child;

	if (!make_group()) {
		printf("the kernel counts no memory of groups\n");
		return;
	}
	child = fork();
	if (!child) {
		*charged = charged_for_reads();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	rmdir(GROUPS "/reader");
	umount(GROUPS);
	if (*charged < CHARGED * CHARGED_EACH)
		fail("%d reads of %d pages: %ld bytes are charged", CHARGED, CHARGED_BYTES / 4096, *charged);
	munmap(charged, 4096);
	quick_trip(CARD, 0);
}

const struct test limits_tests[] = {
	TEST(calls_pin_no_more_than_the_limit_of_their_process),
	TEST(a_write_above_the_limit_is_refused_whole),
	TEST(a_write_above_64_mib_is_refused_whole),
	TEST(a_write_beyond_the_limit_of_its_memory_is_refused_whole),
	TEST(what_is_allocated_for_calls_is_charged_to_their_group),
	{ 0 }
};
