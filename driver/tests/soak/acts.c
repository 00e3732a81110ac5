// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What a process of a crowd does with a channel, in each way that there is. */
#include "crowd.h"

#include "../../include/lanescope/card.h"

#include <dirent.h>
#include <linux/udmabuf.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define PIECE 65536
#define KEPT 16
#define FILLED 0xc3
/* What is under way when memory is given back has come by then. */
#define LATE_MS 300
#define PINNED_S 10
#define PINNED_US 100000
#define AWAY_US 100000
#define DRAWN 8
#define CANCEL_US 400000

/* Memory that was given back, filled, to be looked at after some time. */
static struct given {
	uint8_t *data;
	double since;
	const char *by;
} kept[KEPT];
static unsigned int at;

static void look_at(struct given *given)
{
	size_t written = 0, first = 0;
	double left;

	if (!given->data)
		return;
	while ((left = given->since + LATE_MS * 1e-3 * patience() - now()) > 0 && !shared->stop)
		usleep(left * 1e6);
	for (size_t i = PIECE; i-- > 0;) {
		if (given->data[i] == FILLED)
			continue;
		written++;
		first = i;
	}
	if (written)
		wrong("%zu bytes from %zu on (%#x, ...) were written after %s had given its memory back, %.1f s ago", written, first,
		      given->data[first], given->by, now() - given->since);
	__atomic_add_fetch(&shared->changes, 1, __ATOMIC_SEQ_CST);
	munmap(given->data, PIECE);
	given->data = NULL;
}

static void give_back(uint8_t *data, const char *by)
{
	struct given *given = &kept[at++ % KEPT];

	be_refused(false);
	look_at(given);
	memset(data, FILLED, PIECE);
	*given = (struct given){ data, now(), by };
}

void crowd_ends(void)
{
	for (int i = 0; i < KEPT; i++)
		look_at(&kept[i]);
}

/*
 * A channel of what is there in /dev, drawn at random. Not by sysfs: a card that comes or goes wants that for itself, and 20 processes
 * that look there hold it up for half a minute.
 */
static bool draw_path(char *path, bool to_host)
{
	char names[DRAWN][32];
	unsigned int count = 0;
	struct dirent *entry;
	DIR *folder = opendir("/dev");

	while (folder && count < DRAWN && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, "lanescope", 9))
			snprintf(names[count++], sizeof(*names), "%.31s", entry->d_name);
	if (folder)
		closedir(folder);
	if (!count) {
		usleep(AWAY_US / 2 + random_below(AWAY_US));
		return false;
	}
	sprintf(path, "/dev/%s/%s%d", names[random_below(count)], to_host ? "c2h" : "h2c", random_below(CHANNELS));
	return true;
}

static int draw_channel(bool to_host, int flags)
{
	char path[128];

	if (!draw_path(path, to_host))
		return -1;
	be_refused(true);
	return open(path, flags | O_CLOEXEC * random_below(2));
}

/* What has begun no signal ends: a thread of its own cancels it, now and then. */
static volatile int cancelled = -1;

static void *cancels(void *unused)
{
	unsigned int seed = getpid();

	(void)unused;
	for (;;) {
		usleep(rand_r(&seed) % CANCEL_US);
		if (cancelled >= 0)
			(void)!ioctl(cancelled, LANESCOPE_IOC_CANCEL);
	}
	return NULL;
}

/* What the kernel says of this process. */
static int told_of;

/* Signals are for the calls. */
void crowd_begins(void)
{
	sigset_t all, before;
	pthread_t thread;

	told_of = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	CHECK(told_of >= 0);
	crowd_is_refused(true);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	CHECK(!pthread_create(&thread, NULL, cancels, NULL));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint8_t *memory(void)
{
	uint8_t *data;

	be_refused(false);
	data = buffer_of(PIECE);
	be_refused(true);
	return data;
}

static void reads(void)
{
	int fd = draw_channel(true, O_RDONLY);
	uint8_t *data = memory();

	(void)!read(fd, data, 1 + random_below(PIECE));
	give_back(data, "read");
	close(fd);
}

static void reads_in_pieces(void)
{
	int fd = draw_channel(true, O_RDONLY);
	uint8_t *data = memory();
	struct iovec vector[4];

	for (int i = 0; i < 4; i++)
		vector[i] = (struct iovec){ data + i * (PIECE / 4) + random_below(100), 1 + random_below(10000) };
	(void)!readv(fd, vector, 4);
	give_back(data, "readv");
	close(fd);
}

static void writes(void)
{
	int fd = draw_channel(false, O_WRONLY);
	uint32_t flags = random_below(4) ? 0 : LANESCOPE_FRAME_MORE;
	uint8_t *data = memory();

	(void)!ioctl(fd, LANESCOPE_IOC_SET_FRAMES, &flags);
	cancelled = fd;
	for (int i = random_below(6); i >= 0; i--)
		(void)!write(fd, data, 1 + random_below(random_below(4) ? 2000 : PIECE));
	cancelled = -1;
	munmap(data, PIECE);
	close(fd);
}

static void polls(void)
{
	int fd = draw_channel(true, O_RDONLY | O_NONBLOCK);
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint8_t *data = memory();

	if (fd >= 0 && poll(&pollfd, 1, random_below(200)) == 1)
		(void)!read(fd, data, PIECE);
	give_back(data, "poll");
	close(fd);
}

/* What is cancelled, or left when the context is destroyed, has ended when that returns. */
static void libaio(void)
{
	int fd = draw_channel(true, O_RDONLY), count = 1 + random_below(4);
	struct iocb iocbs[4], *pointer;
	aio_context_t context = 0;
	struct io_event event;
	uint8_t *data[4];

	if (syscall(__NR_io_setup, 4, &context)) {
		close(fd);
		return;
	}
	for (int i = 0; i < count; i++) {
		data[i] = memory();
		pointer = &iocbs[i];
		iocbs[i] = (struct iocb){ .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd,
					  .aio_buf = (uintptr_t)data[i], .aio_nbytes = 1 + random_below(PIECE) };
		(void)!syscall(__NR_io_submit, context, 1, &pointer);
	}
	usleep(random_below(60000));
	(void)!syscall(__NR_io_cancel, context, &iocbs[random_below(count)], &event);
	/* Left as it is, where the process ends before it comes to that. */
	close(fd);
	syscall(__NR_io_destroy, context);
	for (int i = 0; i < count; i++)
		give_back(data[i], "libaio");
}

/*
 * Its memory is not looked at: when the ring has let go of it nobody says. A worker that is late takes what then lies at the address for
 * the memory: nothing else is to lie there.
 */
static void io_uring(void)
{
	int fd = draw_channel(true, O_RDONLY);
	uint8_t *data = memory();
	struct ring ring;

	if (fd < 0)
		return;
	be_refused(false);
	ring_open(&ring);
	be_refused(true);
	ring_put(&ring, fd, IORING_OP_READ, data, PIECE, 1)->flags = random_below(2) ? IOSQE_ASYNC : 0;
	(void)ring_enter(&ring, 1, 0);
	usleep(random_below(60000));
	ring_put(&ring, -1, IORING_OP_ASYNC_CANCEL, (void *)(uintptr_t)1, 0, 2)->off = 0;
	(void)ring_enter(&ring, 1, random_below(2));
	be_refused(false);
	close(ring.fd);
	munmap(ring.sq, ring.params.sq_off.array + 64);
	munmap(ring.cq, ring.params.cq_off.cqes + 32 * sizeof(struct io_uring_cqe));
	munmap(ring.sqes, 16 * sizeof(struct io_uring_sqe));
	CHECK(mmap(data, PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == data);
	close(fd);
}

static void ring_mode(void)
{
	bool to_host = random_below(2);
	struct lanescope_memory room;
	struct lanescope_queue queue;
	struct lanescope_done done;
	uint8_t *data;
	char path[128];

	if (!draw_path(path, to_host) ||
	    lanescope_queue_open(&queue, path, 1, 0))
		return;
	data = memory();
	if (!lanescope_memory_add(&queue, &room, data, PIECE)) {
		lanescope_put(&queue, &room, 0, to_host ? 4096 : 1 + random_below(500), 1, 0);
		lanescope_submit(&queue);
		for (int i = random_below(40); i > 0 && lanescope_poll(&queue, &done) >= 0; i--)
			usleep(1000);
		lanescope_memory_free(&room);
	}
	lanescope_queue_close(&queue);
	give_back(data, "ring mode");
}

/* Memory of this process as a dma-buf; or the window of a card, where the kernel lets one be made. */
static int draw_dmabuf(void)
{
	struct udmabuf_create create = { .size = PIECE };
	int device, fd = -1;

	if (!random_below(3)) {
		struct lanescope_window window = { .fd = -1 };
		int channel = draw_channel(false, O_WRONLY);

		(void)!ioctl(channel, LANESCOPE_IOC_WINDOW, &window);
		close(channel);
		return window.fd;
	}
	device = open("/dev/udmabuf", O_RDWR);
	create.memfd = memfd_create("crowd", MFD_ALLOW_SEALING);
	if (device >= 0 && !ftruncate(create.memfd, PIECE) && !fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(device, UDMABUF_CREATE, &create);
	close(device);
	close(create.memfd);
	return fd;
}

static void dma_buf(void)
{
	bool to_host = random_below(2);
	int fd = draw_channel(to_host, to_host ? O_RDONLY : O_WRONLY), buffer = draw_dmabuf();
	struct lanescope_channel channel = { .fd = fd };

	cancelled = fd;
	(void)lanescope_move_dmabuf(&channel, buffer, 0, 1 + random_below(4000));
	cancelled = -1;
	close(buffer);
	close(fd);
}

static void duplicates(void)
{
	int fd = draw_channel(true, O_RDONLY), other = dup(fd);
	uint8_t *data = memory();

	close(fd);
	(void)!ioctl(other, LANESCOPE_IOC_CANCEL);
	(void)!read(other, data, PIECE);
	give_back(data, "a read of a duplicate");
	close(other);
}

/* A child reads what its parent has opened, and executes something, ends, or is killed. */
static void forks(void)
{
	int fd = draw_channel(true, O_RDONLY), status;
	pid_t parent = getpid(), child = fork();

	if (!child) {
		struct ring ring;

		crowd_is_refused(true);
		/* Nobody else would end it where its parent is killed. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(1);
		if (fd >= 0 && random_below(2)) {
			ring_open(&ring);
			ring_put(&ring, fd, IORING_OP_READ, memory(), PIECE, 1);
			(void)ring_enter(&ring, 1, 0);
		}
		if (random_below(2))
			execl("/bin/busybox", "true", NULL);
		(void)!read(fd, memory(), PIECE);
		_exit(0);
	}
	close(fd);
	if (child < 0)
		return;
	usleep(random_below(100000));
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
}

static long pinned_kib(void)
{
	char text[4096] = "", *line;
	long kib = 0;

	(void)!pread(told_of, text, sizeof(text) - 1, 0);
	line = strstr(text, "VmPin:");
	if (line)
		(void)!sscanf(line, "VmPin: %ld", &kib);
	return kib;
}

/*
 * With nothing under way nothing is pinned. io_uring lets go a moment later; and what a ring had of a card that has lost the bus goes
 * when that has been reset.
 */
static void check_pinned(void)
{
	double begun = now();

	while (pinned_kib()) {
		if (now() - begun > PINNED_S * patience()) {
			wrong("%ld KiB of a process with nothing under way are pinned", pinned_kib());
			return;
		}
		usleep(PINNED_US);
	}
}

void crowd_acts(void)
{
	static void (*const acts[])(void) = { reads, reads_in_pieces, writes, writes, polls, libaio, io_uring, ring_mode, dma_buf,
					      duplicates, forks };
	void (*act)(void) = acts[random_below(COUNT(acts))];

	draw_refusal();
	act();
	be_refused(false);
	check_pinned();
}
