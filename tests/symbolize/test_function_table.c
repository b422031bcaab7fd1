/* SPDX-License-Identifier: MIT */
/* Merges the functions of two tables, the kernel's and programs', and compares
 * tables.
 */
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

static uint32_t add(struct function_table *table, const char *module,
		    const char *name, char space)
{
	return function_table_add(
		table, name, strlen(name),
		function_table_module(table, module, strlen(module)), space);
}

START_TEST(joined_functions_follow)
{
	struct function_table *table = function_table_new();
	struct function_table *programs = function_table_new();
	uint32_t read = add(table, "", "vfs_read", 'k');
	uint32_t main_of_ls = add(programs, "/bin/ls", "main", 'u');
	uint32_t main_of_cat = add(programs, "/bin/cat", "main", 'u');
	uint32_t hole = add(programs, "", "[gone]", 'u');
	uint32_t shift = function_table_join(table, programs);

	ck_assert_uint_ne(shift, FUNCTION_NONE);
	ck_assert_uint_eq(function_count(table), 5);
	ck_assert_str_eq(function_at(table, read)->name, "vfs_read");
	ck_assert_str_eq(function_at(table, main_of_ls + shift)->name, "main");
	ck_assert_str_eq(function_at(table, main_of_ls + shift)->module,
			 "/bin/ls");
	ck_assert_str_eq(function_at(table, main_of_cat + shift)->module,
			 "/bin/cat");
	ck_assert_str_eq(function_at(table, hole + shift)->name, "[gone]");
	ck_assert_int_eq(function_at(table, hole + shift)->space, 'u');
	/* Equal texts are one module. */
	ck_assert_ptr_eq(function_at(table, hole + shift)->module,
			 function_at(table, read)->module);
	ck_assert_ptr_eq(function_at(table, main_of_cat + shift)->module,
			 function_table_module(table, "/bin/cat", 8));
	function_table_free(table);
}
END_TEST

struct program {
	struct function_table *table;
	const char *module;
};

static uint32_t add_at(struct program *program, const char *symbol,
		       uint64_t address)
{
	return function_table_add_entry(program->table, symbol, strlen(symbol),
					program->module, 'u', address);
}

static const char *name_of(const struct program *program, uint32_t number)
{
	return function_at(program->table, number)->name;
}

/* Parameters are shown where functions would have one name, positions where
 * that is not enough.
 */
START_TEST(programs_names_are_demangled)
{
	struct program program = { .table = function_table_new() };
	uint32_t cost, one, other, first, second, plain, clone, log_of_c, log,
		twin, destructor;
	const struct function *function;

	program.module = function_table_module(program.table, "/bin/shop", 9);
	cost = add_at(&program, "_ZNK4shop5Order4costIiEET_S2_", 0x10);
	one = add_at(&program, "_Z4makei", 0x20);
	other = add_at(&program, "_Z4makel", 0x30);
	first = add_at(&program, "_ZN3FooC1Ev", 0x40);
	second = add_at(&program, "_ZN3FooC2Ev", 0x50);
	plain = add_at(&program, "main", 0x60);
	clone = add_at(&program, "_Z4workv.part.0", 0x70);
	log_of_c = add_at(&program, "log", 0x80);
	log = add_at(&program, "_Z3logi", 0x90);
	add_at(&program, "_Z4twini", 0xa0);
	twin = add_at(&program, "_Z4twini", 0xb0);
	add_at(&program, "_ZN3FooD1Ev", 0xc0);
	destructor = add_at(&program, "_ZN3FooD2Ev", 0xc0);
	ck_assert_int_eq(function_table_name_doubles(program.table), 0);
	ck_assert_int_eq(function_table_demangle(program.table), 0);
	ck_assert_str_eq(name_of(&program, twin), "twin@0xb0");
	ck_assert_str_eq(name_of(&program, cost), "shop::Order::cost<int>");
	ck_assert_str_eq(name_of(&program, one), "make(int)");
	ck_assert_str_eq(name_of(&program, other), "make(long)");
	ck_assert_str_eq(name_of(&program, first), "Foo::Foo()@0x40");
	ck_assert_str_eq(name_of(&program, second), "Foo::Foo()@0x50");
	ck_assert_str_eq(name_of(&program, destructor), "Foo::~Foo");
	ck_assert_str_eq(name_of(&program, plain), "main");
	ck_assert_str_eq(name_of(&program, log_of_c), "log");
	ck_assert_str_eq(name_of(&program, log), "log(int)");
	ck_assert_str_eq(name_of(&program, clone), "work.part.0");
	function = function_at(program.table, cost);
	ck_assert_str_eq(function->base, "cost");
	ck_assert_str_eq(function_symbol(function),
			 "_ZNK4shop5Order4costIiEET_S2_");
	ck_assert(!function->has_parameters);
	ck_assert(function_at(program.table, one)->has_parameters);
	ck_assert(!function_at(program.table, plain)->has_parameters);
	ck_assert_int_eq(
		function_table_display(program.table, FUNCTION_NAMES_FULL), 0);
	ck_assert(function->has_parameters);
	ck_assert_str_eq(name_of(&program, cost),
			 "int shop::Order::cost<int>(int) const");
	ck_assert_str_eq(name_of(&program, first), "Foo::Foo()@0x40");
	ck_assert_str_eq(name_of(&program, twin), "twin(int)@0xb0");
	ck_assert_int_eq(function_table_display(program.table,
						FUNCTION_NAMES_SYMBOLS),
			 0);
	ck_assert_str_eq(name_of(&program, one), "_Z4makei");
	function_table_free(program.table);
}
END_TEST

/* A template with a hundred arguments. */
START_TEST(long_names_show_their_ends)
{
	char symbol[512] = "_ZN4shop4costIJ";
	struct program program = { .table = function_table_new() };
	const struct function *function;
	uint32_t number;

	for (int i = 0; i < 100; i++)
		strcat(symbol, "i");
	strcat(symbol, "EE3endEv");
	program.module = function_table_module(program.table, "/bin/shop", 9);
	number = add_at(&program, symbol, 0x10);
	ck_assert_int_eq(function_table_demangle(program.table), 0);
	function = function_at(program.table, number);
	ck_assert_uint_eq(strlen(function->name), 243);
	ck_assert(!strncmp(function->name, "shop::cost<int, int, ", 21));
	ck_assert_ptr_nonnull(strstr(function->name, "..."));
	ck_assert_ptr_nonnull(strstr(function->name, "int, int>::end"));
	ck_assert(function_is_called(function, "end", 3));
	ck_assert(function_is_called(function, function->demangled->brief,
				     strlen(function->demangled->brief)));
	function_table_free(program.table);
}
END_TEST

START_TEST(demangled_functions_have_several_names)
{
	static const struct {
		const char *name;
		bool is_called;
	} cases[] = {
		{ "_ZNK4shop5Order4costIiEET_S2_", true },
		{ "shop::Order::cost<int>", true },
		{ "int shop::Order::cost<int>(int) const", true },
		{ "shop::Order::cost", true },
		{ "cost", true },
		{ "shop::Order::cost<int>.isra.0", false },
		{ "Order::cost", false },
		{ "cost<int>", false },
		{ "shop::Order", false },
	};
	struct program program = { .table = function_table_new() };
	uint32_t cost;

	program.module = function_table_module(program.table, "/bin/shop", 9);
	cost = add_at(&program, "_ZNK4shop5Order4costIiEET_S2_", 0x10);
	ck_assert_int_eq(function_table_demangle(program.table), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct function *function =
			function_at(program.table, cost);

		ck_assert_msg(function_is_called(function, cases[i].name,
						 strlen(cases[i].name)) ==
				      cases[i].is_called,
			      "%s", cases[i].name);
	}
	function_table_free(program.table);
}
END_TEST

START_TEST(functions_added_later_are_new)
{
	struct function_table *table = function_table_new();
	struct function_table *programs = function_table_new();

	add(programs, "/bin/ls", "main", 'u');
	ck_assert_uint_eq(function_table_join(table, programs), 0);
	ck_assert_uint_eq(add(table, "", "vfs_read", 'k'), 2);
	ck_assert_uint_eq(function_table_kernel(table, "vfs_read"), 2);
	ck_assert_uint_eq(function_table_kernel(table, "main"), FUNCTION_NONE);
	function_table_free(table);
}
END_TEST

START_TEST(none_can_be_joined)
{
	struct function_table *table = function_table_new();

	add(table, "", "vfs_read", 'k');
	ck_assert_uint_eq(function_table_join(table, function_table_new()), 1);
	ck_assert_uint_eq(function_count(table), 2);
	function_table_free(table);
}
END_TEST

struct named {
	const char *module;
	const char *name;
	uint64_t address; /* 0: of no entry */
	char space;
};

static uint64_t digest_of(const struct named *named, size_t count)
{
	struct function_table *table = function_table_new();
	uint64_t digest;

	for (size_t i = 0; i < count; i++) {
		const struct named *one = &named[i];
		const char *module = function_table_module(table, one->module,
							   strlen(one->module));

		if (one->address)
			function_table_add_entry(table, one->name,
						 strlen(one->name), module,
						 one->space, one->address);
		else
			function_table_add(table, one->name, strlen(one->name),
					   module, one->space);
	}
	digest = function_table_digest(table);
	function_table_free(table);
	return digest;
}

/* Each table differs from the first one in one thing. */
START_TEST(digests_of_different_tables_differ)
{
	static const struct named tables[][3] = {
		{ { "", "a", 1, 'k' },
		  { "", "b", 2, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "m", "a", 1, 'k' },
		  { "", "b", 2, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "", "a", 1, 'k' },
		  { "", "c", 2, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "", "a", 1, 'k' },
		  { "", "b", 4, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "", "a", 1, 'k' },
		  { "", "b", 2, 'k' },
		  { "", "a", 4, 'k' } },
		{ { "", "a", 1, 'k' },
		  { "", "b", 0, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "", "a", 1, 'u' },
		  { "", "b", 2, 'k' },
		  { "", "a", 3, 'k' } },
		{ { "", "a", 1, 'k' },
		  { "", "b", 2, 'k' },
		  { "m", "a", 3, 'k' } },
		{ { "", "b", 2, 'k' },
		  { "", "a", 1, 'k' },
		  { "", "a", 3, 'k' } },
	};
	enum { TABLES = sizeof(tables) / sizeof(*tables) };
	uint64_t digests[TABLES];

	for (int i = 0; i < TABLES; i++) {
		digests[i] = digest_of(tables[i], 3);
		ck_assert_uint_eq(digests[i], digest_of(tables[i], 3));
		for (int j = 0; j < i; j++)
			ck_assert_uint_ne(digests[i], digests[j]);
	}
	ck_assert_uint_ne(digest_of(tables[0], 2), digests[0]);
}
END_TEST

START_TEST(digests_depend_on_joined_and_located_functions)
{
	struct function_table *table = function_table_new();
	struct function_table *programs = function_table_new();
	uint32_t function = add(table, "", "vfs_read", 'k');
	uint64_t before = function_table_digest(table);
	uint64_t located;

	function_table_locate(table, function, 16);
	located = function_table_digest(table);
	ck_assert_uint_ne(located, before);
	add(programs, "/bin/ls", "main", 'u');
	function_table_join(table, programs);
	ck_assert_uint_ne(function_table_digest(table), located);
	function_table_free(table);
}
END_TEST

SUITE("function_table")
{
	TEST(joined_functions_follow);
	TEST(programs_names_are_demangled);
	TEST(long_names_show_their_ends);
	TEST(demangled_functions_have_several_names);
	TEST(functions_added_later_are_new);
	TEST(none_can_be_joined);
	TEST(digests_of_different_tables_differ);
	TEST(digests_depend_on_joined_and_located_functions);
}
