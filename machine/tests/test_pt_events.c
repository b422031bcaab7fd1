/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/traced_unit.h"

/* Event Trace, TNT disable, power events: tests which packets are sent, and in
 * which order.
 */

#define EVENTS (PLAIN | CTL_EVENT_EN)
#define BEGIN "psb cbr mode mode pip psbend tip.pge"
#define HANDLER (KERNEL + 0x500)

enum { IF = 4, CFE_IP = 0x80, INTR = 1, IRET = 2, VECTOR_PF = 14 };

static void begin(uint64_t ctl, bool interrupts)
{
	start(ctl);
	pt_unit_interrupt_flag(&unit, interrupts);
	pt_unit_arrive(&unit, KERNEL, 1001);
}

static void interrupt(uint8_t vector, uint64_t from, uint64_t to, uint64_t tsc)
{
	const struct pt_interrupt cause = {
		.vector = vector,
		.has_address = vector == VECTOR_PF,
		.address = 0x1122334455667788,
	};

	pt_unit_interrupt_flag(&unit, false);
	pt_unit_interrupt(&unit, &cause, from, to, tsc);
	pt_unit_async(&unit, from, to, tsc);
	pt_unit_arrive(&unit, to, tsc);
}

static void iret(uint64_t ip, uint64_t to, uint64_t tsc)
{
	pt_unit_interrupt_flag(&unit, true);
	pt_unit_iret(&unit, ip, to, tsc);
	branch(PT_BRANCH_IRET, ip + 2, to, tsc);
}

static void assert_cfe(size_t index, unsigned type, unsigned vector)
{
	const uint8_t *bytes = bytes_at(index);

	ck_assert_uint_eq(bytes[1], 0x13);
	ck_assert_uint_eq(bytes[2], type);
	ck_assert_uint_eq(bytes[3], vector);
}

START_TEST(an_interrupt_in_context_binds_to_its_own_fup)
{
	begin(EVENTS, true);
	interrupt(0xec, KERNEL + 8, HANDLER, 1002);
	assert_packets(BEGIN " cfe fup mode tip");
	ck_assert_uint_eq(bytes_at(3)[1] & IF, IF);
	assert_cfe(7, INTR, 0xec);
	ck_assert_uint_eq(packet_at(8).payload.ip.ip & 0xffff, 8);
	ck_assert_uint_eq(bytes_at(9)[1] & IF, 0);
}
END_TEST

START_TEST(a_page_fault_has_its_address_before_it)
{
	static const uint8_t address[] = { 0x88, 0x77, 0x66, 0x55,
					   0x44, 0x33, 0x22, 0x11 };

	begin(EVENTS, false);
	interrupt(VECTOR_PF, KERNEL + 8, HANDLER, 1002);
	assert_packets(BEGIN " evd cfe fup tip");
	ck_assert_uint_eq(bytes_at(7)[2], 0);
	ck_assert_mem_eq(bytes_at(7) + 3, address, sizeof(address));
	assert_cfe(8, INTR, VECTOR_PF);
}
END_TEST

START_TEST(iret_has_a_fup_of_its_own)
{
	begin(EVENTS, false);
	iret(KERNEL + 8, KERNEL + 0x40, 1002);
	assert_packets(BEGIN " cfe fup mode tip");
	assert_cfe(7, IRET | CFE_IP, 0);
	ck_assert_uint_eq(packet_at(8).payload.ip.ip & 0xffff, 8);
	ck_assert_uint_eq(bytes_at(9)[1] & IF, IF);
	ck_assert_uint_eq(packet_at(10).payload.ip.ip & 0xffff, 0x40);
}
END_TEST

/* libipt's ptet-int-iret-cpl_0.ptt and -cpl_3.ptt have the same sequences. */
START_TEST(kernel_only_is_entered_and_left_by_events)
{
	begin(EVENTS, false);
	branch(PT_BRANCH_FAR, KERNEL + 3, USER, 1002);
	interrupt(VECTOR_PF, USER + 2, HANDLER, 1003);
	iret(HANDLER + 8, USER + 2, 1004);
	assert_packets(BEGIN " tip.pgd evd cfe tip.pge cfe fup tip.pgd");
	assert_cfe(9, INTR, VECTOR_PF);
	assert_cfe(11, IRET | CFE_IP, 0);
}
END_TEST

START_TEST(user_only_is_left_and_entered_by_events)
{
	start(CTL_TRACE_EN | CTL_USER | CTL_BRANCH_EN | CTL_EVENT_EN);
	pt_unit_interrupt_flag(&unit, true);
	pt_unit_arrive(&unit, USER, 1001);
	interrupt(0xec, USER + 2, HANDLER, 1002);
	interrupt(0xed, HANDLER + 2, HANDLER + 0x100, 1003);
	iret(HANDLER + 0x108, HANDLER + 2, 1004);
	iret(HANDLER + 8, USER + 2, 1005);
	assert_packets("psb cbr mode mode psbend tip.pge "
		       "cfe fup tip.pgd cfe tip.pge");
	assert_cfe(6, INTR, 0xec);
	assert_cfe(9, IRET, 0);
}
END_TEST

START_TEST(cli_and_sti_say_from_where_the_flag_holds)
{
	begin(EVENTS, true);
	pt_unit_flag_written(&unit, false, KERNEL + 2, 1002);
	pt_unit_flag_written(&unit, false, KERNEL + 3, 1003); /* no change */
	pt_unit_flag_written(&unit, true, KERNEL + 4, 1004);
	assert_packets(BEGIN " mode fup mode fup");
	ck_assert_uint_eq(bytes_at(7)[1] & IF, 0);
	ck_assert_uint_eq(packet_at(8).payload.ip.ip & 0xffff, 2);
	ck_assert_uint_eq(bytes_at(9)[1] & IF, IF);
	ck_assert_uint_eq(packet_at(10).payload.ip.ip & 0xffff, 4);
}
END_TEST

START_TEST(a_flag_written_out_of_sight_is_told_on_entry)
{
	start(CTL_TRACE_EN | CTL_OS | CTL_BRANCH_EN | CTL_EVENT_EN |
	      1ull << CTL_ADDR_CFG_SHIFT);
	unit.registers.address[0] = KERNEL + 0x1000;
	unit.registers.address[1] = KERNEL + 0x1fff;
	pt_unit_interrupt_flag(&unit, true);
	pt_unit_arrive(&unit, KERNEL, 1001);
	pt_unit_flag_written(&unit, false, KERNEL + 2, 1002);
	branch(PT_BRANCH_JUMP, KERNEL + 4, KERNEL + 0x1000, 1003);
	assert_packets("psb cbr mode mode pip psbend mode tip.pge");
	ck_assert_uint_eq(bytes_at(6)[1] & IF, 0);
}
END_TEST

START_TEST(events_without_branches_have_fups)
{
	start(CTL_TRACE_EN | CTL_OS | CTL_EVENT_EN);
	pt_unit_interrupt_flag(&unit, true);
	pt_unit_arrive(&unit, KERNEL, 1001);
	interrupt(0xec, KERNEL + 8, HANDLER, 1002);
	iret(HANDLER + 2, KERNEL + 8, 1003);
	pt_unit_flag_written(&unit, false, KERNEL + 9, 1004);
	assert_packets("psb cbr mode pip psbend "
		       "cfe fup mode fup cfe fup mode fup mode fup");
	assert_cfe(5, INTR | CFE_IP, 0xec);
	assert_cfe(9, IRET | CFE_IP, 0);
}
END_TEST

START_TEST(without_event_trace_there_is_none_of_it)
{
	begin(PLAIN, false);
	interrupt(VECTOR_PF, KERNEL + 8, HANDLER, 1002);
	pt_unit_flag_written(&unit, true, HANDLER + 2, 1003);
	assert_packets(BEGIN " fup tip");
}
END_TEST

START_TEST(a_mode_that_was_lost_comes_in_a_psb)
{
	begin(EVENTS, true);
	unit.output.discarding = true;
	unit.loss.left = 1;
	interrupt(0xec, KERNEL + 8, HANDLER, 1002);
	unit.loss.left = 0;
	pt_unit_arrive(&unit, HANDLER + 4, 1003);
	assert_packets(BEGIN " ovf fup psb cbr mode mode pip fup psbend");
	ck_assert_uint_eq(bytes_at(12)[1] & IF, 0);
}
END_TEST

START_TEST(without_tnt_packets_only_addresses_are_left)
{
	begin(PLAIN | CTL_DIS_TNT, false);
	branch(PT_BRANCH_CONDITIONAL, KERNEL + 2, KERNEL + 0x20, 1002);
	branch(PT_BRANCH_CALL, KERNEL + 0x25, KERNEL + 0x100, 1003);
	branch(PT_BRANCH_RETURN, KERNEL + 0x101, KERNEL + 0x25, 1004);
	branch(PT_BRANCH_INDIRECT_JUMP, KERNEL + 0x27, KERNEL, 1005);
	branch(PT_BRANCH_RETURN, KERNEL + 1, KERNEL + 0x60, 1006);
	assert_packets(BEGIN " tip tip");
}
END_TEST

START_TEST(hlt_enters_c1_and_an_interrupt_ends_it)
{
	begin(PLAIN | CTL_PWR_EVT_EN, false);
	pt_unit_halts(&unit, KERNEL + 7, 1002);
	pt_unit_slept(&unit, 1002, 5000);
	/* not halted by any traced instruction */
	pt_unit_slept(&unit, 5001, 5002);
	assert_packets(BEGIN " pwre exstop fup pwrx");
	ck_assert_uint_eq(packet_at(7).payload.pwre.state, 1);
	ck_assert_uint_eq(packet_at(7).payload.pwre.sub_state, 0);
	ck_assert_uint_eq(packet_at(8).payload.exstop.ip, 1);
	ck_assert_uint_eq(packet_at(9).payload.ip.ip & 0xffff, 7);
	ck_assert_uint_eq(packet_at(10).payload.pwrx.last, 1);
	ck_assert_uint_eq(packet_at(10).payload.pwrx.interrupt, 1);
}
END_TEST

START_TEST(the_time_of_a_wake_up_comes_before_it)
{
	begin(PLAIN | CTL_PWR_EVT_EN | CTL_TSC_EN, false);
	pt_unit_halts(&unit, KERNEL + 7, 1002);
	pt_unit_slept(&unit, 1002, 5000);
	assert_packets("psb tsc cbr mode mode pip psbend tip.pge "
		       "pwre exstop fup tsc pwrx");
	ck_assert_uint_eq(packet_at(11).payload.tsc.tsc, 5000);
}
END_TEST

START_TEST(mwait_has_its_operands_and_state)
{
	begin(PLAIN | CTL_PWR_EVT_EN, false);
	pt_unit_mwait(&unit, 0x52, 1, KERNEL + 7, 1002);
	pt_unit_slept(&unit, 1002, 5000);
	pt_unit_mwait(&unit, 0xf0, 1, KERNEL + 7, 5001); /* C0 */
	assert_packets(BEGIN " mwait pwre exstop fup pwrx");
	ck_assert_uint_eq(packet_at(7).payload.mwait.hints, 0x52);
	ck_assert_uint_eq(packet_at(7).payload.mwait.ext, 1);
	ck_assert_uint_eq(packet_at(8).payload.pwre.state, 6);
	ck_assert_uint_eq(packet_at(8).payload.pwre.sub_state, 2);
	ck_assert_uint_eq(packet_at(11).payload.pwrx.deepest, 6);
}
END_TEST

START_TEST(out_of_context_power_events_have_no_place)
{
	start(CTL_TRACE_EN | CTL_USER | CTL_BRANCH_EN | CTL_PWR_EVT_EN);
	pt_unit_arrive(&unit, KERNEL, 1001);
	pt_unit_mwait(&unit, 0, 0, KERNEL + 7, 1002);
	pt_unit_slept(&unit, 1002, 5000);
	assert_packets("psb cbr mode mode psbend pwre exstop pwrx");
	ck_assert_uint_eq(packet_at(6).payload.exstop.ip, 0);
}
END_TEST

START_TEST(without_power_events_there_is_none_of_it)
{
	begin(PLAIN, false);
	pt_unit_halts(&unit, KERNEL + 7, 1002);
	pt_unit_mwait(&unit, 0x52, 1, KERNEL + 7, 1003);
	pt_unit_slept(&unit, 1003, 5000);
	assert_packets(BEGIN);
}
END_TEST

SUITE("pt_events")
{
	FIXTURE(traced_unit_begin, NULL);
	TEST(an_interrupt_in_context_binds_to_its_own_fup);
	TEST(a_page_fault_has_its_address_before_it);
	TEST(iret_has_a_fup_of_its_own);
	TEST(kernel_only_is_entered_and_left_by_events);
	TEST(user_only_is_left_and_entered_by_events);
	TEST(cli_and_sti_say_from_where_the_flag_holds);
	TEST(a_flag_written_out_of_sight_is_told_on_entry);
	TEST(events_without_branches_have_fups);
	TEST(without_event_trace_there_is_none_of_it);
	TEST(a_mode_that_was_lost_comes_in_a_psb);
	TEST(without_tnt_packets_only_addresses_are_left);
	TEST(hlt_enters_c1_and_an_interrupt_ends_it);
	TEST(the_time_of_a_wake_up_comes_before_it);
	TEST(mwait_has_its_operands_and_state);
	TEST(out_of_context_power_events_have_no_place);
	TEST(without_power_events_there_is_none_of_it);
}
