/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/pt_decode.h"
#include "machine/tests/traced_unit.h"

START_TEST(first_packets_are_a_psb_and_where_tracing_begins)
{
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL + 4, 1001);
	assert_packets("psb cbr mode mode pip psbend tip.pge");
	ck_assert_uint_eq(packet_at(6).payload.ip.ip, 0xffff81000004);
}
END_TEST

START_TEST(switching_off_says_where_and_is_complete_in_memory)
{
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 2, KERNEL + 2, 1002);
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, PLAIN & ~CTL_TRACE_EN,
			  KERNEL + 2, 1003);
	assert_packets("psb cbr mode mode pip psbend tip.pge tnt fup tip.pgd");
	ck_assert_int_eq(packet_at(9).payload.ip.ipc, pt_ipc_suppressed);
}
END_TEST

START_TEST(each_kind_of_branch_has_its_packet)
{
	const uint64_t f = KERNEL + 0x1000;

	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_JUMP, KERNEL + 5, KERNEL + 0x20, 1002); /* - */
	branch(PT_BRANCH_CALL, KERNEL + 0x25, f, 1003);		 /* - */
	branch(PT_BRANCH_RETURN, f + 1, KERNEL + 0x25, 1004);	 /* 1 */
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 0x27, KERNEL + 0x27, 1005);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 0x29, KERNEL + 0x40, 1006);
	branch(PT_BRANCH_INDIRECT_CALL, KERNEL + 0x42, f, 1007);      /* tip */
	branch(PT_BRANCH_RETURN, f + 1, KERNEL + 0x42, 1008);	      /* 1 */
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 0x44, KERNEL, 1009); /* tip */
	branch(PT_BRANCH_RETURN, KERNEL + 1, f, 1010);		      /* tip */
	branch(PT_BRANCH_FAR, f + 2, KERNEL, 1011);		      /* tip */
	assert_packets("psb cbr mode mode pip psbend tip.pge "
		       "tnt tip tnt tip tip tip");
	ck_assert_uint_eq(packet_at(7).payload.tnt.bit_size, 3);
	ck_assert_uint_eq(packet_at(7).payload.tnt.payload, 5); /* 1 0 1 */
}
END_TEST

START_TEST(returns_are_not_compressed_with_disretc)
{
	start(PLAIN | CTL_DIS_RETC);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_CALL, KERNEL + 5, KERNEL + 0x100, 1002);
	branch(PT_BRANCH_RETURN, KERNEL + 0x101, KERNEL + 5, 1003);
	assert_packets("psb cbr mode mode pip psbend tip.pge tip");
}
END_TEST

START_TEST(a_call_to_the_next_instruction_is_no_call_to_return_from)
{
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_CALL, KERNEL + 5, KERNEL + 0x100, 1002);
	branch(PT_BRANCH_CALL, KERNEL + 0x105, KERNEL + 0x105, 1003);
	branch(PT_BRANCH_RETURN, KERNEL + 0x106, KERNEL + 5, 1004);
	assert_packets("psb cbr mode mode pip psbend tip.pge");
	pt_encoder_flush_tnt(&unit.encoder);
	assert_packets("psb cbr mode mode pip psbend tip.pge tnt");
}
END_TEST

START_TEST(more_calls_than_the_stack_holds_return_by_tip)
{
	const unsigned depth = PT_RETURN_STACK_DEPTH + 1;

	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	for (unsigned i = 0; i < depth; i++)
		branch(PT_BRANCH_CALL, KERNEL + 0x100 * i + 5,
		       KERNEL + 0x100 * (i + 1), 1002 + i);
	for (unsigned i = depth; i-- > 0;)
		branch(PT_BRANCH_RETURN, KERNEL + 0x100 * (i + 1) + 7,
		       KERNEL + 0x100 * i + 5, 2000 - i);
	/* 64 compressed returns, 47 and 17; then the oldest, which was evicted.
	 */
	assert_packets("psb cbr mode mode pip psbend tip.pge tnt64 tnt64 tip");
	ck_assert_uint_eq(packet_at(7).payload.tnt.bit_size, 47);
	ck_assert_uint_eq(packet_at(8).payload.tnt.bit_size, 17);
}
END_TEST

START_TEST(a_psb_comes_every_so_many_bytes)
{
	size_t last = 0, psbs = 0;
	static struct pt_packet packets[4096];

	start(PLAIN | 1ull << CTL_PSB_FREQ_SHIFT); /* every 4 KiB */
	pt_unit_arrive(&unit, KERNEL, 1001);
	for (unsigned i = 0; i < 2800; i++)
		branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 2,
		       KERNEL + (i & 1) * 0x40, 1002 + i);

	size_t count =
		pt_decode(memory.bytes + RANGE, written(), packets, 4096);
	size_t offset = 0;

	for (size_t i = 0; i < count; i++) {
		if (packets[i].type == ppt_psb) {
			ck_assert(!psbs++ || offset - last >= 4096);
			ck_assert(offset - last < 4096 + 64);
			last = offset;
		}
		offset += packets[i].size;
	}
	ck_assert_uint_eq(psbs, 3);
}
END_TEST

START_TEST(loss_leaves_an_overflow_where_packets_are_missing)
{
	static struct pt_packet packets[4096];
	size_t overflows = 0, tips = 0;

	pt_unit_init(&unit, &memory.bus, &rates, 400);
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	for (unsigned i = 0; i < 4000; i++)
		branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 2,
		       KERNEL + (i & 1) * 0x40, 1002 + i);

	size_t count =
		pt_decode(memory.bytes + RANGE, written(), packets, 4096);

	for (size_t i = 0; i < count; i++) {
		tips += packets[i].type == ppt_tip;
		if (packets[i].type != ppt_ovf)
			continue;
		overflows++;
		/* The address follows, or the unit loses packets again. */
		if (i + 1 < count)
			ck_assert_int_eq(packets[i + 1].type, ppt_fup);
	}
	ck_assert_uint_gt(overflows, 2);
	ck_assert_uint_lt(tips, 3900);
	ck_assert_uint_gt(tips, 400);
}
END_TEST

START_TEST(ptwrite_needs_to_be_enabled)
{
	start(PLAIN | CTL_PTW_EN | CTL_FUP_ON_PTW);
	pt_unit_arrive(&unit, KERNEL, 1000);
	pt_unit_ptwrite(&unit, 0x1234, 8, KERNEL + 0x10, 1001);
	assert_packets("psb cbr mode mode pip psbend tip.pge ptw fup");
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, 0, KERNEL, 1002);
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1003);
	pt_unit_ptwrite(&unit, 0x1234, 8, KERNEL + 0x10, 1004);
	assert_packets("tip.pge");
}
END_TEST

SUITE("pt_unit")
{
	FIXTURE(traced_unit_begin, NULL);
	TEST(first_packets_are_a_psb_and_where_tracing_begins);
	TEST(switching_off_says_where_and_is_complete_in_memory);
	TEST(each_kind_of_branch_has_its_packet);
	TEST(returns_are_not_compressed_with_disretc);
	TEST(a_call_to_the_next_instruction_is_no_call_to_return_from);
	TEST(more_calls_than_the_stack_holds_return_by_tip);
	TEST(a_psb_comes_every_so_many_bytes);
	TEST(loss_leaves_an_overflow_where_packets_are_missing);
	TEST(ptwrite_needs_to_be_enabled);
}
