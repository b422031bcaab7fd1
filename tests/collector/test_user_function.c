/* SPDX-License-Identifier: MIT */
#include "collector/trigger/function_names_internal.h"
#include "collector/trigger/goroutine_probes.h"
#include "common/error.h"
#include "tests/fixtures/made_elf.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the offset in this program's file of @address, as it is mapped. */
static uint64_t offset_of(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t found = 0;
	char line[4200];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		uint64_t begin;
		uint64_t end;
		uint64_t offset;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &begin,
			   &end, &offset) == 3 &&
		    address >= begin && address < end)
			found = address - begin + offset;
	}
	fclose(maps);
	return found;
}

START_TEST(a_function_of_this_program)
{
	struct user_functions found;

	ck_assert_int_eq(user_functions_find(program_invocation_name,
					     "user_functions_find", &found),
			 0);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_ne(found.offset, 0);
	ck_assert_uint_eq(found.offset,
			  offset_of((uint64_t)(uintptr_t)user_functions_find));
}
END_TEST

START_TEST(several_of_one_name)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];
	struct user_functions found;
	struct made_elf elf;
	char name[64];

	scratch_folder_path(&folder, "several", path, sizeof(path));
	made_elf_begin(&elf, EM_X86_64);
	made_elf_function(&elf, "take", NULL, 0);
	made_elf_function(&elf, "other", NULL, 0);
	made_elf_function(&elf, "take", NULL, 0);
	made_elf_end(&elf);
	made_elf_write(&elf, path);
	ck_assert_int_eq(user_functions_find(path, "take", &found), 0);
	ck_assert_uint_eq(found.count, 2);
	ck_assert_uint_eq(found.addresses[0], MADE_ELF_BASE + MADE_ELF_CODE);
	snprintf(name, sizeof(name), "take@0x%" PRIx64, found.addresses[1]);
	ck_assert_int_eq(user_functions_find(path, name, &found), 0);
	ck_assert_uint_eq(found.count, 1);
	ck_assert_uint_eq(found.offset, MADE_ELF_CODE + 2 * MADE_ELF_FUNCTION);
	ck_assert_int_eq(user_functions_find(path, "take@0x1", &found),
			 -ERROR_NOT_FOUND);
	scratch_folder_free(&folder);
}
END_TEST

START_TEST(what_is_not_there)
{
	struct user_functions found;

	ck_assert_int_eq(user_functions_find("/nonexistent", "main", &found),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(user_functions_find("/etc/passwd", "main", &found),
			 -ERROR_FORMAT);
	ck_assert_int_eq(user_functions_find("/", "main", &found),
			 -ERROR_FORMAT);
	ck_assert_int_eq(user_functions_find(program_invocation_name, "no_such",
					     &found),
			 -ERROR_NOT_FOUND);
	/* Defined elsewhere: a function of the C library. */
	ck_assert_int_eq(user_functions_find(program_invocation_name, "fopen",
					     &found),
			 -ERROR_NOT_FOUND);
}
END_TEST

/* Opening it would wait for a writer. */
START_TEST(a_pipe_is_no_program)
{
	struct scratch_folder folder = scratch_folder_new();
	struct user_functions found;
	char path[128];

	scratch_folder_path(&folder, "pipe", path, sizeof(path));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(user_functions_find(path, "main", &found),
			 -ERROR_FORMAT);
	scratch_folder_free(&folder);
}
END_TEST

/* Writes to @path a program whose function @name starts with the @size bytes
 * of @code.
 */
static void write_program(const char *path, const char *name,
			  const uint8_t *code, size_t size)
{
	struct made_elf elf;

	made_elf_begin(&elf, EM_X86_64);
	made_elf_function(&elf, name, NULL, 0);
	made_elf_end(&elf);
	memcpy(elf.bytes + MADE_ELF_CODE, code, size);
	made_elf_write(&elf, path);
}

/* The code of runtime.gogo, of this architecture, up to a jump. */
static const uint8_t gogo[] = {
#ifdef __x86_64__
	0x48, 0x8b, 0x5c, 0x24, 0x08, 0x48, 0x8b, 0x53,
	0x10, 0x48, 0x8b, 0x0a, 0xe9, 0,    0,	  0,
#else
	0xe5, 0x07, 0x40, 0xf9, 0xa6, 0x08, 0x40, 0xf9,
	0xc4, 0x00, 0x40, 0xf9, 0,    0,    0,	  0x14,
#endif
};

START_TEST(ids_of_goroutines_need_symbols_known_code_and_debug_data)
{
	struct scratch_folder folder = scratch_folder_new();
	uint8_t other[sizeof(gogo)];
	struct goroutine_probe probe;
	char path[128];

	scratch_folder_path(&folder, "program", path, sizeof(path));
	write_program(path, "runtime.go", gogo, sizeof(gogo));
	ck_assert_str_eq(goroutine_probe_find(path, &probe),
			 "no Go program with symbols");
	for (size_t i = 0; i < 12; i++) {
		memcpy(other, gogo, sizeof(gogo));
		other[i] ^= 1;
		write_program(path, "runtime.gogo", other, sizeof(other));
		ck_assert(strstr(goroutine_probe_find(path, &probe),
				 "its runtime.gogo differs"));
	}
	write_program(path, "runtime.gogo.abi0", gogo, sizeof(gogo));
	ck_assert(strstr(goroutine_probe_find(path, &probe), "no debug data"));
	ck_assert_uint_eq(probe.offset, MADE_ELF_CODE + 12);
	ck_assert_str_eq(goroutine_probe_find("/nonexistent", &probe),
			 "No such file or directory");
	scratch_folder_free(&folder);
}
END_TEST

SUITE("user_function")
{
	TEST(a_function_of_this_program);
	TEST(several_of_one_name);
	TEST(what_is_not_there);
	TEST(a_pipe_is_no_program);
	TEST(ids_of_goroutines_need_symbols_known_code_and_debug_data);
}
