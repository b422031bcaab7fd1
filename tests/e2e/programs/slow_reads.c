/* SPDX-License-Identifier: MIT */
/* Reads a pipe N times; SLOW of these reads, chosen at random, take MS
 * milliseconds, since the writer sleeps so long.  Writes to standard output
 * which those were: number, begin and end, CLOCK_MONOTONIC in nanoseconds.
 *
 *	slow_reads N SLOW MS
 *	slow_reads work US...	runs work(US) for each
 *	slow_reads nap US...	sleeps for each
 *	slow_reads spin US	two processes run for so long at once
 *	slow_reads segv		ends by SIGSEGV
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void work(int us);
void work(int us)
{
	uint64_t end = now_ns() + (uint64_t)us * 1000;

	while (now_ns() < end)
		continue;
}

/* Answers each number after so many microseconds. */
static void answer(int in, int out)
{
	int us;

	while (read(in, &us, sizeof(us)) == sizeof(us)) {
		if (us)
			usleep((useconds_t)us);
		if (write(out, &us, sizeof(us)) < 0)
			return;
	}
}

/* Marks @slow of @count places, by a generator that is everywhere the same. */
static void choose(char *is_slow, int count, int slow)
{
	uint64_t state = 88172645463325252;

	while (slow > 0) {
		char *place;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		place = &is_slow[state % (uint64_t)count];
		slow -= !*place;
		*place = 1;
	}
}

static int reads(int count, int slow, int us)
{
	char *is_slow = calloc((size_t)count, 1);
	int to[2];
	int from[2];

	if (!is_slow || pipe(to) || pipe(from))
		return 1;
	if (!fork()) {
		close(to[1]);
		answer(to[0], from[1]);
		_exit(0);
	}
	choose(is_slow, count, slow);
	for (int i = 0; i < count; i++) {
		int wait = is_slow[i] ? us : 0;
		uint64_t begin_ns;

		if (write(to[1], &wait, sizeof(wait)) < 0)
			return 1;
		begin_ns = now_ns();
		if (read(from[0], &wait, sizeof(wait)) != sizeof(wait))
			return 1;
		if (is_slow[i])
			printf("%d %llu %llu\n", i,
			       (unsigned long long)begin_ns,
			       (unsigned long long)now_ns());
	}
	close(to[1]);
	wait(NULL);
	free(is_slow);
	return 0;
}

static int spin(int us)
{
	pid_t child = fork();

	work(us);
	if (!child)
		_exit(0);
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "segv"))
		return raise(SIGSEGV);
	for (int i = 2; i < argc && !strcmp(argv[1], "work"); i++)
		work(atoi(argv[i]));
	for (int i = 2; i < argc && !strcmp(argv[1], "nap"); i++)
		usleep((useconds_t)atoi(argv[i]));
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spin(atoi(argv[2]));
	if (argc == 4 && atoi(argv[1]) > 0)
		return reads(atoi(argv[1]), atoi(argv[2]),
			     atoi(argv[3]) * 1000);
	return 0;
}
