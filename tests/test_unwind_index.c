/* SPDX-License-Identifier: MIT */
#include "symbolize/unwind_index.h"

#include "decoder/file_map.h"
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

static Suite *unwind_index_suite(void)
{
	Suite *suite = suite_create("unwind_index");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, equals_the_linkers);
	tcase_add_test(tcase, damage_is_left_out);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(unwind_index_suite());
}
