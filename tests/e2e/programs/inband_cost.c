/* SPDX-License-Identifier: MIT */
/* Measures the cost of a bracket: prints a line for each kind of call, in
 * nanoseconds of the machine's clock, where an instruction takes one: the call
 * alone, the begin of a bracket, the call in the bracket, the end of the first
 * bracket, and the minimum and the mean of the other brackets' ends. The begin
 * and the call in the bracket are also minima over the other brackets.
 *
 *	inband_cost FILE
 */
#include "tests/e2e/programs/program.h"

#include "inband/ktrace_hw.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 50, BYTES = 4096 };

static int fd;
static int pipes[2];
static char buffer[BYTES];

static bool call_getppid(void)
{
	return getppid() > 0;
}

static bool call_pread(void)
{
	return pread(fd, buffer, BYTES, 0) == BYTES;
}

static bool call_nap(void)
{
	const struct timespec time = { 0, 100000 };

	return !clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static bool call_openat(void)
{
	int opened = openat(AT_FDCWD, "/etc/passwd", O_RDONLY);

	return opened >= 0 && !close(opened);
}

static bool call_pipe(void)
{
	return write(pipes[1], "", 1) == 1 && read(pipes[0], buffer, 1) == 1;
}

static const struct {
	const char *name;
	bool (*call)(void);
} calls[] = {
	{ "getppid", call_getppid }, { "pread", call_pread },
	{ "pipe", call_pipe },	     { "openat", call_openat },
	{ "nap", call_nap },
};

struct round {
	uint64_t begin_ns;
	uint64_t call_ns;
	uint64_t end_ns;
};

static bool run_round(struct ktrace_hw *k, bool (*call)(void),
		      struct round *round)
{
	const struct ktrace_hw_record *record;
	uint64_t times[4];
	bool is_good;

	times[0] = now_ns();
	if (ktrace_hw_begin(k) != KTRACE_HW_OK)
		return false;
	times[1] = now_ns();
	is_good = call();
	times[2] = now_ns();
	record = ktrace_hw_end(k);
	times[3] = now_ns();
	*round = (struct round){ times[1] - times[0], times[2] - times[1],
				 times[3] - times[2] };
	return is_good && record && record->call_count && !record->gaps;
}

/* Keeps the least time of each part, to exclude occasional interrupts. */
static void take_least(struct round *least, const struct round *round)
{
	if (round->begin_ns < least->begin_ns)
		least->begin_ns = round->begin_ns;
	if (round->call_ns < least->call_ns)
		least->call_ns = round->call_ns;
	if (round->end_ns < least->end_ns)
		least->end_ns = round->end_ns;
}

static bool measure(struct ktrace_hw *k, const char *name, bool (*call)(void))
{
	struct round least = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	struct round first;
	struct round round;
	uint64_t sum = 0;
	uint64_t alone = now_ns();

	for (int i = 0; i < ROUNDS; i++)
		if (!call())
			return false;
	alone = (now_ns() - alone) / ROUNDS;
	if (!run_round(k, call, &first))
		return false;
	for (int i = 1; i < ROUNDS; i++) {
		if (!run_round(k, call, &round))
			return false;
		take_least(&least, &round);
		sum += round.end_ns;
	}
	printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
	       " %" PRIu64 "\n",
	       name, alone, least.begin_ns, least.call_ns, first.end_ns,
	       least.end_ns, sum / (ROUNDS - 1));
	return true;
}

int main(int argc, char **argv)
{
	struct ktrace_hw_error error;
	struct ktrace_hw *k = ktrace_hw_open(NULL, &error);
	bool is_good = k;

	fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	if (!k || fd < 0 || pipe(pipes)) {
		fprintf(stderr, "inband_cost: %s\n", error.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls) && is_good; i++)
		is_good = measure(k, calls[i].name, calls[i].call);
	if (!is_good)
		fprintf(stderr,
			"inband_cost: a call or its record failed: %s\n",
			ktrace_hw_last_error(k)->text);
	ktrace_hw_close(k);
	return is_good ? 0 : 1;
}
