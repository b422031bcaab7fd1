/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/traced_unit.h"

static void set_range(unsigned range, uint64_t first, uint64_t last)
{
	pt_unit_write_msr(&unit, MSR_RTIT_ADDR0_A + 2 * range, first, 0, 0);
	pt_unit_write_msr(&unit, MSR_RTIT_ADDR0_A + 2 * range + 1, last, 0, 0);
}

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

SUITE("pt_filter")
{
	FIXTURE(traced_unit_begin, NULL);
	TEST(kernel_only_leaves_out_user_code);
	TEST(user_and_kernel_are_joined_by_tip);
	TEST(user_code_of_32_bits_changes_the_mode);
	TEST(cr3_writes_are_paging_packets_of_the_kernel);
	TEST(cr3_filter_follows_the_address_space);
	TEST(address_filter_says_where_the_range_was_left_to);
	TEST(trace_stop_range_stops_until_software_clears_it);
}
