/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/branch.h"
#include "machine/truth/format.h"
#include "tests/run_suite.h"

static const struct {
	const char *text;
	uint32_t insn;
	int kind;
	enum special special;
} cases[] = {
	{ "nop", 0xd503201f, 0, SPECIAL_NONE },
	{ "b.eq .+8", 0x54000040, TRUTH_CONDITIONAL, SPECIAL_NONE },
	{ "b.nv .+8", 0x5400004f, TRUTH_JUMP, SPECIAL_NONE },
	{ "cbnz x3, .-4", 0xb5ffffe3, TRUTH_CONDITIONAL, SPECIAL_NONE },
	{ "tbz w0, #0, .+8", 0x36000040, TRUTH_CONDITIONAL, SPECIAL_NONE },
	{ "tbnz x1, #63, .", 0xb7f80001, TRUTH_CONDITIONAL, SPECIAL_NONE },
	{ "b .-4", 0x17ffffff, TRUTH_JUMP, SPECIAL_NONE },
	{ "bl .+4", 0x94000001, TRUTH_CALL, SPECIAL_NONE },
	{ "br x16", 0xd61f0200, TRUTH_INDIRECT_JUMP, SPECIAL_NONE },
	{ "braa x1, x2", 0xd71f0822, TRUTH_INDIRECT_JUMP, SPECIAL_NONE },
	{ "blr x1", 0xd63f0020, TRUTH_INDIRECT_CALL, SPECIAL_NONE },
	{ "ret", 0xd65f03c0, TRUTH_RETURN, SPECIAL_NONE },
	{ "retaa", 0xd65f0bff, TRUTH_RETURN, SPECIAL_NONE },
	{ "eret", 0xd69f03e0, TRUTH_FAR_RETURN, SPECIAL_NONE },
	{ "svc #0", 0xd4000001, TRUTH_FAR_CALL, SPECIAL_NONE },
	{ "hvc #0", 0xd4000002, 0, SPECIAL_NONE },
	{ "isb", 0xd5033fdf, 0, SPECIAL_NONE },
	{ "ldr x0, [x1]", 0xf9400020, 0, SPECIAL_NONE },
	{ "msr trcprgctlr, x0", 0xd5110100, 0, SPECIAL_CONTROL },
	{ "msr trblimitr_el1, x0", 0xd5189b00, 0, SPECIAL_CONTROL },
	{ "msr trfcr_el1, x0", 0xd5181220, 0, SPECIAL_CONTROL },
	{ "mrs x0, trfcr_el1", 0xd5381220, 0, SPECIAL_NONE },
	{ "mrs x0, cntpct_el0", 0xd53be020, 0, SPECIAL_CLOCK },
	{ "mrs x9, cntvct_el0", 0xd53be049, 0, SPECIAL_CLOCK },
	{ "mrs x0, cntpctss_el0", 0xd53be0a0, 0, SPECIAL_CLOCK },
	{ "mrs x0, cntvctss_el0", 0xd53be0c0, 0, SPECIAL_CLOCK },
	{ "mrs x0, cntfrq_el0", 0xd53be000, 0, SPECIAL_NONE },
	{ "mov xzr, #0x4b540000", 0xd2a96a9f, 0, SPECIAL_HAND_OVER },
};

START_TEST(instruction_is_told_apart)
{
	const uint8_t *bytes = (const uint8_t *)&cases[_i].insn;

	ck_assert_msg(branch_classify(bytes, 4).kind == cases[_i].kind,
		      "kind: %s", cases[_i].text);
	ck_assert_msg(branch_special(bytes, 4) == cases[_i].special,
		      "special: %s", cases[_i].text);
}
END_TEST

START_TEST(waiting_lets_time_jump)
{
	static const uint32_t waits[] = { 0xd503205f, 0xd503207f, 0xd5031020 };

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		ck_assert(branch_classify((const uint8_t *)&waits[i], 4).halts);
}
END_TEST

START_TEST(what_raises_may_count_as_executed)
{
	static const struct {
		uint32_t insn;
		bool counts;
	} raising[] = {
		{ 0xd4210000, true },  /* brk #0x800 */
		{ 0xd5380000, true },  /* mrs x0, midr_el1 */
		{ 0xd5380601, true },  /* mrs x1, id_aa64isar0_el1 */
		{ 0xd5381220, false }, /* mrs x0, trfcr_el1 */
		{ 0xd53b0021, false }, /* mrs x1, ctr_el0 */
		{ 0xf9400020, false }, /* ldr x0, [x1] */
	};

	for (size_t i = 0; i < sizeof(raising) / sizeof(raising[0]); i++)
		ck_assert(branch_classify((const uint8_t *)&raising[i].insn, 4)
				  .traps == raising[i].counts);
}
END_TEST

SUITE("truth_branch_arm64")
{
	TEST_EACH(instruction_is_told_apart, cases);
	TEST(waiting_lets_time_jump);
	TEST(what_raises_may_count_as_executed);
}
