/* SPDX-License-Identifier: MIT */
/* Names of functions in programs without symbols, compared with the symbols
 * that the same programs had before strip(1).
 */
#include "decoder/code/process_maps.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/user_space_internal.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include "symbolize/arch/arch.h"
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "checked" and "leaf" have cold parts; only "exported" is in .dynsym. */
static const char source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#define SEPARATE __attribute__((noinline, noclone))\n"
	"void SEPARATE __attribute__((cold)) fail(int a)\n"
	"{ fprintf(stderr, \"%d\\n\", a); exit(a); }\n"
	"#ifndef LEAF_PART\n"
	"#define LEAF_PART 1\n"
	"#endif\n"
	"int SEPARATE leaf(volatile int *a)\n"
	"{ if (LEAF_PART && __builtin_expect(*a == 7, 0)) { *a = 1; *a = 2; *a = 3; *a = 4; __builtin_trap(); } return *a; }\n"
	"int SEPARATE checked(volatile int *a, int *b)\n"
	"{ int c[4] = { *a, leaf(a), *b, 1 }; int s = 0;\n"
	"  for (int i = 0; i < 4; i++) s += leaf(&c[i]) * *b;\n"
	"  if (__builtin_expect(s == 12345, 0))\n"
	"    { *a = 1; *a = 2; *a = 3; *a = s; fail(s + *b); __builtin_trap(); }\n"
	"  return s + leaf(a); }\n"
	"int SEPARATE twice(int a) { return puts(\"t\") + 2 * a; }\n"
	"int SEPARATE exported(int a) { return twice(a) - 1; }\n"
	"int main(int count, char **names)\n"
	"{ (void)names; return checked(&count, &count) + exported(count); }\n";

#define STRIP "cp full prog && strip prog"

/* Commands that build "full", and "prog" without symbols. */
static const struct build {
	const char *commands;
	bool has_exported; /* a symbol of prog */
	unsigned int cold_parts;
	bool may_miss; /* needs tools that not every machine has */
} builds[] = {
	{ "cc -O2 -o full prog.c && " STRIP, false, 2, false },
	{ "cc -O2 -no-pie -o full prog.c && " STRIP, false, 2, false },
	{ "cc -O2 -static -o full prog.c && " STRIP, false, 2, false },
	{ "cc -O2 -rdynamic -o full prog.c && " STRIP, true, 2, false },
	{ "cc -O2 -shared -fPIC -fvisibility=default -o full prog.c && " STRIP,
	  true, 2, false },
	/* Frame descriptions that are no part of the running program. */
	{ "cc -O2 -g -fno-asynchronous-unwind-tables -o full prog.c && cp full "
	  "prog && strip --keep-section=.debug_frame prog",
	  false, 2, false },
	{ "cc -O2 -g -gz -fno-asynchronous-unwind-tables -o full prog.c && cp "
	  "full prog && strip --keep-section=.debug_frame prog",
	  false, 2, false },
	{ "clang -O2 -o full prog.c && " STRIP, false, 0, true },
	{ "clang -O2 -fuse-ld=lld -o full prog.c && " STRIP, false, 0, true },
	/* A part without a frame looks like a function that is tail-called. */
	{ "aarch64-linux-gnu-gcc -O2 -DLEAF_PART=0 -freorder-blocks-and-partition "
	  "-o full prog.c && cp full prog && "
	  "aarch64-linux-gnu-strip prog",
	  false, 1, true },
};

/* The symbols of one file, by offset. */
struct named_file {
	struct function_table *functions;
	struct user_files files;
	const struct symbol *symbols;
	size_t count;
};

static struct named_file read_file(const char *path)
{
	struct named_file file = {
		.functions = function_table_new(),
		.files = USER_FILES_NONE,
	};

	ck_assert_int_eq(user_files_add(&file.files,
					&(struct process_file){
						.path = path,
						.is_recorded = true,
					},
					file.functions),
			 0);
	ck_assert_ptr_null(user_files_at(&file.files, 0)->unread);
	file.symbols = address_map_symbols(
		user_files_at(&file.files, 0)->symbols, &file.count);
	return file;
}

static void free_file(struct named_file *file)
{
	user_files_free(&file->files);
	function_table_free(file->functions);
}

static const struct symbol *symbol_at(const struct named_file *file,
				      uint64_t offset)
{
	return address_map_find(user_files_at(&file->files, 0)->symbols,
				offset);
}

static const char *name_of(const struct named_file *file,
			   const struct symbol *symbol)
{
	return function_at(file->functions, symbol->function)->name;
}

/* Returns the entry of the function that @part is of. */
static const struct symbol *entry_of(const struct named_file *file,
				     const struct symbol *part)
{
	for (size_t i = 0; i < file->count; i++)
		if (file->symbols[i].function == part->function &&
		    !file->symbols[i].is_cold)
			return &file->symbols[i];
	ck_abort_msg("%s has no entry", name_of(file, part));
	return NULL;
}

static bool is_own(const char *name)
{
	static const char *const own[] = { "fail",  "leaf",	"checked",
					   "twice", "exported", "main" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(name, own[i]))
			return true;
	return false;
}

/* Checks the code that is @symbol's in @full. */
static void check_symbol(const struct named_file *full,
			 const struct named_file *stripped,
			 const struct symbol *symbol, bool has_exported)
{
	const struct symbol *found = symbol_at(stripped, symbol->start);
	const struct symbol *entry = entry_of(full, symbol);
	const char *real = name_of(full, symbol);
	const char *name = name_of(stripped, found);
	char made[64];

	snprintf(made, sizeof(made), "prog+0x%llx",
		 (unsigned long long)entry->start);
	if (has_exported && strcmp(name, made))
		ck_assert_str_eq(name, real);
	else
		ck_assert_str_eq(name, made);
	ck_assert_uint_eq(found->start, symbol->start);
	ck_assert_uint_eq(found->end, symbol->end);
	ck_assert_uint_eq(found->role, CODE_FUNCTION);
	ck_assert_uint_eq(found->is_cold, symbol->is_cold);
}

static void check_builds(const struct build *build, const char *folder)
{
	char path[128];
	struct named_file full;
	struct named_file stripped;
	size_t parts = 0;
	size_t own = 0;

	snprintf(path, sizeof(path), "%s/full", folder);
	full = read_file(path);
	snprintf(path, sizeof(path), "%s/prog", folder);
	stripped = read_file(path);
	for (size_t i = 0; i < full.count; i++) {
		const struct symbol *symbol = &full.symbols[i];

		if (!is_own(name_of(&full, symbol)))
			continue;
		check_symbol(&full, &stripped, symbol, build->has_exported);
		parts += symbol->is_cold;
		own++;
	}
	ck_assert_uint_eq(own - parts, 6);
	ck_assert_uint_ge(parts, build->cold_parts);
	free_file(&full);
	free_file(&stripped);
}

/* Returns whether the commands, run where the source is, succeeded. */
static bool build_in(const struct scratch_folder *folder, const char *commands)
{
	char line[1024];

	scratch_folder_write(folder, "prog.c", source);
	snprintf(line, sizeof(line), "cd %s && (%s) 2>build.log", folder->path,
		 commands);
	return system(line) == 0;
}

START_TEST(functions_of_stripped_programs_are_found)
{
	struct scratch_folder folder = scratch_folder_new();

	if (build_in(&folder, builds[_i].commands)) {
		check_builds(&builds[_i], folder.path);
	} else {
		ck_assert(builds[_i].may_miss);
		printf("skipped: cannot be built here: %s\n",
		       builds[_i].commands);
	}
	scratch_folder_free(&folder);
}
END_TEST

/* Builds whose stubs are of different kinds. */
static const char *const stub_builds[] = {
	"cc -O2 -o prog prog.c",
	"cc -O2 -Wl,-z,now -o prog prog.c",
	"cc -O2 -fcf-protection -Wl,-z,ibtplt -o prog prog.c",
	"cc -O2 -no-pie -o prog prog.c && strip prog",
	"aarch64-linux-gnu-gcc -O2 -o prog prog.c",
	"aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard "
	"-Wl,-z,force-bti -o prog prog.c",
};

/* Returns the entry of @name's first stub; NULL: there is none. */
static const struct symbol *stub_of(const struct named_file *file,
				    const char *name)
{
	for (size_t i = 0; i < file->count; i++)
		if (!strcmp(name_of(file, &file->symbols[i]), name))
			return &file->symbols[i];
	return NULL;
}

START_TEST(stubs_are_named_by_their_functions)
{
	static const char *const names[] = { "puts@plt", "exit@plt",
					     "fprintf@plt" };
	struct scratch_folder folder = scratch_folder_new();
	struct named_file file;
	char path[128];

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	if (!build_in(&folder, stub_builds[_i])) {
		ck_assert_ptr_nonnull(strstr(stub_builds[_i], "aarch64"));
		printf("skipped: cannot be built here: %s\n", stub_builds[_i]);
		scratch_folder_free(&folder);
		return;
	}
	file = read_file(path);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct symbol *stub = stub_of(&file, names[i]);

		ck_assert_msg(stub, "%s", names[i]);
		ck_assert_uint_eq(stub->role, CODE_INDIRECT_THUNK);
		ck_assert_uint_le(stub->end - stub->start, 32);
		ck_assert_uint_ge(stub->end - stub->start, 8);
		ck_assert_int_eq(
			strlen(function_at(file.functions, stub->function)
				       ->base),
			strlen(names[i]) - 4);
	}
	free_file(&file);
	scratch_folder_free(&folder);
}
END_TEST

/* Only the program headers are left, as after sstrip. */
START_TEST(unwind_tables_are_found_without_sections)
{
	struct scratch_folder folder = scratch_folder_new();
	struct named_file file;
	Elf64_Ehdr header;
	size_t own = 0;
	char path[128];
	int fd;

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	ck_assert(build_in(&folder, "cc -O2 -o prog prog.c"));
	fd = open(path, O_RDWR);
	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	header.e_shstrndx = 0;
	ck_assert_int_eq(pwrite(fd, &header, sizeof(header), 0),
			 sizeof(header));
	close(fd);
	file = read_file(path);
	for (size_t i = 0; i < file.count; i++)
		own += !strncmp(name_of(&file, &file.symbols[i]), "prog+", 5);
	ck_assert_uint_ge(own, 6);
	free_file(&file);
	scratch_folder_free(&folder);
}
END_TEST

/* Changes the segments of the file open as @fd: that of the code has its first
 * 256 bytes only, and another one the rest, at the same place of the file.
 */
static void overlap_segments(int fd, const Elf64_Ehdr *header)
{
	enum { FIRST = 256 };
	Elf64_Phdr segments[32];
	size_t size = header->e_phnum * sizeof(*segments);
	Elf64_Phdr *other = NULL;
	Elf64_Phdr *code = NULL;

	ck_assert_uint_le(size, sizeof(segments));
	ck_assert_int_eq(pread(fd, segments, size, (off_t)header->e_phoff),
			 size);
	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X)
			code = &segments[i];
		else if (segments[i].p_type == PT_LOAD && !other)
			other = &segments[i];
	*other = *code;
	other->p_vaddr += FIRST;
	other->p_filesz -= FIRST;
	code->p_filesz = FIRST;
	ck_assert_int_eq(pwrite(fd, segments, size, (off_t)header->e_phoff),
			 size);
}

START_TEST(overlapping_segments_of_a_damaged_file_are_read)
{
	struct scratch_folder folder = scratch_folder_new();
	struct named_file file;
	Elf64_Ehdr header;
	char path[128];
	int fd;

	scratch_folder_path(&folder, "prog", path, sizeof(path));
	ck_assert(build_in(&folder, "cc -O2 -o prog prog.c && strip prog"));
	fd = open(path, O_RDWR);
	ck_assert_int_eq(pread(fd, &header, sizeof(header), 0), sizeof(header));
	overlap_segments(fd, &header);
	close(fd);
	file = read_file(path);
	for (size_t i = 1; i < file.count; i++)
		ck_assert_uint_eq(file.symbols[i].start,
				  file.symbols[i - 1].end);
	free_file(&file);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("stripped")
{
	LIMIT_S(60);
	TEST_EACH(functions_of_stripped_programs_are_found, builds);
	TEST_EACH(stubs_are_named_by_their_functions, stub_builds);
	TEST(unwind_tables_are_found_without_sections);
	TEST(overlapping_segments_of_a_damaged_file_are_read);
}
