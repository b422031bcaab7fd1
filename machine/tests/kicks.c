/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests 10000 missing files from the host while a timer expires every 50 us,
 * sometimes just during a request. Prints the elapsed time in microseconds.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ASKED = 10000, PERIOD_NS = 50000 };

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Uses real-time priority, so that no other work runs in between; the timer has
 * priority.
 */
static void run_alone(int priority)
{
	const struct sched_param param = { priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("kicks: sched_setscheduler");
		exit(1);
	}
}

/* Writes to @ready when it starts ticking. */
static void tick(int ready)
{
	const struct timespec period = { .tv_nsec = PERIOD_NS };

	run_alone(2);
	if (write(ready, "", 1) != 1)
		exit(1);
	for (;;)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &period, NULL);
}

/* A process that runs alone does not sleep while it waits for the host: a child
 * that has not run by then would never tick, and whether it has depends on the
 * scheduler. Therefore wait for its first write.
 */
static pid_t start_ticker(void)
{
	int ready[2];
	char byte;
	pid_t ticker;

	if (pipe(ready)) {
		perror("kicks: pipe");
		exit(1);
	}
	ticker = fork();
	if (!ticker)
		tick(ready[1]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		exit(1);
	return ticker;
}

int main(void)
{
	char name[64];
	struct stat file;
	pid_t ticker = start_ticker();
	long start;

	run_alone(1);
	start = now_us();
	for (int i = 0; i < ASKED; i++) {
		snprintf(name, sizeof(name), "/usr/no such file %d", i);
		if (!stat(name, &file))
			return 1;
	}
	printf("%ld\n", now_us() - start);
	kill(ticker, SIGKILL);
	return waitpid(ticker, NULL, 0) != ticker;
}
