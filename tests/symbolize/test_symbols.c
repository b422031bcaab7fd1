/* SPDX-License-Identifier: MIT */
#include "common/formats/kallsyms.h"
#include "symbolize/symbols/symbols.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

static const char kallsyms[] = "0000000000001000 A percpu_thing\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 t foo\n"
			       "ffffffff81000200 T alias_one\n"
			       "ffffffff81000200 T alias_two\n"
			       "ffffffff810002f0 t __pfx_bar\n"
			       "ffffffff81000300 t bar\n"
			       "ffffffff81000400 t foo.cold\n"
			       "ffffffff81000500 T its_return_thunk\n"
			       "ffffffff81000540 T __x86_indirect_thunk_array\n"
			       "ffffffff81000540 T __softirqentry_text_end\n"
			       "ffffffff81000574 T early_xen_iret_patch\n"
			       "ffffffff81000580 T irq_entries_start\n"
			       "ffffffff81000580 T __irqentry_text_start\n"
			       "ffffffff810005a0 T __kprobes_text_start\n"
			       "not a line\n"
			       "ffffffff81000600 D some_data\n"
			       "ffffffffc0000000 t foo\t[mod]\n"
			       "ffffffffc0000010 t mod_last\t[mod]\n";

static const char modules[] = "mod 4096 0 - Live 0xffffffffc0000000\n"
			      "hidden 4096 0 - Live 0x0000000000000000\n";

static const struct {
	uint64_t address;
	const char *name;
	const char *module;
	enum code_role role;
	bool padding;
} places[] = {
	{ 0xffffffff80ffffff, "[unknown]", "", CODE_FUNCTION, false },
	{ 0xffffffff81000000, "_stext", "", CODE_FUNCTION, false },
	{ 0xffffffff810000ff, "_stext", "", CODE_FUNCTION, false },
	{ 0xffffffff81000100, "foo", "", CODE_FUNCTION, false },
	{ 0xffffffff81000200, "alias_two", "", CODE_FUNCTION, false },
	{ 0xffffffff810002f4, "bar", "", CODE_FUNCTION, true },
	{ 0xffffffff81000304, "bar", "", CODE_FUNCTION, false },
	{ 0xffffffff81000410, "foo", "", CODE_FUNCTION, false },
	{ 0xffffffff81000500, "its_return_thunk", "", CODE_RETURN_THUNK,
	  false },
	{ 0xffffffff81000550, "__x86_indirect_thunk_array", "",
	  CODE_INDIRECT_THUNK, false },
	{ 0xffffffff81000574, "__x86_indirect_thunk_array", "",
	  CODE_INDIRECT_THUNK, false },
	{ 0xffffffff81000584, "irq_entries_start", "", CODE_FUNCTION, false },
	{ 0xffffffff810005a0, "__kprobes_text_start", "", CODE_FUNCTION,
	  false },
	{ 0xffffffff81000600, "[unknown]", "", CODE_FUNCTION, false },
	{ 0xffffffffc0000001, "foo", "mod", CODE_FUNCTION, false },
	{ 0xffffffffc0000fff, "mod_last", "mod", CODE_FUNCTION, false },
	{ 0xffffffffc0001000, "[unknown]", "", CODE_FUNCTION, false },
	{ 0x400000, "[unknown]", "", CODE_FUNCTION, false },
};

START_TEST(addresses_are_found)
{
	const struct function *function;
	struct symbols *symbols;
	struct symbol symbol;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kallsyms,
					   strlen(kallsyms), modules,
					   strlen(modules), &symbols),
			 0);
	symbols_find(symbols, -1, UINT64_MAX, places[_i].address, &symbol);
	function = function_at(symbols_functions(symbols), symbol.function);
	ck_assert_str_eq(function->name, places[_i].name);
	ck_assert_str_eq(function->module, places[_i].module);
	ck_assert_int_eq(symbol.role, places[_i].role);
	ck_assert_int_eq(symbol.padding, places[_i].padding);
	ck_assert_uint_le(symbol.start, places[_i].address);
	ck_assert_uint_gt(symbol.end, places[_i].address);
	symbols_close(symbols);
}
END_TEST

START_TEST(bad_lines_are_counted)
{
	struct kallsyms walk = kallsyms_of(kallsyms, strlen(kallsyms));
	struct kallsyms_line line;
	int lines = 0;

	while (kallsyms_next(&walk, &line) > 0)
		lines++;
	ck_assert_int_eq(lines, 18);
	ck_assert_uint_eq(walk.bad_lines, 1);
}
END_TEST

/* Suffixes of the name of a symbol, and the module in them. */
static const struct {
	const char *text;
	const char *module;
} line_ends[] = {
	{ "", "" },
	{ "\n", "" },
	{ "\t[mod]\n", "mod" },
	{ " [mod]\n", "mod" },
	{ "\t[mod]", "mod" },
	{ "\t\n", "" },
};

/* Names of all lengths, since eight bytes are compared at once. */
START_TEST(names_of_any_length_end_with_their_line)
{
	struct kallsyms_line line;
	char text[128];

	for (int length = 1; length <= 40; length++) {
		struct kallsyms walk;
		int size = snprintf(text, sizeof(text),
				    "%s t %.*s%sffffffff81000100 T b\n",
				    length % 2 ? "ffffffff81000000" : "1a",
				    length,
				    "abcdefghijklmnopqrstuvwxyz$.01234\x01\xff"
				    "56789",
				    line_ends[_i].text);

		/* Without a line end the name is the last. */
		if (!strchr(line_ends[_i].text, '\n'))
			size -= (int)strlen("ffffffff81000100 T b\n");
		walk = kallsyms_of(text, (size_t)size);
		ck_assert_int_eq(kallsyms_next(&walk, &line), 1);
		ck_assert_uint_eq(line.name_length, (size_t)length);
		ck_assert_uint_eq(line.module_length,
				  strlen(line_ends[_i].module));
		ck_assert_mem_eq(line.module, line_ends[_i].module,
				 line.module_length);
		ck_assert_int_eq(kallsyms_next(&walk, &line),
				 strchr(line_ends[_i].text, '\n') != NULL);
		ck_assert_uint_eq(walk.bad_lines, 0);
	}
}
END_TEST

/* Lines that are none, and how many are counted as bad. */
static const struct {
	const char *text;
	uint64_t count;
} bad_lines[] = {
	{ "\n", 1 },	    { "1\n", 1 },
	{ "1 \n", 1 },	    { "1 t\n", 1 },
	{ "1 t \n", 1 },    { "1 t  \n", 1 },
	{ "t a\n\n", 2 },   { "12345678901234567 t a\n", 1 },
	{ "1\t t a\n", 1 },
};

START_TEST(bad_lines_end_where_the_next_begins)
{
	struct kallsyms_line line;
	char text[64];
	struct kallsyms walk;

	snprintf(text, sizeof(text), "%s2 t b\n", bad_lines[_i].text);
	walk = kallsyms_of(text, strlen(text));
	ck_assert_int_eq(kallsyms_next(&walk, &line), 1);
	ck_assert_uint_eq(line.address, 2);
	ck_assert_int_eq(kallsyms_next(&walk, &line), 0);
	ck_assert_uint_eq(walk.bad_lines, bad_lines[_i].count);
}
END_TEST

SUITE("symbols")
{
	TEST_EACH(addresses_are_found, places);
	TEST(bad_lines_are_counted);
	TEST_EACH(names_of_any_length_end_with_their_line, line_ends);
	TEST_EACH(bad_lines_end_where_the_next_begins, bad_lines);
}
