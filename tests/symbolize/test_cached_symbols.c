/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/kernel/kernel_symbols.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY = 42 };

/* Functions of one name, clones, cold parts, padding, a module, data. */
static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 T schedule\n"
			       "ffffffff81000200 t helper\n"
			       "ffffffff81000300 t helper\n"
			       "ffffffff81000400 t worker.isra.0\n"
			       "ffffffff810004f0 t __pfx_do_task_dead\n"
			       "ffffffff81000500 T do_task_dead\n"
			       "ffffffff81000600 t worker.cold\n"
			       "ffffffff81000700 D data\n"
			       "ffffffffc0000000 t helper\t[first]\n"
			       "ffffffffc0000100 t helper\t[first]\n"
			       "ffffffffc0001000 t probe\t[second]\n";

struct run {
	struct scratch_folder folder;
	char path[128];
	struct kernel_symbols kernel;
};

static struct kernel_symbols empty_kernel(const char *cache)
{
	return (struct kernel_symbols){
		.arch = arch_for(RECORDING_ARCH_X86_64),
		.functions = function_table_new(),
		.map = address_map_new(),
		.cache = cache,
	};
}

static struct cached_symbols cached(const struct kernel_symbols *kernel)
{
	return (struct cached_symbols){
		.functions = kernel->functions,
		.map = kernel->map,
		.path = kernel->cache,
	};
}

static int load(const struct kernel_symbols *kernel, uint64_t key)
{
	const struct cached_symbols symbols = cached(kernel);

	return cached_symbols_load(&symbols, key, NULL);
}

static void free_kernel(const struct kernel_symbols *kernel)
{
	function_table_free(kernel->functions);
	address_map_free(kernel->map);
}

/* Sets up @run: symbols made from text, and cached. */
static void set_up(struct run *run)
{
	struct cached_symbols symbols;

	run->folder = scratch_folder_new();
	scratch_folder_path(&run->folder, "symbols", run->path,
			    sizeof(run->path));
	run->kernel = empty_kernel(run->path);
	ck_assert_int_eq(kernel_symbols_add_kallsyms(&run->kernel, kallsyms,
						     strlen(kallsyms)),
			 0);
	ck_assert_int_eq(kernel_symbols_finish(&run->kernel), 0);
	symbols = cached(&run->kernel);
	cached_symbols_save(&symbols, KEY);
}

static void tear_down(struct run *run)
{
	free_kernel(&run->kernel);
	scratch_folder_free(&run->folder);
}

static void check_functions(const struct function_table *a,
			    const struct function_table *b)
{
	ck_assert_uint_eq(function_count(a), function_count(b));
	for (uint32_t i = 0; i < function_count(a); i++) {
		const struct function *x = function_at(a, i);
		const struct function *y = function_at(b, i);

		ck_assert_str_eq(x->name, y->name);
		ck_assert_str_eq(x->base, y->base);
		ck_assert_str_eq(x->module, y->module);
		ck_assert_uint_eq(x->address, y->address);
		ck_assert_int_eq(x->space, y->space);
		ck_assert_int_eq(x->is_double, y->is_double);
		ck_assert_uint_eq(function_table_kernel(a, x->base),
				  function_table_kernel(b, x->base));
	}
	ck_assert_uint_eq(function_table_digest(a), function_table_digest(b));
}

START_TEST(saved_symbols_are_loaded)
{
	struct run run;
	struct kernel_symbols loaded;
	size_t count;
	size_t loaded_count;
	const struct symbol *symbols;

	set_up(&run);
	loaded = empty_kernel(run.path);
	ck_assert_int_eq(load(&loaded, KEY), 1);
	check_functions(run.kernel.functions, loaded.functions);
	symbols = address_map_symbols(run.kernel.map, &count);
	ck_assert_mem_eq(symbols,
			 address_map_symbols(loaded.map, &loaded_count),
			 count * sizeof(*symbols));
	ck_assert_uint_eq(count, loaded_count);
	free_kernel(&loaded);
	tear_down(&run);
}
END_TEST

/* Programs' functions are joined to a loaded table as to another one. */
START_TEST(a_loaded_table_can_be_joined)
{
	struct run run;
	struct kernel_symbols loaded;
	struct function_table *programs = function_table_new();
	uint32_t shift;

	set_up(&run);
	loaded = empty_kernel(run.path);
	ck_assert_int_eq(load(&loaded, KEY), 1);
	function_table_add(programs, "main", 4,
			   function_table_module(programs, "/bin/true", 9),
			   'u');
	shift = function_table_join(loaded.functions, programs);
	ck_assert_uint_eq(shift, function_count(run.kernel.functions) - 1);
	ck_assert_str_eq(function_at(loaded.functions, shift + 1)->name,
			 "main");
	free_kernel(&loaded);
	tear_down(&run);
}
END_TEST

static void check_refused(const char *path, uint64_t key)
{
	struct kernel_symbols kernel = empty_kernel(path);

	ck_assert_int_eq(load(&kernel, key), 0);
	ck_assert_uint_eq(function_count(kernel.functions), 1);
	free_kernel(&kernel);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(another_key_or_any_damage_is_a_missing_file)
{
	struct byte_buffer file = { 0 };
	struct run run;

	set_up(&run);
	check_refused(run.path, KEY + 1);
	ck_assert_int_eq(byte_buffer_file(&file, run.path), 0);
	for (size_t i = 0; i < file.size; i++) {
		file.bytes[i] ^= 0x10;
		write_file(run.path, file.bytes, file.size);
		check_refused(run.path, KEY);
		file.bytes[i] ^= 0x10;
		write_file(run.path, file.bytes, i);
		check_refused(run.path, KEY);
	}
	byte_buffer_free(&file);
	tear_down(&run);
}
END_TEST

/* Each number changed, with a hash that fits again: a read is either refused,
 * or stays within the file.
 */
START_TEST(a_forged_file_is_refused_or_harmless)
{
	enum { HASH_AT = 16, HASHED_FROM = 24 };
	struct byte_buffer file = { 0 };
	unsigned int refused = 0;
	struct run run;

	set_up(&run);
	ck_assert_int_eq(byte_buffer_file(&file, run.path), 0);
	for (size_t i = HASHED_FROM; i + 4 <= file.size; i += 4) {
		struct kernel_symbols kernel = empty_kernel(run.path);
		uint64_t hash;
		int status;

		file.bytes[i + 3] ^= 0x40;
		hash = pack_hash(PACK_HASH_FIRST, file.bytes + HASHED_FROM,
				 file.size - HASHED_FROM);
		memcpy(file.bytes + HASH_AT, &hash, sizeof(hash));
		write_file(run.path, file.bytes, file.size);
		status = load(&kernel, KEY);
		ck_assert(status >= 0 || status == -ERROR_FORMAT);
		refused += status <= 0;
		if (status == 1)
			check_functions(kernel.functions, kernel.functions);
		free_kernel(&kernel);
		file.bytes[i + 3] ^= 0x40;
	}
	ck_assert_uint_gt(refused, 50);
	byte_buffer_free(&file);
	tear_down(&run);
}
END_TEST

SUITE("cached_symbols")
{
	TEST(saved_symbols_are_loaded);
	TEST(a_loaded_table_can_be_joined);
	TEST(another_key_or_any_damage_is_a_missing_file);
	TEST(a_forged_file_is_refused_or_harmless);
}
