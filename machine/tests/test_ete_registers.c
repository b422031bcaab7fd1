/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/filter.h"
#include "machine/arm_ete/registers.h"
#include "tests/run_suite.h"

static struct ete_registers registers;

static void set_up(void)
{
	ete_registers_reset(&registers);
}

static uint64_t kept(unsigned offset, uint64_t value)
{
	ete_registers_write(&registers, offset, value);
	return ete_registers_read(&registers, offset);
}

START_TEST(reserved_bits_read_as_zero)
{
	static const struct {
		unsigned offset;
		uint64_t kept;
	} cases[] = {
		{ TRCPRGCTLR, 1 },
		{ TRCCONFIGR, 0x18d0 },
		{ TRCSYNCPR, 0x1f },
		{ TRCCCCTLR, 0xfff },
		{ TRCTRACEIDR, 0x7f },
		{ TRCVICTLR, 0x300e9f },
		{ TRCACVR0, ~0ull },
		{ TRCACVR0 + 8 * 7, ~0ull },
		{ TRCACVR0 + 8 * 8, 0 },
		{ TRCRSCTLR3, 0x3fffff },
		{ 0x018, 0 }, /* TRCAUXCTLR */
		{ 0x100, 0 }, /* TRCSEQEVR0: no sequencer */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(kept(cases[i].offset, ~0ull) == cases[i].kept,
			      "register %x", cases[i].offset);
}
END_TEST

START_TEST(identification_cannot_be_written)
{
	uint64_t before = ete_registers_read(&registers, 0x1e0);

	ck_assert_uint_ne(before, 0);
	ck_assert_uint_eq(kept(0x1e0, 0), before);
	ck_assert_uint_eq(kept(0xfbc, ~0ull), 0x47705a13);
}
END_TEST

START_TEST(claim_tags_are_set_and_cleared)
{
	ck_assert_uint_eq(kept(TRCCLAIMSET, 3), 0xf);
	ck_assert_uint_eq(ete_registers_read(&registers, TRCCLAIMCLR), 3);
	ck_assert_uint_eq(kept(TRCCLAIMCLR, 1), 2);
}
END_TEST

START_TEST(status_is_idle_while_off)
{
	ck_assert_uint_eq(ete_registers_read(&registers, TRCSTATR), 3);
	kept(TRCPRGCTLR, 1);
	ck_assert_uint_eq(ete_registers_read(&registers, TRCSTATR), 0);
}
END_TEST

START_TEST(debug_features_keep_what_the_cpu_has)
{
	const uint64_t cpu = 0x0000011f00305609ull;

	ck_assert_uint_eq(ete_debug_features(cpu), 0x0000111f00305619ull);
}
END_TEST

enum { KERNEL_LOW = 0x1000 };
#define KERNEL 0xffff800080000000ull

static void include_range(uint64_t start, uint64_t end)
{
	kept(TRCVICTLR, 1);
	kept(TRCACVR0 + 8 * 2, start);
	kept(TRCACVR0 + 8 * 3, end);
	kept(TRCVIIECTLR, 1 << 1);
}

START_TEST(ranges_are_included_to_their_last_address)
{
	include_range(KERNEL, KERNEL + 0xc);
	ck_assert(ete_filter_range(&registers, KERNEL));
	ck_assert(ete_filter_range(&registers, KERNEL + 0xc));
	ck_assert(!ete_filter_range(&registers, KERNEL + 0x10));
	ck_assert(!ete_filter_range(&registers, KERNEL - 4));
}
END_TEST

START_TEST(ranges_are_excluded)
{
	include_range(KERNEL, KERNEL + 0xc);
	kept(TRCVIIECTLR, 1 << 17);
	ck_assert(!ete_filter_range(&registers, KERNEL));
	ck_assert(ete_filter_range(&registers, KERNEL + 0x10));
}
END_TEST

START_TEST(nothing_is_traced_while_the_event_is_false)
{
	kept(TRCVICTLR, 0);
	ck_assert(!ete_filter_range(&registers, KERNEL));
}
END_TEST

START_TEST(levels_are_permitted_and_excluded)
{
	registers.trfcr = TRFCR_E1TRE | TRFCR_E0TRE;
	ck_assert(ete_filter_level_traced(&registers, KERNEL));
	ck_assert(ete_filter_level_traced(&registers, KERNEL_LOW));
	kept(TRCVICTLR, 1 | VICTLR_NOT_EL0);
	ck_assert(!ete_filter_level_traced(&registers, KERNEL_LOW));
	registers.trfcr = TRFCR_E0TRE;
	ck_assert(!ete_filter_level_traced(&registers, KERNEL));
}
END_TEST

START_TEST(points_start_and_stop)
{
	kept(TRCACVR0, KERNEL + 8);
	kept(TRCACVR0 + 8, KERNEL + 0x20);
	ck_assert(ete_filter_started(&registers, false, KERNEL, KERNEL + 4));
	kept(TRCVISSCTLR, 1 | 1 << 17);
	ck_assert(!ete_filter_started(&registers, false, KERNEL, KERNEL + 8));
	ck_assert(ete_filter_started(&registers, false, KERNEL, KERNEL + 0xc));
	ck_assert(ete_filter_started(&registers, true, KERNEL, KERNEL + 4));
	ck_assert(!ete_filter_started(&registers, true, KERNEL + 0x10,
				      KERNEL + 0x24));
	ck_assert(
		!ete_filter_started(&registers, false, KERNEL, KERNEL + 0x24));
}
END_TEST

START_TEST(removed_abilities_are_not_announced_and_cannot_be_used)
{
	static const struct {
		const char *name;
		unsigned identification, control;
		uint64_t value;
	} cases[] = {
		{ "cycles", TRCIDR0, TRCCONFIGR, CONFIGR_CCI },
		{ "return-stack", TRCIDR0, TRCCONFIGR, CONFIGR_RS },
		{ "timestamps", TRCIDR0, TRCCONFIGR, CONFIGR_TS },
		{ "context-id", TRCIDR2, TRCCONFIGR, CONFIGR_CID },
		{ "filters", TRCIDR4, TRCVIIECTLR, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t full =
			ete_registers_read(&registers, cases[i].identification);

		ck_assert_uint_eq(kept(cases[i].control, cases[i].value),
				  cases[i].value);
		ck_assert(ete_abilities_remove(&registers.removed,
					       cases[i].name));
		ck_assert_uint_eq(kept(cases[i].control, cases[i].value), 0);
		ck_assert_uint_lt(ete_registers_read(&registers,
						     cases[i].identification),
				  full);
	}
	ck_assert(!ete_abilities_remove(&registers.removed, "nothing"));
}
END_TEST

SUITE("ete_registers")
{
	FIXTURE(set_up, NULL);
	TEST(reserved_bits_read_as_zero);
	TEST(identification_cannot_be_written);
	TEST(claim_tags_are_set_and_cleared);
	TEST(status_is_idle_while_off);
	TEST(debug_features_keep_what_the_cpu_has);
	TEST(ranges_are_included_to_their_last_address);
	TEST(ranges_are_excluded);
	TEST(nothing_is_traced_while_the_event_is_false);
	TEST(levels_are_permitted_and_excluded);
	TEST(points_start_and_stop);
	TEST(removed_abilities_are_not_announced_and_cannot_be_used);
}
