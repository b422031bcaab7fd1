/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/unit.h"
#include "machine/tests/memory_bus.h"
#include "machine/tests/pt_decode.h"
#include "tests/run_suite.h"

#include <string.h>

/* A unit that traces the kernel into a single range of 64 KiB. */
enum { RANGE = 0x10000, RANGE_MASK = 0xffff, BUS_RATIO = 10 };

#define KERNEL 0xffffffff81000000ull
#define USER 0x0000000000401000ull
#define PLAIN (CTL_TRACE_EN | CTL_OS | CTL_BRANCH_EN)

static struct memory_bus memory;
static struct pt_unit unit;

static void set_up(void)
{
	memory_bus_init(&memory);
	pt_unit_init(&unit, &memory.bus, BUS_RATIO, 0);
}

static void start(uint64_t ctl)
{
	pt_unit_write_msr(&unit, MSR_RTIT_OUTPUT_BASE, RANGE, KERNEL, 0);
	pt_unit_write_msr(&unit, MSR_RTIT_OUTPUT_MASK_PTRS, RANGE_MASK, KERNEL,
			  0);
	ck_assert_int_eq(pt_unit_write_msr(&unit, MSR_RTIT_CTL, ctl, KERNEL,
					   1000),
			 PT_MSR_DONE);
}

static size_t written(void)
{
	uint64_t pointers;

	pt_unit_read_msr(&unit, MSR_RTIT_OUTPUT_MASK_PTRS, &pointers);
	return pointers >> 32;
}

/* Asserts what the unit wrote, as libipt names it. */
static void assert_packets(const char *expected)
{
	char names[4096];

	pt_decode_names(memory.bytes + RANGE, written(), names, sizeof(names));
	ck_assert_str_eq(names, expected);
}

static struct pt_packet packet_at(size_t index)
{
	static struct pt_packet packets[4096];
	size_t count = pt_decode(memory.bytes + RANGE, written(), packets,
				 4096);

	ck_assert_uint_lt(index, count);
	return packets[index];
}

static void branch(enum pt_branch kind, uint64_t next, uint64_t to,
		   uint64_t tsc)
{
	pt_unit_branch(&unit, kind, next, to, tsc);
	pt_unit_arrive(&unit, to, tsc);
}

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
	assert_packets(
		"psb cbr mode mode pip psbend tip.pge tnt fup tip.pgd");
	ck_assert_int_eq(packet_at(9).payload.ip.ipc, pt_ipc_suppressed);
}
END_TEST

START_TEST(each_kind_of_branch_has_its_packet)
{
	const uint64_t f = KERNEL + 0x1000;

	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_JUMP, KERNEL + 5, KERNEL + 0x20, 1002);	/* - */
	branch(PT_BRANCH_CALL, KERNEL + 0x25, f, 1003);			/* - */
	branch(PT_BRANCH_RETURN, f + 1, KERNEL + 0x25, 1004);		/* 1 */
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 0x27, KERNEL + 0x27, 1005);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 0x29, KERNEL + 0x40, 1006);
	branch(PT_BRANCH_INDIRECT_CALL, KERNEL + 0x42, f, 1007);	/* tip */
	branch(PT_BRANCH_RETURN, f + 1, KERNEL + 0x42, 1008);		/* 1 */
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 0x44, KERNEL, 1009);	/* tip */
	branch(PT_BRANCH_RETURN, KERNEL + 1, f, 1010);			/* tip */
	branch(PT_BRANCH_FAR, f + 2, KERNEL, 1011);			/* tip */
	assert_packets("psb cbr mode mode pip psbend tip.pge "
		       "tnt tip tnt tip tip tip");
	ck_assert_uint_eq(packet_at(7).payload.tnt.bit_size, 3);
	ck_assert_uint_eq(packet_at(7).payload.tnt.payload, 5);	/* 1 0 1 */
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
	/* 64 compressed returns, 47 and 17; then the oldest, forgotten. */
	assert_packets("psb cbr mode mode pip psbend tip.pge tnt64 tnt64 tip");
	ck_assert_uint_eq(packet_at(7).payload.tnt.bit_size, 47);
	ck_assert_uint_eq(packet_at(8).payload.tnt.bit_size, 17);
}
END_TEST

START_TEST(kernel_only_leaves_out_user_code)
{
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_FAR, KERNEL + 3, USER, 1002);
	branch(PT_BRANCH_CONDITIONAL, USER + 2, USER + 9, 1003);
	pt_unit_async(&unit, USER + 9, KERNEL + 0x500, 1004);
	pt_unit_arrive(&unit, KERNEL + 0x500, 1004);
	assert_packets("psb cbr mode mode pip psbend tip.pge tip.pgd tip.pge");
	ck_assert_int_eq(packet_at(7).payload.ip.ipc, pt_ipc_suppressed);
	ck_assert_uint_eq(packet_at(8).payload.ip.ip & 0xffff, 0x500);
}
END_TEST

START_TEST(user_and_kernel_are_joined_by_tip)
{
	start(PLAIN | CTL_USER);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_FAR, KERNEL + 3, USER, 1002);
	pt_unit_async(&unit, USER + 2, KERNEL + 0x500, 1004);
	pt_unit_arrive(&unit, KERNEL + 0x500, 1004);
	assert_packets("psb cbr mode mode pip psbend tip.pge tip fup tip");
}
END_TEST

START_TEST(user_code_of_32_bits_changes_the_mode)
{
	start(PLAIN | CTL_USER);
	pt_unit_arrive(&unit, KERNEL, 1001);
	pt_unit_mode(&unit, false, true);
	branch(PT_BRANCH_FAR, KERNEL + 3, USER, 1002);
	pt_unit_mode(&unit, true, false);
	pt_unit_async(&unit, USER + 2, KERNEL + 0x500, 1004);
	assert_packets("psb cbr mode mode pip psbend tip.pge "
		       "mode tip fup mode tip");
	ck_assert_uint_eq(packet_at(7).payload.mode.bits.exec.csd, 1);
	ck_assert_uint_eq(packet_at(10).payload.mode.bits.exec.csl, 1);
}
END_TEST

START_TEST(cr3_writes_are_paging_packets_of_the_kernel)
{
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	pt_unit_cr3(&unit, 0x5000, true, KERNEL + 3, 1002);
	assert_packets("psb cbr mode mode pip psbend tip.pge pip");
	ck_assert_uint_eq(packet_at(7).payload.pip.cr3, 0x5000);
}
END_TEST

START_TEST(cr3_filter_follows_the_address_space)
{
	pt_unit_write_msr(&unit, MSR_RTIT_CR3_MATCH, 0x5000, KERNEL, 0);
	start(PLAIN | CTL_CR3_FILTER);
	pt_unit_arrive(&unit, KERNEL, 1001);
	pt_unit_cr3(&unit, 0x5000, true, KERNEL + 3, 1002);
	pt_unit_arrive(&unit, KERNEL + 3, 1002);
	pt_unit_cr3(&unit, 0x6000, true, KERNEL + 6, 1003);
	pt_unit_arrive(&unit, KERNEL + 6, 1003);
	assert_packets("psb cbr mode mode pip psbend "
		       "pip tip.pge pip tip.pgd");
}
END_TEST

static void set_range(unsigned range, uint64_t first, uint64_t last)
{
	pt_unit_write_msr(&unit, MSR_RTIT_ADDR0_A + 2 * range, first, 0, 0);
	pt_unit_write_msr(&unit, MSR_RTIT_ADDR0_A + 2 * range + 1, last, 0, 0);
}

START_TEST(address_filter_says_where_the_range_was_left_to)
{
	set_range(0, KERNEL + 0x100, KERNEL + 0x1ff);
	start(PLAIN | 1ull << CTL_ADDR_CFG_SHIFT);
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_CALL, KERNEL + 5, KERNEL + 0x100, 1002);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 0x102, KERNEL + 0x110, 1003);
	branch(PT_BRANCH_RETURN, KERNEL + 0x111, KERNEL + 5, 1004);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 7, KERNEL + 9, 1005);
	assert_packets("psb cbr mode mode pip psbend tip.pge tnt tip.pgd");
	ck_assert_uint_eq(packet_at(8).payload.ip.ip & 0xffff, 5);
}
END_TEST

START_TEST(trace_stop_range_stops_until_software_clears_it)
{
	uint64_t status;

	set_range(1, KERNEL + 0x100, KERNEL + 0x1ff);
	start(PLAIN | 2ull << (CTL_ADDR_CFG_SHIFT + 4));
	pt_unit_arrive(&unit, KERNEL, 1001);
	branch(PT_BRANCH_CALL, KERNEL + 5, KERNEL + 0x100, 1002);
	branch(PT_BRANCH_RETURN, KERNEL + 0x101, KERNEL + 5, 1003);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 7, KERNEL, 1004);
	assert_packets("psb cbr mode mode pip psbend tip.pge tip.pgd stop");
	pt_unit_read_msr(&unit, MSR_RTIT_STATUS, &status);
	ck_assert(status & STATUS_STOPPED);
}
END_TEST

START_TEST(a_psb_comes_every_so_many_bytes)
{
	size_t last = 0, psbs = 0;
	static struct pt_packet packets[4096];

	start(PLAIN | 1ull << CTL_PSB_FREQ_SHIFT);	/* every 4 KiB */
	pt_unit_arrive(&unit, KERNEL, 1001);
	for (unsigned i = 0; i < 2800; i++)
		branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 2,
		       KERNEL + (i & 1) * 0x40, 1002 + i);

	size_t count = pt_decode(memory.bytes + RANGE, written(), packets,
				 4096);
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
	ck_assert_uint_eq(packet_at(2).payload.tma.ctc, 24);	/* 960 */
	ck_assert_uint_eq(packet_at(2).payload.tma.fc, 30);
	ck_assert_uint_eq(packet_at(10).payload.mtc.ctc, 4);	/* 1280 */
	ck_assert_uint_eq(packet_at(13).payload.mtc.ctc, 5);	/* 1600 */
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

START_TEST(loss_leaves_an_overflow_where_packets_are_missing)
{
	static struct pt_packet packets[4096];
	size_t overflows = 0, tips = 0;

	pt_unit_init(&unit, &memory.bus, BUS_RATIO, 400);
	start(PLAIN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	for (unsigned i = 0; i < 4000; i++)
		branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 2,
		       KERNEL + (i & 1) * 0x40, 1002 + i);

	size_t count = pt_decode(memory.bytes + RANGE, written(), packets,
				 4096);

	for (size_t i = 0; i < count; i++) {
		tips += packets[i].type == ppt_tip;
		if (packets[i].type != ppt_ovf)
			continue;
		overflows++;
		/* The place follows, or the unit is losing again. */
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

START_TEST(without_branch_enable_only_time_is_traced)
{
	start(CTL_TRACE_EN | CTL_OS | CTL_TSC_EN | CTL_MTC_EN);
	pt_unit_arrive(&unit, KERNEL, 1000);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 6, KERNEL, 1100);
	assert_packets("psb tsc tma cbr pip psbend mtc");
}
END_TEST

static Suite *pt_unit_suite(void)
{
	const TTest *const tests[] = {
		first_packets_are_a_psb_and_where_tracing_begins,
		switching_off_says_where_and_is_complete_in_memory,
		each_kind_of_branch_has_its_packet,
		returns_are_not_compressed_with_disretc,
		a_call_to_the_next_instruction_is_no_call_to_return_from,
		more_calls_than_the_stack_holds_return_by_tip,
		kernel_only_leaves_out_user_code,
		user_and_kernel_are_joined_by_tip,
		user_code_of_32_bits_changes_the_mode,
		cr3_writes_are_paging_packets_of_the_kernel,
		cr3_filter_follows_the_address_space,
		address_filter_says_where_the_range_was_left_to,
		trace_stop_range_stops_until_software_clears_it,
		a_psb_comes_every_so_many_bytes,
		tsc_and_tma_agree_and_mtc_counts_crystal_periods,
		switching_on_again_says_the_time,
		a_long_silence_is_bridged_by_tsc,
		cycles_add_up_to_the_time_that_was_not_slept,
		cycle_threshold_holds_small_counts_back,
		loss_leaves_an_overflow_where_packets_are_missing,
		ptwrite_needs_to_be_enabled,
		without_branch_enable_only_time_is_traced,
	};
	Suite *suite = suite_create("pt_unit");
	TCase *tcase = tcase_create("packets");

	tcase_add_checked_fixture(tcase, set_up, NULL);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(pt_unit_suite());
}
