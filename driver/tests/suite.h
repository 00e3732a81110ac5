/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the driver's tests share: cards, their counters and faults, buffers, frames, io_uring. They run in a guest with two
 * cards whose design is a loopback of two channels (crates/remote).
 */
#ifndef SUITE_H
#define SUITE_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../include/uapi/linux/lanescope.h"

#define CARDS 2
#define CHANNELS 2
#define MOST (1 << 20)
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- a test ----------------------------------------------------------------------------------------------------- */

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(name) { #name, name }

/* Each ends with an entry without a name. */
extern const struct test bytes_tests[], buffer_tests[], uring_tests[], ends_tests[], errors_tests[], sysfs_tests[], settings_tests[];
extern const struct test aio_tests[], cancel_tests[], watch_tests[], interface_tests[], ringwaits_tests[], resetwaits_tests[];
extern const struct test frames_tests[], framereads_tests[], whole_tests[];
extern const struct test ringmode_tests[], ringends_tests[], domain_tests[], domainfaults_tests[], costs_tests[], power_tests[], last_tests[];
extern const struct test leaving_tests[], library_tests[], limits_tests[];
extern const struct test dmabuf_tests[], window_tests[], windowends_tests[], windowfaults_tests[];

/* A condition that does not hold ends the test. */
#define CHECK(condition) ((condition) ? (void)0 : fail("%s:%d: %s (errno %d)", __FILE__, __LINE__, #condition, errno))
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- cards (cards.c) -------------------------------------------------------------------------------------------- */

/* What a card counts, and its fault, in a capability of its configuration space. */
enum { LOADS = 0xc4, STORES = 0xc8, DOORBELLS = 0xcc, MESSAGES = 0xd0, FAULT = 0xd4, ATTRIBUTES = 0xd8 };
enum { UR = 1, CA = 2, NO_ANSWER = 3, LOST_INTERRUPT = 4, NO_DESCRIPTORS = 6, POISONED = 7, STOPS = 8, NEVER_IDLE = 9,
       GONE = 10, BAD_DESCRIPTOR = 11, SLOW_IDLE = 12, HOLDS_BUS = 13, LATE_WRITES = 14 };

extern const char *slots[CARDS];
/* Whether the kernel has a function of that name. */
int has_symbol(const char *name);
void card_path(char *path, int card, const char *file);
uint32_t counter(int card, int at);
void fault(int card, int kind, int times);
int write_file(const char *path, const char *text);
long read_number(const char *path);
/* Whether the cards are behind an IOMMU. */
int has_iommu(void);
/* The module's parameter unsafe_rings. */
void allow_ring_mode(int yes);
/* Pages that anybody has pinned for devices: since the system began, and now. */
long pins_acquired(void);
long pinned_pages(void);

int try_open(int card, int channel, int to_host);
int channel(int card, int number, int to_host);
struct lanescope_info info_of(int fd);
/* How often the kernel has said that since the system began, and whether it has. */
int log_count(const char *text);
int log_has(const char *text);

double now(void);
/* How many times as long as it should something has taken here of late: 1, or more; measured by who watches the tests. */
extern volatile double slowness;
/* How many times as long as usual things may take here: as long as they do, and LANESCOPE_PATIENCE times that. */
double patience(void);
/* Interrupts the calling thread's system calls after so long, and again after as long; 0 takes it back. */
void after_ms(int ms);

/* ---- what befalls a card (power.c) ------------------------------------------------------------------------------- */

void suspend_and_resume(void);
/* An error of the link: "normal", "frozen", "fatal"; "lost" is one whose handling comes to no end. */
int strike(int card, const char *what);
/* A process that has the device, so that nobody resets it ("held"), or is in the middle of a reset ("reset"); and its end. */
pid_t hold(int card, const char *how);
void let_go(pid_t holder);

/* ---- what the kernel refuses (refuse.c) -------------------------------------------------------------------------- */

/* For refuse(); -1 where this kernel refuses nothing. */
int refusals(void);
/*
 * The nth allocation of what comes, or copy from or to this process, is refused; 0: none any more. Whether the one before was
 * not: some of what was counted is left.
 */
int refuse(int fd, int nth);

/* ---- data (data.c) ---------------------------------------------------------------------------------------------- */

void fill(uint8_t *data, size_t bytes, uint32_t seed);
uint8_t *buffer_of(size_t bytes);
uint8_t *buffer(void);

/* A frame that a thread of its own writes, or a transfer from or to a dma-buf. */
struct frame {
	int fd;
	const uint8_t *data;
	size_t bytes;
	int dmabuf;
	uint64_t offset;
	ssize_t result;
	int error;
	pthread_t thread;
};

void begin(struct frame *frame, int fd, const uint8_t *data, size_t bytes);
void begin_transfer(struct frame *frame, int fd, int dmabuf, uint64_t offset, size_t bytes);
ssize_t end(struct frame *frame);
/* A transfer from or to a dma-buf: bytes, or -errno. */
ssize_t transfer(int fd, int dmabuf, uint64_t offset, uint64_t bytes);
/* One frame there and back, with bytes compared, and the byte after it untouched. */
void round_trip(int h2c, int c2h, uint8_t *from, uint8_t *to, size_t bytes, uint32_t seed);
void quick_trip(int card, int number);
/* What a broken frame has left in a loopback: reads until nothing comes for a while. */
void drain(int card, int number);

/* ---- io_uring, by its system calls (uring.c) -------------------------------------------------------------------- */

struct ring {
	int fd;
	struct io_uring_params params;
	uint8_t *sq, *cq;
	struct io_uring_sqe *sqes;
};

void ring_open(struct ring *ring);
/* An entry, whose flags the caller may still set. */
struct io_uring_sqe *ring_put(struct ring *ring, int fd, int opcode, void *data, size_t bytes, uint64_t name);
int ring_enter(struct ring *ring, unsigned int submit, unsigned int wait);
int ring_get(struct ring *ring, uint64_t *name);
/* The next end, in time; INT32_MIN where there is none. */
int ring_wait(struct ring *ring, uint64_t *name);
/* Threads that io_uring has made for this process. */
int workers(void);

/* ---- libaio, by its system calls (aio.c) ------------------------------------------------------------------------ */

aio_context_t aio_open(void);
/* A read or a write (IOCB_CMD_PREAD, IOCB_CMD_PWRITE), whose name is its place. */
void aio_put(aio_context_t context, struct iocb *iocb, int fd, int opcode, void *data, size_t bytes);
/* The next end, in time; INT32_MIN where there is none. */
ssize_t aio_get(aio_context_t context, struct iocb **iocb);
/* The same within so many milliseconds. */
ssize_t aio_get_within(aio_context_t context, struct iocb **iocb, int ms);
int aio_cancel(aio_context_t context, struct iocb *iocb);
void aio_close(aio_context_t context);

#endif
