/* SPDX-License-Identifier: MIT */
/* Sleeps 20 ms in a function of its own, and waits 10 ms in read() for a child
 * that answers that late, repeatedly until SIGTERM, or as often as its second
 * argument: top.sh relies on both. Then it writes the number and the mean
 * length, by its own clock, to the file in its first argument.
 */
#include "tests/e2e/programs/program.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, NS_PER_S = 1000000000 };

struct sum {
	unsigned long count;
	unsigned long total_ns;
};

/* The barrier keeps the call from being the last thing its caller does. */
KEPT static void takes_a_nap(void)
{
	sleep_ns(20 * MS);
	__asm__ volatile("" ::: "memory");
}

static void take(int pipe)
{
	char byte;

	if (read(pipe, &byte, 1) != 1)
		exit(0);
}

static void give(int pipe)
{
	if (write(pipe, "", 1) != 1)
		fail("write");
}

static _Noreturn void answer(int questions, int answers)
{
	prctl(PR_SET_NAME, "answerer");
	for (;;) {
		take(questions);
		sleep_ns(10 * MS);
		give(answers);
	}
}

static void add(struct sum *sum, unsigned long begin_ns)
{
	sum->count++;
	sum->total_ns += now_ns() - begin_ns;
}

static void write_sums(const char *path, struct sum naps, struct sum reads)
{
	FILE *out = fopen(path, "w");

	if (!out)
		fail(path);
	fprintf(out, "%lu %lu %lu %lu\n", naps.count,
		naps.total_ns / naps.count, reads.count,
		reads.total_ns / reads.count);
	fclose(out);
}

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
	(void)number;
	is_over = 1;
}

int main(int argc, char **argv)
{
	struct sum naps = { 0, 0 };
	struct sum reads = { 0, 0 };
	unsigned long most = argc > 2 ? strtoul(argv[2], NULL, 10) : ~0ul;
	int questions[2];
	int answers[2];

	if (argc < 2 || pipe(questions) || pipe(answers))
		fail("pipe");
	if (!fork()) {
		close(questions[1]);
		answer(questions[0], answers[1]);
	}
	close(questions[0]);
	prctl(PR_SET_NAME, "napper");
	signal(SIGTERM, on_signal);
	do {
		unsigned long begin_ns = now_ns();

		takes_a_nap();
		add(&naps, begin_ns);
		give(questions[1]);
		begin_ns = now_ns();
		take(answers[0]);
		add(&reads, begin_ns);
	} while (!is_over && naps.count < most);
	write_sums(argv[1], naps, reads);
	return 0;
}
