/* SPDX-License-Identifier: MIT */
#include "common/name_choice.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/symbols/symbols.h"
#include "tests/run_suite.h"

#include <string.h>

/* As gcc and ld make it of three files: the second has no cold part of show(),
 * and a clone of each.  kallsyms lists a module's symbols in no order.
 */
static const char kallsyms[] = "ffffffff9d000000 T _text\n"
			       "ffffffff9d0000f0 t __pfx_show\n"
			       "ffffffff9d000100 t show\n"
			       "ffffffff9d000140 t first\n"
			       "ffffffff9d0001f0 t __pfx_show\n"
			       "ffffffff9d000200 t show\n"
			       "ffffffff9d000240 t second.part.0\n"
			       "ffffffff9d000280 t second\n"
			       "ffffffff9d0002f0 t __pfx_show\n"
			       "ffffffff9d000300 t show\n"
			       "ffffffff9d000340 t set.isra.0\n"
			       "ffffffff9d000380 t set.isra.0\n"
			       "ffffffff9d000400 t show.cold\n"
			       "ffffffff9d000440 t first.cold\n"
			       "ffffffff9d000480 t second.part.0.cold\n"
			       "ffffffff9d0004c0 t show.cold\n"
			       "ffffffff9d000500 t set.isra.0.cold\n"
			       "ffffffff9d000600 D data\n"
			       "ffffffffc0000300 t show\t[mod]\n"
			       "ffffffffc00002f0 t __pfx_show\t[mod]\n"
			       "ffffffffc0000110 t init\t[mod]\n"
			       "ffffffffc00000f0 t __pfx_show\t[mod]\n"
			       "ffffffffc0000100 t show\t[mod]\n"
			       "ffffffffc0001100 t bpf_prog_1_run\t[bpf]\n"
			       "ffffffffc0001200 t bpf_prog_1_run\t[bpf]\n";

static const struct {
	uint64_t address;
	const char *name;
	const char *base;
	uint64_t entry;
} places[] = {
	{ 0xffffffff9d0000f4, "show@0x100", "show", 0xffffffff9d000100 },
	{ 0xffffffff9d000104, "show@0x100", "show", 0xffffffff9d000100 },
	{ 0xffffffff9d0001f4, "show@0x200", "show", 0xffffffff9d000200 },
	{ 0xffffffff9d000204, "show@0x200", "show", 0xffffffff9d000200 },
	{ 0xffffffff9d000300, "show@0x300", "show", 0xffffffff9d000300 },
	{ 0xffffffff9d000140, "first", "first", 0xffffffff9d000140 },
	{ 0xffffffff9d000240, "second.part.0", "second", 0xffffffff9d000240 },
	{ 0xffffffff9d000280, "second", "second", 0xffffffff9d000280 },
	{ 0xffffffff9d000340, "set.isra.0@0x340", "set", 0xffffffff9d000340 },
	{ 0xffffffff9d000380, "set.isra.0@0x380", "set", 0xffffffff9d000380 },
	{ 0xffffffff9d000400, "show@0x100", "show", 0xffffffff9d000100 },
	{ 0xffffffff9d000440, "first", "first", 0xffffffff9d000140 },
	{ 0xffffffff9d000480, "second.part.0", "second", 0xffffffff9d000240 },
	{ 0xffffffff9d0004c0, "show@0x300", "show", 0xffffffff9d000300 },
	{ 0xffffffff9d000500, "set.isra.0@0x340", "set", 0xffffffff9d000340 },
	{ 0xffffffffc00000f4, "show@0x0", "show", 0xffffffffc0000100 },
	{ 0xffffffffc0000100, "show@0x0", "show", 0xffffffffc0000100 },
	{ 0xffffffffc0000110, "init", "init", 0xffffffffc0000110 },
	{ 0xffffffffc00002f4, "show@0x200", "show", 0xffffffffc0000300 },
	{ 0xffffffffc0000304, "show@0x200", "show", 0xffffffffc0000300 },
	{ 0xffffffffc0001110, "bpf_prog_1_run", "bpf_prog_1_run",
	  0xffffffffc0001100 },
	{ 0xffffffffc0001210, "bpf_prog_1_run", "bpf_prog_1_run",
	  0xffffffffc0001100 },
};

static struct symbols *open_symbols(void)
{
	struct symbols *symbols;

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kallsyms,
					   strlen(kallsyms), "", 0, &symbols),
			 0);
	return symbols;
}

START_TEST(each_entry_is_a_function)
{
	struct symbols *symbols = open_symbols();
	const struct function *function;
	struct symbol symbol;

	symbols_find(symbols, -1, UINT64_MAX, places[_i].address, &symbol);
	function = function_at(symbols_functions(symbols), symbol.function);
	ck_assert_str_eq(function->name, places[_i].name);
	ck_assert_str_eq(function->base, places[_i].base);
	ck_assert_uint_eq(function->address, places[_i].entry);
	symbols_close(symbols);
}
END_TEST

START_TEST(no_two_have_one_name)
{
	struct symbols *symbols = open_symbols();
	const struct function_table *functions = symbols_functions(symbols);

	for (uint32_t i = 0; i < function_count(functions); i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct function *one = function_at(functions, i);
			const struct function *other =
				function_at(functions, j);

			ck_assert(one->module != other->module ||
				  strcmp(one->name, other->name) != 0);
		}
	symbols_close(symbols);
}
END_TEST

/* The number of functions that an option's name matches. */
static const struct {
	const char *name;
	uint32_t count;
	uint32_t by_pattern;
} meant[] = {
	{ "show", 5, 5 },
	{ "show@0x200", 2, 2 },
	{ "show@0x300", 1, 1 },
	{ "set", 2, 2 },
	{ "set.isra.0", 2, 2 },
	{ "set.isra.0@0x380", 1, 1 },
	{ "second", 2, 2 },
	{ "second.part.0", 1, 1 },
	{ "second.part", 0, 0 },
	{ "first", 1, 1 },
	{ "show@", 0, 0 },
	{ "s*", 0, 9 },
	{ "/^s[eh][a-z]*$/", 0, 9 },
};

START_TEST(a_name_means_all_that_have_it)
{
	struct symbols *symbols = open_symbols();
	const struct function_table *functions = symbols_functions(symbols);
	struct name_choice choice = NAME_CHOICE_NONE;
	const char *name = meant[_i].name;
	uint32_t count = 0;
	uint32_t chosen = 0;

	ck_assert(name_choice_add(&choice, name));
	for (uint32_t i = 1; i < function_count(functions); i++) {
		const struct function *function = function_at(functions, i);

		count += function_is_called(function, name, strlen(name));
		chosen += function_is_chosen(function, &choice);
	}
	ck_assert_uint_eq(count, meant[_i].count);
	ck_assert_uint_eq(chosen, meant[_i].by_pattern);
	name_choice_free(&choice);
	symbols_close(symbols);
}
END_TEST

START_TEST(rules_find_a_clone)
{
	struct symbols *symbols = open_symbols();
	const struct function_table *functions = symbols_functions(symbols);

	ck_assert_str_eq(function_at(functions,
				     function_table_kernel(functions, "set"))
				 ->name,
			 "set.isra.0@0x340");
	ck_assert_str_eq(function_at(functions,
				     function_table_kernel(functions, "second"))
				 ->name,
			 "second");
	ck_assert_uint_eq(function_table_kernel(functions, "init"),
			  FUNCTION_NONE);
	symbols_close(symbols);
}
END_TEST

SUITE("same_names")
{
	TEST_EACH(each_entry_is_a_function, places);
	TEST(no_two_have_one_name);
	TEST_EACH(a_name_means_all_that_have_it, meant);
	TEST(rules_find_a_clone);
}
