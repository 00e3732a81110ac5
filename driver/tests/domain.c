// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ring mode that an IOMMU bounds: a process without privileges has the card to itself, and reaches its own memory by it, and
 * nothing else. Where the guest has an IOMMU, the cards send through it (crates/remote).
 */
#include "lent.h"

#include <dirent.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { PAGE = 4096, TAINT_USER = 1 << 6 };

/* Requests and interrupts of a card that the IOMMU has blocked. */
enum { BLOCKED = 0xdc };

/* Devices in the IOMMU's group of the first card: what it cannot tell apart. */
static int neighbours(void)
{
	struct dirent *entry;
	char path[128];
	int count = 0;
	DIR *folder;

	card_path(path, 0, "iommu_group/devices");
	folder = opendir(path);
	CHECK(folder);
	while ((entry = readdir(folder)))
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count - 1;
}

int is_bounded(void)
{
	if (!has_iommu())
		printf("no IOMMU in this guest\n");
	return has_iommu() && !neighbours();
}

static void a_card_that_reaches_its_neighbours_is_not_given_to_a_process(void)
{
	if (!has_iommu() || !neighbours())
		return;
	printf("%d neighbours in their groups\n", neighbours());
	CHECK(error_of_ring(path_of(0, 0, 0)) == -EOPNOTSUPP);
	for (int card = 0; card < CARDS; card++)
		for (int i = 0; i < CHANNELS; i++)
			quick_trip(card, i);
}

static void all_idle(int card)
{
	for (int i = 0; i < CHANNELS; i++)
		quick_trip(card, i);
}

/* A descriptor of that queue for any address. */
static void put_anywhere(struct lent *lent, uint64_t address, size_t bytes)
{
	struct lanescope_memory forged = { .data = NULL, .bytes = PAGE, .page = PAGE, .addresses = &address };
	size_t offset = address % PAGE;

	address -= offset;
	CHECK(lanescope_put(&lent->queue, &forged, offset, bytes, 1, 0) == 1);
	lanescope_submit(&lent->queue);
}

static void unprivileged(void)
{
	struct rlimit limit = { 4 * ROOM, 4 * ROOM };
	struct lent in[CHANNELS], out[CHANNELS];
	struct lanescope_memory more;

	CHECK(!setrlimit(RLIMIT_MEMLOCK, &limit) && !setgroups(0, NULL) && !setuid(1000));
	for (int i = 0; i < CHANNELS; i++) {
		take(&out[i], 0, i, 0, 1, 0);
		take(&in[i], 0, i, 1, 1, 0);
		CHECK(lanescope_queue_is_bounded(&in[i].queue) && lanescope_queue_is_bounded(&out[i].queue));
	}
	CHECK(lanescope_memory_add(&in[0].queue, &more, buffer_of(PAGE), PAGE) == -ENOMEM);
	for (int i = 0; i < 2 * CHANNELS; i++) {
		trip(&out[i / 2], &in[i / 2], i, 3 * i, 5000 + 20000 * i, 1 + 2 * i);
		/* All that was pinned at once lies together for the card. */
		CHECK(lanescope_memory_piece(&in[i / 2].memory, 0, ROOM) == ROOM);
	}
	for (int i = 0; i < CHANNELS; i++) {
		give_back(&in[i]);
		give_back(&out[i]);
	}
	/* And again, with the limit as free as it was. */
	take(&in[0], 0, 0, 1, 1, 0);
	_exit(0);
}

static void a_process_without_privileges_has_a_card_to_itself(void)
{
	long taint = read_number("/proc/sys/kernel/tainted") & TAINT_USER, pinned = pinned_pages();
	int status;
	pid_t child;

	if (!is_bounded())
		return;
	for (int i = 0; i < 2 * CHANNELS; i++)
		CHECK(!chmod(path_of(0, i / 2, i % 2), 0666));
	child = fork();
	if (!child)
		unprivileged();
	CHECK(waitpid(child, &status, 0) == child && !status);
	for (int i = 0; i < 2 * CHANNELS; i++)
		CHECK(!chmod(path_of(0, i / 2, i % 2), 0600));
	CHECK((read_number("/proc/sys/kernel/tainted") & TAINT_USER) == taint);
	CHECK(pinned_pages() == pinned);
	all_idle(0);
}

/* A read of what is not mapped for reading is answered with UR. Without an address: of what was another queue's. */
static void cannot_be_read(uint64_t address)
{
	uint32_t blocked = counter(0, BLOCKED);
	struct lanescope_done done;
	struct lent out, other;

	take(&out, 0, 0, 0, 1, 0);
	if (!address) {
		take(&other, 0, 1, 0, 1, 0);
		address = other.memory.addresses[1];
		give_back(&other);
	}
	put_anywhere(&out, address, 64);
	done = next_done(&out);
	if (done.cause != LANESCOPE_CAUSE_UR || counter(0, BLOCKED) != blocked + 1)
		fail("a read of %#llx: cause %u, %u blocked", (unsigned long long)address, done.cause, counter(0, BLOCKED) - blocked);
	give_back(&out);
}

/* A frame from the card to that address; how many requests were blocked. */
static uint32_t write_to(struct lent *in, struct lent *out, uint64_t address)
{
	uint32_t blocked = counter(0, BLOCKED);

	put_anywhere(in, address, 64);
	CHECK(lanescope_put(&out->queue, &out->memory, 0, 64, 2, 0) == 1);
	lanescope_submit(&out->queue);
	next_done(out);
	next_done(in);
	return counter(0, BLOCKED) - blocked;
}

/*
 * A frame to where interrupts are. What the card sends there goes its own way to the processor, and is blocked on that, which may be
 * after the record.
 */
static void interrupt_is_dropped(struct lent *in, struct lent *out)
{
	uint32_t blocked = counter(0, BLOCKED);
	double begun = now();

	write_to(in, out, 0xfee00000);
	while (counter(0, BLOCKED) != blocked + 1)
		CHECK(now() - begun < SOON_S * patience());
}

/* Where a page of this process is in memory. */
static uint64_t physical(const void *data)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	uint64_t entry;

	CHECK(fd >= 0 && pread(fd, &entry, 8, (uintptr_t)data / PAGE * 8) == 8);
	close(fd);
	CHECK(entry >> 63 && entry << 9 >> 9);
	return (entry << 9 >> 9) * PAGE + (uintptr_t)data % PAGE;
}

/* Whether the IOMMU translates what the driver gives the card: then 6.1 refuses ring mode without bounds. */
static int translates(void)
{
	char path[128], type[32] = "";
	FILE *file;

	card_path(path, 0, "iommu_group/type");
	file = fopen(path, "r");
	CHECK(file && fscanf(file, "%31s", type) == 1);
	fclose(file);
	return strcmp(type, "identity") != 0;
}

/* Where nothing bounds a process, it writes to any page: the address is right. */
static void is_reached_without_bounds(uint8_t *victim)
{
	struct lent in, out;

	allow_ring_mode(1);
	take(&in, 0, 0, 1, 1, 0);
	take(&out, 0, 0, 0, 1, 0);
	fill(out.memory.data, 64, 9);
	CHECK(!write_to(&in, &out, physical(victim)));
	CHECK(!memcmp(victim, out.memory.data, 64));
	give_back(&in);
	give_back(&out);
	allow_ring_mode(0);
}

static void what_was_not_pinned_is_not_there_for_the_card(void)
{
	uint8_t *victim = buffer_of(PAGE), *copy = buffer_of(PAGE);
	uint64_t place = PAGE;
	struct lent in, out;

	if (!is_bounded())
		return;
	CHECK(!mlock(victim, PAGE));
	fill(copy, PAGE, 7);
	if (!translates()) {
		is_reached_without_bounds(victim);
		place = physical(victim);
	}
	memcpy(victim, copy, PAGE);
	/* A write is dropped: to that, to an interrupt, to what is for reading only, to nothing. */
	take(&in, 0, 0, 1, 1, 0);
	take(&out, 0, 0, 0, 1, 0);
	fill(out.memory.data, ROOM, 9);
	CHECK(write_to(&in, &out, place) == 1);
	interrupt_is_dropped(&in, &out);
	CHECK(write_to(&in, &out, out.memory.addresses[1]) == 1);
	CHECK(write_to(&in, &out, in.memory.addresses[ROOM / PAGE - 1] + PAGE) == 1);
	CHECK(!write_to(&in, &out, in.memory.addresses[1]));
	CHECK(!memcmp(victim, copy, PAGE) && !memcmp(in.memory.data + PAGE, out.memory.data, 64));
	CHECK(memcmp(out.memory.data + PAGE, out.memory.data, 64));
	give_back(&out);
	give_back(&in);
	/* Nor can be read what was another queue's, or is nobody's. (Linux lets a card read what VT-d maps for it to write.) */
	cannot_be_read(0);
	cannot_be_read(place);
	drain(0, 0);
	all_idle(0);
	munmap(victim, PAGE);
	munmap(copy, PAGE);
}

/* What another process is told that wants a ring of the card's. */
static int error_for_another(int number, int to_host)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(-error_of_ring(path_of(0, number, to_host)));
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void the_card_of_a_process_is_busy_for_others(void)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	struct frame frame;
	struct lent in, out;
	struct ring uring;
	uint8_t byte = 1;
	uint64_t name;

	if (!is_bounded())
		return;
	take(&in, 0, 0, 1, 1, 0);
	CHECK(read(c2h, &byte, 1) == -1 && errno == EBUSY);
	CHECK(write(h2c, &byte, 1) == -1 && errno == EBUSY);
	CHECK(poll(&pollfd, 1, 0) == 1 && pollfd.revents & POLLERR);
	ring_open(&uring);
	ring_put(&uring, h2c, IORING_OP_WRITE, &byte, 1, 1);
	CHECK(ring_enter(&uring, 1, 1) == 1 && ring_get(&uring, &name) == -EBUSY);
	close(uring.fd);
	CHECK(error_for_another(1, 0) == -EBUSY && error_for_another(0, 1) == -EBUSY);
	/* Nor is another channel lent as if nothing bounded it. */
	allow_ring_mode(1);
	CHECK(error_for_another(1, 0) == -EBUSY);
	take(&out, 0, 0, 0, 1, 0);
	CHECK(lanescope_queue_is_bounded(&out.queue));
	allow_ring_mode(0);
	trip(&out, &in, 0, 0, 1000, 5);
	give_back(&in);
	/* With the last one, it is the driver's again. */
	CHECK(write(h2c, &byte, 1) == -1 && errno == EBUSY);
	give_back(&out);
	all_idle(0);
	/* And the reverse: while any channel has something to do, or is lent without bounds, nobody gets the card. */
	begin(&frame, h2c, buffer(), 50000);
	usleep(200000 * patience());
	CHECK(error_of_ring(path_of(0, 0, 1)) == -EBUSY);
	CHECK(read(c2h, buffer(), 50000) == 50000 && end(&frame) == 50000);
	if (!translates()) {
		allow_ring_mode(1);
		take(&in, 0, 1, 1, 1, 0);
		allow_ring_mode(0);
		CHECK(error_of_ring(path_of(0, 0, 1)) == -EBUSY);
		give_back(&in);
	}
	CHECK(!error_of_ring(path_of(0, 0, 1)));
	close(h2c);
	close(c2h);
	all_idle(0);
}

/* What was read ahead needs no card, and stays. */
static void what_was_read_ahead_outlives_a_process_that_has_the_card(void)
{
	int h2c = channel(0, 1, 0), c2h = channel(0, 1, 1);
	struct pollfd pollfd = { .fd = c2h, .events = POLLIN };
	uint8_t bytes[100] = { 0 };
	struct lent in;

	if (!is_bounded())
		return;
	CHECK(poll(&pollfd, 1, 0) == 0);
	CHECK(write(h2c, buffer(), 100) == 100 && poll(&pollfd, 1, 5000) == 1);
	take(&in, 0, 0, 1, 1, 0);
	CHECK(read(c2h, bytes, 100) == 100);
	give_back(&in);
	close(h2c);
	close(c2h);
	all_idle(0);
}

/* A process that has an engine which stops sees no more records; the engine is reset when it leaves. */
static void an_engine_that_stops_is_reset_when_its_process_leaves(void)
{
	long pinned = pinned_pages();
	struct lanescope_done done;
	struct lent out;
	double begun;

	if (!is_bounded())
		return;
	take(&out, 1, 0, 0, 1, 0);
	fault(1, STOPS, 1);
	CHECK(lanescope_put(&out.queue, &out.memory, 0, 64, 1, 0) == 1);
	lanescope_submit(&out.queue);
	usleep(100000 * patience());
	CHECK(lanescope_poll(&out.queue, &done) == 0);
	give_back(&out);
	begun = now();
	while (pinned_pages() != pinned)
		CHECK(now() - begun < SOON_S * patience());
	all_idle(1);
}

static void a_link_that_is_lost_takes_the_card_from_its_process(void)
{
	long pinned = pinned_pages();
	struct lanescope_done done;
	struct lent in;

	if (!is_bounded())
		return;
	take(&in, 1, 1, 1, 1, 0);
	CHECK(lanescope_put(&in.queue, &in.memory, 0, 64, 1, 0) == 1);
	lanescope_submit(&in.queue);
	CHECK(!strike(1, "fatal"));
	CHECK(lanescope_poll(&in.queue, &done) == -ENODEV);
	CHECK(pinned_pages() == pinned);
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[1]));
	give_back(&in);
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[1]));
	all_idle(1);
}

const struct test domain_tests[] = {
	TEST(a_card_that_reaches_its_neighbours_is_not_given_to_a_process),
	TEST(a_process_without_privileges_has_a_card_to_itself),
	TEST(what_was_not_pinned_is_not_there_for_the_card),
	TEST(the_card_of_a_process_is_busy_for_others),
	TEST(what_was_read_ahead_outlives_a_process_that_has_the_card),
	TEST(an_engine_that_stops_is_reset_when_its_process_leaves),
	TEST(a_link_that_is_lost_takes_the_card_from_its_process),
	{ 0 }
};
