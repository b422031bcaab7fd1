/* SPDX-License-Identifier: MIT */
/* A symbol found for an address is the same for the whole range that is
 * returned with it.
 */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "symbolize/symbols/symbols.h"
#include "tests/assert_each.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/made_elf.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Process 7 has the program, mapped a second time over the end of its
 * functions, and a third time directly after that. The kernel's hole reaches
 * down to 0.
 */
#define BASE 0x400000
static const struct {
	uint64_t address;
	uint64_t size;
	uint64_t offset;
} maps[] = {
	{ BASE, MADE_ELF_BYTES, 0 },
	{ BASE + MADE_ELF_CODE + 0x30, 0x30, MADE_ELF_CODE },
	{ BASE + MADE_ELF_CODE + 0x60, 0x28, MADE_ELF_CODE + 0x10 },
	{ BASE + 0x10000, 0x800, MADE_ELF_CODE },
};

static const uint64_t places[] = {
	BASE - 1,
	BASE + 8,
	BASE + MADE_ELF_CODE,
	BASE + MADE_ELF_CODE + 0x28,
	BASE + MADE_ELF_CODE + 0x38,
	BASE + MADE_ELF_CODE + 0x70,
	BASE + MADE_ELF_CODE + 0x90,
	BASE + MADE_ELF_BYTES,
	BASE + 0x10008,
	BASE + 0x10800,
	0xffff800000000000,
};

static struct recording_fixture fixture;
static struct recording *recording;
static struct symbols *symbols;
static struct symbol found[sizeof(places) / sizeof(*places)];

static void set_up(void)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	static const uint8_t none[1];
	struct made_elf elf;
	char path[128];

	made_elf_begin(&elf, EM_AARCH64);
	made_elf_common(&elf, 30, none, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		made_elf_function(&elf, names[i], none, 0);
	made_elf_end(&elf);
	recording_fixture_begin_coresight(&fixture);
	fixture.arch = "aarch64";
	snprintf(path, sizeof(path), "%s/program", fixture.path);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		recording_fixture_map(&fixture, 7, path, maps[i].address,
				      maps[i].size, maps[i].offset);
	recording_fixture_write(&fixture);
	made_elf_write(&elf, path);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
}

static void tear_down(void)
{
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

/* Returns whether the lookup of @address finds the same as @symbol, of @range.
 */
static bool is_same(uint64_t address, const struct symbol *symbol,
		    const struct symbol_range *range)
{
	struct symbol other;
	struct symbol_range others;

	symbols_find_range(symbols, 7, UINT64_MAX, address, &other, &others);
	return other.function == symbol->function &&
	       other.start == symbol->start && other.end == symbol->end &&
	       others.start == range->start && others.end == range->end;
}

START_TEST(a_found_symbol_holds_for_the_range)
{
	struct symbol_range range;
	struct symbol symbol;

	symbols_find_range(symbols, 7, UINT64_MAX, places[_i], &symbol, &range);
	ck_assert(range.start <= places[_i] && places[_i] < range.end);
	ck_assert_uint_gt(range.end - range.start, 1);
	ck_assert(is_same(range.start, &symbol, &range));
	ck_assert(is_same(range.end - 1, &symbol, &range));
	for (uint64_t at = BASE - 8; at < BASE + 0x10808; at += 8)
		if (at >= range.start && at < range.end)
			assert_each(is_same(at, &symbol, &range));
}
END_TEST

START_TEST(ranges_do_not_overlap)
{
	struct symbol_range last = { .start = UINT64_MAX };

	for (uint64_t at = BASE - 8; at < BASE + 0x10808; at += 8) {
		struct symbol_range range;
		struct symbol symbol;

		symbols_find_range(symbols, 7, UINT64_MAX, at, &symbol, &range);
		assert_each(range.start == last.start ?
				    range.end == last.end :
				    range.start >= last.end);
		last = range;
	}
}
END_TEST

/* Two threads find the same symbols, and log missing files in the same order.
 */
START_TEST(threads_change_nothing)
{
	static char said[2][LOG_FIXTURE_TEXT];

	for (unsigned int threads = 1; threads <= 2; threads++) {
		const struct log log = { log_fixture_keep, said[threads - 1] };

		symbols_close(symbols);
		ck_assert_int_eq(
			symbols_open(recording, &log, threads, &symbols), 0);
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			struct symbol symbol;

			symbols_find(symbols, 7, UINT64_MAX, places[i],
				     &symbol);
			if (threads == 1)
				found[i] = symbol;
			ck_assert_uint_eq(symbol.function, found[i].function);
			ck_assert_uint_eq(symbol.start, found[i].start);
			ck_assert_uint_eq(symbol.end, found[i].end);
		}
	}
	/* The last address is the kernel's, and there are no kallsyms. */
	ck_assert_ptr_nonnull(strstr(said[0], "kallsyms"));
	ck_assert_str_eq(said[0], said[1]);
}
END_TEST

SUITE("symbol_ranges")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(a_found_symbol_holds_for_the_range, places);
	TEST(ranges_do_not_overlap);
	TEST(threads_change_nothing);
}
