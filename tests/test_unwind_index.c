/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind_index.h"

#include "common/file_map.h"
#include "symbolize/user_elf.h"
#include "tests/run_suite.h"

#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* The files that this program is made of: itself, libcheck, libc and more,
 * each with an index that the linker made.
 */
struct files {
	char paths[16][256];
	size_t count;
};

static int take_file(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct files *files = ctx;
	const char *path = info->dlpi_name;

	(void)size;
	if (!files->count)
		path = "/proc/self/exe";
	if (*path == '/' && files->count < 16)
		strncpy(files->paths[files->count++], path, 255);
	return 0;
}

static bool find_frames(const struct file_map *map,
			struct unwind_section *section)
{
	Elf *file = elf_memory((char *)(uintptr_t)map->bytes, map->size);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names = 0;
	bool is_found = false;

	elf_getshdrstrndx(file, &names);
	while (!is_found && (scn = elf_nextscn(file, scn))) {
		gelf_getshdr(scn, &header);
		is_found = !strcmp(elf_strptr(file, names, header.sh_name),
				   ".eh_frame");
	}
	if (is_found)
		*section = (struct unwind_section){
			map->bytes + header.sh_offset, header.sh_size,
			header.sh_addr,
		};
	elf_end(file);
	return is_found;
}

static const struct unwind_index_entry *entry_at(const struct array *entries,
						 size_t index)
{
	return array_at(entries, index);
}

/* The linker's entries are relative to its index, ours to .eh_frame.  It keeps
 * one of several for the same place; ours has them all.
 */
static void compare(const struct user_elf *elf,
		    const struct unwind_section *section,
		    const struct array *entries)
{
	struct unwind_index_entry wanted;
	struct unwind_table table;
	int64_t shift;
	size_t ours = 0;

	ck_assert(user_elf_unwind_table(elf, &table));
	shift = (int64_t)(table.header - section->address);
	ck_assert_uint_ge(entries->count, table.entry_count);
	for (uint64_t i = 0; i < table.entry_count; i++) {
		ck_assert(user_elf_read(elf, table.entries + i * 8, &wanted,
					sizeof(wanted)));
		while (ours < entries->count &&
		       entry_at(entries, ours)->start < wanted.start + shift)
			ours++;
		ck_assert_uint_lt(ours, entries->count);
		ck_assert_int_eq(entry_at(entries, ours)->start,
				 wanted.start + shift);
		ck_assert_int_eq(entry_at(entries, ours)->description,
				 wanted.description + shift);
	}
}

START_TEST(equals_the_linkers)
{
	struct array entries = ARRAY_OF(struct unwind_index_entry);
	struct unwind_section section;
	struct files files = { .count = 0 };
	size_t compared = 0;

	elf_version(EV_CURRENT);
	dl_iterate_phdr(take_file, &files);
	for (size_t i = 0; i < files.count; i++) {
		struct user_elf *elf = user_elf_open(files.paths[i]);
		struct file_map map;

		ck_assert_ptr_nonnull(elf);
		ck_assert_int_eq(file_map_open(&map, files.paths[i], NULL), 0);
		if (find_frames(&map, &section)) {
			entries.count = 0;
			ck_assert_int_eq(unwind_index_make(&section, &entries),
					 0);
			compare(elf, &section, &entries);
			compared += entries.count;
		}
		file_map_close(&map);
		user_elf_close(elf);
	}
	array_free(&entries);
	ck_assert_uint_gt(compared, 1000);
}
END_TEST

/* Whatever is in there, it ends, and reads nothing beyond. */
START_TEST(damage_is_left_out)
{
	struct array entries = ARRAY_OF(struct unwind_index_entry);
	uint64_t state = 1;

	for (size_t size = 0; size < 2000; size++) {
		uint8_t *bytes = malloc(size + 1);
		const struct unwind_section section = { bytes, size, 0x1000 };

		for (size_t i = 0; i < size; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			bytes[i] = i % 4 ? 0 : (uint8_t)(state >> 59);
		}
		ck_assert_int_eq(unwind_index_make(&section, &entries), 0);
		free(bytes);
	}
	array_free(&entries);
}
END_TEST

/* One for all descriptions, whose addresses are relative to where they stand;
 * each names it by its distance.
 */
#define COMMON                                                               \
	16, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0, 0, 0
#define DESCRIPTION(distance, start)                                         \
	16, 0, 0, 0, distance, 0, 0, 0, start, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0
enum { ENTRY = 20, FIELD = 4, START = 8 };

/* Returns how many of three descriptions are found, the one in the middle
 * having @value in @field.
 */
static size_t find_with_damage(size_t field, uint8_t value,
			       struct array *entries)
{
	uint8_t bytes[] = {
		COMMON,
		DESCRIPTION(ENTRY + FIELD, 1),
		DESCRIPTION(2 * ENTRY + FIELD, 2),
		DESCRIPTION(3 * ENTRY + FIELD, 3),
		0, 0, 0, 0,
	};
	const struct unwind_section section = { bytes, sizeof(bytes), 0x1000 };

	bytes[2 * ENTRY + field] = value;
	ck_assert_int_eq(unwind_index_make(&section, entries), 0);
	return entries->count;
}

static void expect_entry(const struct array *entries, size_t index,
			 int number)
{
	ck_assert_int_eq(entry_at(entries, index)->description, number * ENTRY);
	ck_assert_int_eq(entry_at(entries, index)->start,
			 number * ENTRY + START + number);
}

START_TEST(description_between_good_ones)
{
	struct array entries = ARRAY_OF(struct unwind_index_entry);
	/* A distance to what is before the section. */
	const uint8_t distance = 3 * ENTRY;

	ck_assert_uint_eq(find_with_damage(START, 2, &entries), 3);
	for (int i = 0; i < 3; i++)
		expect_entry(&entries, (size_t)i, i + 1);
	entries.count = 0;
	ck_assert_uint_eq(find_with_damage(FIELD, distance, &entries), 2);
	expect_entry(&entries, 0, 1);
	expect_entry(&entries, 1, 3);
	array_free(&entries);
}
END_TEST

START_TEST(nothing_behind_a_damaged_length)
{
	struct array entries = ARRAY_OF(struct unwind_index_entry);

	ck_assert_uint_eq(find_with_damage(3, 0x10, &entries), 1);
	expect_entry(&entries, 0, 1);
	array_free(&entries);
}
END_TEST

static Suite *unwind_index_suite(void)
{
	Suite *suite = suite_create("unwind_index");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, equals_the_linkers);
	tcase_add_test(tcase, damage_is_left_out);
	tcase_add_test(tcase, description_between_good_ones);
	tcase_add_test(tcase, nothing_behind_a_damaged_length);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(unwind_index_suite());
}
