/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares ktrace-hw's decoding of recordings with the ground truth of the boot
 * in which they were made, branch by branch.
 *
 *	tool_blocks [--time-p99 NS] TRUTH CPU LEVELS:FILE...
 *
 * FILEs contain the output of `ktrace-hw dump --blocks`, in the order in which
 * the recordings were made. LEVELS describes the recording: k, u or ku; for a
 * range of addresses k/START-END; g if there may be gaps, after which the
 * decoder must resynchronise soon, and which hide little (block_compare.h); c
 * if cycles were counted up to each branch. Each session of the truth that the
 * trace unit started belongs to one of them.
 *
 * With --time-p99, 99 of 100 times must be within NS of the truth's (c: within
 * a tenth of that), and each true time must be within the reported bounds.
 * Prints a line per file; exits 1 on any gap or difference, 2 if it cannot
 * start.
 */
#include "machine/tests/conformance/block_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	const char *name;
	struct recording recording;
	bool may_have_gaps;
	bool counts_cycles;
};

static bool check_file(struct file *file, struct expected *expected,
		       uint32_t cpu, uint64_t time_p99)
{
	struct block_compare *check = calloc(1, sizeof(*check));
	FILE *text = fopen(file->name, "r");
	bool same, timely, whole;

	if (!check || !text) {
		perror(file->name);
		exit(2);
	}
	block_compare_open(check, text, expected);
	expected_use(expected, &file->recording);
	same = block_compare_run(check, cpu);
	if (file->counts_cycles)
		time_p99 /= 10;
	timely = !time_p99 ||
		 (time_error_p99(&check->times) <= time_p99 && !check->outside);
	whole = !block_compare_misses_much(check);
	printf("%s cpu %" PRIu32 ": instructions %" PRIu64 " gaps %" PRIu64
	       " missing %" PRIu64 " sessions %" PRIu64 " equal %" PRIu64
	       " time-error p50 %" PRIu64 " p99 %" PRIu64 " max %" PRIu64
	       " outside %" PRIu64 "%s\n",
	       file->name, cpu, check->items.instructions, check->items.gaps,
	       check->missing, check->sessions, check->compared,
	       time_error_p50(&check->times), time_error_p99(&check->times),
	       check->times.max, check->outside,
	       !same   ? ": DIFFERENT" :
	       !timely ? ": LATE" :
	       !whole  ? ": MISSES MUCH" :
			 "");
	same &= timely && whole && check->compared &&
		!check->items.not_understood &&
		(file->may_have_gaps || !check->items.gaps);
	fclose(text);
	free(check);
	return same;
}

/* LEVELS[/START-END]:FILE */
static bool parse_file(struct file *file, const char *word)
{
	const char *colon = strchr(word, ':');
	size_t levels = strcspn(word, ":/");
	struct address_range *range = file->recording.filters;

	if (!colon)
		return false;
	file->name = colon + 1;
	file->recording.kernel = memchr(word, 'k', levels);
	file->recording.user = memchr(word, 'u', levels);
	file->may_have_gaps = memchr(word, 'g', levels);
	file->counts_cycles = memchr(word, 'c', levels);
	if (word[levels] != '/')
		return true;
	file->recording.filter_count = 1;
	return sscanf(word + levels, "/%" SCNx64 "-%" SCNx64, &range->start,
		      &range->end) == 2;
}

static bool check_rest(struct expected *expected, uint32_t cpu)
{
	uint64_t items = block_compare_rest(expected);

	if (items)
		printf("cpu %" PRIu32 ": the truth has %" PRIu64
		       " more branches\n",
		       cpu, items);
	return !items;
}

static int usage(void)
{
	fprintf(stderr, "usage: tool_blocks [--time-p99 NS] TRUTH CPU"
			" LEVELS[/START-END]:FILE...\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t time_p99 = 0; /* not checked */
	struct expected expected;
	bool good = true;
	uint32_t cpu;

	if (argc > 2 && !strcmp(argv[1], "--time-p99")) {
		time_p99 = strtoull(argv[2], NULL, 10);
		argc -= 2;
		argv += 2;
	}
	if (argc < 4)
		return usage();
	cpu = (uint32_t)strtoul(argv[2], NULL, 10);
	if (!expected_open(&expected, argv[1], cpu))
		return 2;
	for (int i = 3; i < argc && good; i++) {
		struct file *file = calloc(1, sizeof(*file));

		if (!file || !parse_file(file, argv[i]))
			return usage();
		good = check_file(file, &expected, cpu, time_p99);
		free(file);
	}
	good = good && check_rest(&expected, cpu);
	expected_close(&expected);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
