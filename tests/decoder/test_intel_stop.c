/* SPDX-License-Identifier: MIT */
/* A reader that stops in a trace and goes on in the next one, as for a thread's
 * brackets, provides the same branches of the next one as a reader of both.
 */
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/run_suite.h"

#include <string.h>

enum { ROOM = 512, MOST = 64 };

/* A PSB+ of code at 1000 at TSC 1000, a stop, and a start at 3000 after the
 * time to pause at; an MTC, with which the start's time is known.
 */
#define WANTED \
	"psb 19 e8 03 00 00 00 00 00 02 73 00 00 00 00 00 02 03 0a 00 " \
	"99 01 7d 00 10 00 00 00 00 02 23 0b 06 13 01 23 71 00 30 00 00 00 00 " \
	"2b 0c 59 20 "
/* Bits, a target and an MTC, and the trace switched off at 2008. */
#define REST "2b 0c 2b 2d 00 20 59 21 13 06 0b 3d 08 20 01 00 "
#define TIME "19 10 27 00 00 00 00 00 02 73 00 01 00 00 00 "
#define REST_WITH_RATIO "2b 0c 02 03 05 00 2b 2d 00 20 59 21 3d 08 20 01 "
#define REST_WITH_MODE "2b 0c 99 01 2d 00 20 3d 08 20 01 "
/* A start at 200a, as a whole address and as a part of it; and more. */
#define START "71 0a 20 00 00 00 00 "
#define PARTIAL_START "31 0a 20 "
#define NEXT "13 06 2b 0c 0b 2d 10 20 59 30 13 06 19 98 3a 00 00 00 00 00 "

static const struct row {
	const char *name;
	const char *rest;
	const char *next;
	bool stops;
	bool reads_rest;
} rows[] = {
	{ "nothing depends on the rest", REST, TIME START NEXT, true, false },
	{ "the next trace starts with a sync point", REST,
	  "psb " TIME "02 03 05 00 99 01 02 23 " START NEXT, true, false },
	{ "an address does", REST, TIME PARTIAL_START NEXT, true, true },
	{ "the time does", REST, START NEXT, true, true },
	{ "the length of a cycle does", REST_WITH_RATIO, TIME START NEXT, false,
	  false },
	{ "a mode is in the rest", REST_WITH_MODE, TIME START NEXT, false,
	  false },
	{ "a sync point is in the rest", "2b 0c 2b 01 psb 02 23 ",
	  TIME START NEXT, false, false },
	{ "a packet is like one", "2b 0c 07 02 82 01 ", TIME START NEXT, true,
	  false },
};

struct trace {
	uint8_t bytes[ROOM];
	size_t size;
};

static void add(struct trace *trace, const char *text)
{
	trace->size += fixture_intel_bytes(text, trace->bytes + trace->size,
					   ROOM - trace->size);
}

static struct intel_branches *open_reader(const struct trace *trace,
					  size_t size)
{
	const struct intel_setup setup = {
		.clock.counts_cycles = true,
		.clock.mtc_shift = 3,
		.clock.tsc_ctc_n = 80,
		.clock.tsc_ctc_d = 2,
		.clock.max_nonturbo_ratio = 10,
	};

	return intel_branches_new(trace->bytes, size, 0, &setup);
}

/* Reads the branches from position @from on; positions count from @from.
 * Returns their number, and sets *@earlier to that of the others.
 */
static size_t read_from(struct intel_branches *reader, size_t from,
			struct trace_branch *branches, size_t *earlier)
{
	struct trace_branch_batch batch;
	size_t count = 0;

	*earlier = 0;
	while (intel_branches_next(reader, &batch) > 0)
		for (uint32_t i = 0; i < batch.count; i++) {
			size_t at = batch.position + batch.branches[i].position;

			*earlier += at < from;
			if (at < from)
				continue;
			ck_assert_uint_lt(count, MOST);
			branches[count] = batch.branches[i];
			branches[count++].position = (uint32_t)(at - from);
		}
	return count;
}

/* Returns whether the reader stopped at *@at, after the start at 3000;
 * otherwise it has read everything.
 */
static bool stop_at_start(struct intel_branches *reader, size_t *at)
{
	struct trace_branch_batch batch;
	struct trace_branch ignored[MOST];
	size_t earlier;

	/* In 256ths of a tick: after the PSB's time, before the start's. */
	intel_branches_pause_at(reader, (1000 << 8) + 500);
	ck_assert_int_eq(intel_branches_next(reader, &batch), 1);
	ck_assert_uint_eq(batch.branches[batch.count - 1].kind, TRACE_START);
	ck_assert_uint_eq(batch.branches[batch.count - 1].payload, 0x3000);
	if (intel_branches_stop(reader, at))
		return true;
	read_from(reader, 0, ignored, &earlier);
	return false;
}

START_TEST(the_next_trace_is_read_as_after_the_whole_one)
{
	const struct row *row = &rows[_i];
	struct trace_branch expected[MOST] = { 0 };
	struct trace_branch branches[MOST] = { 0 };
	struct trace trace = { .size = 0 };
	struct intel_branches *reader;
	size_t earlier;
	size_t first;
	size_t count;
	size_t at = 0;
	bool stops;

	add(&trace, WANTED);
	add(&trace, row->rest);
	first = trace.size;
	add(&trace, row->next);

	reader = open_reader(&trace, trace.size);
	count = read_from(reader, first, expected, &earlier);
	intel_branches_free(reader);
	ck_assert_uint_ge(count, 5);

	reader = open_reader(&trace, first);
	stops = stop_at_start(reader, &at);
	ck_assert_int_eq(stops, row->stops);
	ck_assert(intel_branches_go_on(reader, trace.bytes, trace.size, first,
				       stops ? first - at : 0));
	ck_assert_uint_eq(read_from(reader, first, branches, &earlier), count);
	ck_assert_int_eq(earlier > 0, row->reads_rest);
	for (size_t i = 0; i < count; i++)
		ck_assert_mem_eq(&branches[i], &expected[i], sizeof(*branches));
	intel_branches_free(reader);
}
END_TEST

/* The bytes were lost, or the next trace starts at a later sync point. */
START_TEST(a_rest_that_is_missing_cannot_be_read)
{
	struct trace trace = { .size = 0 };
	struct intel_branches *reader;
	size_t at = 0;

	add(&trace, WANTED);
	add(&trace, REST);
	reader = open_reader(&trace, trace.size);
	ck_assert(stop_at_start(reader, &at));
	ck_assert(!intel_branches_go_on(reader, trace.bytes, trace.size, 3,
					trace.size - at));
	intel_branches_free(reader);
}
END_TEST

SUITE("intel_stop")
{
	TEST_EACH(the_next_trace_is_read_as_after_the_whole_one, rows);
	TEST(a_rest_that_is_missing_cannot_be_read);
}
