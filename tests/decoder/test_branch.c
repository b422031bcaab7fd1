/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/branch_internal.h"
#include "tests/run_suite.h"

static const struct {
	uint8_t bytes[15];
	enum flow_exit exit;
	uint8_t length;
	bool is_indirect;
} rows[] = {
	{ { 0xe8, 1, 2, 3, 4 }, FLOW_EXIT_CALL, 5, false },
	{ { 0x2e, 0xe8, 1, 2, 3, 4 }, FLOW_EXIT_CALL, 6, false },
	{ { 0xff, 0xd0 }, FLOW_EXIT_CALL, 2, true },
	{ { 0x41, 0xff, 0xd3 }, FLOW_EXIT_CALL, 3, true },
	{ { 0xff, 0x14, 0x25, 1, 2, 3, 4 }, FLOW_EXIT_CALL, 7, true },
	{ { 0xff, 0x15, 1, 2, 3, 4 }, FLOW_EXIT_CALL, 6, true },
	{ { 0xff, 0x50, 0x18 }, FLOW_EXIT_CALL, 3, true },
	{ { 0xff, 0x54, 0x24, 0x18 }, FLOW_EXIT_CALL, 4, true },
	{ { 0x65, 0xff, 0x90, 1, 2, 3, 4 }, FLOW_EXIT_CALL, 7, true },
	{ { 0xe9, 1, 2, 3, 4 }, FLOW_EXIT_JUMP, 5, false },
	{ { 0xeb, 1 }, FLOW_EXIT_JUMP, 2, false },
	{ { 0x3e, 0xff, 0xe0 }, FLOW_EXIT_JUMP, 3, true },
	{ { 0xc3 }, FLOW_EXIT_RETURN, 0, false },
	{ { 0xf3, 0xc3 }, FLOW_EXIT_RETURN, 0, false },
	{ { 0xc2, 8, 0 }, FLOW_EXIT_RETURN, 0, false },
	{ { 0x75, 1 }, FLOW_EXIT_CONDITIONAL, 2, false },
	{ { 0x0f, 0x84, 1, 2, 3, 4 }, FLOW_EXIT_CONDITIONAL, 6, false },
	{ { 0xe3, 1 }, FLOW_EXIT_CONDITIONAL, 2, false },
	{ { 0x48, 0xcf }, FLOW_EXIT_FAR_RETURN, 0, false },
	{ { 0x48, 0x0f, 0x07 }, FLOW_EXIT_FAR_RETURN, 0, false },
	{ { 0x0f, 0x05 }, FLOW_EXIT_FAR_CALL, 2, false },
	{ { 0xcc }, FLOW_EXIT_FAR_CALL, 1, false },
	{ { 0xff, 0x28 }, FLOW_EXIT_FAR_JUMP, 0, false },
	{ { 0x90 }, FLOW_EXIT_NONE, 0, false },
	{ { 0xff, 0xc0 }, FLOW_EXIT_NONE, 0, false },
	{ { 0x0f, 0x30 }, FLOW_EXIT_NONE, 0, false },
};

START_TEST(instructions_are_told_apart)
{
	struct branch branch =
		branch_read(rows[_i].bytes, sizeof(rows[_i].bytes));

	ck_assert_int_eq(branch.exit, rows[_i].exit);
	ck_assert_uint_eq(branch.length, rows[_i].length);
	ck_assert_int_eq(branch.is_indirect, rows[_i].is_indirect);
	for (size_t size = 0; size < 15; size++)
		branch_read(rows[_i].bytes, size);
}
END_TEST

START_TEST(slow_blocks_are_seen)
{
	const uint8_t rep[] = { 0x90, 0xf3, 0x48, 0xab, 0xc3 };
	const uint8_t halt[] = { 0xfb, 0xf4, 0xc3 };
	const uint8_t plain[] = { 0x90, 0x90, 0xc3, 0xf4 };

	ck_assert(block_looks_slow(rep, sizeof(rep), 4));
	ck_assert(block_looks_slow(halt, sizeof(halt), 1));
	ck_assert(!block_looks_slow(halt, sizeof(halt), 0));
	ck_assert(!block_looks_slow(plain, sizeof(plain), 2));
	ck_assert(!block_looks_slow(rep, 2, 1));
}
END_TEST

SUITE("branch")
{
	TEST_EACH(instructions_are_told_apart, rows);
	TEST(slow_blocks_are_seen);
}
