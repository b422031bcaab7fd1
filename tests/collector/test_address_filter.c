/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/trace_unit/address_filter.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000100 T vfs_read\n"
			       "ffffffff81000180 t aligned\n"
			       "ffffffff81000180 T alias\n"
			       "ffffffff81000200 D some_data\n"
			       "ffffffff81000400 T vfs_write\n"
			       "ffffffff81000500 t twice\n"
			       "ffffffff81000600 t twice\n"
			       "ffffffffc0000010 t helper\t[ext4]\n"
			       "ffffffffc0000000 t start\t[ext4]\n";

static struct kernel_symbols symbols(void)
{
	struct kernel_symbols result = { { 0 } };

	byte_buffer_text(&result.text, kallsyms);
	return result;
}

static const struct {
	const char *text;
	int result;
	const char *filter;
} cases[] = {
	{ "vfs_read", 0, "filter 0xffffffff81000100/0x80" },
	{ "alias", 0, "filter 0xffffffff81000180/0x280" },
	{ "start", 0, "filter 0xffffffffc0000000/0x10" },
	{ "helper", 0, "filter 0xffffffffc0000010/0x1" },
	{ "0x1000/0x20", 0, "filter 0x1000/0x20" },
	{ "0x1000-0x1800", 0, "filter 0x1000/0x800" },
	{ "vfs_read,0x10/16", 0,
	  "filter 0xffffffff81000100/0x80,filter 0x10/0x10" },
	{ "twice@0x600,twice@0x500", 0,
	  "filter 0xffffffff81000600/0x3efffa00,"
	  "filter 0xffffffff81000500/0x100" },
	{ "twice", -ERROR_NOT_FOUND, NULL },
	{ "nosuch", -ERROR_NOT_FOUND, NULL },
	{ "some_data", -ERROR_NOT_FOUND, NULL },
	{ "vfs", -ERROR_NOT_FOUND, NULL },
	{ "", -ERROR_NOT_FOUND, NULL },
	{ "0x1000", -ERROR_FORMAT, NULL },
	{ "0x1000/0", -ERROR_FORMAT, NULL },
	{ "0x1000-0x1000", -ERROR_FORMAT, NULL },
	{ "0x1000/8x", -ERROR_FORMAT, NULL },
	{ "1/1,2/1,3/1", -ERROR_UNSUPPORTED, NULL },
};

START_TEST(test_parse)
{
	struct kernel_symbols known = symbols();
	struct byte_buffer filter = { 0 };

	ck_assert_int_eq(address_filter_parse(cases[_i].text, &known, 2, NULL,
					      &filter),
			 cases[_i].result);
	if (!cases[_i].result)
		ck_assert_str_eq((const char *)filter.bytes, cases[_i].filter);
	byte_buffer_free(&filter);
	kernel_symbols_free(&known);
}
END_TEST

START_TEST(test_symbols)
{
	struct kernel_symbols known = symbols();
	struct kallsyms lines = kernel_symbols_walk(&known);
	struct kallsyms_line line;
	unsigned int count = 0;

	ck_assert_uint_eq(kernel_symbols_address(&known, "_text"),
			  0xffffffff81000000);
	ck_assert_uint_eq(kernel_symbols_address(&known, "text"), 0);
	ck_assert_uint_eq(kernel_symbols_address(&known, "helper"), 0);
	while (kallsyms_next(&lines, &line))
		count++;
	ck_assert_uint_eq(count, 11);
	ck_assert_uint_eq(line.module_length, 4);
	kernel_symbols_free(&known);
}
END_TEST

static const struct {
	const char *names[3];
	uint64_t address;
} searches[] = {
	{ { "vfs_write" }, 0xffffffff81000400 },
	{ { "vfs_write", "_text" }, 0xffffffff81000400 },
	{ { "nosuch", "vfs_read" }, 0xffffffff81000100 },
	{ { "helper", "fixed_percpu_data" }, 0 },
	{ { "vfs" }, 0 },
	{ { NULL }, 0 },
};

START_TEST(test_search)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];
	uint64_t address;

	scratch_folder_write(&folder, "kallsyms", kallsyms);
	scratch_folder_path(&folder, "kallsyms", path, sizeof(path));
	ck_assert_int_eq(
		kernel_symbols_search(path, searches[_i].names, &address), 0);
	ck_assert_uint_eq(address, searches[_i].address);
	scratch_folder_path(&folder, "nosuch", path, sizeof(path));
	ck_assert_int_eq(kernel_symbols_search(path, searches[_i].names,
					       &address),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ENOENT);
	scratch_folder_free(&folder);
}
END_TEST

START_TEST(test_dynamic_code)
{
	struct kernel_symbols known = { { 0 } };
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *items;

	byte_buffer_text(&known.text, "ffffffff81000000 T _text\n"
				      "ffffffffc0100000 t bpf_prog_1\t[bpf]\n"
				      "ffffffffc0000000 t start\t[ext4]\n"
				      "ffffffffc0001000 t ftrace_trampoline\t"
				      "[__builtin__ftrace]\n"
				      "ffffffffc0001800 t bpf_prog_2\t[bpf]\n"
				      "0000000000000000 t bpf_prog_3\t[bpf]\n");
	ck_assert_int_eq(dynamic_code_find(&known, &ranges), 0);
	ck_assert_uint_eq(ranges.count, 3);
	items = ranges.items;
	ck_assert_uint_eq(items[0].start, 0xffffffffc0001000);
	ck_assert_uint_eq(items[0].end, 0xffffffffc0001800);
	ck_assert_uint_eq(items[1].end, items[1].start + DYNAMIC_CODE_LIMIT);
	ck_assert_uint_eq(items[2].start, 0xffffffffc0100000);
	array_free(&ranges);
	kernel_symbols_free(&known);
}
END_TEST

SUITE("address_filter")
{
	TEST_EACH(test_parse, cases);
	TEST(test_symbols);
	TEST_EACH(test_search, searches);
	TEST(test_dynamic_code);
}
