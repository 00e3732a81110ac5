// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The driver's watch, which looks at a card once a second while something is under way. */
#include "suite.h"

#include <sys/mount.h>
#include <sys/stat.h>

enum { LOOKED_FOR_S = 3 };

#define TRACING "/tmp/tracing/"
#define EVENT TRACING "events/workqueue/workqueue_execute_start/enable"

/* How often the work of a function has run in so many seconds. */
static int runs_of(const char *function, int seconds)
{
	char line[512];
	int count = 0;
	FILE *trace;

	close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	CHECK(!write_file(EVENT, "1"));
	sleep(seconds);
	CHECK(!write_file(EVENT, "0"));
	trace = fopen(TRACING "trace", "r");
	CHECK(trace);
	while (fgets(line, sizeof(line), trace))
		count += strstr(line, function) != NULL;
	fclose(trace);
	return count;
}

/* And it comes back with the next call. */
static void a_card_with_nothing_to_do_is_not_looked_at(void)
{
	int c2h, idle, busy;
	aio_context_t context;
	struct iocb iocb;
	uint8_t *data;

	mkdir("/tmp/tracing", 0700);
	CHECK(!mount("none", "/tmp/tracing", "tracefs", 0, NULL));
	if (access(EVENT, W_OK)) {
		puts("this kernel does not trace work");
		umount("/tmp/tracing");
		return;
	}
	/* What was under way before has its last look. */
	sleep(2);
	idle = runs_of("ls_watch", LOOKED_FOR_S);
	c2h = channel(0, 0, 1);
	data = buffer();
	context = aio_open();
	aio_put(context, &iocb, c2h, IOCB_CMD_PREAD, data, MOST);
	busy = runs_of("ls_watch", LOOKED_FOR_S);
	aio_close(context);
	close(c2h);
	munmap(data, MOST);
	CHECK(!umount("/tmp/tracing"));
	if (idle || busy < LOOKED_FOR_S / 2)
		fail("%d looks at idle cards, and %d at one with a read", idle, busy);
}

const struct test watch_tests[] = {
	TEST(a_card_with_nothing_to_do_is_not_looked_at),
	{ 0 }
};
