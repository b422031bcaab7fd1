/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/range_exit_internal.h"
#include "tests/run_suite.h"

#define DIRECT .last_i_type = OCSD_INSTR_BR
#define INDIRECT .last_i_type = OCSD_INSTR_BR_INDIRECT
#define EXECUTED .last_instr_exec = 1, .last_instr_sz = 4

static const struct {
	ocsd_generic_trace_elem range;
	uint8_t bytes[4];
	enum flow_exit exit;
} rows[] = {
	{ { .last_i_type = OCSD_INSTR_OTHER, EXECUTED }, { 0 }, FLOW_EXIT_NONE },
	{ { .last_i_type = OCSD_INSTR_ISB, EXECUTED }, { 0 }, FLOW_EXIT_NONE },
	{ { DIRECT, EXECUTED }, { 0 }, FLOW_EXIT_JUMP },
	{ { DIRECT, EXECUTED, .last_instr_cond = 1 },
	  { 0 },
	  FLOW_EXIT_CONDITIONAL },
	{ { DIRECT, .last_instr_cond = 1 }, { 0 }, FLOW_EXIT_CONDITIONAL },
	{ { DIRECT, EXECUTED, .last_i_subtype = OCSD_S_INSTR_BR_LINK },
	  { 0 },
	  FLOW_EXIT_CALL },
	{ { DIRECT, .last_instr_cond = 1,
	    .last_i_subtype = OCSD_S_INSTR_BR_LINK },
	  { 0 },
	  FLOW_EXIT_NONE },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_aarch64 },
	  { 0 },
	  FLOW_EXIT_JUMP },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_aarch64,
	    .last_i_subtype = OCSD_S_INSTR_BR_LINK },
	  { 0 },
	  FLOW_EXIT_CALL },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_aarch64,
	    .last_i_subtype = OCSD_S_INSTR_V8_RET },
	  { 0 },
	  FLOW_EXIT_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_aarch64,
	    .last_i_subtype = OCSD_S_INSTR_V8_ERET },
	  { 0 },
	  FLOW_EXIT_FAR_RETURN },
	/* bx lr; movs pc, lr; ldm sp, {r0-pc}^; rfeia sp!; not executed. */
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm,
	    .last_i_subtype = OCSD_S_INSTR_V7_IMPLIED_RET },
	  { 0x1e, 0xff, 0x2f, 0xe1 },
	  FLOW_EXIT_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm,
	    .last_i_subtype = OCSD_S_INSTR_V7_IMPLIED_RET },
	  { 0x0e, 0xf0, 0xb0, 0xe1 },
	  FLOW_EXIT_FAR_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm },
	  { 0xff, 0xff, 0xdd, 0xe8 },
	  FLOW_EXIT_FAR_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm },
	  { 0x00, 0x0a, 0xbd, 0xf8 },
	  FLOW_EXIT_FAR_RETURN },
	{ { INDIRECT, .isa = ocsd_isa_arm },
	  { 0x0e, 0xf0, 0xb0, 0x01 },
	  FLOW_EXIT_NONE },
	/* pop {r4, pc}; ldr pc, [r1]. */
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm,
	    .last_i_subtype = OCSD_S_INSTR_V7_IMPLIED_RET },
	  { 0x10, 0x80, 0xbd, 0xe8 },
	  FLOW_EXIT_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_arm },
	  { 0x00, 0xf0, 0x91, 0xe5 },
	  FLOW_EXIT_JUMP },
	/* subs pc, lr, #4; rfeia sp!; the same bytes as two instructions. */
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_thumb2 },
	  { 0xde, 0xf3, 0x04, 0x8f },
	  FLOW_EXIT_FAR_RETURN },
	{ { INDIRECT, EXECUTED, .isa = ocsd_isa_thumb2 },
	  { 0xbd, 0xe9, 0x00, 0xc0 },
	  FLOW_EXIT_FAR_RETURN },
	{ { INDIRECT, .last_instr_exec = 1, .last_instr_sz = 2,
	    .isa = ocsd_isa_thumb2,
	    .last_i_subtype = OCSD_S_INSTR_V7_IMPLIED_RET },
	  { 0x70, 0x47, 0x04, 0x8f },
	  FLOW_EXIT_RETURN },
};

START_TEST(instructions_are_told_apart)
{
	ck_assert_int_eq(coresight_exit(&rows[_i].range, rows[_i].bytes, 4),
			 rows[_i].exit);
}
END_TEST

static const struct {
	uint8_t bytes[4];
	bool is_slow;
} waits[] = {
	{ { 0x7f, 0x20, 0x03, 0xd5 }, true },  /* A64 wfi */
	{ { 0x5f, 0x20, 0x03, 0xd5 }, true },  /* A64 wfe */
	{ { 0x03, 0xf0, 0x20, 0xe3 }, true },  /* A32 wfi */
	{ { 0x02, 0xf0, 0x20, 0xe3 }, true },  /* A32 wfe */
	{ { 0x30, 0xbf, 0x00, 0x00 }, true },  /* T32 wfi */
	{ { 0x20, 0xbf, 0x00, 0x00 }, true },  /* T32 wfe */
	{ { 0x1f, 0x20, 0x03, 0xd5 }, false }, /* A64 nop */
	{ { 0x00, 0xf0, 0x20, 0xe3 }, false }, /* A32 nop */
	{ { 0x00, 0xbf, 0x00, 0x00 }, false }, /* T32 nop */
};

START_TEST(waits_are_known)
{
	ck_assert_int_eq(coresight_looks_slow(waits[_i].bytes, 4),
			 waits[_i].is_slow);
	ck_assert(!coresight_looks_slow(waits[_i].bytes, 3));
}
END_TEST

START_TEST(calls_are_no_interrupts)
{
	ck_assert(coresight_is_call(false, 2));
	ck_assert(!coresight_is_call(false, 14));
	ck_assert(!coresight_is_call(false, 10));
	ck_assert(coresight_is_call(true, 10));
	ck_assert(!coresight_is_call(true, 14));
}
END_TEST

SUITE("coresight_exit")
{
	TEST_EACH(instructions_are_told_apart, rows);
	TEST_EACH(waits_are_known, waits);
	TEST(calls_are_no_interrupts);
}
