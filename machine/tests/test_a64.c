/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/a64.h"
#include "tests/run_suite.h"

/* Instructions as assembler text and as code, with their expected
 * classification.
 */
static const struct {
	const char *text;
	uint32_t insn;
	enum ete_branch branch;
	enum a64_special special;
} cases[] = {
	{ "nop", 0xd503201f, ETE_BRANCH_NONE, A64_ORDINARY },
	{ "b.eq .+8", 0x54000040, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "b.al .+8", 0x5400004e, ETE_BRANCH_DIRECT, A64_ORDINARY },
	{ "bc.ne .+8", 0x54000051, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "cbz w0, .+8", 0x34000040, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "cbnz x3, .-4", 0xb5ffffe3, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "tbz w0, #0, .+8", 0x36000040, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "tbnz x1, #63, .", 0xb7f80001, ETE_BRANCH_CONDITIONAL, A64_ORDINARY },
	{ "b .", 0x14000000, ETE_BRANCH_DIRECT, A64_ORDINARY },
	{ "b .-4", 0x17ffffff, ETE_BRANCH_DIRECT, A64_ORDINARY },
	{ "bl .+4", 0x94000001, ETE_BRANCH_LINK, A64_ORDINARY },
	{ "br x16", 0xd61f0200, ETE_BRANCH_INDIRECT, A64_ORDINARY },
	{ "braa x1, x2", 0xd71f0822, ETE_BRANCH_INDIRECT, A64_ORDINARY },
	{ "blr x1", 0xd63f0020, ETE_BRANCH_INDIRECT_LINK, A64_ORDINARY },
	{ "blraaz x1", 0xd63f083f, ETE_BRANCH_INDIRECT_LINK, A64_ORDINARY },
	{ "ret", 0xd65f03c0, ETE_BRANCH_INDIRECT, A64_ORDINARY },
	{ "retaa", 0xd65f0bff, ETE_BRANCH_INDIRECT, A64_ORDINARY },
	{ "eret", 0xd69f03e0, ETE_BRANCH_EXCEPTION_RETURN, A64_ORDINARY },
	{ "eretaa", 0xd69f0bff, ETE_BRANCH_EXCEPTION_RETURN, A64_ORDINARY },
	{ "isb", 0xd5033fdf, ETE_BRANCH_ISB, A64_ORDINARY },
	{ "svc #0", 0xd4000001, ETE_BRANCH_NONE, A64_ORDINARY },
	{ "wfi", 0xd503207f, ETE_BRANCH_NONE, A64_WAIT },
	{ "wfit x0", 0xd5031020, ETE_BRANCH_NONE, A64_WAIT },
	{ "tsb csync", 0xd503225f, ETE_BRANCH_NONE, A64_TRACE_SYNC },
	{ "mrs x0, trcidr0", 0xd53108e0, ETE_BRANCH_NONE, A64_TRACE_REGISTER },
	{ "msr trcprgctlr, x0", 0xd5110100, ETE_BRANCH_NONE,
	  A64_TRACE_REGISTER },
	{ "msr trblimitr_el1, x0", 0xd5189b00, ETE_BRANCH_NONE,
	  A64_TRACE_REGISTER },
	{ "msr trfcr_el1, x0", 0xd5181220, ETE_BRANCH_NONE,
	  A64_TRACE_REGISTER },
	{ "mrs x0, id_aa64dfr0_el1", 0xd5380500, ETE_BRANCH_NONE,
	  A64_DEBUG_FEATURES },
	{ "msr contextidr_el1, x0", 0xd518d020, ETE_BRANCH_NONE,
	  A64_CONTEXT_ID },
	{ "mrs x0, contextidr_el1", 0xd538d020, ETE_BRANCH_NONE, A64_ORDINARY },
	{ "mrs x0, cntvct_el0", 0xd53be040, ETE_BRANCH_NONE, A64_COUNTER },
	{ "mrs x0, cntvctss_el0", 0xd53be0c0, ETE_BRANCH_NONE, A64_COUNTER },
	{ "mrs x0, cntfrq_el0", 0xd53be000, ETE_BRANCH_NONE, A64_ORDINARY },
	{ "msr oslar_el1, x0", 0xd5101080, ETE_BRANCH_NONE, A64_ORDINARY },
};

START_TEST(instruction_is_told_apart)
{
	ck_assert_msg(a64_branch(cases[_i].insn) == cases[_i].branch,
		      "branch: %s", cases[_i].text);
	ck_assert_msg(a64_special(cases[_i].insn) == cases[_i].special,
		      "special: %s", cases[_i].text);
}
END_TEST

START_TEST(only_plain_halfword_stores_may_ring)
{
	ck_assert(a64_may_ring(0x79000001));  /* strh w1, [x0] */
	ck_assert(!a64_may_ring(0x79000401)); /* strh w1, [x0, #2] */
	ck_assert(!a64_may_ring(0xb9000001)); /* str w1, [x0] */
}
END_TEST

SUITE("a64")
{
	TEST_EACH(instruction_is_told_apart, cases);
	TEST(only_plain_halfword_stores_may_ring);
}
