/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/branch.h"

#include "machine/truth/format.h"
#include "tests/run_suite.h"

#include <stdlib.h>

struct example {
	uint8_t bytes[15];
	uint8_t size;
	uint8_t kind;
	int32_t sp_change;
};

static const struct example examples[] = {
	{ { 0x90 }, 1, 0, 0 },
	{ { 0x75, 0x10 }, 2, TRUTH_CONDITIONAL, 0 },
	{ { 0xe2, 0xfe }, 2, TRUTH_CONDITIONAL, 0 },
	{ { 0x0f, 0x84, 0, 1, 0, 0 }, 6, TRUTH_CONDITIONAL, 0 },
	{ { 0xeb, 0xfe }, 2, TRUTH_JUMP, 0 },
	{ { 0xe9, 0, 1, 0, 0 }, 5, TRUTH_JUMP, 0 },
	{ { 0xe8, 0, 1, 0, 0 }, 5, TRUTH_CALL, 8 },
	{ { 0xff, 0xd0 }, 2, TRUTH_INDIRECT_CALL, 8 },
	{ { 0x41, 0xff, 0xd3 }, 3, TRUTH_INDIRECT_CALL, 8 },
	{ { 0x3e, 0xff, 0xe0 }, 3, TRUTH_INDIRECT_JUMP, 0 },
	{ { 0xff, 0x30 }, 2, 0, 0 },
	{ { 0xc3 }, 1, TRUTH_RETURN, -8 },
	{ { 0xf3, 0xc3 }, 2, TRUTH_RETURN, -8 },
	{ { 0xc2, 0x10, 0x00 }, 3, TRUTH_RETURN, -24 },
	{ { 0x0f, 0x05 }, 2, TRUTH_FAR_CALL, 0 },
	{ { 0x48, 0x0f, 0x07 }, 3, TRUTH_FAR_RETURN, 0 },
	{ { 0x48, 0xcf }, 2, TRUTH_FAR_RETURN, 0 },
	{ { 0xcc }, 1, 0, 0 },
	{ { 0xf3, 0xa4 }, 2, 0, 0 },
	{ { 0x0f, 0x1f, 0x40, 0x00 }, 4, 0, 0 },
	{ { 0xc5, 0xf8, 0x77 }, 3, 0, 0 },
};

START_TEST(kinds_are_told_apart)
{
	const struct example *example = &examples[_i];
	struct branch branch = branch_classify(example->bytes, example->size);

	ck_assert_uint_eq(branch.kind, example->kind);
	ck_assert_int_eq(branch.sp_change, example->sp_change);
}
END_TEST

START_TEST(every_start_of_an_instruction_is_safe)
{
	const struct example *example = &examples[_i];

	for (size_t size = 0; size < example->size; size++)
		branch_classify(example->bytes, size);
}
END_TEST

START_TEST(special_instructions_are_found)
{
	const uint8_t wrmsr[] = { 0x0f, 0x30 };
	const uint8_t rdtsc[] = { 0x0f, 0x31 };
	const uint8_t rdtscp[] = { 0x0f, 0x01, 0xf9 };
	const uint8_t cpuid[] = { 0x0f, 0xa2 };
	const uint8_t swapgs[] = { 0x0f, 0x01, 0xf8 };

	ck_assert_int_eq(branch_special(wrmsr, 2), SPECIAL_CONTROL);
	ck_assert_int_eq(branch_special(rdtsc, 2), SPECIAL_CLOCK);
	ck_assert_int_eq(branch_special(rdtscp, 3), SPECIAL_CLOCK);
	ck_assert_int_eq(branch_special(cpuid, 2), SPECIAL_HAND_OVER);
	ck_assert_int_eq(branch_special(swapgs, 3), SPECIAL_NONE);
}
END_TEST

SUITE("truth_branch")
{
	TEST_EACH(kinds_are_told_apart, examples);
	TEST_EACH(every_start_of_an_instruction_is_safe, examples);
	TEST(special_instructions_are_found);
}
