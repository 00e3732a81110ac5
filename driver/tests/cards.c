// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Cards of the guest: their files, counters and faults; and time. */
#include "suite.h"

#include <sys/klog.h>

#include <dirent.h>
#include <sys/time.h>
#include <time.h>

const char *slots[CARDS];

/* Where they are depends on the guest. */
static __attribute__((constructor)) void find_cards(void)
{
	struct dirent **names;
	int count = scandir("/sys/bus/pci/devices", &names, NULL, alphasort), found = 0;

	for (int i = 0; i < count && found < CARDS; i++) {
		char path[300];
		int id[2] = { 0, 0 };

		for (int j = 0; j < 2; j++) {
			FILE *file;

			sprintf(path, "/sys/bus/pci/devices/%s/%s", names[i]->d_name, j ? "device" : "vendor");
			file = fopen(path, "r");
			if (file) {
				(void)!fscanf(file, "%i", &id[j]);
				fclose(file);
			}
		}
		if (id[0] == 0x10ee && id[1] == 0x4c53)
			slots[found++] = strdup(names[i]->d_name);
	}
	if (found < CARDS) {
		printf("not ok: %d cards in place of %d\n", found, CARDS);
		exit(1);
	}
}

int has_symbol(const char *name)
{
	static char asked[8][64];
	static int answers[8], count;
	char symbol[512];
	int found = 0;
	FILE *file;

	/* There are 100,000 to look through. */
	for (int i = 0; i < count; i++)
		if (!strcmp(asked[i], name))
			return answers[i];
	CHECK(count < 8);
	file = fopen("/proc/kallsyms", "r");
	CHECK(file);
	while (!found && fscanf(file, "%*s %*s %511s%*[^\n]", symbol) == 1)
		found = !strcmp(symbol, name);
	fclose(file);
	strcpy(asked[count], name);
	answers[count++] = found;
	return found;
}

void card_path(char *path, int card, const char *file)
{
	sprintf(path, "/sys/bus/pci/devices/%s/%s", slots[card], file);
}

uint32_t counter(int card, int at)
{
	uint32_t value;
	char path[128];
	int fd;

	card_path(path, card, "config");
	fd = open(path, O_RDONLY);
	CHECK(fd >= 0);
	CHECK(pread(fd, &value, 4, at) == 4);
	close(fd);
	return value;
}

void fault(int card, int kind, int times)
{
	uint32_t value = kind | times << 8;
	char path[128];
	int fd;

	card_path(path, card, "config");
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK(pwrite(fd, &value, 4, FAULT) == 4);
	close(fd);
}

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), done;

	if (fd < 0)
		return -1;
	done = write(fd, text, strlen(text));
	close(fd);
	return done < 0 ? -1 : 0;
}

long read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	long value = -1;

	CHECK(file);
	CHECK(fscanf(file, "%li", &value) == 1);
	fclose(file);
	return value;
}

int has_iommu(void)
{
	char path[128];

	card_path(path, 0, "iommu_group");
	return !access(path, F_OK);
}

void allow_ring_mode(int yes)
{
	CHECK(!write_file("/sys/module/lanescope/parameters/unsafe_rings", yes ? "1" : "0"));
}

/* A line of the kernel's counters. */
static long vmstat(const char *wanted)
{
	long value, found = -1;
	char name[64];
	FILE *file;

	/* What each processor has counted by itself. */
	CHECK(!write_file("/proc/sys/vm/stat_refresh", "1"));
	file = fopen("/proc/vmstat", "r");
	CHECK(file);
	while (fscanf(file, "%63s %ld", name, &value) == 2)
		if (!strcmp(name, wanted))
			found = value;
	fclose(file);
	CHECK(found >= 0);
	return found;
}

long pins_acquired(void)
{
	return vmstat("nr_foll_pin_acquired");
}

long pinned_pages(void)
{
	return pins_acquired() - vmstat("nr_foll_pin_released");
}

int try_open(int card, int channel, int to_host)
{
	char path[64];

	sprintf(path, "/dev/lanescope%d/%s%d", card, to_host ? "c2h" : "h2c", channel);
	return open(path, to_host ? O_RDONLY : O_WRONLY);
}

int channel(int card, int number, int to_host)
{
	int fd = try_open(card, number, to_host);

	CHECK(fd >= 0);
	return fd;
}

struct lanescope_info info_of(int fd)
{
	struct lanescope_info info = { 0 };

	CHECK(!ioctl(fd, LANESCOPE_IOC_INFO, &info));
	return info;
}

int log_count(const char *text)
{
	static char log[1 << 20];
	int bytes = klogctl(3, log, sizeof(log) - 1); /* SYSLOG_ACTION_READ_ALL */
	int count = 0;

	CHECK(bytes > 0);
	log[bytes] = '\0';
	for (const char *at = log; (at = strstr(at, text)); at++)
		count++;
	return count;
}

int log_has(const char *text)
{
	return log_count(text) > 0;
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

volatile double slowness = 1;

double patience(void)
{
	const char *text = getenv("LANESCOPE_PATIENCE");

	return (text ? atof(text) : 1) * slowness;
}

static void on_alarm(int number)
{
	(void)number;
}

void after_ms(int ms)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct timeval time = { ms / 1000, ms % 1000 * 1000 };
	/* Again and again: a signal that comes before the call that it is to end would end nothing. */
	struct itimerval timer = { .it_interval = time, .it_value = time };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}
