/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares the ground truth of one user program with QEMU's own log of the
 * blocks it executed (-d exec,nochain), which shares no code with a plugin.
 *
 *	tool_exec_log TRUTH LOG BRANCHES START END
 *
 * TRUTH: a file truth.<cpu>. LOG: QEMU's. BRANCHES: the addresses of the
 * program's branch instructions in order, one per line (from objdump). START
 * and END: the program's address range, which nothing else uses. Exits 1 at the
 * first difference.
 */
#include "machine/tests/conformance/truth_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	struct truth_reader truth;
	FILE *log;
	uint64_t *branches;
	size_t branch_count;
	uint64_t start;
	uint64_t end;
	uint64_t arrivals; /* of the truth, found in the log */
	uint64_t left;	   /* branches, found in the program */
	uint64_t cut;	   /* blocks that continue straight-line code */
};

static bool inside(const struct check *check, uint64_t address)
{
	return address >= check->start && address < check->end;
}

static bool read_branches(struct check *check, const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t address;

	if (!file)
		return false;
	check->branches = calloc(1 << 16, sizeof(*check->branches));
	while (check->branches && check->branch_count < 1 << 16 &&
	       fscanf(file, "%" SCNx64, &address) == 1)
		check->branches[check->branch_count++] = address;
	fclose(file);
	return check->branch_count;
}

/* Returns the first branch instruction at or after @address. */
static uint64_t first_branch(const struct check *check, uint64_t address)
{
	size_t i = 0;

	while (i < check->branch_count && check->branches[i] < address)
		i++;
	return i < check->branch_count ? check->branches[i] : UINT64_MAX;
}

/* Reads the program's next block from the log: "Trace 0: 0x7f...
 * [cs_base/pc/flags/cflags] symbol"
 */
static bool next_block(struct check *check, uint64_t *address)
{
	char line[512];
	const char *slash;

	while (fgets(line, sizeof(line), check->log)) {
		slash = strchr(line, '/');
		if (strncmp(line, "Trace ", 6) || !slash)
			continue;
		*address = strtoull(slash + 1, NULL, 16);
		if (inside(check, *address))
			return true;
	}
	return false;
}

/* Handles an arrival at @to from straight-line code that started at @from and
 * extended to @until.
 */
static bool arrive(struct check *check, uint64_t from, uint64_t until,
		   uint64_t to)
{
	uint64_t block;

	while (next_block(check, &block)) {
		if (block == to) {
			check->arrivals++;
			return true;
		}
		if (block < from || block > until)
			break;
		check->cut++;
	}
	printf("record %" PRIu64 ": truth arrives at %" PRIx64 " from %" PRIx64
	       "..%" PRIx64 ", the log at %" PRIx64 "\n",
	       check->arrivals, to, from, until, block);
	return false;
}

static bool is_async(const struct truth_event *event)
{
	return event->kind == TRUTH_INTERRUPT || event->kind == TRUTH_EXCEPTION;
}

/* The first branch after an arrival must be the next one in the truth, taken or
 * not.
 */
static bool left_rightly(struct check *check, uint64_t arrival,
			 const struct truth_event *event)
{
	uint64_t branch = first_branch(check, arrival);

	check->left++;
	if (is_async(event))
		return event->from >= arrival && event->from <= branch;
	if (event->from == branch)
		return true;
	printf("truth leaves %" PRIx64 " at %" PRIx64 ", its branch is %" PRIx64
	       "\n",
	       arrival, event->from, branch);
	return false;
}

/* Control reached a block of the program from straight-line code that started
 * at @from and was left at @until.
 */
struct arrival {
	bool open; /* not yet found in the log */
	uint64_t at;
	uint64_t from;
	uint64_t until;
};

/* If the next record @event shows that code ran there, the log must have the
 * block. Otherwise (the page was not mapped yet) it may be missing from the
 * log; control will arrive again.
 */
static bool settle(struct check *check, struct arrival *arrival,
		   const struct truth_event *event)
{
	bool ran = !event || !is_async(event) || event->from != arrival->at;
	bool expected = arrival->open && ran;

	arrival->open = false;
	return !expected ||
	       arrive(check, arrival->from, arrival->until, arrival->at);
}

static bool take(struct check *check, struct arrival *arrival,
		 const struct truth_event *event)
{
	if (!settle(check, arrival, event))
		return false;
	if (inside(check, event->from)) {
		if (!left_rightly(check, arrival->at, event))
			return false;
		arrival->from = arrival->at;
		arrival->until = event->from;
	}
	if (inside(check, event->to)) {
		arrival->open = true;
		arrival->at = event->to;
	}
	return true;
}

static bool compare(struct check *check)
{
	struct arrival arrival = { 0 };
	struct truth_event event;

	while (truth_reader_next(&check->truth, &event)) {
		if (event.kind == TRUTH_SWITCH ||
		    event.kind == TRUTH_TRACE_ON ||
		    event.kind == TRUTH_TRACE_OFF)
			continue;
		if (!take(check, &arrival, &event))
			return false;
	}
	return settle(check, &arrival, NULL);
}

/* Blocks after the last arrival continue straight-line code. */
static bool at_end(struct check *check)
{
	uint64_t block;

	if (!next_block(check, &block))
		return true;
	printf("the log goes on at %" PRIx64 "\n", block);
	return false;
}

int main(int argc, char **argv)
{
	struct check check = { 0 };
	bool good;

	if (argc != 6) {
		fprintf(stderr, "usage: %s TRUTH LOG BRANCHES START END\n",
			argv[0]);
		return 2;
	}
	check.start = strtoull(argv[4], NULL, 16);
	check.end = strtoull(argv[5], NULL, 16);
	check.log = fopen(argv[2], "re");
	if (!check.log || !read_branches(&check, argv[3]) ||
	    !truth_reader_open(&check.truth, argv[1]))
		return 2;
	good = compare(&check) && at_end(&check) && check.arrivals;
	printf("%s: %" PRIu64 " arrivals in QEMU's log, %" PRIu64
	       " branches in the program, %" PRIu64 " blocks cut\n",
	       good ? "equal" : "DIFFERENT", check.arrivals, check.left,
	       check.cut);
	truth_reader_close(&check.truth);
	fclose(check.log);
	free(check.branches);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
