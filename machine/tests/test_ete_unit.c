/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/ete_decode.h"
#include "machine/tests/ete_memory.h"
#include "machine/tests/ete_walk.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20000, PAGES = ETE_MEMORY_SIZE / ETE_PAGE };

static struct ete_memory memory;
static struct ete_unit unit;
static struct walk walk;
static struct ete_decoded decoded;

static void set_up(void)
{
	ete_memory_init(&memory);
	ck_assert(ete_unit_init(&unit, &memory.bus, 0));
	walk_init(&walk, &unit, 42);
}

static void tear_down(void)
{
	walk_free(&walk);
	ete_decoded_free(&decoded);
	ete_unit_free(&unit);
}

static void run(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		walk_step(&walk);
}

static size_t written(void)
{
	return ete_unit_read_buffer(&unit, TRBPTR_EL1) - ETE_MEMORY_BASE;
}

static void decode(uint64_t config)
{
	size_t size = written();
	uint8_t *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	ete_memory_copy(&memory, ETE_MEMORY_BASE, bytes, size);
	ete_decode(&decoded, bytes, size, config, walk_code, &walk);
	free(bytes);
	ck_assert_uint_eq(decoded.errors, 0);
}

static void assert_same_instructions(void)
{
	ck_assert_uint_eq(decoded.count, walk.known);
	for (size_t i = 0; i < walk.known; i++)
		ck_assert_msg(decoded.addresses[i] == walk.addresses[i],
			      "instruction %zu", i);
	ck_assert_uint_eq(decoded.exceptions, walk.exceptions);
}

/* The bits that perf's options set in TRCCONFIGR, one by one and together. */
static const uint64_t configs[] = {
	0,
	CONFIGR_RS,
	CONFIGR_TS,
	CONFIGR_CID,
	CONFIGR_CID | CONFIGR_VMID,
	CONFIGR_CCI,
	CONFIGR_CCI | CONFIGR_TS,
	CONFIGR_CCI | CONFIGR_TS | CONFIGR_CID | CONFIGR_RS,
};

START_TEST(all_that_was_executed_is_decoded)
{
	uint64_t config = configs[_i];

	ete_memory_start(&unit, config, PAGES, 0);
	run(STEPS);
	decode(config);
	assert_same_instructions();
	ck_assert_uint_eq(decoded.trace_ons, 1);
	ck_assert(decoded.timestamps_grow);
	ck_assert_int_eq(decoded.timestamps > 0, !!(config & CONFIGR_TS));
	if (config & CONFIGR_CCI)
		ck_assert_uint_eq(decoded.cycles, unit.encoder.counted_cycles);
	if (config & CONFIGR_CID)
		ck_assert_uint_eq(decoded.last_context_id, walk.context_id);
}
END_TEST

START_TEST(cycle_counts_below_the_threshold_wait)
{
	const struct ete_time time = { .known = true };
	const uint64_t config = CONFIGR_CCI;

	ete_unit_write(&unit, TRCCCCTLR, 1000, &time);
	ete_memory_start(&unit, config, PAGES, 0);
	run(STEPS);
	decode(config);
	assert_same_instructions();
	ck_assert_uint_eq(decoded.cycles, unit.encoder.counted_cycles);
	ck_assert_uint_gt(decoded.cycles, 0);
}
END_TEST

START_TEST(compression_saves_most_of_the_bytes)
{
	ete_memory_start(&unit, CONFIGR_RS, PAGES, 0);
	run(STEPS);
	/* A third of these branches are indirect: 9 bytes uncompressed. */
	ck_assert_uint_lt(written(), 5 * STEPS / 2);
}
END_TEST

START_TEST(a_filled_buffer_interrupts_and_loses_nothing)
{
	const uint64_t limit = ETE_MEMORY_BASE + 3 * ETE_PAGE;
	uint64_t status;

	ete_memory_start(&unit, CONFIGR_RS, 1, 0);
	while (!memory.interrupts)
		run(1);
	run(50);
	ck_assert_uint_eq(memory.interrupts, 1);
	status = ete_unit_read_buffer(&unit, TRBSR_EL1);
	ck_assert_uint_eq(status, TRBSR_S | TRBSR_IRQ | TRBSR_WRAP |
					  TRBSR_BUFFER_FILLED);
	ck_assert_uint_eq(ete_unit_read_buffer(&unit, TRBPTR_EL1),
			  ETE_MEMORY_BASE);
	/* Like the driver: disables the buffer, and enables it again after the
	 * full part.
	 */
	ete_unit_write_buffer(&unit, TRBLIMITR_EL1, 0);
	ete_unit_write_buffer(&unit, TRBSR_EL1, 0);
	ete_unit_write_buffer(&unit, TRBPTR_EL1, ETE_MEMORY_BASE + ETE_PAGE);
	ete_unit_write_buffer(&unit, TRBLIMITR_EL1, limit | TRBLIMITR_E);
	run(100);
	decode(CONFIGR_RS);
	assert_same_instructions();
}
END_TEST

START_TEST(a_circular_buffer_wraps_without_interrupt)
{
	enum { CIRCULAR = 3 << 1 };

	ete_memory_start(&unit, 0, 2, CIRCULAR);
	run(STEPS);
	ck_assert_uint_eq(memory.interrupts, 0);
	ck_assert_uint_eq(ete_unit_read_buffer(&unit, TRBSR_EL1), TRBSR_WRAP);
	ck_assert_uint_lt(written(), 2 * ETE_PAGE);
}
END_TEST

START_TEST(a_wrapping_buffer_interrupts_and_goes_on)
{
	enum { WRAP = 1 << 1 };

	ete_memory_start(&unit, 0, 2, WRAP);
	run(STEPS);
	ck_assert_uint_gt(memory.interrupts, 1);
	ck_assert_uint_eq(ete_unit_read_buffer(&unit, TRBSR_EL1),
			  TRBSR_WRAP | TRBSR_IRQ);
}
END_TEST

START_TEST(memory_that_is_not_mapped_stops_collection)
{
	ete_memory_start(&unit, 0, PAGES + 1, 0);
	ete_unit_write_buffer(&unit, TRBPTR_EL1,
			      ETE_MEMORY_BASE + ETE_MEMORY_SIZE);
	run(100);
	ete_unit_drain(&unit);
	ck_assert_uint_eq(ete_unit_read_buffer(&unit, TRBSR_EL1),
			  TRBSR_S | TRBSR_IRQ | TRBSR_STAGE1_ABORT |
				  TRBSR_TRANSLATION_FAULT);
	ck_assert_uint_eq(memory.interrupts, 1);
}
END_TEST

START_TEST(only_permitted_levels_are_traced)
{
	ete_memory_start(&unit, 0, PAGES, 0);
	ete_unit_write_permission(&unit, _i ? TRFCR_E1TRE : TRFCR_E0TRE);
	run(STEPS);
	decode(0);
	ck_assert_uint_gt(decoded.count, 0);
	ck_assert_uint_gt(decoded.trace_ons, 1);
	for (size_t i = 0; i < decoded.count; i++)
		ck_assert_int_eq(decoded.addresses[i] >> 63, _i);
}
END_TEST

START_TEST(loss_leaves_an_overflow_and_a_new_beginning)
{
	size_t at = 0;

	unit_loss_init(&unit.loss, 1000, 1);
	ete_memory_start(&unit, CONFIGR_RS | CONFIGR_TS, PAGES, 0);
	run(STEPS);
	decode(CONFIGR_RS | CONFIGR_TS);
	ck_assert_uint_gt(decoded.trace_ons, 5);
	ck_assert_uint_lt(decoded.count, walk.known);
	/* The remaining addresses are in order. */
	for (size_t i = 0; i < decoded.count; i++, at++)
		while (at < walk.known &&
		       walk.addresses[at] != decoded.addresses[i])
			at++;
	ck_assert_uint_le(at, walk.known);
}
END_TEST

START_TEST(nothing_is_written_while_off)
{
	ete_memory_start(&unit, 0, PAGES, 0);
	ete_unit_write(&unit, TRCPRGCTLR, 0, &walk.time);
	run(100);
	ck_assert_uint_eq(written(), 0);
}
END_TEST

static const char *const faults[] = {
	"atom-lost",	"atom-wrong",	  "fast-clock",	 "time-wrong",
	"sync-lost",	"cycles-wrong",	  "address-off", "overflow-lost",
	"return-wrong", "exception-lost", "bytes-zero",
};

/* Returns the bytes of a walk that is the same each time; the caller frees. */
static uint8_t *trace_with(const char *fault, size_t *size)
{
	const uint64_t config = CONFIGR_CCI | CONFIGR_TS | CONFIGR_RS;
	uint8_t *bytes;

	tear_down();
	set_up();
	ck_assert(!fault || ete_fault_parse(&unit.encoder.fault, fault));
	unit_loss_init(&unit.loss, 1000, 1);
	ete_unit_write(&unit, TRCSYNCPR, 8, &walk.time);
	ete_memory_start(&unit, config, PAGES, 0);
	run(STEPS);
	*size = written();
	bytes = malloc(*size);
	ck_assert_ptr_nonnull(bytes);
	ete_memory_copy(&memory, ETE_MEMORY_BASE, bytes, *size);
	return bytes;
}

START_TEST(each_fault_damages_the_trace)
{
	size_t size, damaged_size;
	uint8_t *bytes = trace_with(NULL, &size);
	uint8_t *damaged = trace_with(faults[_i], &damaged_size);

	ck_assert(size != damaged_size || memcmp(bytes, damaged, size));
	ck_assert(!ete_fault_parse(&unit.encoder.fault, "nothing"));
	free(bytes);
	free(damaged);
}
END_TEST

SUITE("ete_unit")
{
	APART();
	FIXTURE(set_up, tear_down);
	TEST_EACH(all_that_was_executed_is_decoded, configs);
	TEST(cycle_counts_below_the_threshold_wait);
	TEST(compression_saves_most_of_the_bytes);
	TEST(a_filled_buffer_interrupts_and_loses_nothing);
	TEST(a_circular_buffer_wraps_without_interrupt);
	TEST(a_wrapping_buffer_interrupts_and_goes_on);
	TEST(memory_that_is_not_mapped_stops_collection);
	TEST_TIMES(only_permitted_levels_are_traced, 2);
	TEST(loss_leaves_an_overflow_and_a_new_beginning);
	TEST(nothing_is_written_while_off);
	TEST_EACH(each_fault_damages_the_trace, faults);
}
