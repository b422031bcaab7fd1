/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"
#include "common/formats/build_id_cache.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program that is looked into; its lines are known. */
static const char source[] = "int twice(int number)\n"
			     "{\n"
			     "	return 2 * number;\n"
			     "}\n"
			     "\n"
			     "int main(void)\n"
			     "{\n"
			     "	return twice(21) - 42;\n"
			     "}\n";

/* Variants of storing debug information: shell commands, run in the program's
 * folder.
 */
static const struct {
	const char *build;
	bool has_lines;
	bool has_symbols;
} builds[] = {
	{ "cc -g -O0 -o prog prog.c", true, true },
	{ "cc -g -O0 -static -o prog prog.c", true, true },
	{ "cc -g -O0 -no-pie -o prog prog.c", true, true },
	{ "cc -g -O0 -shared -fPIC -o prog prog.c", true, true },
	{ "cc -O0 -o prog prog.c", false, true },
	/* A separate file, named by .gnu_debuglink. */
	{ "cc -g -O0 -o prog prog.c && objcopy --only-keep-debug prog "
	  "prog.debug && strip prog && objcopy --add-gnu-debuglink=prog.debug "
	  "prog",
	  true, true },
	/* The separate file is in .debug there; the program is a symbolic link.
	 */
	{ "cc -g -O0 -o prog prog.c && mkdir .debug && objcopy "
	  "--only-keep-debug prog .debug/prog.debug && strip prog && objcopy "
	  "--add-gnu-debuglink=.debug/prog.debug prog",
	  true, true },
	{ "mkdir real && cc -g -O0 -o real/own prog.c && objcopy "
	  "--only-keep-debug real/own real/own.debug && strip real/own && "
	  "objcopy --add-gnu-debuglink=real/own.debug real/own && ln -s "
	  "real/own prog",
	  true, true },
	/* .gnu_debugdata: names only, compressed. */
	{ "cc -O0 -o prog prog.c && objcopy -S -R .comment --keep-symbol=twice "
	  "--keep-symbol=main prog mini && xz -q mini && strip prog && objcopy "
	  "--add-section .gnu_debugdata=mini.xz prog",
	  false, true },
	{ "cc -O0 -o prog prog.c && strip prog", false, false },
};

static bool build(const struct scratch_folder *folder, const char *commands)
{
	char line[1024];

	scratch_folder_write(folder, "prog.c", source);
	snprintf(line, sizeof(line), "cd %s && (%s) 2>/dev/null", folder->path,
		 commands);
	return system(line) == 0;
}

static const struct function *
function_named(const struct function_table *functions, const char *name)
{
	for (uint32_t i = 0; i < function_count(functions); i++)
		if (!strcmp(function_at(functions, i)->name, name))
			return function_at(functions, i);
	return NULL;
}

static void check_lines(const struct function *twice, bool has_lines)
{
	struct lines *lines = lines_new(NULL);
	struct function absent = *twice;
	struct source_line line;

	ck_assert_ptr_nonnull(lines);
	ck_assert_int_eq(lines_find(lines, twice, 0, &line), has_lines);
	if (has_lines) {
		ck_assert_str_eq(strrchr(line.file, '/'), "/prog.c");
		ck_assert_int_eq(line.line, 1);
		/* This address is after the prologue. */
		ck_assert(lines_find(lines, twice, 9, &line));
		ck_assert_int_eq(line.line, 3);
	}
	absent.module = "/nonexistent";
	ck_assert(!lines_find(lines, &absent, 9, &line));
	lines_free(lines);
}

/* The call ends before @twice + 10: sleeps have its return address. */
static void check_sleep(const struct function_table *functions,
			const struct function *twice, bool has_lines)
{
	struct lines *lines = lines_new(NULL);
	uint32_t number = 0;
	struct source_line line;

	while (function_at(functions, number) != twice)
		number++;
	ck_assert_int_eq(sleep_find_line(lines, functions, number,
					 twice->address + 10, &line),
			 has_lines);
	if (has_lines)
		ck_assert_int_eq(line.line, 3);
	ck_assert(!sleep_find_line(lines, functions, number, 0, &line));
	ck_assert(!sleep_find_line(NULL, functions, number, twice->address + 10,
				   &line));
	lines_free(lines);
}

START_TEST(functions_and_their_lines_are_found)
{
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	struct scratch_folder folder = scratch_folder_new();
	const struct function *twice;
	char path[128];

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	if (build(&folder, builds[_i].build)) {
		ck_assert_int_eq(elf_symbols_add(path, functions, map, NULL),
				 0);
		twice = function_named(functions, "twice");
		ck_assert_int_eq(!!twice, builds[_i].has_symbols);
		if (twice)
			check_lines(twice, builds[_i].has_lines);
		if (twice)
			check_sleep(functions, twice, builds[_i].has_lines);
	} else {
		printf("skipped: cannot be built here: %s\n", builds[_i].build);
	}
	address_map_free(map);
	function_table_free(functions);
	scratch_folder_free(&folder);
}
END_TEST

/* An entry whose first code was inlined, and a call from inlined code. */
static const char inlined_source[] =
	"int sink(int);\n"
	"static inline __attribute__((always_inline)) int inner(int number)\n"
	"{\n"
	"	return sink(number * 3) + 1;\n"
	"}\n"
	"\n"
	"int outer(int number)\n"
	"{\n"
	"	return\n"
	"		inner(number);\n"
	"}\n";

START_TEST(inlined_code_is_where_it_is_called)
{
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	struct scratch_folder folder = scratch_folder_new();
	struct lines *lines = lines_new(NULL);
	const struct function *outer;
	struct source_line line;
	char command[300];
	char path[128];

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	scratch_folder_write(&folder, "prog.c", inlined_source);
	snprintf(command, sizeof(command),
		 "cd %s && cc -g -O2 -shared -fPIC -o prog prog.c",
		 folder.path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(elf_symbols_add(path, functions, map, NULL), 0);
	outer = function_named(functions, "outer");
	ck_assert_ptr_nonnull(outer);
	ck_assert(lines_find(lines, outer, 0, &line));
	ck_assert_int_eq(line.line, 7);
	/* The multiplication, or the line directly after it. */
	ck_assert(lines_find(lines, outer, 4, &line));
	ck_assert_int_eq(line.line, 10);
	lines_free(lines);
	address_map_free(map);
	function_table_free(functions);
	scratch_folder_free(&folder);
}
END_TEST

/* A debuginfod server is a tree of files, which its client also reads from
 * disk. "prog" has its debug data only there.
 */
static const char serve[] =
	"cc -g -O0 -o prog prog.c && id=$(readelf -n prog | "
	"sed -n 's/.*Build ID: //p') && mkdir -p server/buildid/$id && objcopy "
	"--only-keep-debug prog server/buildid/$id/debuginfo && strip prog";

static void set_server(const struct scratch_folder *folder, const char *consent)
{
	char value[128];

	snprintf(value, sizeof(value), "file://%s/server", folder->path);
	setenv("DEBUGINFOD_URLS", value, 1);
	snprintf(value, sizeof(value), "%s/cache", folder->path);
	setenv("DEBUGINFOD_CACHE_PATH", value, 1);
	if (consent)
		setenv("KTRACE_DEBUGINFOD", consent, 1);
	else
		unsetenv("KTRACE_DEBUGINFOD");
}

START_TEST(servers_are_queried_only_with_consent)
{
	static const char *const consents[] = { NULL, "0", "1" };
	/* libdwfl loads the library that queries servers, if there is one. */
	bool can_query = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	struct scratch_folder folder = scratch_folder_new();
	struct elf_build_id id;
	char path[128];
	char *debug;

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	ck_assert(build(&folder, serve));
	set_server(&folder, consents[_i]);
	ck_assert_int_eq(elf_symbols_add(path, functions, map, NULL), 0);
	ck_assert_int_eq(!!function_named(functions, "twice"),
			 _i == 2 && can_query);
	if (_i == 2 && can_query)
		check_lines(function_named(functions, "twice"), true);
	/* As for the kernel, of which no file is at hand. */
	id = elf_build_id_of_file(path);
	debug = elf_file_query_debug(&id);
	ck_assert_int_eq(debug && !access(debug, R_OK), _i == 2 && can_query);
	free(debug);
	id.bytes[0] ^= 1;
	ck_assert_ptr_null(elf_file_query_debug(&id));
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("KTRACE_DEBUGINFOD");
	address_map_free(map);
	function_table_free(functions);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("lines")
{
	LIMIT_S(60);
	TEST_EACH(functions_and_their_lines_are_found, builds);
	TEST(inlined_code_is_where_it_is_called);
	TEST_TIMES(servers_are_queried_only_with_consent, 3);
}
