/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/cpuid.h"
#include "machine/intel_pt/fault.h"
#include "machine/intel_pt/filter.h"
#include "machine/intel_pt/registers.h"
#include "tests/run_suite.h"

#include <string.h>

static const struct pt_rates rates = { .tsc_numerator = 80 };
static struct pt_registers registers;

static void set_up(void)
{
	pt_registers_reset(&registers);
}

static enum pt_msr_result write_msr(uint32_t msr, uint64_t value)
{
	return pt_registers_write(&registers, msr, value);
}

static uint64_t read_msr(uint32_t msr)
{
	uint64_t value = 0;

	ck_assert_int_eq(pt_registers_read(&registers, msr, &value),
			 PT_MSR_DONE);
	return value;
}

static const struct {
	uint32_t msr;
	uint64_t value, reads_as;
} good_writes[] = {
	{ MSR_RTIT_CTL, CTL_OS | CTL_TOPA | CTL_BRANCH_EN,
	  CTL_OS | CTL_TOPA | CTL_BRANCH_EN },
	{ MSR_RTIT_CTL, 1ull << 4 | 1ull << 31 | 1ull << 55,
	  CTL_PWR_EVT_EN | CTL_EVENT_EN | CTL_DIS_TNT },
	{ MSR_RTIT_STATUS, STATUS_STOPPED, STATUS_STOPPED },
	{ MSR_RTIT_OUTPUT_BASE, 0x12345000, 0x12345000 },
	{ MSR_RTIT_OUTPUT_MASK_PTRS, 0, 0x7f },
	{ MSR_RTIT_CR3_MATCH, 0x1234560, 0x1234560 },
	{ MSR_RTIT_ADDR0_A, 0xffffffff81000000, 0xffffffff81000000 },
	{ MSR_RTIT_ADDR3_B, 0x00007fffffffffff, 0x00007fffffffffff },
};

START_TEST(registers_read_back)
{
	ck_assert_int_eq(write_msr(good_writes[_i].msr, good_writes[_i].value),
			 PT_MSR_DONE);
	ck_assert_uint_eq(read_msr(good_writes[_i].msr),
			  good_writes[_i].reads_as);
}
END_TEST

static const struct {
	uint32_t msr;
	uint64_t value;
} bad_writes[] = {
	{ MSR_RTIT_CTL, 1ull << 6 },  /* FabricEn */
	{ MSR_RTIT_CTL, 1ull << 18 }, /* reserved */
	{ MSR_RTIT_CTL, 1ull << 30 },
	{ MSR_RTIT_CTL, 1ull << 48 },
	{ MSR_RTIT_CTL, 1ull << 56 },
	{ MSR_RTIT_CTL, 1ull << 63 },
	{ MSR_RTIT_CTL, CTL_MTC_EN | 1ull << CTL_MTC_FREQ_SHIFT },
	{ MSR_RTIT_CTL, CTL_CYC_EN | 14ull << CTL_CYC_THRESH_SHIFT },
	{ MSR_RTIT_CTL, 6ull << CTL_PSB_FREQ_SHIFT },
	{ MSR_RTIT_CTL, 3ull << CTL_ADDR_CFG_SHIFT },
	{ MSR_RTIT_STATUS, 1ull << 3 },
	{ MSR_RTIT_OUTPUT_BASE, 0x40 },
	{ MSR_RTIT_OUTPUT_BASE, 1ull << PT_PHYSICAL_BITS },
	{ MSR_RTIT_CR3_MATCH, 0x10 },
	{ MSR_RTIT_ADDR0_A, 0x8000000000000000 }, /* not canonical */
};

START_TEST(reserved_and_unoffered_values_fault)
{
	uint64_t before = read_msr(bad_writes[_i].msr);

	ck_assert_int_eq(write_msr(bad_writes[_i].msr, bad_writes[_i].value),
			 PT_MSR_FAULT);
	ck_assert_uint_eq(read_msr(bad_writes[_i].msr), before);
}
END_TEST

static const uint32_t configuration[] = {
	MSR_RTIT_STATUS,    MSR_RTIT_OUTPUT_BASE, MSR_RTIT_OUTPUT_MASK_PTRS,
	MSR_RTIT_CR3_MATCH, MSR_RTIT_ADDR0_A,	  MSR_RTIT_ADDR3_B,
};

START_TEST(configuration_is_locked_while_tracing)
{
	const uint64_t ctl = CTL_TRACE_EN | CTL_OS | CTL_BRANCH_EN;

	ck_assert_int_eq(write_msr(MSR_RTIT_CTL, ctl), PT_MSR_DONE);
	for (size_t i = 0; i < sizeof(configuration) / sizeof(uint32_t); i++)
		ck_assert_int_eq(write_msr(configuration[i], 0), PT_MSR_FAULT);
	ck_assert_int_eq(write_msr(MSR_RTIT_CTL, ctl | CTL_USER), PT_MSR_FAULT);
	ck_assert_int_eq(write_msr(MSR_RTIT_CTL, ctl), PT_MSR_DONE);
	ck_assert_int_eq(write_msr(MSR_RTIT_CTL, ctl & ~CTL_TRACE_EN),
			 PT_MSR_DONE);
	ck_assert_int_eq(write_msr(MSR_RTIT_STATUS, 0), PT_MSR_DONE);
}
END_TEST

START_TEST(other_registers_are_not_ours)
{
	uint64_t value;

	ck_assert_int_eq(write_msr(0x10, 0), PT_MSR_NOT_OURS);
	ck_assert_int_eq(write_msr(MSR_RTIT_ADDR3_B + 1, 0), PT_MSR_NOT_OURS);
	ck_assert_int_eq(pt_registers_read(&registers, 0x570 - 1, &value),
			 PT_MSR_NOT_OURS);
}
END_TEST

START_TEST(context_is_privilege_and_cr3)
{
	const uint64_t kernel = 0xffffffff81000000, user = 0x401000;

	write_msr(MSR_RTIT_CTL, CTL_OS);
	ck_assert(pt_filter_context(&registers, kernel, 0));
	ck_assert(!pt_filter_context(&registers, user, 0));
	write_msr(MSR_RTIT_CR3_MATCH, 0x2000);
	write_msr(MSR_RTIT_CTL, CTL_USER | CTL_CR3_FILTER);
	ck_assert(!pt_filter_context(&registers, kernel, 0x2000));
	ck_assert(!pt_filter_context(&registers, user, 0x3000));
	/* The PCID in the low bits is ignored. */
	ck_assert(pt_filter_context(&registers, user, 0x2005));
}
END_TEST

START_TEST(ranges_filter_and_stop)
{
	write_msr(MSR_RTIT_ADDR0_A, 0x1000);
	write_msr(MSR_RTIT_ADDR0_A + 1, 0x1fff);
	write_msr(MSR_RTIT_ADDR0_A + 2, 0x5000);
	write_msr(MSR_RTIT_ADDR0_A + 3, 0x50ff);
	ck_assert(pt_filter_range(&registers, 0x9000));
	write_msr(MSR_RTIT_CTL, 1ull << CTL_ADDR_CFG_SHIFT |
					2ull << (CTL_ADDR_CFG_SHIFT + 4));
	ck_assert(pt_filter_range(&registers, 0x1000));
	ck_assert(pt_filter_range(&registers, 0x1fff));
	ck_assert(!pt_filter_range(&registers, 0x2000));
	ck_assert(!pt_filter_range(&registers, 0x5000));
	ck_assert(pt_filter_stops(&registers, 0x5000));
	ck_assert(!pt_filter_stops(&registers, 0x1000));
}
END_TEST

START_TEST(cpuid_announces_the_unit)
{
	struct cpuid_result leaf0 = { .eax = 0xd, .ebx = 0x756e6547 };
	struct cpuid_result leaf7 = { .ebx = 0x1 };
	struct cpuid_result unit = { 0 }, ranges = { 0 },
			    beyond = { 1, 1, 1, 1 };
	struct cpuid_result clocks = { .ecx = 7 };
	const struct pt_abilities abilities = pt_abilities_full();

	pt_cpuid(0, 0, &rates, &abilities, &leaf0);
	ck_assert_uint_eq(leaf0.eax, 0x15);
	ck_assert_uint_eq(leaf0.ebx, 0x756e6547);
	pt_cpuid(7, 0, &rates, &abilities, &leaf7);
	ck_assert_uint_eq(leaf7.ebx, 1u << 25 | 1);
	pt_cpuid(0x14, 0, &rates, &abilities, &unit);
	ck_assert_uint_eq(unit.eax, 1);
	ck_assert_uint_eq(unit.ebx, 0x1bf);
	ck_assert_uint_eq(unit.ecx, 0x7);
	pt_cpuid(0x14, 1, &rates, &abilities, &ranges);
	ck_assert_uint_eq(ranges.eax & 7, PT_ADDRESS_RANGES);
	ck_assert_uint_eq(ranges.eax >> 16, PT_MTC_PERIODS);
	ck_assert_uint_eq(ranges.ebx >> 16, PT_PSB_FREQUENCIES);
	pt_cpuid(0x15, 0, &rates, &abilities, &clocks);
	ck_assert_uint_eq(clocks.eax, PT_TSC_DENOMINATOR);
	ck_assert_uint_eq(clocks.ebx, rates.tsc_numerator);
	ck_assert_uint_eq(clocks.ecx, 0);
	pt_cpuid(0x14, 2, &rates, &abilities, &beyond);
	ck_assert_uint_eq(beyond.eax | beyond.ebx | beyond.ecx | beyond.edx, 0);
}
END_TEST

/* A register write that the complete unit permits, by the ability it needs. */
static const struct {
	const char *name;
	uint64_t ctl;
} needed[] = {
	{ "mtc", CTL_MTC_EN },
	{ "mtc-periods", CTL_MTC_EN },
	{ "short-mtc-periods", CTL_MTC_EN | 3ull << CTL_MTC_FREQ_SHIFT },
	{ "cyc", CTL_CYC_EN },
	{ "psb-periods", 3ull << CTL_PSB_FREQ_SHIFT },
	{ "filters", 1ull << CTL_ADDR_CFG_SHIFT },
};

START_TEST(missing_ability_is_not_announced_and_faults)
{
	struct cpuid_result full[2] = { 0 }, less[2] = { 0 };
	struct pt_abilities all = pt_abilities_full();

	pt_registers_reset(&registers);
	ck_assert_int_eq(pt_registers_write(&registers, MSR_RTIT_CTL,
					    needed[_i].ctl),
			 PT_MSR_DONE);
	ck_assert(pt_abilities_remove(&registers.abilities, needed[_i].name));
	ck_assert_int_eq(pt_registers_write(&registers, MSR_RTIT_CTL,
					    needed[_i].ctl),
			 PT_MSR_FAULT);
	for (uint32_t i = 0; i < 2; i++) {
		pt_cpuid(0x14, i, &rates, &all, &full[i]);
		pt_cpuid(0x14, i, &rates, &registers.abilities, &less[i]);
	}
	ck_assert(memcmp(full, less, sizeof(full)));
	ck_assert(!pt_abilities_remove(&registers.abilities, "nothing"));
}
END_TEST

START_TEST(fault_strikes_one_packet_in_its_interval)
{
	struct unit_fault fault = { 0 };
	unsigned struck = 0;

	ck_assert(!pt_fault_parse(&fault, "nothing"));
	ck_assert(pt_fault_parse(&fault, "tnt-lost"));
	for (int i = 0; i < 15000; i++) {
		struck += unit_fault_strikes(&fault, PT_FAULT_TNT_LOST);
		ck_assert(!unit_fault_strikes(&fault, PT_FAULT_IP_OFF));
	}
	ck_assert_uint_eq(struck, 3);
}
END_TEST

START_TEST(cpuid_leaves_other_leaves_alone)
{
	struct cpuid_result leaf = { 1, 2, 3, 4 };
	const struct pt_abilities abilities = pt_abilities_full();

	pt_cpuid(1, 0, &rates, &abilities, &leaf);
	pt_cpuid(7, 1, &rates, &abilities, &leaf);
	pt_cpuid(0x80000000, 0, &rates, &abilities, &leaf);
	ck_assert_uint_eq(leaf.eax, 1);
	ck_assert_uint_eq(leaf.ebx, 2);
	ck_assert_uint_eq(leaf.ecx, 3);
	ck_assert_uint_eq(leaf.edx, 4);
}
END_TEST

SUITE("pt_registers")
{
	FIXTURE(set_up, NULL);
	TEST_EACH(registers_read_back, good_writes);
	TEST_EACH(reserved_and_unoffered_values_fault, bad_writes);
	TEST(configuration_is_locked_while_tracing);
	TEST(other_registers_are_not_ours);
	TEST(context_is_privilege_and_cr3);
	TEST(ranges_filter_and_stop);
	TEST(cpuid_announces_the_unit);
	TEST_EACH(missing_ability_is_not_announced_and_faults, needed);
	TEST(fault_strikes_one_packet_in_its_interval);
	TEST(cpuid_leaves_other_leaves_alone);
}
