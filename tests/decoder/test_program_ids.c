/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "common/formats/build_id_cache.h"
#include "decoder/recording/program_files_internal.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <string.h>
#include <unistd.h>

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

/* The suite's own program, which has a build id. */
static char own_path[4096];
static struct elf_build_id own;
static struct program_ids *ids;

static void open_ids(void)
{
	ssize_t length =
		readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);

	ck_assert_int_gt(length, 0);
	own_path[length] = '\0';
	own = elf_build_id_of_file(own_path);
	ck_assert_uint_gt(own.size, 0);
	ids = program_ids_new();
	ck_assert_ptr_nonnull(ids);
	*said = '\0';
}

static void close_ids(void)
{
	program_ids_free(ids);
}

static bool fits(const struct elf_build_id *recorded, const char *path)
{
	const struct sideband_mmap map = {
		.path = "/traced/program",
		.build_id = recorded->bytes,
		.build_id_size = recorded->size,
	};

	return program_ids_fit(ids, &map, path, &log_said);
}

START_TEST(the_same_build_fits)
{
	ck_assert(fits(&own, own_path));
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(another_build_does_not_fit_and_is_logged_once)
{
	struct elf_build_id other = own;

	other.bytes[0] ^= 1;
	ck_assert(!fits(&other, own_path));
	ck_assert_ptr_nonnull(strstr(said, own_path));
	ck_assert_ptr_nonnull(strstr(said, "not the file that was recorded"));
	*said = '\0';
	ck_assert(!fits(&other, own_path));
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_shorter_id_is_another)
{
	struct elf_build_id other = own;

	other.size /= 2;
	ck_assert(!fits(&other, own_path));
}
END_TEST

/* There is nothing to compare with. */
START_TEST(without_an_id_every_file_fits)
{
	const struct elf_build_id none = { 0 };

	ck_assert(fits(&none, own_path));
	ck_assert(fits(&own, "/proc/self/comm"));
	ck_assert(fits(&own, "/no/such/file"));
	ck_assert(fits(&own, ""));
	ck_assert_str_eq(said, "");
}
END_TEST

/* Adds an entry in perf's header format, of 20 bytes or with its size. */
static void put_entry(struct byte_buffer *table, bool has_size,
		      const struct elf_build_id *id, const char *name)
{
	size_t size = 8 + 4 + 24 + strlen(name) + 1;

	byte_buffer_u32(table, 67);
	/* The fields misc and size, of 16 bits each. */
	byte_buffer_u32(table,
			(has_size ? 1u << 15 : 0) | (uint32_t)size << 16);
	byte_buffer_u32(table, UINT32_MAX);
	byte_buffer_add(table, id->bytes, sizeof(id->bytes));
	byte_buffer_u32(table, has_size ? (uint32_t)id->size : 0);
	byte_buffer_text(table, name);
}

static void read_table(const struct byte_buffer *table, size_t size)
{
	ck_assert_int_eq(program_ids_add_table(ids, table->bytes, size), 0);
}

/* perf before Linux 5.12 and simpleperf write such ids. */
START_TEST(an_id_without_a_size_ends_in_zeros)
{
	const struct sideband_mmap map = { .path = "/traced/program" };
	struct byte_buffer table = { 0 };

	put_entry(&table, false, &own, map.path);
	read_table(&table, table.size);
	ck_assert(program_ids_fit(ids, &map, own_path, &log_said));
	byte_buffer_free(&table);
}
END_TEST

START_TEST(perfs_table_has_the_ids_of_other_maps)
{
	const struct sideband_mmap map = { .path = "/traced/program" };
	const struct sideband_mmap shorter = { .path = "/traced/other" };
	struct byte_buffer table = { 0 };
	struct elf_build_id other = own;

	other.bytes[3] ^= 8;
	put_entry(&table, false, &other, map.path);
	other = own;
	other.size = 4;
	put_entry(&table, true, &other, shorter.path);
	read_table(&table, table.size);
	ck_assert(!program_ids_fit(ids, &map, own_path, &log_said));
	ck_assert(!program_ids_fit(ids, &shorter, own_path, &log_said));
	/* The build id in the kernel's map record has priority. */
	ck_assert(fits(&own, own_path));
	byte_buffer_free(&table);
}
END_TEST

/* report finds the kernel's debug data by this id. */
START_TEST(the_kernels_id_is_in_the_table)
{
	struct byte_buffer table = { 0 };
	struct elf_build_id found;

	found = program_ids_recorded(ids, "[kernel.kallsyms]");
	ck_assert_uint_eq(found.size, 0);
	put_entry(&table, true, &own, "[kernel.kallsyms]");
	read_table(&table, table.size);
	found = program_ids_recorded(ids, "[kernel.kallsyms]");
	ck_assert_uint_eq(found.size, own.size);
	ck_assert(elf_build_id_is(&found, &own));
	byte_buffer_free(&table);
}
END_TEST

/* The table is cut anywhere, or its size is less than its head. */
START_TEST(damaged_tables_are_read_as_far_as_they_go)
{
	const struct sideband_mmap map = { .path = "/traced/program" };
	struct byte_buffer table = { 0 };
	struct elf_build_id other = own;

	other.bytes[0] ^= 1;
	put_entry(&table, false, &other, map.path);
	for (size_t size = 0; size < table.size; size++)
		read_table(&table, size);
	ck_assert(program_ids_fit(ids, &map, own_path, &log_said));
	table.bytes[6] = 3;
	table.bytes[7] = 0;
	read_table(&table, table.size);
	ck_assert(program_ids_fit(ids, &map, own_path, &log_said));
	byte_buffer_free(&table);
}
END_TEST

START_TEST(a_file_is_read_once)
{
	struct build_id_cache *cache = build_id_cache_new();
	struct elf_build_id first = build_id_cache_of(cache, own_path);
	struct elf_build_id second = build_id_cache_of(cache, own_path);

	ck_assert_uint_eq(first.size, own.size);
	ck_assert_mem_eq(first.bytes, own.bytes, own.size);
	ck_assert_mem_eq(&first, &second, sizeof(first));
	ck_assert_uint_eq(build_id_cache_of(cache, "/no/such/file").size, 0);
	build_id_cache_free(cache);
}
END_TEST

SUITE("program_ids")
{
	FIXTURE(open_ids, close_ids);
	TEST(the_same_build_fits);
	TEST(another_build_does_not_fit_and_is_logged_once);
	TEST(a_shorter_id_is_another);
	TEST(without_an_id_every_file_fits);
	TEST(an_id_without_a_size_ends_in_zeros);
	TEST(perfs_table_has_the_ids_of_other_maps);
	TEST(the_kernels_id_is_in_the_table);
	TEST(damaged_tables_are_read_as_far_as_they_go);
	TEST(a_file_is_read_once);
}
