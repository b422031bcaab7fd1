/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/output.h"
#include "machine/tests/memory_bus.h"
#include "tests/run_suite.h"

#include <string.h>

enum {
	TABLE = 0x1000,
	SECOND_TABLE = 0x2000,
	FIRST = 0x10000, /* regions */
	SECOND = 0x20000,
	LARGE = 0x80000, /* aligned to the largest size that fits */
};

static struct memory_bus memory;
static struct pt_registers registers;
static struct pt_output output;

static void set_up(void)
{
	memory_bus_init(&memory);
	pt_registers_reset(&registers);
	registers.ctl = CTL_TRACE_EN | CTL_TOPA;
	registers.output_base = TABLE;
	pt_output_init(&output, &registers, &memory.bus);
	pt_output_start(&output);
}

static uint64_t region(uint64_t address, unsigned size_log, uint64_t flags)
{
	return address | (uint64_t)size_log << TOPA_SIZE_SHIFT | flags;
}

/* Puts bytes 0, 1, 2 … in packets of 16. */
static void put_bytes(size_t count)
{
	for (size_t i = 0; i < count; i += 16) {
		uint8_t packet[16];

		for (unsigned k = 0; k < 16; k++)
			packet[k] = (uint8_t)(i + k);
		pt_output_put(&output, packet, sizeof(packet));
	}
	pt_output_flush(&output);
}

static void assert_counting(uint64_t address, size_t count, size_t first)
{
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(memory.bytes[address + i],
				  (uint8_t)(first + i));
}

START_TEST(regions_of_every_size_fill_in_order)
{
	unsigned size_log = (unsigned)_i;
	size_t size = 4096u << size_log;

	memory_bus_topa(&memory, TABLE, 0, region(LARGE, size_log, 0));
	memory_bus_topa(&memory, TABLE, 1, region(FIRST, 0, 0));
	memory_bus_topa(&memory, TABLE, 2, region(TABLE, 0, TOPA_END));
	put_bytes(size + 32);
	assert_counting(LARGE, size, 0);
	assert_counting(FIRST, 32, size);
	ck_assert_uint_eq(registers.output_mask, 32ull << 32 | 1 << 7 | 0x7f);
	ck_assert_uint_eq(registers.status & (STATUS_STOPPED | STATUS_ERROR),
			  0);
}
END_TEST

START_TEST(end_leads_to_another_table_and_round)
{
	memory_bus_topa(&memory, TABLE, 0, region(FIRST, 0, 0));
	memory_bus_topa(&memory, TABLE, 1, SECOND_TABLE | TOPA_END);
	memory_bus_topa(&memory, SECOND_TABLE, 0, region(SECOND, 0, 0));
	memory_bus_topa(&memory, SECOND_TABLE, 1, TABLE | TOPA_END);
	put_bytes(2 * 4096 + 64);
	assert_counting(SECOND, 4096, 4096);
	assert_counting(FIRST, 64, 8192);
	ck_assert_uint_eq(registers.output_base, TABLE);
	ck_assert_uint_eq(registers.output_mask, 64ull << 32 | 0x7f);
}
END_TEST

START_TEST(int_raises_one_interrupt_when_the_region_is_full)
{
	memory_bus_topa(&memory, TABLE, 0, region(FIRST, 0, TOPA_INT));
	memory_bus_topa(&memory, TABLE, 1, region(SECOND, 0, 0));
	put_bytes(4096 - 16);
	ck_assert_uint_eq(memory.interrupts, 0);
	put_bytes(16);
	ck_assert_uint_eq(memory.interrupts, 1);
	put_bytes(1024);
	ck_assert_uint_eq(memory.interrupts, 1);
}
END_TEST

/* The interrupt must not wait until the collected packets are written. */
START_TEST(a_single_region_interrupts_before_it_is_full)
{
	registers.abilities.many_regions = false;
	memory_bus_topa(&memory, TABLE, 0,
			region(FIRST, 0, TOPA_INT | TOPA_STOP));
	memory_bus_topa(&memory, TABLE, 1, region(TABLE, 0, TOPA_END));
	put_bytes(4096 - 512 - 16);
	ck_assert_uint_eq(memory.interrupts, 0);
	pt_output_put(&output, (const uint8_t[32]){ 0 }, 32);
	ck_assert_uint_eq(memory.interrupts, 1);
	pt_output_put(&output, (const uint8_t[480]){ 0 }, 480);
	ck_assert_uint_eq(memory.interrupts, 1);
	ck_assert(!pt_output_halted(&output));
	pt_output_put(&output, (const uint8_t[16]){ 0 }, 16);
	ck_assert_uint_eq(memory.interrupts, 2);
	ck_assert(registers.status & STATUS_STOPPED);
}
END_TEST

START_TEST(stop_keeps_what_fits_and_drops_the_rest)
{
	memory_bus_topa(&memory, TABLE, 0, region(FIRST, 0, TOPA_STOP));
	memory_bus_topa(&memory, TABLE, 1, TABLE | TOPA_END);
	put_bytes(4096 + 160);
	ck_assert(registers.status & STATUS_STOPPED);
	assert_counting(FIRST, 4096, 0);
	ck_assert(pt_output_halted(&output));
	/* Linux reads from these that trace was lost. */
	ck_assert_uint_eq(registers.output_base, TABLE);
	ck_assert_uint_eq(registers.output_mask, 4096ull << 32 | 0x7f);
}
END_TEST

static const struct {
	uint64_t entry;
	uint64_t base;
} bad_tables[] = {
	{ FIRST | 1 << 1, TABLE }, /* reserved bit */
	{ SECOND_TABLE | TOPA_END | TOPA_STOP, TABLE },
	{ SECOND_TABLE | TOPA_END | TOPA_INT, TABLE },
	{ TABLE | TOPA_END, TABLE }, /* links to itself */
	{ FIRST | 0x1000 | 4ull << TOPA_SIZE_SHIFT, TABLE }, /* unaligned */
	{ MEMORY_SIZE, TABLE },				     /* no memory */
	{ FIRST, MEMORY_SIZE },				     /* no table */
};

START_TEST(bad_tables_set_error)
{
	registers.output_base = bad_tables[_i].base;
	if (bad_tables[_i].base == TABLE)
		memory_bus_topa(&memory, TABLE, 0, bad_tables[_i].entry);
	put_bytes(64);
	ck_assert(registers.status & STATUS_ERROR);
	ck_assert(!(registers.status & STATUS_STOPPED));
}
END_TEST

START_TEST(single_range_wraps)
{
	registers.ctl = CTL_TRACE_EN;
	registers.output_base = FIRST;
	registers.output_mask = 0xfff;
	put_bytes(4096 + 48);
	assert_counting(FIRST, 48, 4096);
	assert_counting(FIRST + 48, 4096 - 48, 48);
	ck_assert_uint_eq(registers.output_mask, 48ull << 32 | 0xfff);
}
END_TEST

START_TEST(single_range_needs_its_base_aligned)
{
	registers.ctl = CTL_TRACE_EN;
	registers.output_base = FIRST + 0x800;
	registers.output_mask = 0xfff;
	put_bytes(16);
	ck_assert(registers.status & STATUS_ERROR);
}
END_TEST

START_TEST(packet_byte_count_counts_from_the_psb)
{
	memory_bus_topa(&memory, TABLE, 0, region(FIRST, 4, 0));
	put_bytes(320);
	ck_assert_uint_eq(registers.status >> STATUS_BYTE_COUNT_SHIFT, 320);
	pt_output_restart_count(&output);
	put_bytes(32);
	ck_assert_uint_eq(registers.status >> STATUS_BYTE_COUNT_SHIFT, 32);
	/* Software may restore the count for the unit's next start. */
	pt_output_start(&output);
	put_bytes(16);
	ck_assert_uint_eq(registers.status >> STATUS_BYTE_COUNT_SHIFT, 48);
}
END_TEST

SUITE("pt_output")
{
	FIXTURE(set_up, NULL);
	TEST_TIMES(regions_of_every_size_fill_in_order, 8);
	TEST(end_leads_to_another_table_and_round);
	TEST(int_raises_one_interrupt_when_the_region_is_full);
	TEST(a_single_region_interrupts_before_it_is_full);
	TEST(stop_keeps_what_fits_and_drops_the_rest);
	TEST_EACH(bad_tables_set_error, bad_tables);
	TEST(single_range_wraps);
	TEST(single_range_needs_its_base_aligned);
	TEST(packet_byte_count_counts_from_the_psb);
}
