/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_source.h"
#include "execution/graph/block_cache.h"
#include "execution/graph/block_code_internal.h"
#include "execution/graph/block_graph.h"
#include "tests/assert_each.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

/* Code without branches, except one to itself; trace may start at each
 * instruction.
 */
enum { A64_NOP = 0xd503201fu, A64_BRANCH = 0x14000000u, WORDS = 4096 };
enum { A64_INTERRUPTS_OFF = 0xd50343dfu }; /* msr daifset, #3 */
enum { BRANCH_AT = WORDS * 3, BRANCH_END = BRANCH_AT + 4 };
enum { OFF_AT = BRANCH_AT - BLOCK_LEAST_SHARED / 2 };

static uint32_t words[WORDS];
static struct scratch_folder folder;
static struct flow_run run;
static struct code_space *code;
static struct block_graph *graph;

static void set_up(void)
{
	const enum capture_name kind = CAPTURE_ETMV4;
	struct flow_input input;

	for (size_t i = 0; i < WORDS; i++)
		words[i] = A64_NOP;
	words[BRANCH_AT / 4] = A64_BRANCH;
	words[OFF_AT / 4] = A64_INTERRUPTS_OFF;
	folder = scratch_folder_new();
	capture_fixture_write(&folder, &kind, 1, "source_data");
	snapshot_fixture_file(&folder, "code0.bin", words, sizeof(words));
	snapshot_fixture_file(&folder, CAPTURE_TRACE, "", 1);
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
	input = flow_run_input(&run, 0);
	ck_assert_int_eq(code_space_open(&input, ETMV4_BASE, CODE_VIEW_MEMORY,
					 &code),
			 0);
	graph = block_graph_new(code, NULL);
	ck_assert_ptr_nonnull(graph);
}

static void tear_down(void)
{
	block_graph_free(graph);
	code_space_close(code);
	flow_run_close(&run);
	scratch_folder_free(&folder);
}

static const struct block *block_of(uint32_t index)
{
	ck_assert_uint_ne(index, BLOCK_NONE);
	return &block_graph_blocks(graph)[index];
}

static uint32_t find(uint64_t offset)
{
	return block_graph_find(graph, ETMV4_BASE + offset, INSTRUCTION_A64);
}

static uint64_t end_of(uint32_t index)
{
	return block_of(index)->ip + block_of(index)->bytes;
}

/* Wherever a block starts, it soon ends where the others do: the number of
 * instructions decoded grows with the code's length, not with its product with
 * the number of addresses where trace resumes.
 */
START_TEST(long_code_is_cut_at_the_same_places)
{
	for (uint64_t offset = 0; offset < BRANCH_AT / 2; offset += 4) {
		uint32_t index = find(offset);

		assert_each(block_of(index)->kind == BLOCK_FALL);
		assert_each(block_of(index)->bytes >= BLOCK_LEAST_SHARED);
		assert_each(block_of(index)->bytes <= BLOCK_MOST_BYTES);
		assert_each(end_of(index) % BLOCK_SHARED_BYTES == 0);
		assert_each(block_graph_go(graph, index, EDGE_NEXT) ==
			    find(end_of(index) - ETMV4_BASE));
	}
}
END_TEST

START_TEST(short_code_is_one_block)
{
	for (uint64_t size = 4; size <= BLOCK_LEAST_SHARED; size += 4) {
		uint32_t index = find(BRANCH_END - size);

		assert_each(block_of(index)->kind == BLOCK_JUMP);
		assert_each(end_of(index) == ETMV4_BASE + BRANCH_END);
	}
}
END_TEST

START_TEST(code_that_writes_the_interrupt_flag_ends_a_block)
{
	uint32_t index;

	block_graph_set_interrupts(graph, 0);
	index = find(OFF_AT - 4);
	ck_assert_uint_eq(block_of(index)->kind, BLOCK_FALL);
	ck_assert_uint_eq(block_of(index)->interrupts, INTERRUPTS_OFF);
	ck_assert_uint_eq(end_of(index), ETMV4_BASE + OFF_AT + 4);
	block_graph_go(graph, index, EDGE_NEXT);
	ck_assert_uint_eq(block_edge_kind(block_of(index), EDGE_NEXT),
			  EDGE_KIND_OTHER);
	index = find(OFF_AT + 4);
	ck_assert_uint_eq(block_of(index)->kind, BLOCK_JUMP);
	ck_assert_uint_eq(block_of(index)->interrupts, INTERRUPTS_UNTOUCHED);
}
END_TEST

/* The cached block differs from the code, to show where it is from. */
START_TEST(a_graph_copies_blocks_of_other_graphs)
{
	struct block_cache *cache = block_cache_new(run.image);
	const struct block_info *cached;
	struct block_info info;
	struct block block;
	uint32_t index;

	ck_assert_ptr_nonnull(cache);
	block_graph_share(graph, cache);
	index = find(BRANCH_AT - 8);
	cached = block_cache_get(cache, ETMV4_BASE + BRANCH_AT - 8,
				 INSTRUCTION_A64, &block);
	ck_assert_ptr_nonnull(cached);
	ck_assert_ptr_eq(cached, block_graph_info(graph, index));
	ck_assert_uint_eq(block.work, block_of(index)->work);
	ck_assert_ptr_null(
		block_cache_get(cache, block.ip, INSTRUCTION_A32, &block));
	info = *cached;
	block.ip += 4;
	block.work = 77;
	cached = block_cache_put(cache, &block, &info);
	index = find(BRANCH_AT - 4);
	ck_assert_uint_eq(block_of(index)->work, 77);
	ck_assert_ptr_eq(cached, block_graph_info(graph, index));
	block_cache_free(cache);
}
END_TEST

/* The successor of a block that ends without a branch may be unknown at first.
 */
START_TEST(invariant_2_cached_blocks_end_in_a_branch)
{
	struct block_cache *cache = block_cache_new(run.image);
	struct block block;

	block_graph_share(graph, cache);
	ck_assert_uint_eq(block_of(find(0))->kind, BLOCK_FALL);
	ck_assert_ptr_null(
		block_cache_get(cache, ETMV4_BASE, INSTRUCTION_A64, &block));
	block_cache_free(cache);
}
END_TEST

SUITE("block_graph")
{
	FIXTURE(set_up, tear_down);
	TEST(long_code_is_cut_at_the_same_places);
	TEST(short_code_is_one_block);
	TEST(code_that_writes_the_interrupt_flag_ends_a_block);
	TEST(a_graph_copies_blocks_of_other_graphs);
	TEST(invariant_2_cached_blocks_end_in_a_branch);
}
