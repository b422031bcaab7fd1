/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/executable_pages.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "collector/kernel_code/modules.h"
#include "common/error.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 0x1000, FIRST = 0x10000, FAR = 0x100000, PAGES = 6 };

static struct scratch_folder folder;
static struct kcore kcore;

/* Which pages of the core file hold anything; the last byte is enough. */
static const bool is_used[PAGES] = { true, false, false, true, true, false };

/* The file's pages are at two addresses. */
static void make_core(void)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 },
		.e_type = ET_CORE,
		.e_phoff = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_offset = PAGE,
		.p_vaddr = FIRST,
		.p_filesz = PAGES * PAGE,
		.p_memsz = PAGES * PAGE,
	};
	Elf64_Phdr far = segment;
	uint8_t bytes[(1 + PAGES) * PAGE] = { 0 };
	char path[128];
	FILE *file;

	folder = scratch_folder_new();
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &segment, sizeof(segment));
	far.p_vaddr = FAR;
	memcpy(bytes + sizeof(header) + sizeof(segment), &far, sizeof(far));
	for (int i = 0; i < PAGES; i++)
		bytes[(2 + i) * PAGE - 1] = is_used[i];
	scratch_folder_path(&folder, "core", path, sizeof(path));
	file = fopen(path, "w");
	fwrite(bytes, 1, sizeof(bytes), file);
	fclose(file);
	ck_assert_int_eq(kcore_open(&kcore, path), 0);
}

static void remove_core(void)
{
	kcore_close(&kcore);
	scratch_folder_free(&folder);
}

START_TEST(holes_part_a_range)
{
	const struct code_range range = { FIRST, FIRST + PAGES * PAGE };
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *found;

	ck_assert_int_eq(code_pages_find(&kcore, &range, &ranges), 0);
	found = ranges.items;
	ck_assert_uint_eq(ranges.count, 2);
	ck_assert_uint_eq(found[0].start, FIRST);
	ck_assert_uint_eq(found[0].end, FIRST + PAGE);
	ck_assert_uint_eq(found[1].start, FIRST + 3 * PAGE);
	ck_assert_uint_eq(found[1].end, FIRST + 5 * PAGE);
	array_free(&ranges);
}
END_TEST

START_TEST(outside_is_an_error)
{
	const struct code_range range = { FIRST, FIRST + 7 * PAGE };
	struct array ranges = ARRAY_OF(struct code_range);

	ck_assert_int_eq(code_pages_find(&kcore, &range, &ranges),
			 -ERROR_NOT_FOUND);
	array_free(&ranges);
}
END_TEST

START_TEST(the_end_is_a_hole_or_the_limit)
{
	const uint64_t third = FIRST + 3 * PAGE;

	ck_assert_uint_eq(code_pages_end(&kcore, third, 64 * PAGE),
			  third + 2 * PAGE);
	ck_assert_uint_eq(code_pages_end(&kcore, third + 16, 64 * PAGE),
			  third + 2 * PAGE);
	ck_assert_uint_eq(code_pages_end(&kcore, third, PAGE), third + PAGE);
	ck_assert_uint_eq(code_pages_end(&kcore, FIRST + PAGE, PAGE),
			  FIRST + PAGE);
	ck_assert_uint_eq(code_pages_end(&kcore, 0, PAGE), 0);
}
END_TEST

/* The kernel's first page, a module near it with a page between, and two BPF
 * programs further away, of which only the first one's end is in the copy.
 */
START_TEST(all_code_is_found)
{
	static const char text[] = "101000 t second\t[bpf]\n"
				   "100000 t first\t[bpf]\n";
	static const uint64_t expected[][2] = {
		{ FIRST, FIRST + PAGE },
		{ FIRST + 3 * PAGE, FIRST + 5 * PAGE },
		{ FAR, FAR + PAGE },
	};
	struct kernel_copy copy = {
		.modules = ARRAY_OF(struct module),
		.text = { FIRST, FIRST + PAGE },
	};
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *found;

	byte_buffer_add(&copy.symbols.text, text, sizeof(text) - 1);
	*(struct module *)array_add(&copy.modules) =
		(struct module){ "m", FIRST + 4 * PAGE, PAGE };
	ck_assert_int_eq(kernel_ranges_find(&copy, &kcore, &ranges), 0);
	found = ranges.items;
	ck_assert_uint_eq(ranges.count, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(found[i].start, expected[i][0]);
		ck_assert_uint_eq(found[i].end, expected[i][1]);
	}
	array_free(&ranges);
	kernel_copy_free(&copy);
}
END_TEST

/* On arm64 a module is below the kernel's text; another list has a part of it.
 */
START_TEST(no_range_is_found_twice)
{
	static const char text[] = "13000 t part\t[bpf]\n"
				   "14000 t next\t[bpf]\n";
	struct kernel_copy copy = {
		.modules = ARRAY_OF(struct module),
		.text = { FIRST + 3 * PAGE, FIRST + 5 * PAGE },
	};
	struct array ranges = ARRAY_OF(struct code_range);
	const struct code_range *found;

	byte_buffer_add(&copy.symbols.text, text, sizeof(text) - 1);
	*(struct module *)array_add(&copy.modules) =
		(struct module){ "m", FIRST, PAGE };
	ck_assert_int_eq(kernel_ranges_find(&copy, &kcore, &ranges), 0);
	found = ranges.items;
	ck_assert_uint_eq(ranges.count, 2);
	ck_assert_uint_eq(found[0].start, FIRST);
	ck_assert_uint_eq(found[1].start, copy.text.start);
	ck_assert_uint_eq(found[1].end, copy.text.end);
	array_free(&ranges);
	kernel_copy_free(&copy);
}
END_TEST

/* Fills @size bytes at @address with @word. */
static void fill(uint64_t address, size_t size, uint32_t word)
{
	char path[128];
	FILE *file;

	scratch_folder_path(&folder, "core", path, sizeof(path));
	file = fopen(path, "r+");
	fseek(file, (long)(address - FIRST + PAGE), SEEK_SET);
	for (size_t at = 0; at < size; at += sizeof(word))
		fwrite(&word, sizeof(word), 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void expect_ranges(const struct array *ranges,
			  const struct code_range *expected, size_t count)
{
	const struct code_range *found = ranges->items;

	ck_assert_uint_eq(ranges->count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(found[i].start, expected[i].start);
		ck_assert_uint_eq(found[i].end, expected[i].end);
	}
}

/* Whether a word fills free memory, by architecture. */
static const struct {
	uint16_t machine;
	uint32_t word;
	bool is_free;
} fillings[] = {
	{ EM_X86_64, 0xcccccccc, true },   { EM_X86_64, 0xd4202000, false },
	{ EM_AARCH64, 0xd4202000, true },  { EM_AARCH64, 0xcccccccc, false },
	{ EM_AARCH64, 0xd4200000, false }, { EM_X86_64, 0xccccccc3, false },
};

/* Page 0 has a chunk of code, one of zeros, and a third that is code up to its
 * middle; page 1 has only filling; page 2 has code from its second chunk
 * on, which ends in page 3.
 */
START_TEST(free_chunks_part_generated_code)
{
	const struct code_range range = { FIRST + 16, FIRST + 3 * PAGE + 80 };
	const struct code_range all[] = { range };
	const struct code_range used[] = {
		{ FIRST + 16, FIRST + 192 },
		{ FIRST + 2 * PAGE + 64, FIRST + 3 * PAGE + 80 },
	};
	struct array ranges = ARRAY_OF(struct code_range);

	kcore.header.e_machine = fillings[_i].machine;
	fill(FIRST, 4 * PAGE, fillings[_i].word);
	fill(FIRST, 64, 0x90909090);
	fill(FIRST + 64, 64, 0);
	fill(FIRST + 128, 32, 0x90909090);
	fill(FIRST + 2 * PAGE + 64, PAGE + 64, 0x90909090);
	ck_assert_int_eq(code_pages_find_made(&kcore, &range, &ranges), 0);
	if (fillings[_i].is_free)
		expect_ranges(&ranges, used, 2);
	else
		expect_ranges(&ranges, all, 1);
	ranges.count = 0;
	ck_assert_int_eq(code_pages_find(&kcore, &range, &ranges), 0);
	expect_ranges(&ranges, all, 1);
	array_free(&ranges);
}
END_TEST

/* A program of 80 bytes of code in 128 of memory. */
START_TEST(code_of_a_program_is_without_its_header)
{
	const struct code_range memory = { FIRST, FIRST + 128 };
	struct code_range code;

	kcore.header.e_machine = fillings[_i].machine;
	fill(FIRST, 128, fillings[_i].word);
	fill(FIRST + 20, 80, 0x90909090);
	code = jit_code_find(&kcore, &memory);
	ck_assert_uint_eq(code.start, FIRST);
	ck_assert_uint_eq(code.end, FIRST + 128);
	fill(FIRST, 4, 128);
	code = jit_code_find(&kcore, &memory);
	ck_assert_uint_eq(code.start, FIRST + (fillings[_i].is_free ? 20 : 8));
	ck_assert_uint_eq(code.end, FIRST + (fillings[_i].is_free ? 100 : 128));
}
END_TEST

START_TEST(lines_that_match_are_appended)
{
	static const char marks[2][80] = { "[one]", "[two]" };
	char from[128];
	char to[128];
	struct output_folder output = scratch_folder_output(&folder);
	char text[100] = { 0 };
	FILE *file;

	scratch_folder_write(&folder, "from",
			     "1 t a\t[one]\n2 t b\n3 t c\t[two]\n4 t [on\n");
	scratch_folder_write(&folder, "to", "0 t first\n");
	scratch_folder_path(&folder, "from", from, sizeof(from));
	scratch_folder_path(&folder, "to", to, sizeof(to));
	ck_assert_int_eq(matching_lines_append(from, &output, "to", marks, 2),
			 0);
	file = fopen(to, "r");
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert_str_eq(text, "0 t first\n1 t a\t[one]\n3 t c\t[two]\n");
	ck_assert_int_eq(matching_lines_append("/nonexistent", &output, "to",
					       marks, 2),
			 -ERROR_SYSTEM);
	output_folder_close(&output);
}
END_TEST

/* In the other core, page 0 has the content of page 1. */
START_TEST(the_same_code_is_equal_in_all_bytes)
{
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_offset = 2 * PAGE,
		.p_vaddr = FIRST,
		.p_memsz = 2 * PAGE,
	};
	struct kcore other = {
		.fd = kcore.fd,
		.segments = ARRAY_OF(Elf64_Phdr),
	};

	ck_assert_int_eq(array_append(&other.segments, &segment), 0);
	ck_assert(kcore_has_same(&kcore, &kcore, FIRST, PAGES * PAGE));
	ck_assert(kcore_has_same(&kcore, &other, FIRST, PAGE - 1));
	ck_assert(!kcore_has_same(&kcore, &other, FIRST, PAGE));
	ck_assert(kcore_has_same(&kcore, &other, FIRST + PAGE, PAGE));
	/* Only one of the cores has the page after FIRST + PAGE. */
	ck_assert(!kcore_has_same(&kcore, &other, FIRST + PAGE, 2 * PAGE));
	array_free(&other.segments);
}
END_TEST

SUITE("code_pages")
{
	FIXTURE(make_core, remove_core);
	TEST(the_same_code_is_equal_in_all_bytes);
	TEST(holes_part_a_range);
	TEST(outside_is_an_error);
	TEST(the_end_is_a_hole_or_the_limit);
	TEST(all_code_is_found);
	TEST(no_range_is_found_twice);
	TEST_EACH(free_chunks_part_generated_code, fillings);
	TEST_EACH(code_of_a_program_is_without_its_header, fillings);
	TEST(lines_that_match_are_appended);
}
