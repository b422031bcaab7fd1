/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_changes.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

static struct scratch_folder folder;
static struct output_folder output;
static char source[128];
static char copy[128];

/* A core file with one segment: 0x3000 bytes at 0x10000, each the low byte
 * of its page's number.
 */
static void make_core(void)
{
	Elf64_Ehdr header = {
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_offset = 0x1000,
		.p_vaddr = 0x10000,
		.p_filesz = 0x3000,
		.p_memsz = 0x3000,
	};
	uint8_t page[0x1000] = { 0 };
	FILE *file;

	folder = scratch_folder_new();
	output = scratch_folder_output(&folder);
	scratch_folder_path(&folder, "core", source, sizeof(source));
	scratch_folder_path(&folder, "copy", copy, sizeof(copy));
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(page, &header, sizeof(header));
	memcpy(page + sizeof(header), &segment, sizeof(segment));
	file = fopen(source, "w");
	fwrite(page, 1, sizeof(page), file);
	for (int i = 0x10; i < 0x13; i++) {
		memset(page, i, sizeof(page));
		fwrite(page, 1, sizeof(page), file);
	}
	fclose(file);
}

static void remove_core(void)
{
	output_folder_close(&output);
	scratch_folder_free(&folder);
}

START_TEST(test_read)
{
	struct kcore kcore;
	uint8_t bytes[2];

	ck_assert_int_eq(kcore_open(&kcore, source), 0);
	ck_assert_int_eq(kcore_read(&kcore, 0x10fff, bytes, 2), 0);
	ck_assert_uint_eq(bytes[0], 0x10);
	ck_assert_uint_eq(bytes[1], 0x11);
	ck_assert_int_eq(kcore_read(&kcore, 0x12fff, bytes, 2),
			 -ERROR_NOT_FOUND);
	ck_assert_int_eq(kcore_read(&kcore, 0, bytes, 2), -ERROR_NOT_FOUND);
	kcore_close(&kcore);
}
END_TEST

START_TEST(test_copy)
{
	static const struct code_range ranges[] = { { 0x10000, 0x11000 },
						    { 0x12000, 0x13000 } };
	struct kcore kcore;
	uint8_t byte;

	ck_assert_int_eq(kcore_open(&kcore, source), 0);
	ck_assert_int_eq(kcore_copy(&kcore, &output, "copy", ranges, 2), 0);
	kcore_close(&kcore);
	ck_assert_int_eq(kcore_open(&kcore, copy), 0);
	ck_assert_uint_eq(kcore.segments.count, 2);
	ck_assert_uint_eq(kcore.header.e_machine, EM_X86_64);
	ck_assert_int_eq(kcore_read(&kcore, 0x12fff, &byte, 1), 0);
	ck_assert_uint_eq(byte, 0x12);
	ck_assert_int_eq(kcore_read(&kcore, 0x11000, &byte, 1),
			 -ERROR_NOT_FOUND);
	kcore_close(&kcore);
}
END_TEST

START_TEST(test_copy_add)
{
	static const struct code_range first = { 0x10000, 0x11000 };
	static const struct code_range other = { 0x12000, 0x12010 };
	static const struct code_range over = { 0x10ff0, 0x11010 };
	struct kcore kcore;
	uint8_t byte;

	ck_assert_int_eq(kcore_open(&kcore, source), 0);
	ck_assert_int_eq(kcore_copy(&kcore, &output, "copy", &first, 1), 0);
	ck_assert_int_eq(kcore_copy_add(&kcore, &output, "copy", &other), 1);
	ck_assert_int_eq(kcore_copy_add(&kcore, &output, "copy", &over), 0);
	ck_assert_int_eq(kcore_copy_add(&kcore, &output, "copy", &other), 0);
	ck_assert_int_eq(kcore_copy_add(&kcore, &output, "nothing", &other),
			 -ERROR_SYSTEM);
	kcore_close(&kcore);
	ck_assert_int_eq(kcore_open(&kcore, copy), 0);
	ck_assert_uint_eq(kcore.segments.count, 2);
	ck_assert_int_eq(kcore_read(&kcore, 0x1200f, &byte, 1), 0);
	ck_assert_uint_eq(byte, 0x12);
	ck_assert_int_eq(kcore_read(&kcore, 0x10fff, &byte, 1), 0);
	ck_assert_uint_eq(byte, 0x10);
	kcore_close(&kcore);
}
END_TEST

/* The headers are padded to the end of their page. */
START_TEST(test_copy_full)
{
	static const struct code_range first = { 0x10000, 0x11000 };
	struct code_range range = { 0x11000, 0x11010 };
	struct kcore kcore;
	int added = 0;
	int result;

	ck_assert_int_eq(kcore_open(&kcore, source), 0);
	ck_assert_int_eq(kcore_copy(&kcore, &output, "copy", &first, 1), 0);
	while ((result = kcore_copy_add(&kcore, &output, "copy", &range)) ==
	       1) {
		added++;
		range.start += 0x10;
		range.end += 0x10;
	}
	ck_assert_int_eq(result, -ERROR_UNSUPPORTED);
	ck_assert_int_ge(added, KCORE_COPY_SPARE);
	ck_assert_int_eq(kcore_copy_add(&kcore, &output, "copy", &first), 0);
	kcore_close(&kcore);
	ck_assert_int_eq(kcore_open(&kcore, copy), 0);
	ck_assert_uint_eq(kcore.segments.count, 1 + added);
	kcore_close(&kcore);
}
END_TEST

START_TEST(test_copy_raw)
{
	const struct code_range range = { 0x10ffe, 0x11003 };
	struct byte_buffer bytes = { 0 };
	struct kcore kcore;

	ck_assert_int_eq(kcore_open(&kcore, source), 0);
	ck_assert_int_eq(kcore_copy_raw(&kcore, &output, "copy", &range), 0);
	kcore_close(&kcore);
	ck_assert_int_eq(byte_buffer_file(&bytes, copy), 0);
	ck_assert_uint_eq(bytes.size, 5);
	ck_assert_mem_eq(bytes.bytes, "\x10\x10\x11\x11\x11", 5);
	byte_buffer_free(&bytes);
}
END_TEST

/* Sets byte @address of the source. */
static void patch(uint64_t address, int byte)
{
	FILE *file = fopen(source, "r+");

	fseek(file, (long)(address - 0x10000 + 0x1000), SEEK_SET);
	fputc(byte, file);
	fclose(file);
}

/* Patches are found by whole words; adjacent words are one range. */
START_TEST(test_changes)
{
	const struct code_range all = { 0x10000, 0x13000 };
	static const uint64_t expected[][2] = { { 0x10ffc, 0x11008 },
						{ 0x12ffc, 0x13000 } };
	struct array changed = ARRAY_OF(struct code_range);
	const struct code_range *ranges;
	struct kcore before;
	struct kcore now;
	const struct change_search search = { .before = &before, .now = &now };

	ck_assert_int_eq(kcore_open(&now, source), 0);
	ck_assert_int_eq(kcore_copy(&now, &output, "copy", &all, 1), 0);
	ck_assert_int_eq(kcore_open(&before, copy), 0);
	ck_assert_int_eq(kernel_changes_find(&search, &all, &changed), 0);
	ck_assert_uint_eq(changed.count, 0);
	patch(0x10fff, 0);
	patch(0x11001, 0);
	patch(0x11007, 0);
	patch(0x12fff, 0);
	ck_assert_int_eq(kernel_changes_find(&search, &all, &changed), 0);
	ck_assert_uint_eq(changed.count, 2);
	ranges = changed.items;
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(ranges[i].start, expected[i][0]);
		ck_assert_uint_eq(ranges[i].end, expected[i][1]);
	}
	array_free(&changed);
	kcore_close(&before);
	kcore_close(&now);
}
END_TEST

START_TEST(test_changes_elsewhere)
{
	const struct code_range half = { 0x10000, 0x11000 };
	const struct code_range all = { 0x10000, 0x13000 };
	struct array changed = ARRAY_OF(struct code_range);
	struct kcore before;
	struct kcore now;
	const struct change_search search = { .before = &before, .now = &now };
	const struct change_search back = { .before = &now, .now = &before };

	ck_assert_int_eq(kcore_open(&now, source), 0);
	ck_assert_int_eq(kcore_copy(&now, &output, "copy", &half, 1), 0);
	ck_assert_int_eq(kcore_open(&before, copy), 0);
	patch(0x10000, 0);
	patch(0x11000, 0);
	ck_assert_int_eq(kernel_changes_find(&search, &all, &changed), 0);
	ck_assert_uint_eq(changed.count, 1);
	ck_assert_int_eq(kernel_changes_find(&back, &all, &changed),
			 -ERROR_NOT_FOUND);
	array_free(&changed);
	kcore_close(&before);
	kcore_close(&now);
}
END_TEST

START_TEST(test_no_core)
{
	struct kcore kcore;

	ck_assert_int_eq(kcore_open(&kcore, "/nonexistent"), -ERROR_SYSTEM);
	scratch_folder_write(&folder, "text",
			     "this is no core file, but it "
			     "is long enough to hold an ELF header's bytes");
	scratch_folder_path(&folder, "text", copy, sizeof(copy));
	ck_assert_int_eq(kcore_open(&kcore, copy), -ERROR_FORMAT);
	scratch_folder_write(&folder, "text", "short");
	ck_assert_int_eq(kcore_open(&kcore, copy), -ERROR_FORMAT);
}
END_TEST

SUITE("kcore_copy")
{
	FIXTURE(make_core, remove_core);
	TEST(test_read);
	TEST(test_copy);
	TEST(test_copy_add);
	TEST(test_copy_full);
	TEST(test_copy_raw);
	TEST(test_changes);
	TEST(test_changes_elsewhere);
	TEST(test_no_core);
}
