// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Memory that the kernel refuses: each allocation of a call, and each copy from or to this process, one after the other. */
#include "suite.h"

#include <sys/syscall.h>

#define FAILSLAB "/sys/kernel/debug/failslab/"

int refusals(void)
{
	char path[64];
	int fd;

	if (access(FAILSLAB, F_OK)) {
		printf("the kernel refuses nothing\n");
		return -1;
	}
	CHECK(!write_file(FAILSLAB "ignore-gfp-wait", "N"));
	CHECK(!write_file(FAILSLAB "verbose", "0"));
	CHECK(!write_file("/sys/kernel/debug/fail_usercopy/verbose", "0"));
	sprintf(path, "/proc/self/task/%ld/fail-nth", (long)syscall(SYS_gettid));
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	return fd;
}

int refuse(int fd, int nth)
{
	char text[16] = "";
	/* Where this very copy is refused, what came before was not. */
	int left = pread(fd, text, sizeof(text) - 1, 0) < 1 || atoi(text) > 0;

	sprintf(text, "%d", nth);
	while (pwrite(fd, text, strlen(text), 0) < 0)
		CHECK(errno == EFAULT);
	return left;
}
