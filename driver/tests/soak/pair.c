// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A pair's process: trips, what they may come to, and how a pair settles after a fault. */
#include "soak.h"

#define GRACE_MS 60		/* until the other side of a call that has failed is interrupted */
#define LOST_MS 700		/* until one is whose bytes are lost */
#define TRIP_SECONDS 8
#define SETTLE_SECONDS 8
#define TOKEN 32

static struct pair *pair;
static struct window *window;
static uint8_t *from, *to;
/* The window in which this pair has settled. */
static unsigned int settled;

static int shared_kind(void)
{
	return __atomic_load_n(&window->kind, __ATOMIC_SEQ_CST);
}

/* The kind of fault that may show now; 0 where none may. */
static int kind_now(void)
{
	int kind = shared_kind();

	return window->number == settled ? 0 : kind;
}

static void on_signal(int number)
{
	(void)number;
}

static int open_side(bool to_host)
{
	char path[128];

	if (!channel_path(path, pair->card, pair->number, to_host))
		return -errno;
	return open(path, to_host ? O_RDONLY : O_WRONLY);
}

/* ---- a trip ----------------------------------------------------------------------------------------------------- */

static const char *side_name(bool to_host)
{
	return to_host ? "read" : "write";
}

/* The process of a side. Where the kernel is to let something fail, it does from the opening of the file on. */
static void call(struct side *side, bool to_host, const struct way *way, uint8_t *data, size_t bytes, bool asks)
{
	static volatile int side_fd = -1;
	int self = asks ? open("/proc/self/make-it-fail", O_WRONLY) : -1, fd, error;
	uint32_t flags = 0;
	char path[128];

	cancel_when_told(&side_fd);
	if (way->ring)
		ring_open(way->ring);
	side->begun = now();
	if (!channel_path(path, pair->card, pair->number, to_host)) {
		side->result = -errno;
		side->ended = now();
		_exit(0);
	}
	__atomic_store_n(&side->in_call, 1, __ATOMIC_SEQ_CST);
	if (self >= 0)
		(void)!write(self, "1", 1);
	fd = open(path, to_host ? O_RDONLY : O_WRONLY);
	side_fd = fd;
	error = fd < 0 ? -errno : to_host ? draw_flags(fd, &flags) : 0;
	side->result = error ?: way->run(fd, data, bytes);
	if (side->result == -ECANCELED)
		side->result = -EINTR;
	while (self >= 0 && write(self, "0", 1) != 1)
		;
	__atomic_store_n(&side->in_call, 0, __ATOMIC_SEQ_CST);
	side->ended = now();
	check_notes(fd, flags, side->result);
	_exit(0);
}

static void start(struct side *side, bool to_host, const struct way *way, uint8_t *data, size_t bytes)
{
	int kind = kind_now();
	pid_t pid;

	*side = (struct side){ .result = -KILLED };
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		call(side, to_host, way, data, bytes, kinds[kind].calls);
	__atomic_store_n(&side->pid, pid, __ATOMIC_SEQ_CST);
}

/* Waits for one of the two; NULL where the time is over. */
static struct side *wait_for_one(int ms)
{
	struct side *sides = pair->sides;
	int status;
	pid_t pid;

	after_ms(ms);
	pid = waitpid(-1, &status, 0);
	after_ms(0);
	for (int i = 0; i < 2 && pid > 0; i++) {
		if (sides[i].pid != pid)
			continue;
		if (WIFSIGNALED(status)) {
			sides[i].result = -KILLED;
			sides[i].ended = now();
		} else if (WEXITSTATUS(status)) {
			wrong("card %d pair %d: a process of a trip has failed", pair->card, pair->number);
		}
		__atomic_store_n(&sides[i].pid, 0, __ATOMIC_SEQ_CST);
		return &sides[i];
	}
	return NULL;
}

/* Both calls end, the second one because it is told to, where the first one has failed or its bytes are lost. */
static bool wait_for_both(size_t bytes, bool strict)
{
	double begun = now(), limit = TRIP_SECONDS * patience();
	struct side *first = NULL, *other;

	while (!(first = wait_for_one(100)) && now() - begun < limit)
		;
	if (first) {
		bool failed = first->result != (ssize_t)bytes;

		other = first == &pair->sides[0] ? &pair->sides[1] : &pair->sides[0];
		while (!wait_for_one(failed ? GRACE_MS : LOST_MS)) {
			if (now() - begun > limit)
				goto hangs;
			if (failed || (!strict && kinds[kind_now()].loses)) {
				other->interrupted = true;
				kill(other->pid, SIGUSR1);
			}
		}
		return true;
	}
hangs:
	for (int i = 0; i < 2; i++) {
		struct side *side = &pair->sides[i];

		if (!side->pid)
			continue;
		wrong("card %d pair %d: a %s does not end (%s)", pair->card, pair->number, side_name(i),
		      kinds[shared_kind()].name);
		show_stack(side->pid);
		kill(side->pid, SIGKILL);
	}
	while (wait_for_one(TRIP_SECONDS * 1000 * patience()))
		;
	return false;
}

/* ---- what it came to -------------------------------------------------------------------------------------------- */

static bool is_told(const struct kind *kind, bool to_host, int error)
{
	for (size_t i = 0; i < COUNT(kind->errors[0]); i++)
		if (error && kind->errors[to_host][i] == error)
			return true;
	return false;
}

static void count(struct tally *tally, const struct side *side, size_t bytes, double took, bool counts)
{
	double slowest;

	if (side->result == (ssize_t)bytes)
		__atomic_add_fetch(&tally->whole, 1, __ATOMIC_SEQ_CST);
	else if (side->result >= 0)
		__atomic_add_fetch(&tally->broken, 1, __ATOMIC_SEQ_CST);
	else if (-side->result < MOST_ERRNO)
		__atomic_add_fetch(&tally->errors[-side->result], 1, __ATOMIC_SEQ_CST);
	__atomic_load(&tally->slowest, &slowest, __ATOMIC_SEQ_CST);
	if (counts && took > slowest)
		__atomic_store(&tally->slowest, &took, __ATOMIC_SEQ_CST);
}

/* One side, as a fault of that kind may have left it. */
static void judge_side(bool to_host, const struct way *way, size_t bytes, int number)
{
	const struct kind *kind = &kinds[number];
	struct side *side = &pair->sides[to_host];
	bool whole = side->result == (ssize_t)bytes;
	double took = side->ended - (number && window->struck > side->begun ? window->struck : side->begun);
	int error = side->result < 0 ? -side->result : 0;
	/* A frame of which some is missing is short for its reader as well. */
	bool cuts = kind->errors[0][0] || kind->errors[1][0], fits;

	if (error)
		/* A frame that the driver has copied has failed where it is cut. */
		fits = is_told(kind, to_host, error) || (side->interrupted && error == EINTR) ||
		       (number && way->copied && error == EIO);
	else
		fits = whole || side->interrupted || cuts;
	if (!fits)
		wrong("card %d pair %d: %s: %s of %zu bytes (%s%s) came to %zd", pair->card, pair->number, kind->name,
		      side_name(to_host), bytes, way->name, side->interrupted ? ", interrupted" : "", side->result);
	if (!whole && (!side->interrupted || (error && error != EINTR))) {
		__atomic_add_fetch(&window->told, 1, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&window->caught, side->begun < window->struck, __ATOMIC_SEQ_CST);
	}
	if (!side->interrupted && (!whole || kind->late || !number) && took > kind->seconds * patience())
		wrong("card %d pair %d: %s: %s of %zu bytes (%s) took %.1f s", pair->card, pair->number, kind->name,
		      side_name(to_host), bytes, way->name, took);
	count(&shared->tallies[number], side, bytes, took, !side->interrupted && (!whole || kind->late || !number));
}

static void compare(size_t bytes, const uint8_t *sent, const uint8_t *came)
{
	size_t at = 0;

	while (at < bytes && sent[at] == came[at])
		at++;
	if (at < bytes)
		wrong("card %d pair %d: %s: of %zu bytes, at %zu %#x in place of %#x", pair->card, pair->number,
		      kinds[shared_kind()].name, bytes, at, came[at], sent[at]);
	else if (came[bytes] != 0x5a)
		wrong("card %d pair %d: a byte after %zu was written", pair->card, pair->number, bytes);
}

/* A frame there and back; true where it was whole. A strict one has to be. */
static bool trip(size_t bytes, bool strict)
{
	uint8_t *sent = from + random_below(4096), *came = to + random_below(4096);
	const struct way *ways[2] = { draw_way(false, bytes), draw_way(true, bytes) };
	struct side *sides = pair->sides;
	bool whole, first;
	int kind;

	fill(sent, bytes, random_below(1 << 30));
	memset(came, 0x5a, bytes + 1);
	first = random_below(4) > 0;
	start(&sides[first], first, ways[first], first ? came : sent, bytes);
	/* One side waits for the other; what strikes a card finds one that does. */
	if (kinds[kind_now()].catches && !strict)
		usleep(50000 + random_below(200000));
	else if (shared->faults && random_below(2))
		usleep(random_below(30000));
	start(&sides[!first], !first, ways[!first], first ? sent : came, bytes);
	if (!wait_for_both(bytes, strict))
		return false;
	kind = strict ? 0 : kind_now();
	for (int to_host = 0; to_host < 2; to_host++)
		judge_side(to_host, ways[to_host], bytes, kind);
	whole = sides[0].result == (ssize_t)bytes && sides[1].result == (ssize_t)bytes;
	if (whole) {
		compare(bytes, sent, came);
		__atomic_add_fetch(&shared->bytes, bytes, __ATOMIC_SEQ_CST);
	}
	__atomic_add_fetch(&shared->trips, 1, __ATOMIC_SEQ_CST);
	return whole;
}

/* ---- settling --------------------------------------------------------------------------------------------------- */

static pid_t send_token(const uint8_t *token)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		int fd = open_side(false);

		_exit(fd < 0 || write(fd, token, TOKEN) != TOKEN);
	}
	return pid;
}

/* True where it has written its token. */
static bool token_was_sent(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/*
 * Reads what is left until a token comes, which nobody has sent before. A page at a time: a read that lies together
 * loses nothing of what follows the end of a frame.
 */
static bool clear_way(double seconds)
{
	uint8_t token[TOKEN], tail[TOKEN] = { 0 }, *page = (uint8_t *)(((uintptr_t)to + 4095) & ~4095UL);
	double begun = now();
	bool came = false;
	int fd = open_side(true);

	while (fd >= 0 && !came && now() - begun < seconds) {
		ssize_t got = 1;
		pid_t pid;

		fill(token, TOKEN, random_below(1 << 30));
		pid = send_token(token);
		while (!came && got > 0 && now() - begun < seconds) {
			after_ms(400 * patience());
			got = read(fd, page, 4096);
			after_ms(0);
			if (got >= TOKEN) {
				memcpy(tail, page + got - TOKEN, TOKEN);
			} else if (got > 0) {
				memmove(tail, tail + got, TOKEN - got);
				memcpy(tail + TOKEN - got, page, got);
			}
			came = got > 0 && !memcmp(tail, token, TOKEN);
		}
		/* The token may have come before its call has ended. */
		if (came) {
			int status;

			CHECK(waitpid(pid, &status, 0) == pid);
			break;
		}
		token_was_sent(pid);
		if (got < 0 && errno != EINTR && kind_now())
			break;
	}
	if (fd >= 0)
		close(fd);
	return came;
}

static size_t draw_size(void)
{
	if (!shared->faults)
		return (1 << 18) + random_below(LONGEST_TRIP - (1 << 18));
	/* As many short ones as long ones. */
	return 1 + random_below(1U << (1 + random_below(17)));
}

void soak_pair(struct pair *own, unsigned int seed)
{
	struct sigaction action = { .sa_handler = on_signal };
	bool clear = true;

	/* Of the processes of its trips as well. */
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pair = own;
	window = &shared->windows[pair->card];
	from = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	to = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(from != MAP_FAILED && to != MAP_FAILED);
	seed_random(seed);
	while (!shared->stop || shared_kind()) {
		/* Looked at before the trip: what it finds is of that time. */
		bool over = __atomic_load_n(&window->closing, __ATOMIC_SEQ_CST) && kind_now();
		bool strict = over || !kind_now();

		if (!shared->faults && shared->bytes >= shared->goal)
			return;
		if (!clear && !(clear = clear_way(over ? SETTLE_SECONDS * patience() : 2 * patience()))) {
			if (strict)
				wrong("card %d pair %d: %s: nothing comes through after it", pair->card, pair->number,
				      kinds[shared_kind()].name);
			usleep(20000);
			if (!over)
				continue;
		}
		/* A window may open while a trip is under way that began without one. */
		clear = trip(draw_size(), over);
		if (over) {
			settled = window->number;
			__atomic_add_fetch(&window->settled, 1, __ATOMIC_SEQ_CST);
		}
	}
}
