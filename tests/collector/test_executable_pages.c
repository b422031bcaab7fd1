/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kernel of x86-64: its text and its top page table, memory with the other
 * tables, from physical address 0 on, and the area of modules.
 */
#define TEXT UINT64_C(0xffffffff81000000)
#define MEMORY UINT64_C(0xffff888000000000)
#define MODULES UINT64_C(0xffffffffc0000000)

enum {
	PAGE = 4096,
	LARGE_PAGE = 2 << 20,
	HEADERS = 0,
	TOP = 2,	 /* pages of the file: after a page of text */
	FIRST_TABLE = 3, /* physical 0: not used */
	TABLES = 6,
	THUNKS = FIRST_TABLE + TABLES,
	PAGES = THUNKS + 1,
};

enum { PRESENT = 1, LARGE = 1 << 7, TABLE = PRESENT };
#define NO_EXECUTE (UINT64_C(1) << 63)
/* Encrypted memory of AMD: no part of the address. */
#define ENCRYPTED (UINT64_C(1) << 47)

static struct scratch_folder folder;
static struct kcore kcore;
static struct kernel_symbols symbols;
static uint64_t file[PAGES][PAGE / sizeof(uint64_t)];

static uint64_t *table(uint64_t physical)
{
	return file[FIRST_TABLE + physical / PAGE];
}

static void make_tables(uint64_t text_bits)
{
	memset(file, 0, sizeof(file));
	file[TOP][511] = TABLE | ENCRYPTED | 0x1000;
	table(0x1000)[510] = TABLE | 0x2000;
	table(0x1000)[511] = TABLE | ENCRYPTED | 0x3000;
	table(0x2000)[8] = PRESENT | LARGE | text_bits;
	table(0x3000)[0] = TABLE | 0x4000;
	table(0x3000)[1] = PRESENT | LARGE | NO_EXECUTE;
	table(0x3000)[2] = TABLE | NO_EXECUTE | 0x4000;
	table(0x3000)[3] = PRESENT | LARGE;
	table(0x3000)[4] = TABLE | 0x7000000; /* memory that is not there */
	table(0x4000)[0] = PRESENT;
	table(0x4000)[1] = PRESENT | NO_EXECUTE;
	table(0x4000)[2] = PRESENT;
	table(0x4000)[3] = PRESENT | ENCRYPTED;
	table(0x4000)[4] = 0x8000;
}

static void make_headers(void)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4,
	};
	const Elf64_Phdr segments[] = {
		{ .p_type = PT_LOAD,
		  .p_offset = PAGE,
		  .p_vaddr = TEXT,
		  .p_memsz = 2 * PAGE,
		  .p_paddr = 0x1000000 },
		{ .p_type = PT_LOAD,
		  .p_offset = FIRST_TABLE * PAGE,
		  .p_vaddr = MEMORY,
		  .p_memsz = TABLES * PAGE },
		{ .p_type = PT_LOAD,
		  .p_offset = THUNKS * PAGE,
		  .p_vaddr = MODULES,
		  .p_memsz = 8 * LARGE_PAGE,
		  .p_paddr = UINT64_MAX },
		{ .p_type = PT_LOAD,
		  .p_offset = THUNKS * PAGE,
		  .p_vaddr = MODULES + 8 * LARGE_PAGE,
		  .p_memsz = 8 * LARGE_PAGE,
		  .p_paddr = UINT64_MAX },
	};

	memcpy(file[HEADERS], &header, sizeof(header));
	memcpy((char *)file[HEADERS] + sizeof(header), segments,
	       sizeof(segments));
}

static void open_kcore(uint64_t text_bits)
{
	char path[128];
	FILE *out;

	make_tables(text_bits);
	make_headers();
	scratch_folder_path(&folder, "core", path, sizeof(path));
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(file, sizeof(file), 1, out), 1);
	fclose(out);
	ck_assert_int_eq(kcore_open(&kcore, path), 0);
}

int __real_kcore_read(const struct kcore *from, uint64_t address, void *bytes,
		      size_t size);
int __wrap_kcore_read(const struct kcore *from, uint64_t address, void *bytes,
		      size_t size);

/* The number of reads of kernel memory before those that fail. */
static int reads_left;

int __wrap_kcore_read(const struct kcore *from, uint64_t address, void *bytes,
		      size_t size)
{
	if (!reads_left)
		return -ERROR_NOT_FOUND;
	reads_left--;
	return __real_kcore_read(from, address, bytes, size);
}

static void set_up(void)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81001000 D init_top_pgt\n";

	reads_left = INT_MAX;
	folder = scratch_folder_new();
	memset(&symbols, 0, sizeof(symbols));
	byte_buffer_add(&symbols.text, text, sizeof(text) - 1);
}

static void tear_down(void)
{
	kcore_close(&kcore);
	kernel_symbols_free(&symbols);
	scratch_folder_free(&folder);
}

START_TEST(page_tables_list_executable_pages)
{
	static const struct code_range expected[] = {
		{ MODULES, MODULES + PAGE },
		{ MODULES + 2 * PAGE, MODULES + 4 * PAGE },
		{ MODULES + 3 * LARGE_PAGE, MODULES + 4 * LARGE_PAGE },
	};
	struct array ranges = ARRAY_OF(struct code_range);

	open_kcore(0);
	ck_assert_int_eq(executable_pages_find(&kcore, &symbols, &ranges), 0);
	ck_assert_uint_eq(ranges.count, 3);
	ck_assert_mem_eq(ranges.items, expected, sizeof(expected));
	array_free(&ranges);
}
END_TEST

/* If the kernel's text is not executable in the page tables, they were misread.
 */
START_TEST(tables_without_the_text_are_not_believed)
{
	struct array ranges = ARRAY_OF(struct code_range);

	open_kcore(NO_EXECUTE);
	ck_assert_int_eq(executable_pages_find(&kcore, &symbols, &ranges),
			 -ERROR_NOT_FOUND);
	ck_assert_uint_eq(ranges.count, 0);
	array_free(&ranges);
}
END_TEST

/* The top table is read once to check the text and once for each part of the
 * modules' area, of which the first has code.
 */
START_TEST(a_walk_that_fails_in_the_middle_changes_no_range)
{
	static const struct code_range before = {
		MODULES + 64 * LARGE_PAGE,
		MODULES + 65 * LARGE_PAGE,
	};
	struct array ranges = ARRAY_OF(struct code_range);

	open_kcore(0);
	ck_assert_int_eq(array_append(&ranges, &before), 0);
	reads_left = 2;
	ck_assert_int_eq(executable_pages_find(&kcore, &symbols, &ranges),
			 -ERROR_NOT_FOUND);
	ck_assert_int_eq(reads_left, 0);
	ck_assert_uint_eq(ranges.count, 1);
	ck_assert_mem_eq(ranges.items, &before, sizeof(before));
	array_free(&ranges);
}
END_TEST

/* A page of breakpoints with thunks, and one byte that is not part of a thunk.
 */
static const struct thunk_row {
	uint16_t at;
	uint8_t bytes[3];
	uint8_t size;
	bool is_thunks;
} thunk_rows[] = {
	{ 0x20, { 0xff, 0xe0 }, 2, true },
	{ 0x66, { 0x41, 0xff, 0xe7 }, 3, true },
	{ 0xffe, { 0xff, 0xe1 }, 2, true },
	{ 0x00, { 0xff, 0xe0 }, 2, false }, /* the first half of a line */
	{ 0x20, { 0xff, 0xd0 }, 2, false }, /* a call */
	{ 0x20, { 0x90 }, 1, false },
	{ 0xfff, { 0xff }, 1, false },
	{ 0, { 0 }, 0, false }, /* breakpoints alone */
};

START_TEST(pages_of_thunks_are_known_by_their_code)
{
	const struct thunk_row *row = &thunk_rows[_i];
	const struct code_range range = { MODULES, MODULES + PAGE };
	struct array thunks = ARRAY_OF(struct code_range);
	char path[128];
	FILE *out;

	open_kcore(0);
	memset(file[THUNKS], 0xcc, PAGE);
	memcpy((char *)file[THUNKS] + row->at, row->bytes, row->size);
	scratch_folder_path(&folder, "core", path, sizeof(path));
	out = fopen(path, "r+");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(file, sizeof(file), 1, out), 1);
	fclose(out);
	ck_assert_int_eq(its_thunks_find(&kcore, &range, &thunks), 0);
	ck_assert_uint_eq(thunks.count, row->is_thunks);
	array_free(&thunks);
}
END_TEST

SUITE("executable_pages")
{
	if (sysconf(_SC_PAGESIZE) != PAGE) {
		puts("skipped: the tables are for pages of 4 KiB");
		return;
	}
	FIXTURE(set_up, tear_down);
	TEST(page_tables_list_executable_pages);
	TEST(tables_without_the_text_are_not_believed);
	TEST(a_walk_that_fails_in_the_middle_changes_no_range);
	TEST_EACH(pages_of_thunks_are_known_by_their_code, thunk_rows);
}
