/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares what ktrace-hw decoded of recordings with the ground truth of the
 * boot in which they were made, branch by branch.
 *
 *	tool_blocks [--time-p99 NS] TRUTH CPU LEVELS:FILE...
 *
 * FILEs are what `ktrace-hw dump --blocks` prints, in the order in which the
 * recordings were made; LEVELS says what they trace: k, u or ku, and for a
 * range of addresses k/START-END.  A session of the truth that the trace unit
 * began belongs to one of them.  Prints a line per file; exits 1 on any gap or
 * difference, 2 if it cannot begin.
 */
#include "machine/tests/conformance/block_items.h"
#include "machine/tests/conformance/expected.h"
#include "machine/tests/conformance/time_error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	const char *name;
	struct recording recording;
};

struct check {
	struct block_items items;
	struct expected *expected;
	uint64_t compared;
	uint64_t sessions;
	uint64_t offset; /* of the decoder's clock to the truth's */
	struct item kept; /* of the decoder's items, read ahead */
	bool has_kept;
	struct time_error times;
};

static const char *const type_names[] = {
	[ITEM_START] = "start", [ITEM_BRANCH] = "branch",   [ITEM_END] = "end",
	[ITEM_LOSS] = "gap",	[ITEM_SESSION] = "session",
};

static void show(const char *side, const struct item *item)
{
	printf("  %-8s %-7s class %u %16" PRIx64 " -> %16" PRIx64
	       " time %" PRIu64 " at %" PRIu64 "\n",
	       side, type_names[item->type], item->class, item->from, item->to,
	       item->tsc, item->position);
}

/* No packet says where the unit was switched off. */
static bool says_nothing(const struct item *truth)
{
	return truth->type == ITEM_END && truth->class == CLASS_NONE;
}

/* An exception before the first instruction, a page fault after ERET say:
 * nothing was executed, and the decoder may be silent about it.
 */
static bool is_empty(const struct item *start, const struct item *end)
{
	return start->type == ITEM_START && end->type == ITEM_END &&
	       end->class == CLASS_ASYNC && end->from == start->to;
}

static bool next_kept(struct check *check, struct item *decoded)
{
	if (!check->has_kept)
		return block_items_next(&check->items, decoded);
	*decoded = check->kept;
	check->has_kept = false;
	return true;
}

static bool next_decoded(struct check *check, struct item *decoded)
{
	while (next_kept(check, decoded)) {
		if (decoded->type != ITEM_START)
			return true;
		check->has_kept = block_items_next(&check->items, &check->kept);
		if (!check->has_kept || !is_empty(decoded, &check->kept))
			return true;
		check->has_kept = false;
	}
	return false;
}

/* True if @truth and the item after it are such a pair, now passed. */
static bool drop_empty(struct check *check, const struct item *truth)
{
	struct item next;

	if (truth->type != ITEM_START ||
	    !expected_next(check->expected, &next))
		return false;
	if (is_empty(truth, &next))
		return true;
	expected_push_back(check->expected, &next);
	return false;
}

/* The truth's next item in the session under way; a start of the decoder's may
 * begin the next session.  False: there is none.
 */
static bool next_truth(struct check *check, bool may_begin, struct item *truth)
{
	while (expected_next(check->expected, truth)) {
		if (truth->type == ITEM_SESSION && !may_begin) {
			expected_push_back(check->expected, truth);
			return false;
		}
		if (truth->type == ITEM_SESSION)
			check->sessions++;
		else if (!says_nothing(truth) && !drop_empty(check, truth))
			return true;
	}
	return false;
}

/* The last branch before the unit was switched off: what it led to was not
 * reached by another branch.
 */
static bool ends_session(struct check *check, const struct item *decoded,
			 const struct item *truth)
{
	struct item next;

	return decoded->type == ITEM_END && truth->type == ITEM_BRANCH &&
	       decoded->from == truth->from &&
	       decoded->class == truth->class &&
	       expected_next(check->expected, &next) && says_nothing(&next);
}

static bool equal(const struct item *decoded, const struct item *truth)
{
	if (decoded->type != truth->type)
		return false;
	if (decoded->type == ITEM_START)
		return decoded->to == truth->to;
	return decoded->from == truth->from &&
	       decoded->class == truth->class &&
	       (!decoded->to_known || decoded->to == truth->to);
}

static bool differs(struct check *check, const struct item *decoded,
		    const struct item *truth)
{
	struct item item;

	printf(" first difference, after %" PRIu64 " equal items:\n",
	       check->compared);
	if (truth)
		show("truth", truth);
	for (int i = 0; truth && i < 4; i++)
		if (expected_next(check->expected, &item))
			show("truth", &item);
	if (decoded)
		show("decoded", decoded);
	for (int i = 0; decoded && i < 4; i++)
		if (block_items_next(&check->items, &item))
			show("decoded", &item);
	return false;
}

static void compare_time(struct check *check, const struct item *decoded,
			 const struct item *truth)
{
	if (!check->compared)
		check->offset = decoded->tsc - truth->tsc;
	time_error_add(&check->times, decoded->tsc - check->offset, truth->tsc);
}

/* All that was decoded of @cpu, and then nothing more in that session. */
static bool compare(struct check *check, uint32_t cpu)
{
	struct item decoded, truth;

	while (next_decoded(check, &decoded)) {
		bool is_start = decoded.type == ITEM_START;

		if (check->items.cpu != cpu)
			continue;
		if (!next_truth(check, is_start, &truth))
			return differs(check, &decoded, NULL);
		if (!equal(&decoded, &truth) &&
		    !ends_session(check, &decoded, &truth))
			return differs(check, &decoded, &truth);
		compare_time(check, &decoded, &truth);
		check->compared++;
	}
	if (next_truth(check, false, &truth))
		return differs(check, NULL, &truth);
	return true;
}

static bool check_file(struct file *file, struct expected *expected,
		       uint32_t cpu, uint64_t time_p99)
{
	struct check *check = calloc(1, sizeof(*check));
	FILE *text = fopen(file->name, "r");
	bool same, timely;

	if (!check || !text) {
		perror(file->name);
		exit(2);
	}
	block_items_open(&check->items, text);
	check->expected = expected;
	expected_use(expected, &file->recording);
	same = compare(check, cpu);
	timely = time_error_p99(&check->times) <= time_p99;
	printf("%s cpu %" PRIu32 ": instructions %" PRIu64 " gaps %" PRIu64
	       " sessions %" PRIu64 " equal %" PRIu64 " time-error p99 %" PRIu64
	       " max %" PRIu64 "%s\n",
	       file->name, cpu, check->items.instructions, check->items.gaps,
	       check->sessions, check->compared, time_error_p99(&check->times),
	       check->times.max,
	       !same ? ": DIFFERENT" : !timely ? ": LATE" : "");
	same &= timely && check->compared && !check->items.gaps &&
		!check->items.not_understood;
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
	if (word[levels] != '/')
		return true;
	file->recording.filter_count = 1;
	return sscanf(word + levels, "/%" SCNx64 "-%" SCNx64, &range->start,
		      &range->end) == 2;
}

static bool check_rest(struct expected *expected, uint32_t cpu)
{
	uint64_t items = 0;
	struct item item;

	while (expected_next(expected, &item))
		items += item.type != ITEM_SESSION && !says_nothing(&item);
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
	uint64_t time_p99 = UINT64_MAX;
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
