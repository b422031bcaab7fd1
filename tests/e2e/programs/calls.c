/* SPDX-License-Identifier: MIT */
/* Makes system calls whose results and waits are known by construction: each
 * subcommand is one case of attribution_syscalls.sh.
 */
#include "tests/e2e/programs/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

/* 100 opens and 50 closes that fail, 10 opens and closes that do not. */
static int make_errors(void)
{
	for (int i = 0; i < 100; i++)
		if (openat(AT_FDCWD, "/nonexistent", O_RDONLY) >= 0)
			return 1;
	for (int i = 0; i < 50; i++)
		close(-1);
	for (int i = 0; i < 10; i++)
		close(openat(AT_FDCWD, "/", O_RDONLY));
	return 0;
}

/* DeBox's example: a mapped file is copied with one write(). */
static int copy(const char *from, const char *to)
{
	int source = open(from, O_RDONLY);
	int sink = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_SYNC, 0600);
	struct stat status;
	char *bytes;
	ssize_t left;

	if (source < 0 || sink < 0 || fstat(source, &status))
		fail("open");
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED,
		     source, 0);
	if (bytes == MAP_FAILED)
		fail("mmap");
	for (left = status.st_size; left > 0;) {
		ssize_t done = write(sink, bytes + status.st_size - left,
				     (size_t)left);

		if (done <= 0)
			fail("write");
		left -= done;
	}
	return 0;
}

/* A sleep interrupted by SIGSTOP and SIGCONT is restarted by the kernel. It is
 * long enough to be interrupted also by a host's clock.
 */
static int restart(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "restarted");
		sleep_ns(600 * MS);
		_exit(0);
	}
	sleep_ns(200 * MS);
	kill(pid, SIGSTOP);
	sleep_ns(50 * MS);
	kill(pid, SIGCONT);
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "errors"))
		return make_errors();
	if (!strcmp(what, "copy") && argc == 4)
		return copy(argv[2], argv[3]);
	if (!strcmp(what, "restart"))
		return restart();
	fprintf(stderr, "calls: what?\n");
	return 2;
}
