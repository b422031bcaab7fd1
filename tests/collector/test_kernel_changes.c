/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_changes.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/kernel_code/modules.h"
#include "common/array.h"
#include "common/error.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two core files, the second with every other word changed: more changes than
 * can be listed.
 */
enum { FIRST = 0x100000, WORDS = 2 * KERNEL_CHANGES_MAX + 64 };

static struct scratch_folder folder;
static struct kcore before;
static struct kcore now;

static void make_core(struct kcore *kcore, const char *name, uint32_t odd)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_offset = sizeof(header) + sizeof(segment),
		.p_vaddr = FIRST,
		.p_filesz = WORDS * 4,
		.p_memsz = WORDS * 4,
	};
	const uint32_t words[2] = { 0, odd };
	char path[128];
	FILE *file;

	scratch_folder_path(&folder, name, path, sizeof(path));
	file = fopen(path, "w");
	fwrite(&header, sizeof(header), 1, file);
	fwrite(&segment, sizeof(segment), 1, file);
	for (int i = 0; i < WORDS; i += 2)
		fwrite(words, sizeof(words), 1, file);
	fclose(file);
	ck_assert_int_eq(kcore_open(kcore, path), 0);
}

static void make_cores(void)
{
	folder = scratch_folder_new();
	make_core(&before, "before", 0);
	make_core(&now, "now", 1);
}

static void remove_cores(void)
{
	kcore_close(&before);
	kcore_close(&now);
	scratch_folder_free(&folder);
}

static const struct change_search everything = { .before = &before,
						 .now = &now };

/* Changes that do not fit are merged into the last range, which ends at the
 * right address.
 */
START_TEST(a_full_list_is_extended)
{
	const struct code_range all = { FIRST, FIRST + WORDS * 4 };
	struct array changed = ARRAY_OF(struct code_range);
	const struct code_range *last;

	ck_assert_int_eq(kernel_changes_find(&everything, &all, &changed), 0);
	ck_assert_uint_eq(changed.count, KERNEL_CHANGES_MAX);
	last = array_at(&changed, KERNEL_CHANGES_MAX - 1);
	ck_assert_uint_eq(last->start, FIRST + KERNEL_CHANGES_MAX * 8 - 4);
	ck_assert_uint_eq(last->end, all.end);
	array_free(&changed);
}
END_TEST

/* The last range is neither extended over the gap between two code ranges, nor
 * backwards.
 */
START_TEST(a_full_list_takes_no_other_range)
{
	const struct code_range most = { FIRST + 64,
					 FIRST + 64 + KERNEL_CHANGES_MAX * 8 };
	const struct code_range below = { FIRST, FIRST + 32 };
	const struct code_range above = { most.end + 32, most.end + 64 };
	struct array changed = ARRAY_OF(struct code_range);
	const struct code_range *last;

	ck_assert_int_eq(kernel_changes_find(&everything, &most, &changed), 0);
	ck_assert_uint_eq(changed.count, KERNEL_CHANGES_MAX);
	ck_assert_int_eq(kernel_changes_find(&everything, &below, &changed),
			 -ERROR_UNSUPPORTED);
	ck_assert_int_eq(kernel_changes_find(&everything, &above, &changed),
			 -ERROR_UNSUPPORTED);
	last = array_at(&changed, KERNEL_CHANGES_MAX - 1);
	ck_assert_uint_eq(last->start, most.end - 4);
	ck_assert_uint_eq(last->end, most.end);
	array_free(&changed);
}
END_TEST

/* Module a: code, data, code, each of 32 bytes; then b's code. */
static const char symbols_text[] = "100000 t first\t[a]\n"
				   "100020 d data\t[a]\n"
				   "100040 r end_of_data\t[a]\n"
				   "100040 t second\t[a]\n"
				   "100060 t other\t[b]\n";

static void find_in(const struct module *module, const struct code_range *range,
		    struct array *changed)
{
	struct kernel_symbols symbols = { 0 };
	struct array modules = ARRAY_OF(struct module);
	struct module_text text;
	const struct change_search search = { &before, &now, &text, module,
					      NULL };

	byte_buffer_add(&symbols.text, symbols_text, sizeof(symbols_text) - 1);
	*(struct module *)array_add(&modules) = *module;
	ck_assert_int_eq(module_text_read(&text, &symbols, &modules), 0);
	ck_assert_int_eq(kernel_changes_find(&search, range, changed), 0);
	module_text_free(&text);
	array_free(&modules);
	kernel_symbols_free(&symbols);
}

/* Each has four changes: changes of data are ignored, changes of code after the
 * data or in the other module are not.
 */
START_TEST(only_code_of_the_module_counts)
{
	const struct code_range range = { FIRST, FIRST + 0x80 };
	const struct module a = { "a", FIRST, 0x80 };
	const struct module b = { "b", FIRST + 0x50, 0x80 };
	struct array changed = ARRAY_OF(struct code_range);
	const struct code_range *ranges;

	find_in(&a, &range, &changed);
	ranges = changed.items;
	ck_assert_uint_eq(changed.count, 8);
	ck_assert_uint_eq(ranges[0].start, FIRST + 4);
	ck_assert_uint_eq(ranges[3].end, FIRST + 0x20);
	ck_assert_uint_eq(ranges[4].start, FIRST + 0x44);
	ck_assert_uint_eq(ranges[7].end, FIRST + 0x60);
	find_in(&b, &range, &changed);
	ranges = changed.items;
	ck_assert_uint_eq(changed.count, 14);
	ck_assert_uint_eq(ranges[8].start, FIRST + 0x54);
	array_free(&changed);
}
END_TEST

SUITE("kernel_changes")
{
	FIXTURE(make_cores, remove_cores);
	TEST(a_full_list_is_extended);
	TEST(a_full_list_takes_no_other_range);
	TEST(only_code_of_the_module_counts);
}
