/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/pt_decode.h"
#include "machine/tests/traced_unit.h"

START_TEST(tsc_and_tma_agree_and_mtc_counts_crystal_periods)
{
	/* Crystal: 2 ticks in 80 of the TSC; a period of 2^3 ticks is 320. */
	start(PLAIN | CTL_TSC_EN | CTL_MTC_EN | 3ull << CTL_MTC_FREQ_SHIFT);
	pt_unit_arrive(&unit, KERNEL, 990);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 2, KERNEL + 2, 1279);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 4, KERNEL + 4, 1280);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1599);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1600);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge "
		       "tnt mtc tnt tip mtc tip");
	ck_assert_uint_eq(packet_at(1).payload.tsc.tsc, 990);
	ck_assert_uint_eq(packet_at(2).payload.tma.ctc, 24); /* 960 */
	ck_assert_uint_eq(packet_at(2).payload.tma.fc, 30);
	ck_assert_uint_eq(packet_at(10).payload.mtc.ctc, 4); /* 1280 */
	ck_assert_uint_eq(packet_at(13).payload.mtc.ctc, 5); /* 1600 */
}
END_TEST

START_TEST(switching_on_again_says_the_time)
{
	const uint64_t ctl = PLAIN | CTL_TSC_EN | CTL_MTC_EN;

	start(ctl);
	pt_unit_arrive(&unit, KERNEL, 1000);
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl & ~CTL_TRACE_EN, KERNEL,
			  1001);
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl, KERNEL, 90000);
	pt_unit_arrive(&unit, KERNEL, 90001);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge "
		       "fup tip.pgd tsc tma tip.pge");
	ck_assert_uint_eq(packet_at(11).payload.tsc.tsc, 90001);
}
END_TEST

/* A period starts between the wrmsr and the next instruction. An MTC would then
 * be the first packet, before the TSC that identifies the period (SDM, "Packet
 * Generation Scenarios": TraceEn 0 -> 1 sends TSC and TMA).
 */
static void start_again_at_a_period(uint64_t ctl)
{
	start(ctl);
	pt_unit_arrive(&unit, KERNEL, 1000);
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl & ~CTL_TRACE_EN, KERNEL,
			  1001);
	pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl, KERNEL, 90039);
}

START_TEST(the_first_packet_is_no_mtc)
{
	start(PLAIN | CTL_TSC_EN | CTL_MTC_EN);
	pt_unit_arrive(&unit, KERNEL, 1040);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1080);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge mtc tip");
	ck_assert_uint_eq(packet_at(9).payload.mtc.ctc, 27);
}
END_TEST

START_TEST(switching_on_at_a_period_says_the_time_first)
{
	start_again_at_a_period(PLAIN | CTL_TSC_EN | CTL_MTC_EN | CTL_CYC_EN);
	pt_unit_arrive(&unit, KERNEL, 90040);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 90080);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge "
		       "cyc fup tip.pgd cyc tsc tma tip.pge cyc mtc tip");
	ck_assert_uint_eq(packet_at(13).payload.tsc.tsc, 90040);
	ck_assert_uint_eq(packet_at(17).payload.mtc.ctc, 90080 / 40 & 0xff);
}
END_TEST

START_TEST(an_interrupt_right_behind_the_switch_sends_no_mtc)
{
	start_again_at_a_period(PLAIN | CTL_TSC_EN | CTL_MTC_EN);
	pt_unit_async(&unit, KERNEL, KERNEL + 0x500, 90040);
	pt_unit_arrive(&unit, KERNEL + 0x500, 90041);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge "
		       "fup tip.pgd tsc tma tip.pge");
	ck_assert_uint_eq(packet_at(11).payload.tsc.tsc, 90041);
}
END_TEST

START_TEST(a_long_silence_is_bridged_by_tsc)
{
	start(PLAIN | CTL_TSC_EN | CTL_MTC_EN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1000000);
	assert_packets("psb tsc tma cbr mode mode pip psbend tip.pge "
		       "tsc tma tip");
	ck_assert_uint_eq(packet_at(9).payload.tsc.tsc, 1000000);
}
END_TEST

START_TEST(cycles_add_up_to_the_time_that_was_not_slept)
{
	static struct pt_packet packets[64];
	uint64_t cycles = 0;

	start(PLAIN | CTL_TSC_EN | CTL_CYC_EN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 2, KERNEL + 2, 1010);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1100);
	pt_unit_slept(&unit, 1150, 50000);
	pt_unit_async(&unit, KERNEL, KERNEL + 0x500, 50000);
	pt_unit_arrive(&unit, KERNEL + 0x500, 50000);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 0x506, KERNEL, 50040);
	assert_packets("psb tsc cbr mode mode pip psbend tip.pge "
		       "cyc tnt cyc tip cyc tsc fup tip cyc tip");

	size_t count = pt_decode(memory.bytes + RANGE, written(), packets, 64);

	for (size_t i = 0; i < count; i++)
		if (packets[i].type == ppt_cyc)
			cycles += packets[i].payload.cyc.value;
	ck_assert_uint_eq(cycles, 150 + 40);
	ck_assert_uint_eq(packet_at(8).payload.cyc.value, 10);
	ck_assert_uint_eq(packet_at(13).payload.tsc.tsc, 50000);
}
END_TEST

START_TEST(cycle_threshold_holds_small_counts_back)
{
	start(PLAIN | CTL_CYC_EN | 6ull << CTL_CYC_THRESH_SHIFT);
	pt_unit_arrive(&unit, KERNEL, 1000);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1031);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1032);
	assert_packets("psb cbr mode mode pip psbend tip.pge tip cyc tip");
	ck_assert_uint_eq(packet_at(8).payload.cyc.value, 32);
}
END_TEST

/* The counter continues while packets are lost, and OVF is sent with a CYC
 * (SDM, "Internal Buffer Overflow").
 */
START_TEST(cycles_tell_how_long_a_loss_was)
{
	static struct pt_packet packets[8192];
	uint64_t cycles = 0;
	size_t overflows = 0;

	pt_unit_init(&unit, &memory.bus, &rates, 400);
	start(PLAIN | CTL_TSC_EN | CTL_CYC_EN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	for (unsigned i = 0; i < 3000; i++)
		branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 2,
		       KERNEL + (i & 1) * 0x40, 1002 + i);

	size_t count =
		pt_decode(memory.bytes + RANGE, written(), packets, 8192);

	for (size_t i = 0; i < count; i++) {
		if (packets[i].type == ppt_cyc)
			cycles += packets[i].payload.cyc.value;
		if (packets[i].type == ppt_tsc)
			ck_assert_uint_eq(packets[i].payload.tsc.tsc,
					  1000 + cycles);
		if (packets[i].type != ppt_ovf)
			continue;
		overflows++;
		ck_assert_int_eq(packets[i - 1].type, ppt_cyc);
		ck_assert_int_eq(packets[i + 1].type, ppt_tsc);
	}
	ck_assert_uint_gt(overflows, 2);
}
END_TEST

START_TEST(without_branch_enable_only_time_is_traced)
{
	start(CTL_TRACE_EN | CTL_OS | CTL_TSC_EN | CTL_MTC_EN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1100);
	assert_packets("psb tsc tma cbr pip psbend mtc");
}
END_TEST

SUITE("pt_timing")
{
	FIXTURE(traced_unit_begin, NULL);
	TEST(tsc_and_tma_agree_and_mtc_counts_crystal_periods);
	TEST(switching_on_again_says_the_time);
	TEST(the_first_packet_is_no_mtc);
	TEST(switching_on_at_a_period_says_the_time_first);
	TEST(an_interrupt_right_behind_the_switch_sends_no_mtc);
	TEST(a_long_silence_is_bridged_by_tsc);
	TEST(cycles_add_up_to_the_time_that_was_not_slept);
	TEST(cycle_threshold_holds_small_counts_back);
	TEST(cycles_tell_how_long_a_loss_was);
	TEST(without_branch_enable_only_time_is_traced);
}
