/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

/* A PSB+ of code at 1000 with a TSC and a TMA. */
#define BEGIN \
	"psb 19 e8 03 00 00 00 00 00 02 73 00 00 00 00 00 " \
	"99 01 7d 00 10 00 00 00 00 02 23 "

enum { ROOM = 1 << 16, PACKETS = 3000 };

struct trace {
	uint8_t bytes[ROOM];
	size_t size;
};

static void add(struct trace *trace, const void *bytes, size_t size)
{
	ck_assert_uint_le(trace->size + size, ROOM);
	memcpy(trace->bytes + trace->size, bytes, size);
	trace->size += size;
}

static void add_text(struct trace *trace, const char *text)
{
	trace->size += fixture_intel_bytes(text, trace->bytes + trace->size,
					   ROOM - trace->size);
}

/* Of two possible encodings the run decodes the short one, while the long one
 * is left to the full packet decoder.
 */
static void add_cycles(struct trace *fast, struct trace *slow, uint32_t cycles)
{
	const uint8_t one[] = { (uint8_t)(cycles << 3 | 3) };
	const uint8_t two[] = { (uint8_t)(cycles << 3 | 7),
				(uint8_t)(cycles >> 5 << 1) };
	const uint8_t three[] = { two[0], two[1] | 1, 0 };

	if (cycles < 32)
		add(fast, one, sizeof(one));
	else
		add(fast, two, sizeof(two));
	add(slow, three, sizeof(three));
}

static void add_bits(struct trace *fast, struct trace *slow, uint8_t raw)
{
	const uint8_t usual[] = { (uint8_t)(raw << 1) };
	const uint8_t longer[] = { 2, 0xa3, raw, 0, 0, 0, 0, 0 };

	add(fast, usual, sizeof(usual));
	add(slow, longer, sizeof(longer));
}

/* A run does not decode a TIP within a block of items, which it ends. */
static void add_target(struct trace *fast, struct trace *slow, uint32_t *seed)
{
	static const char block[] = "02 63 04";
	static const uint8_t sizes[] = { 0, 2, 4, 6, 6, 0, 8 };
	uint8_t compression = 1 + next_random(seed) % 6;
	uint8_t tip[9] = { (uint8_t)(compression << 5 | 0x0d) };

	if (!sizes[compression])
		return;
	for (uint8_t i = 0; i < sizes[compression]; i++)
		tip[1 + i] = (uint8_t)next_random(seed);
	/* Both traces have it, as it ends the open block. */
	add_text(fast, block);
	add_text(fast, "02 33");
	add(fast, tip, 1u + sizes[compression]);
	add_text(slow, block);
	add(slow, tip, 1u + sizes[compression]);
}

static void add_time(struct trace *fast, struct trace *slow, uint64_t tsc)
{
	uint8_t packet[8] = { 0x19 };

	memcpy(packet + 1, &tsc, 7);
	add(fast, packet, sizeof(packet));
	add(slow, packet, sizeof(packet));
}

/* A run decodes an MTC in any case: the packets before it differ. */
static void add_count(struct trace *fast, struct trace *slow, uint8_t count)
{
	const uint8_t packet[] = { 0x59, count };

	add(fast, packet, sizeof(packet));
	add(slow, packet, sizeof(packet));
}

/* Makes the same flow in both encodings. */
static void make(struct trace *fast, struct trace *slow, uint32_t seed)
{
	uint64_t tsc = 2000;
	uint8_t count = 0;

	fast->size = slow->size = 0;
	add_text(fast, BEGIN);
	add_text(slow, BEGIN);
	for (int i = 0; i < PACKETS; i++) {
		uint32_t what = next_random(&seed) % 64;

		if (what < 24)
			add_cycles(fast, slow, next_random(&seed) % 4096);
		else if (what < 54)
			add_bits(fast, slow, 2 + next_random(&seed) % 126);
		else if (what < 59)
			add_target(fast, slow, &seed);
		else if (what < 62)
			add_count(fast, slow, ++count);
		else
			add_time(fast, slow,
				 tsc += 1 + next_random(&seed) % 100000);
	}
	add_time(fast, slow, tsc + 1000);
}

/* Appends all branches of @trace, without their positions, to @all.  Returns
 * how many.
 */
static size_t read_all(const struct trace *trace, struct trace_branch *all)
{
	const struct intel_setup setup = {
		.clock.counts_cycles = true,
		.clock.mtc_shift = 3,
		.clock.tsc_ctc_n = 84,
		.clock.tsc_ctc_d = 2,
	};
	struct intel_branches *branches =
		intel_branches_new(trace->bytes, trace->size, 0, &setup);
	struct trace_branch_batch batch;
	size_t count = 0;

	while (intel_branches_next(branches, &batch) > 0)
		for (uint32_t i = 0; i < batch.count; i++) {
			ck_assert_uint_lt(count, PACKETS + 10);
			all[count] = batch.branches[i];
			all[count++].position = 0;
		}
	intel_branches_free(branches);
	return count;
}

START_TEST(a_run_is_as_one_by_one)
{
	static struct trace_branch one[PACKETS + 10];
	static struct trace_branch other[PACKETS + 10];
	static struct trace fast;
	static struct trace slow;
	size_t count;

	make(&fast, &slow, (uint32_t)_i + 1);
	count = read_all(&fast, one);
	ck_assert_uint_gt(count, PACKETS / 3);
	ck_assert_uint_eq(read_all(&slow, other), count);
	for (size_t i = 0; i < count; i++)
		ck_assert_mem_eq(&one[i], &other[i], sizeof(*one));
}
END_TEST

/* A run does not decode a TIP near the trace's end. */
START_TEST(a_target_is_why_the_bits_before_it_were_written)
{
	static struct trace_branch one[PACKETS + 10];
	static struct trace_branch other[PACKETS + 10];
	static struct trace fast;

	fast.size = 0;
	add_text(&fast, BEGIN "a3 fe 2d 00 20");
	ck_assert_uint_eq(read_all(&fast, other), 4);
	add_text(&fast, "00 00 00 00 00 00 00 00");
	ck_assert_uint_eq(read_all(&fast, one), 4);
	ck_assert_mem_eq(one, other, 4 * sizeof(*one));
	ck_assert(!one[2].is_exact && !one[2].has_estimate);
	ck_assert(one[3].is_exact && one[3].has_estimate);
}
END_TEST

/* Returns the number of branches in the first @size bytes, copied to memory of
 * exactly that size, so that sanitizers detect reads past the end.
 */
static size_t count_in(const struct trace *trace, size_t size)
{
	const struct intel_setup setup = { .errata = INTEL_ERRATUM_SKD007 };
	uint8_t *bytes = malloc(size);
	struct trace_branch_batch batch;
	struct intel_branches *branches;
	size_t count = 0;

	memcpy(bytes, trace->bytes, size);
	branches = intel_branches_new(bytes, size, 0, &setup);
	while (intel_branches_next(branches, &batch) > 0)
		count += batch.count;
	intel_branches_free(branches);
	free(bytes);
	return count;
}

START_TEST(a_run_ends_with_the_bytes)
{
	static struct trace trace;
	size_t begin;

	trace.size = 0;
	add_text(&trace, BEGIN);
	begin = trace.size;
	add_text(&trace, "06 0b 6d 01 02 03 04 05 06 af 02");
	ck_assert_uint_eq(count_in(&trace, begin), 2);
	for (size_t more = 1; more < 9; more++)
		ck_assert_uint_eq(count_in(&trace, begin + more), 3);
	for (size_t more = 9; more <= 11; more++)
		ck_assert_uint_eq(count_in(&trace, begin + more), 4);
}
END_TEST

/* Returns whether the overflow that @text ends with, which follows code, has an
 * address.
 */
static bool goes_on(const char *text)
{
	static struct trace_branch all[PACKETS + 10];
	static struct trace trace;
	size_t count;

	trace.size = 0;
	add_text(&trace, "psb 99 01 7d 00 10 00 00 00 00 02 23 02 f3");
	add_text(&trace, text);
	count = read_all(&trace, all);
	for (size_t i = 0; i < count; i++)
		if (all[i].kind == TRACE_OVERFLOW)
			return all[i].has_address;
	ck_abort_msg("no overflow");
}

START_TEST(a_count_without_a_time_is_no_address_of_an_overflow)
{
	ck_assert(goes_on("3d 00 20"));
	ck_assert(!goes_on("59 01 3d 00 20"));
}
END_TEST

SUITE("intel_run")
{
	TEST_TIMES(a_run_is_as_one_by_one, 20);
	TEST(a_target_is_why_the_bits_before_it_were_written);
	TEST(a_run_ends_with_the_bytes);
	TEST(a_count_without_a_time_is_no_address_of_an_overflow);
}
