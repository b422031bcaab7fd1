/* SPDX-License-Identifier: MIT */
#include "execution/graph/block_code_internal.h"
#include "tests/run_suite.h"

#include "execution/graph/block.h"
#include <stdlib.h>

static const uint8_t code[64];

static const struct block read_block = {
	.ip = 0x1000,
	.work = 3 | BLOCK_WORK_SLOW,
	.bytes = 7,
	.kind = BLOCK_CONDITIONAL,
	.exit = 5,
};

static const struct block_info read_info = {
	.target = 0xff0,
	.last = 5,
};

/* Everything that depends on the bytes, and nothing that depends on the
 * address.
 */
START_TEST(read_blocks_are_known_in_other_processes)
{
	struct block_memo *memo = block_memo_new();
	struct block block = { .ip = 0x7000, .function = 9, .is_user = true };
	struct block_info info = { .space = 4, .writes_page_table = true };

	ck_assert(!block_memo_get(memo, code, sizeof(code), &block, &info));
	block_memo_put(memo, code, &read_block, &read_info);
	ck_assert(block_memo_get(memo, code, read_block.bytes, &block, &info));
	ck_assert_uint_eq(block.ip, 0x7000);
	ck_assert_uint_eq(block.function, 9);
	ck_assert_uint_eq(block.work, read_block.work);
	ck_assert_uint_eq(block.bytes, read_block.bytes);
	ck_assert_uint_eq(block.kind, BLOCK_CONDITIONAL);
	ck_assert_uint_eq(block.exit, read_block.exit);
	ck_assert(block.is_user);
	ck_assert_uint_eq(info.target, 0x6ff0);
	ck_assert_uint_eq(info.last, 5);
	ck_assert_uint_eq(info.space, 4);
	ck_assert(!info.writes_page_table);
	block_memo_free(memo);
}
END_TEST

/* The last block is known even after many others, for which the table grew. */
START_TEST(the_last_one_is_known)
{
	enum { CODE = 1 << 16 };
	struct block_memo *memo = block_memo_new();
	uint8_t *many = calloc(1, CODE);
	size_t known = 0;

	for (size_t i = 0; i < CODE; i++) {
		struct block block = { .ip = 0x7000 };
		struct block_info info = { 0 };

		block_memo_put(memo, many + i, &read_block, &read_info);
		ck_assert(block_memo_get(memo, many + i, CODE - i, &block,
					 &info) == (CODE - i >= 7));
	}
	for (size_t i = 0; i < CODE; i++) {
		struct block block = { .ip = 0x7000 };
		struct block_info info = { 0 };

		known += block_memo_get(memo, many + i, 7, &block, &info);
	}
	ck_assert_uint_ge(known, 1 << 14);
	ck_assert_uint_le(known, 1 << 15);
	block_memo_clear(memo);
	for (size_t i = 0; i < CODE; i++) {
		struct block block = { .ip = 0x7000 };
		struct block_info info = { 0 };

		ck_assert(!block_memo_get(memo, many + i, 7, &block, &info));
	}
	free(many);
	block_memo_free(memo);
}
END_TEST

/* Blocks whose slots collide rarely evict each other. */
START_TEST(half_as_many_as_it_holds_are_all_known)
{
	enum { CODE = 1 << 16, FEW = 1 << 14 };
	struct block_memo *memo = block_memo_new();
	uint8_t *many = calloc(1, CODE);
	struct block block = { .ip = 0x7000 };
	struct block_info info = { 0 };
	size_t known = 0;

	for (size_t i = 0; i < CODE; i++)
		block_memo_put(memo, many + i, &read_block, &read_info);
	block_memo_clear(memo);
	for (size_t i = 0; i < FEW; i++)
		block_memo_put(memo, many + i * 3, &read_block, &read_info);
	for (size_t i = 0; i < FEW; i++)
		known += block_memo_get(memo, many + i * 3, 7, &block, &info);
	ck_assert_uint_ge(known, FEW - FEW / 20);
	free(many);
	block_memo_free(memo);
}
END_TEST

/* Not past the end of a code range, nor at another address, nor from before a
 * change.
 */
START_TEST(blocks_that_may_differ_are_read_again)
{
	struct block_memo *memo = block_memo_new();
	struct block block = { .ip = 0x7000 };
	struct block_info info = { 0 };

	block_memo_put(memo, code, &read_block, &read_info);
	ck_assert(!block_memo_get(memo, code, read_block.bytes - 1u, &block,
				  &info));
	ck_assert(!block_memo_get(memo, code + 1, sizeof(code) - 1, &block,
				  &info));
	block_memo_clear(memo);
	ck_assert(!block_memo_get(memo, code, sizeof(code), &block, &info));
	ck_assert_uint_eq(block.bytes, 0);
	block_memo_free(memo);
}
END_TEST

SUITE("block_memo")
{
	TEST(read_blocks_are_known_in_other_processes);
	TEST(the_last_one_is_known);
	TEST(half_as_many_as_it_holds_are_all_known);
	TEST(blocks_that_may_differ_are_read_again);
}
