/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "symbolize/elf/inlined_ranges.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* outer() is inlined twice into caller(), and inner() into it. */
static const char source[] =
	"volatile int sink;\n"
	"#define INLINE static inline __attribute__((always_inline))\n"
	"INLINE void inner(int n) { sink = n; sink = n + 1; }\n"
	"INLINE void outer(int n) { sink = 7; inner(n); sink = 8; }\n"
	"__attribute__((noinline)) void caller(int n)\n"
	"{ sink = 1; outer(n); sink = 2; outer(-n); sink = 3; }\n"
	"int main(void) { caller(5); return 0; }\n";

static const struct {
	const char *build;
	bool is_known;
} builds[] = {
	{ "cc -g -O2 -o prog prog.c", true },
	{ "cc -g -O0 -o prog prog.c", true },
	{ "cc -gdwarf-4 -O2 -no-pie -o prog prog.c", true },
	{ "cc -g -O2 -static -o prog prog.c", true },
	{ "cc -g -O2 -o prog prog.c && objcopy --only-keep-debug prog d && "
	  "strip prog && objcopy --add-gnu-debuglink=d prog",
	  true },
	{ "c++ -x c++ -g -O2 -o prog prog.c", true },
	{ "cc -O2 -o prog prog.c", false },
};

static struct function_table *functions;
static struct array ranges;

/* Builds @commands and reads its ranges. Returns false if it cannot be built. */
static bool read_program(const char *commands)
{
	struct scratch_folder folder = scratch_folder_new();
	char command[400];
	char path[128];
	bool is_built;

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	scratch_folder_write(&folder, "prog.c", source);
	snprintf(command, sizeof(command), "cd %s && (%s) 2>/dev/null",
		 folder.path, commands);
	is_built = system(command) == 0;
	if (is_built)
		ck_assert_int_eq(inlined_ranges_add(
					 path,
					 function_table_module(functions, path,
							       strlen(path)),
					 functions, &ranges),
				 0);
	ck_assert_int_eq(function_table_name_inlined(functions, 1), 0);
	scratch_folder_free(&folder);
	return is_built;
}

static void set_up(void)
{
	functions = function_table_new();
	ranges = ARRAY_OF(struct inlined_range);
}

static void tear_down(void)
{
	function_table_free(functions);
	array_free(&ranges);
}

static const struct inlined_range *range_at(size_t index)
{
	return array_at(&ranges, index);
}

static bool is_call_of(const struct inlined_site *site, const char *name)
{
	return !strcmp(function_at(functions, site->function)->name, name);
}

/* Returns how many calls of @name at @depth begin at the start of a range. */
static unsigned int entries_of(const char *name, uint32_t depth)
{
	unsigned int count = 0;

	for (size_t i = 0; i < ranges.count; i++) {
		uint32_t number = range_at(i)->site;
		const struct inlined_site *site;

		while (number) {
			site = function_table_site(functions, number);
			count += site->depth == depth &&
				 is_call_of(site, name) &&
				 range_at(i)->entries >> (depth - 1) & 1;
			number = site->parent;
		}
	}
	return count;
}

/* At @offset is range @index, where the calls @entries begin. */
static void check_found(size_t index, uint64_t offset, uint32_t entries)
{
	struct inlined_place place;

	ck_assert(inlined_ranges_find(&ranges, 0, offset, UINT64_MAX, &place));
	ck_assert_uint_eq(place.site, range_at(index)->site);
	ck_assert_uint_eq(place.entries, entries);
	ck_assert_uint_eq(place.end, range_at(index)->end);
}

START_TEST(each_call_has_its_code_and_its_start)
{
	if (!read_program(builds[_i].build)) {
		printf("skipped: cannot be built here: %s\n", builds[_i].build);
		return;
	}
	ck_assert_int_eq(ranges.count > 0, builds[_i].is_known);
	for (size_t i = 0; i < ranges.count; i++) {
		ck_assert_uint_lt(range_at(i)->start, range_at(i)->end);
		if (i)
			ck_assert_uint_le(range_at(i - 1)->end,
					  range_at(i)->start);
		check_found(i, range_at(i)->start, range_at(i)->entries);
		check_found(i, range_at(i)->end - 1,
			    range_at(i)->end - range_at(i)->start == 1 ?
				    range_at(i)->entries :
				    0);
	}
	if (!builds[_i].is_known)
		return;
	ck_assert_uint_eq(entries_of("outer (inlined)", 1) +
				  entries_of("outer(int) (inlined)", 1),
			  2);
	ck_assert_uint_eq(entries_of("inner (inlined)", 2) +
				  entries_of("inner(int) (inlined)", 2),
			  2);
}
END_TEST

/* Returns the address of function @name of the program in @folder; 0: none. */
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

/* Reads the ranges of the file prog in @folder with @places at @distance from
 * their addresses there, and the second one @more bytes further.
 */
static void read_kernel(const struct scratch_folder *folder, const char *module,
			uint64_t distance, uint64_t more)
{
	struct kernel_place places[] = { { .name = "main" },
					 { .name = "caller" },
					 { .name = "nowhere", .address = 1 } };
	char path[128];

	for (size_t i = 0; i < 2; i++)
		places[i].address = address_of(folder, places[i].name) +
				    distance + i * more;
	scratch_folder_path(folder, "prog", path, sizeof(path));
	ck_assert_int_eq(inlined_ranges_add_kernel(
				 path,
				 function_table_module(functions, module,
						       strlen(module)),
				 places, 3, functions, &ranges),
			 0);
	inlined_ranges_sort(&ranges);
}

/* Fails unless there are ranges, all within caller() at @distance. */
static void expect_in_caller(const struct scratch_folder *folder,
			     uint64_t distance)
{
	enum { CALLER_BYTES = 256 };
	uint64_t start = address_of(folder, "caller") + distance;

	ck_assert_uint_gt(ranges.count, 0);
	for (size_t i = 0; i < ranges.count; i++)
		ck_assert(range_at(i)->start >= start &&
			  range_at(i)->end <= start + CALLER_BYTES);
}

/* Builds @command in @folder. Returns false if it cannot be built. */
static bool build(const struct scratch_folder *folder, const char *options)
{
	char command[200];

	scratch_folder_write(folder, "prog.c", source);
	snprintf(command, sizeof(command),
		 "cd %s && cc -g -O2 %s -o prog prog.c 2>/dev/null",
		 folder->path, options);
	if (system(command) == 0)
		return true;
	printf("skipped: no C compiler here\n");
	return false;
}

/* The kernel runs at other addresses than its debug data has. */
START_TEST(ranges_of_a_kernel_are_where_its_functions_are)
{
	enum { DISTANCE = 0x1000000 };
	struct scratch_folder folder = scratch_folder_new();

	if (build(&folder, "-no-pie")) {
		read_kernel(&folder, "", DISTANCE, 0);
		expect_in_caller(&folder, DISTANCE);
		array_free(&ranges);
		read_kernel(&folder, "", DISTANCE, 1);
		ck_assert_uint_eq(ranges.count, 0);
	}
	scratch_folder_free(&folder);
}
END_TEST

/* Each section of a module, whose file is not linked, is elsewhere: caller() is
 * not in that of main().
 */
START_TEST(ranges_of_a_module_are_where_its_sections_are)
{
	enum { DISTANCE = 0x1000000, MORE = 0x100000 };
	struct scratch_folder folder = scratch_folder_new();

	if (build(&folder, "-c -ffunction-sections")) {
		read_kernel(&folder, "a_module", DISTANCE, MORE);
		expect_in_caller(&folder, DISTANCE + MORE);
	}
	scratch_folder_free(&folder);
}
END_TEST

/* A local class has no mangled name of its own. */
static const char lambda_source[] =
	"volatile int sink;\n"
	"namespace shop {\n"
	"template <class F> inline __attribute__((always_inline))\n"
	"void twice(F f) { f(1); f(2); }\n"
	"}\n"
	"int main() { shop::twice([](int n) { sink = n; }); }\n";

/* gcc gives a lambda no linkage name, so its scopes are its name; clang gives it
 * one, in which main is a scope.
 */
static bool is_lambda(const char *name)
{
	const char *mangled = "_ZZ4main";

	return !strncmp(name, mangled, strlen(mangled)) ||
	       (!strncmp(name, "main::<", strlen("main::<")) &&
		strstr(name, ">::operator()"));
}

START_TEST(a_local_function_has_its_scope)
{
	struct scratch_folder folder = scratch_folder_new();
	bool has_lambda = false;
	char command[200];
	char path[128];

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	scratch_folder_write(&folder, "prog.cc", lambda_source);
	snprintf(command, sizeof(command),
		 "cd %s && c++ -g -O2 -o prog prog.cc 2>/dev/null",
		 folder.path);
	if (system(command) == 0) {
		ck_assert_int_eq(inlined_ranges_add(
					 path,
					 function_table_module(functions, path,
							       strlen(path)),
					 functions, &ranges),
				 0);
		for (uint32_t i = 0; i < function_count(functions); i++)
			has_lambda |=
				is_lambda(function_at(functions, i)->name);
		ck_assert(has_lambda);
	} else {
		printf("skipped: no C++ compiler here\n");
	}
	scratch_folder_free(&folder);
}
END_TEST

START_TEST(names_are_found_with_and_without_their_mark)
{
	const struct function *outer = NULL;

	if (!read_program(builds[0].build)) {
		printf("skipped: cannot be built here: %s\n", builds[0].build);
		return;
	}
	for (uint32_t i = 0; i < function_count(functions); i++)
		if (!strcmp(function_at(functions, i)->base, "outer"))
			outer = function_at(functions, i);
	ck_assert_ptr_nonnull(outer);
	ck_assert_str_eq(outer->name, "outer (inlined)");
	ck_assert_str_eq(function_symbol(outer), "outer");
	ck_assert(function_is_called(outer, "outer", 5));
	ck_assert(function_is_called(outer, "outer (inlined)", 15));
	ck_assert(!function_is_called(outer, "oute", 4));
}
END_TEST

SUITE("inlined_ranges")
{
	LIMIT_S(60);
	FIXTURE(set_up, tear_down);
	TEST_EACH(each_call_has_its_code_and_its_start, builds);
	TEST(ranges_of_a_kernel_are_where_its_functions_are);
	TEST(ranges_of_a_module_are_where_its_sections_are);
	TEST(a_local_function_has_its_scope);
	TEST(names_are_found_with_and_without_their_mark);
}
