/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Traces of real boards and of Arm's models, compared with the results of other
 * decoders.
 */
enum { LINE = 512 };

static bool open_board(struct flow_run *run, const char *name)
{
	char path[4096];

	if (!shared_path(name, path, sizeof(path)))
		return false;
	ck_assert_int_eq(flow_run_open(run, path, NULL), 0);
	return true;
}

static size_t stream_of_cpu(const struct flow_run *run, int32_t cpu)
{
	size_t i = 0;

	while (recording_stream(run->recording, i)->cpu != cpu)
		i++;
	return i;
}

/* A walk over blocks. */
struct blocks {
	struct array items;
	size_t at;
};

static struct blocks blocks_of(const struct flow_run *run, int32_t cpu,
			       struct flow_totals *totals)
{
	struct blocks blocks = { .items = ARRAY_OF(struct flow_item) };

	flow_run_stream(run, stream_of_cpu(run, cpu), totals, &blocks.items);
	return blocks;
}

static const struct flow_item *next_block(struct blocks *blocks)
{
	while (blocks->at < blocks->items.count) {
		const struct flow_item *item =
			array_at(&blocks->items, blocks->at++);

		if (item->kind == FLOW_BLOCK)
			return item;
	}
	return NULL;
}

/* DS-5's own listing, an instruction a line:
 * "Instruction\t<n>\tS:0x<address>\t0x<code>\t<cycles>", the cycles since the
 * one before.
 */
static const struct {
	const char *listing;
	int32_t cpu;
	uint64_t instructions;
	uint64_t timed; /* instructions that are followed by another */
} listings[] = {
	{ "etmv3_0x10.txt", 0, 7205, 7069 },
	{ "etmv3_0x11.txt", 1, 7471, 7354 },
	{ "etmv3_0x12.txt", 2, 1947, 1925 },
};

static bool next_listed(FILE *listing, uint64_t *address, uint64_t *cycles)
{
	char line[LINE];

	while (fgets(line, sizeof(line), listing))
		if (sscanf(line, "Instruction %*d S:%" SCNx64 " 0x%*x %" SCNu64,
			   address, cycles) == 2)
			return true;
	return false;
}

/* The cycles up to the block that follows @block, if one follows at once. */
static bool took(const struct blocks *blocks, const struct flow_item *block,
		 uint64_t *cycles)
{
	const struct flow_item *next = array_at(&blocks->items, blocks->at);

	*cycles = next->time_ns - block->time_ns;
	return next->kind == FLOW_BLOCK;
}

/* These units trace each instruction and each cycle separately. */
START_TEST(instructions_equal_the_listing)
{
	char name[256];
	char path[4096];
	struct flow_run run;
	struct flow_totals totals;
	struct blocks blocks;
	uint64_t address;
	uint64_t count = 0;
	uint64_t timed = 0;
	uint64_t listed;
	uint64_t cycles;
	FILE *listing;

	if (!open_board(&run, "coresight/opencsd/snapshots/TC2"))
		return;
	snprintf(name, sizeof(name),
		 "coresight/opencsd/snapshots/TC2/ds5-dumps/%s",
		 listings[_i].listing);
	ck_assert(shared_path(name, path, sizeof(path)));
	listing = fopen(path, "r");
	ck_assert_ptr_nonnull(listing);
	blocks = blocks_of(&run, listings[_i].cpu, &totals);
	ck_assert_int_eq(recording_time(run.recording), RECORDING_TIME_CYCLES);
	while (next_listed(listing, &address, &listed)) {
		const struct flow_item *block = next_block(&blocks);

		ck_assert_ptr_nonnull(block);
		ck_assert_uint_eq(block->ip, address);
		ck_assert_uint_eq(block->instructions, 1);
		count++;
		if (!took(&blocks, block, &cycles))
			continue;
		ck_assert_uint_eq(cycles, listed);
		timed++;
	}
	ck_assert_ptr_null(next_block(&blocks));
	ck_assert_uint_eq(count, listings[_i].instructions);
	ck_assert_uint_eq(timed, listings[_i].timed);
	/* The buffer's oldest bytes. */
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_UNSYNCED], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	fclose(listing);
	array_free(&blocks.items);
	flow_run_close(&run);
}
END_TEST

/* OpenCSD's trc_pkt_lister 1.8.0: every range with its count. */
static const struct {
	const char *board;
	const char *golden;
	struct {
		int32_t cpu;
		unsigned int id;
	} cpus[4];
	uint64_t ranges;
	uint64_t instructions;
} goldens[] = {
	{ "snapshots/juno_r1_1",
	  "juno_r1_1",
	  { { 0, 0x10 }, { 1, 0x11 }, { 3, 0x13 }, { 5, 0x15 } },
	  6733,
	  40246 },
	{ "snapshots/Snowball",
	  "Snowball",
	  { { 0, 0x10 }, { 1, 0x11 } },
	  1252,
	  7545 },
	{ "snapshots-ete/src_addr",
	  "ete-src_addr",
	  { { 0, 0x2 } },
	  2702,
	  12625 },
	{ "snapshots-ete/trace_file_cid_vmid",
	  "ete-trace_file_cid_vmid",
	  { { 0, 0x2 } },
	  6958,
	  29127 },
	{ "snapshots-ete/ts_marker",
	  "ete-ts_marker",
	  { { 0, 0x1 } },
	  223,
	  1050 },
	{ "snapshots-ete/event_test", "ete-event_test", { { 0, 0x1 } }, 0, 0 },
};

static bool next_range(FILE *golden, unsigned int id, uint64_t *address,
		       unsigned int *count)
{
	char wanted[64];
	char line[LINE];

	snprintf(wanted, sizeof(wanted), "ID:%x; OCSD_GEN_TRC_ELEM_INSTR_RANGE",
		 id);
	while (fgets(line, sizeof(line), golden)) {
		const char *range = strstr(line, wanted);
		const char *number = range ? strstr(range, "num_i(") : NULL;

		if (number && (range = strstr(range, "range=0x")) &&
		    sscanf(range, "range=0x%" SCNx64, address) == 1 &&
		    sscanf(number, "num_i(%u", count) == 1)
			return true;
	}
	return false;
}

static uint64_t compare_cpu(const struct flow_run *run, const char *golden,
			    int32_t cpu, unsigned int id, uint64_t *ran)
{
	char name[256];
	char path[4096];
	char command[4200];
	struct flow_totals totals;
	struct blocks blocks = blocks_of(run, cpu, &totals);
	const struct flow_item *block;
	uint64_t address;
	unsigned int count;
	uint64_t ranges = 0;
	FILE *lines;

	snprintf(name, sizeof(name), "coresight/opencsd/golden-1.8.0/%s.ppl.xz",
		 golden);
	ck_assert(shared_path(name, path, sizeof(path)));
	snprintf(command, sizeof(command), "xz -dc '%s'", path);
	lines = popen(command, "r");
	ck_assert_ptr_nonnull(lines);
	for (; next_range(lines, id, &address, &count); ranges++) {
		block = next_block(&blocks);
		ck_assert_ptr_nonnull(block);
		ck_assert_uint_eq(block->ip, address);
		ck_assert_uint_eq(block->instructions, count);
		*ran += count;
	}
	ck_assert_ptr_null(next_block(&blocks));
	ck_assert_int_eq(pclose(lines), 0);
	array_free(&blocks.items);
	return ranges;
}

START_TEST(ranges_equal_the_golden)
{
	char name[256];
	struct flow_run run;
	uint64_t ranges = 0;
	uint64_t ran = 0;

	snprintf(name, sizeof(name), "coresight/opencsd/%s", goldens[_i].board);
	if (!open_board(&run, name))
		return;
	for (size_t i = 0; i < 4 && goldens[_i].cpus[i].id; i++)
		ranges += compare_cpu(&run, goldens[_i].golden,
				      goldens[_i].cpus[i].cpu,
				      goldens[_i].cpus[i].id, &ran);
	ck_assert_uint_eq(ranges, goldens[_i].ranges);
	ck_assert_uint_eq(ran, goldens[_i].instructions);
	flow_run_close(&run);
}
END_TEST

/* Boards with two kinds of cores, numbered by their clusters: the executed
 * ranges equal the output of OpenCSD's lister for the buffer, one range a line.
 */
static const struct {
	const char *name;
	const char *list;
	uint64_t ranges;
	uint64_t instructions;
} clusters[] = {
	{ "tc2-ptm-rstk-t32", "tc2-ptm-rstk-t32.ranges.zst", 53192, 192073 },
	{ "trace_cov_a15", "trace_cov_a15.ranges", 20, 0 },
};

START_TEST(clusters_have_cpus_of_their_own)
{
	enum { A15_0 = 3 };
	char name[256];
	char path[4096];
	char command[4200];
	struct flow_run run;
	struct flow_totals totals;
	struct blocks blocks;
	uint64_t address;
	uint64_t end;
	uint64_t count;
	uint64_t ranges = 0;
	uint64_t instructions = 0;
	FILE *list;

	snprintf(name, sizeof(name), "coresight/two-clusters/%s",
		 clusters[_i].name);
	if (!open_board(&run, name))
		return;
	snprintf(name, sizeof(name), "coresight/two-clusters/%s",
		 clusters[_i].list);
	ck_assert(shared_path(name, path, sizeof(path)));
	snprintf(command, sizeof(command), "zstd -dcqf '%s'", path);
	list = popen(command, "r");
	ck_assert_ptr_nonnull(list);
	blocks = blocks_of(&run, A15_0, &totals);
	for (; fscanf(list, "%" SCNx64 " %" SCNx64 " %" SCNu64, &address, &end,
		      &count) == 3;
	     ranges++) {
		const struct flow_item *block = next_block(&blocks);

		ck_assert_ptr_nonnull(block);
		ck_assert_uint_eq(block->ip, address);
		ck_assert_uint_eq(block->instructions, count);
		instructions += count;
	}
	ck_assert_ptr_null(next_block(&blocks));
	ck_assert_uint_eq(ranges, clusters[_i].ranges);
	if (clusters[_i].instructions)
		ck_assert_uint_eq(instructions, clusters[_i].instructions);
	ck_assert_int_eq(pclose(list), 0);
	array_free(&blocks.items);
	flow_run_close(&run);
}
END_TEST

/* The fourth CPU's unit is a PTM whose trace leads out of the dump 16 times. */
START_TEST(missing_memory_is_marked)
{
	struct flow_run run;
	struct flow_totals totals;

	if (!open_board(&run, "coresight/opencsd/snapshots/TC2"))
		return;
	flow_run_stream(&run, stream_of_cpu(&run, 3), &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_BLOCK], 1554);
	ck_assert_uint_eq(totals.instructions, 9548);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE], 16);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_UNSYNCED], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 17);
	flow_run_close(&run);
}
END_TEST

SUITE("coresight_boards")
{
	LIMIT_S(120);
	TEST_EACH(instructions_equal_the_listing, listings);
	TEST_EACH(ranges_equal_the_golden, goldens);
	TEST_EACH(clusters_have_cpus_of_their_own, clusters);
	TEST(missing_memory_is_marked);
}
