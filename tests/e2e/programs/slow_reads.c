/* SPDX-License-Identifier: MIT */
/* Reads a pipe N times; SLOW of these reads, chosen at random, take MS
 * milliseconds, since the writer sleeps that long. Writes the slow reads to
 * standard output: number, begin and end, CLOCK_MONOTONIC in nanoseconds; and
 * likewise, followed by "stalled", others that took half as long, as may happen
 * on a busy host.
 *
 * 	slow_reads N SLOW MS
 * 	slow_reads N SLOW MS apart
 * 			reader and writer are on two CPUs, which they exchange
 * 			for each slow read, and wait then until the parent,
 * 			which records, is done with it
 * 	slow_reads work US...	runs work(US) for each
 * 	slow_reads nap US...	sleeps for each
 * 	slow_reads spin US	two processes run for so long at once
 * 	slow_reads segv		ends by SIGSEGV
 */
#include "tests/e2e/programs/program.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) void work(int us);
void work(int us)
{
	uint64_t end = now_ns() + (uint64_t)us * 1000;

	while (now_ns() < end)
		continue;
}

/* Answers each number after that many microseconds. Waits for it in readv(),
 * which has no trigger, as the reader may be slow.
 */
static void answer(int in, int out)
{
	int us;
	const struct iovec part = { .iov_base = &us, .iov_len = sizeof(us) };

	while (readv(in, &part, 1) == sizeof(us)) {
		if (us)
			usleep((useconds_t)us);
		if (write(out, &us, sizeof(us)) < 0)
			return;
	}
}

/* Marks @slow of @count reads, by a generator with the same sequence
 * everywhere.
 */
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

static void put_on(pid_t pid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(pid, sizeof(cpus), &cpus)) {
		perror("slow_reads: sched_setaffinity");
		exit(1);
	}
}

static bool is_asleep(pid_t pid)
{
	char path[32];
	char state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(1);
	fclose(file);
	return state == 'S';
}

/* The recorder sleeps when it has nothing more to write. */
static void await_recorder(void)
{
	int times = 0;

	while (times < 10) {
		usleep(10000);
		times = is_asleep(getppid()) ? times + 1 : 0;
	}
}

/* Two processes that ask and answer. */
struct pair {
	pid_t writer;
	int to;	  /* the writer */
	int from; /* the writer */
	int reader_cpu;
};

static int start(struct pair *pair)
{
	int to[2];
	int from[2];

	if (pipe(to) || pipe(from))
		return 1;
	pair->writer = fork();
	if (!pair->writer) {
		close(to[1]);
		answer(to[0], from[1]);
		_exit(0);
	}
	pair->to = to[1];
	pair->from = from[0];
	return pair->writer < 0;
}

static void exchange(struct pair *pair)
{
	pair->reader_cpu = !pair->reader_cpu;
	put_on(0, pair->reader_cpu);
	put_on(pair->writer, !pair->reader_cpu);
}

/* Read @number takes @us; it is printed if it is slow, or took @stall_ns. */
static int ask(const struct pair *pair, int number, int us, uint64_t stall_ns)
{
	uint64_t begin_ns;
	uint64_t end_ns;
	int answer_us;

	if (write(pair->to, &us, sizeof(us)) < 0)
		return 1;
	begin_ns = now_ns();
	if (read(pair->from, &answer_us, sizeof(us)) != sizeof(us))
		return 1;
	end_ns = now_ns();
	if (us || end_ns - begin_ns >= stall_ns)
		printf("%d %llu %llu%s\n", number, (unsigned long long)begin_ns,
		       (unsigned long long)end_ns, us ? "" : " stalled");
	return 0;
}

static int reads(int count, int slow, int us, bool is_apart)
{
	char *is_slow = calloc((size_t)count, 1);
	struct pair pair = { .reader_cpu = 0 };

	if (!is_slow || start(&pair))
		return 1;
	choose(is_slow, count, slow);
	for (int i = 0; i < count; i++) {
		if (is_slow[i] && is_apart)
			exchange(&pair);
		if (ask(&pair, i, is_slow[i] ? us : 0, (uint64_t)us * 500))
			return 1;
		if (is_slow[i] && is_apart)
			await_recorder();
	}
	close(pair.to);
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
	if (argc >= 4 && atoi(argv[1]) > 0)
		return reads(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]) * 1000,
			     argc > 4 && !strcmp(argv[4], "apart"));
	return 0;
}
