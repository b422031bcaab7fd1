/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/call_sites/call_sites_internal.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include "symbolize/arch/arch.h"
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

/* A 32-bit Arm program with a function of A32 and one of T32, whose symbol has
 * the lowest bit set.
 */
enum { BASE = 0x10000, CODE_SIZE = 16, T32_AT = 8 };
enum { NULL_SECTION, TEXT, SYMBOLS, STRINGS, SECTIONS };

static const struct program {
	Elf32_Ehdr header;
	Elf32_Phdr load;
	uint8_t code[CODE_SIZE];
	Elf32_Sym symbols[3];
	char strings[16];
	Elf32_Shdr sections[SECTIONS];
} program = {
	.header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_ARM,
		.e_version = EV_CURRENT,
		.e_phoff = offsetof(struct program, load),
		.e_shoff = offsetof(struct program, sections),
		.e_ehsize = sizeof(Elf32_Ehdr),
		.e_phentsize = sizeof(Elf32_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf32_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = STRINGS,
	},
	.load = {
		.p_type = PT_LOAD,
		.p_vaddr = BASE,
		.p_filesz = sizeof(struct program),
		.p_memsz = sizeof(struct program),
		.p_flags = PF_R | PF_X,
		.p_align = 0x1000,
	},
	.symbols = {
		[1] = {
			.st_name = 1,
			.st_value = BASE + offsetof(struct program, code),
			.st_size = T32_AT,
			.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = TEXT,
		},
		[2] = {
			.st_name = 5,
			.st_value = BASE + offsetof(struct program, code) +
				    T32_AT + 1,
			.st_size = CODE_SIZE - T32_AT,
			.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_shndx = TEXT,
		},
	},
	.strings = "\0a32\0t32",
	.sections = {
		[TEXT] = {
			.sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = BASE + offsetof(struct program, code),
			.sh_offset = offsetof(struct program, code),
			.sh_size = CODE_SIZE,
			.sh_addralign = 4,
		},
		[SYMBOLS] = {
			.sh_type = SHT_SYMTAB,
			.sh_offset = offsetof(struct program, symbols),
			.sh_size = 3 * sizeof(Elf32_Sym),
			.sh_link = STRINGS,
			.sh_info = 1,
			.sh_addralign = 4,
			.sh_entsize = sizeof(Elf32_Sym),
		},
		[STRINGS] = {
			.sh_type = SHT_STRTAB,
			.sh_offset = offsetof(struct program, strings),
			.sh_size = sizeof(((struct program *)0)->strings),
			.sh_addralign = 1,
		},
	},
};

static const char *name_at(const struct function_table *functions,
			   const struct address_map *map, size_t offset)
{
	const struct symbol *symbol =
		address_map_find(map, offsetof(struct program, code) + offset);

	return function_at(functions, symbol->function)->name;
}

START_TEST(functions_begin_at_their_first_byte)
{
	struct function_table *functions = function_table_new();
	struct address_map *map = address_map_new();
	struct scratch_folder folder = scratch_folder_new();
	char path[256];

	snapshot_fixture_file(&folder, "program", &program, sizeof(program));
	scratch_folder_path(&folder, "program", path, sizeof(path));
	ck_assert_int_eq(elf_symbols_add(path, functions, map, NULL), 0);
	ck_assert_int_eq(address_map_finish(map), 0);
	ck_assert_str_eq(name_at(functions, map, 0), "a32");
	ck_assert_str_eq(name_at(functions, map, T32_AT - 1), "a32");
	ck_assert_str_eq(name_at(functions, map, T32_AT), "t32");
	ck_assert_str_eq(name_at(functions, map, CODE_SIZE - 1), "t32");
	ck_assert_str_ne(name_at(functions, map, CODE_SIZE), "t32");
	address_map_free(map);
	function_table_free(functions);
	scratch_folder_free(&folder);
}
END_TEST

/* Writes the recording of a 64-bit kernel where process 7 runs the program at
 * BASE.
 */
static void write_recording(struct recording_fixture *fixture)
{
	recording_fixture_begin_coresight(fixture);
	fixture->arch = "aarch64";
	recording_fixture_program(fixture, 7, "program", BASE, &program,
				  sizeof(program));
	recording_fixture_write(fixture);
}

static const struct {
	enum site_purpose purpose;
	uint64_t return_offset; /* in the code */
	uint64_t offset;	/* of the instruction */
	const char *function;
} places[] = {
	{ SITE_SYSTEM_CALL, 8, 4, "a32" },
	{ SITE_SYSTEM_CALL, 14, 12, "t32" },
	{ SITE_SYSTEM_CALL, CODE_SIZE, 14, "t32" },
	{ SITE_PAGE_FAULT, 4, 4, "a32" },
	{ SITE_PAGE_FAULT, 14, 14, "t32" },
};

/* A folder may be given relative to the current one. */
START_TEST(functions_of_files_below_a_relative_folder_are_named)
{
	struct recording_fixture fixture;
	struct recording *recording;
	struct symbols *symbols;
	struct call_site site = {
		.pid = 7,
		.purpose = (uint32_t)places[0].purpose,
	};
	int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	write_recording(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(chdir("/"), 0);
	recording_set_root(recording, fixture.path + 1);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
	ck_assert_int_eq(fchdir(before), 0);
	call_site_locate_return(&site, symbols,
				BASE + offsetof(struct program, code) +
					places[0].return_offset);
	ck_assert_str_eq(
		function_at(symbols_functions(symbols), site.function)->name,
		places[0].function);
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
	close(before);
}
END_TEST

START_TEST(system_calls_are_as_long_as_their_instruction_set_has_them)
{
	const uint64_t code = BASE + offsetof(struct program, code);
	struct call_site site = {
		.pid = 7,
		.purpose = (uint32_t)places[_i].purpose,
	};
	struct recording_fixture fixture;
	struct recording *recording;
	struct symbols *symbols;

	write_recording(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	recording_set_root(recording, fixture.path);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
	call_site_locate_return(&site, symbols,
				code + places[_i].return_offset);
	ck_assert_uint_eq(site.address, code + places[_i].offset);
	ck_assert_str_eq(
		function_at(symbols_functions(symbols), site.function)->name,
		places[_i].function);
	symbols_close(symbols);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("arm_symbols")
{
	TEST(functions_begin_at_their_first_byte);
	TEST(functions_of_files_below_a_relative_folder_are_named);
	TEST_EACH(system_calls_are_as_long_as_their_instruction_set_has_them,
		  places);
}
