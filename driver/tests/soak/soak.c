// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * soak.h says what this is. First bytes without faults, then faults. From the environment: LANESCOPE_SEED;
 * LANESCOPE_BYTES, MiB of the first part; LANESCOPE_COUNT, faults of the second; LANESCOPE_KINDS, "FLR,engine-stops"
 * for some kinds only. With the argument "crowd", that alone (crowd.c): LANESCOPE_OPERATIONS.
 * What is known is printed as it goes on, and at the end, or when a signal ends it.
 */
#include "soak.h"

#include <stdarg.h>

#define SAY_SECONDS 20
#define SHOW_FAULTS 100
#define MOST_SAID 40

struct shared *shared;
static uint64_t state;

void seed_random(unsigned int seed)
{
	state = seed * 0x9e3779b97f4a7c15ULL + 1;
}

unsigned int random_below(unsigned int bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % bound;
}

void wrong(const char *format, ...)
{
	char text[400];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (__atomic_add_fetch(&shared->wrong, 1, __ATOMIC_SEQ_CST) <= MOST_SAID)
		printf("not ok soak: %s\n", text);
}

void fail(const char *format, ...)
{
	char text[400];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	wrong("cannot go on: %s", text);
	shared->stop = true;
	exit(1);
}

void show_stack(pid_t pid)
{
	char path[64], stack[900] = "";
	int fd;

	sprintf(path, "/proc/%d/stack", pid);
	fd = open(path, O_RDONLY);
	if (!pid || fd < 0)
		return;
	(void)!read(fd, stack, sizeof(stack) - 1);
	close(fd);
	printf("process %d:\n%s", pid, stack);
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

static void on_end(int number)
{
	(void)number;
	shared->stop = true;
}

static void say_kind(const struct kind *kind, const struct tally *tally)
{
	printf("%-22s %5u struck %4u idle; calls: %6u whole %5u short", kind->name, tally->struck, tally->idle, tally->whole,
	       tally->broken);
	for (int error = 1; error < MOST_ERRNO; error++)
		if (tally->errors[error])
			printf(", %u %s", tally->errors[error], error == KILLED ? "killed" : strerrorname_np(error));
	if (tally->slowest > 0)
		printf("; slowest %.2f s of %.0f s", tally->slowest, kind->seconds * patience());
	printf("\n");
}

static void say_all(void)
{
	for (int i = 0; kinds[i].name; i++)
		say_kind(&kinds[i], &shared->tallies[i]);
}

static pid_t spawn(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	CHECK(pid >= 0);
	return pid;
}

static int spawn_pairs(pid_t *pids, unsigned int seed)
{
	for (int i = 0; i < CARDS * CHANNELS; i++) {
		struct pair *pair = &shared->pairs[i / CHANNELS][i % CHANNELS];

		*pair = (struct pair){ .card = i / CHANNELS, .number = i % CHANNELS };
		pids[i] = spawn();
		if (!pids[i]) {
			soak_pair(pair, seed * 64 + 1 + i);
			exit(0);
		}
	}
	return CARDS * CHANNELS;
}

/* Until all of these have ended; says now and then how far it is. */
static void watch(const pid_t *pids, int count, unsigned int wanted)
{
	double begun = now(), said = now();
	unsigned int shown = shared->struck / SHOW_FAULTS;

	for (int i = 0; i < count;) {
		int status;
		pid_t pid = waitpid(pids[i], &status, WNOHANG);

		if (pid == pids[i]) {
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				wrong("a process of the soak has ended with %#x", status);
			i++;
			continue;
		}
		usleep(50000);
		if (shared->struck / SHOW_FAULTS > shown) {
			shown = shared->struck / SHOW_FAULTS;
			say_all();
		}
		if (now() - said < SAY_SECONDS)
			continue;
		said = now();
		printf("%.0f s: %u of %u faults, %u trips, %llu MiB, %u wrong\n", now() - begun, shared->struck, wanted,
		       shared->trips, shared->bytes >> 20, shared->wrong);
	}
}

static void bytes_alone(unsigned int seed)
{
	pid_t pids[CARDS * CHANNELS];
	double begun = now();

	shared->goal = setting("LANESCOPE_BYTES", 64) << 20;
	if (!shared->goal)
		return;
	watch(pids, spawn_pairs(pids, seed), 0);
	printf("bytes: %llu MiB there and back in %u trips and %.0f s: %.2f MB/s each way, %u wrong\n", shared->bytes >> 20,
	       shared->trips, now() - begun, shared->bytes / (now() - begun) / 1e6, shared->wrong);
	shared->bytes = 0;
	shared->trips = 0;
	memset(shared->tallies, 0, sizeof(shared->tallies));
}

static void faults_at_random(unsigned int seed, unsigned int wanted)
{
	pid_t pids[CARDS * CHANNELS], cards[CARDS];
	double begun = now();
	int count;

	shared->faults = true;
	count = spawn_pairs(pids, seed + 1);
	for (int card = 0; card < CARDS; card++) {
		cards[card] = spawn();
		if (!cards[card]) {
			soak_card(card, seed * 64 + 40 + card, wanted);
			exit(0);
		}
	}
	watch(cards, CARDS, wanted);
	shared->stop = true;
	watch(pids, count, wanted);
	say_all();
	printf("faults: %u in %.0f s, beside %u trips of %llu MiB and %u changes of settings, %u wrong\n", shared->struck,
	       now() - begun, shared->trips, shared->bytes >> 20, shared->changes, shared->wrong);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_end };
	unsigned int seed = setting("LANESCOPE_SEED", 1), wanted = setting("LANESCOPE_COUNT", 1000);

	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	printf("seed %u\n", seed);
	if (argc > 1 && !strcmp(argv[1], "crowd")) {
		soak_crowd(seed, setting("LANESCOPE_OPERATIONS", 10000));
		return shared->wrong > 0;
	}
	prepare_faults();
	bytes_alone(seed);
	if (!shared->stop)
		faults_at_random(seed, wanted);
	if (!shared->wrong && shared->struck >= wanted)
		printf("ok the_soak\n");
	return shared->wrong > 0;
}
