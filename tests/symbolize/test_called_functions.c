/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/called_functions.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/elf/unwind_functions.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* called() is called; taken() and listed() are only reached by their addresses,
 * in code and in data; the cases of choose() are in a table, and are no
 * functions.
 */
static const char source[] =
	"#define APART __attribute__((noinline, noclone))\n"
	"volatile int sink;\n"
	"APART int called(int n) { sink = n; return sink * 3 + n; }\n"
	"APART int taken(int n) { sink = n; return sink * 5 + n; }\n"
	"APART int listed(int n) { sink = n; return sink * 7 + n; }\n"
	"int (*volatile list[])(int) = { listed };\n"
	"int (*volatile chosen)(int);\n"
	"APART int choose(int n)\n"
	"{\n"
	"	switch (n) {\n"
	"	case 0: sink = 5; return called(n);\n"
	"	case 1: sink = 6; return called(n + 3) - sink;\n"
	"	case 2: sink = 9; return sink + called(n + 4);\n"
	"	case 3: sink = 11; return called(n) * sink;\n"
	"	case 4: sink = 12; return called(n) ^ sink;\n"
	"	case 5: sink = 14; return called(n) & sink;\n"
	"	case 6: sink = 15; return called(n) | sink;\n"
	"	default: return sink;\n"
	"	}\n"
	"}\n"
	"int main(int n, char **a)\n"
	"{ chosen = taken; return called(n) + chosen(n) + list[0](n) +\n"
	"  choose(n); }\n";

static const char *const builds[] = {
	"cc -Os -fno-asynchronous-unwind-tables -o prog prog.c",
	"cc -O2 -no-pie -fno-pie -fno-asynchronous-unwind-tables "
	"-o prog prog.c",
};

/* Returns the address of function @name of the program in @folder. */
static uint64_t address_of(const struct scratch_folder *folder,
			   const char *name)
{
	char command[400];
	uint64_t address = 0;
	FILE *symbols;

	snprintf(command, sizeof(command), "nm %s/prog | grep ' T %s$'",
		 folder->path, name);
	symbols = popen(command, "re");
	if (symbols && fscanf(symbols, "%" SCNx64, &address) != 1)
		address = 0;
	if (symbols)
		pclose(symbols);
	return address;
}

/* The executable's first segment of code is at its offset plus @shift. */
static void check_start(const struct address_map *map,
			const struct function_table *functions,
			uint64_t address, uint64_t shift)
{
	const struct symbol *symbol = address_map_find(map, address - shift);
	char name[64];

	snprintf(name, sizeof(name), "bare+0x%" PRIx64 " (inferred)",
		 address - shift);
	ck_assert_uint_eq(symbol->start, address - shift);
	ck_assert_str_eq(function_at(functions, symbol->function)->name, name);
	ck_assert_uint_eq(function_at(functions, symbol->function)->address,
			  address);
}

START_TEST(functions_start_where_code_or_data_refers_to_them)
{
	static const char *const names[] = { "called", "taken", "listed",
					     "choose" };
	struct scratch_folder folder = scratch_folder_new();
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	uint64_t shift = strstr(builds[_i], "-no-pie") ? 0x400000 : 0;
	const struct symbol *symbol;
	char command[300];
	char path[128];
	uint64_t choose;

	scratch_folder_path(&folder, "bare", path, sizeof(path));
	scratch_folder_write(&folder, "prog.c", source);
	snprintf(command, sizeof(command),
		 "cd %s && %s 2>/dev/null && strip -o bare prog", folder.path,
		 builds[_i]);
	if (system(command) != 0 || !address_of(&folder, "called")) {
		printf("skipped: no C compiler of x86-64 and nm here\n");
		goto end;
	}
	elf_symbols_add(path, functions, map, NULL);
	ck_assert_int_eq(address_map_finish(map), 0);
	ck_assert_int_eq(unwind_functions_add(path, "bare", functions, map), 0);
	ck_assert_int_eq(called_functions_add(path, "bare", functions, map), 0);
	for (size_t i = 0; i < 4; i++)
		check_start(map, functions, address_of(&folder, names[i]),
			    shift);
	choose = address_of(&folder, "choose") - shift;
	symbol = address_map_find(map, choose + 0x30);
	ck_assert_uint_eq(symbol->start, choose);
end:
	address_map_free(map);
	function_table_free(functions);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("called_functions")
{
	TEST_EACH(functions_start_where_code_or_data_refers_to_them, builds);
}
