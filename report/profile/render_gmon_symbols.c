/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "common/error.h"
#include "report/profile/gmon_layout.h"
#include "report/text/function_label.h"
#include "symbolize/functions/function_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* An executable that consists only of names, which gprof needs beside a
 * gmon.out: a .text section of the right size without contents, and a symbol
 * per function.
 */
enum section {
	SECTION_NULL,
	SECTION_TEXT,
	SECTION_SYMTAB,
	SECTION_STRTAB,
	SECTION_SHSTRTAB,
	SECTION_COUNT
};

static const char section_names[] = "\0.text\0.symtab\0.strtab\0.shstrtab";

struct tables {
	Elf64_Sym *symbols; /* the first one is empty, as ELF requires */
	size_t symbol_count;
	char *names;
	size_t names_size;
};

static void add_symbol(struct tables *tables, size_t row, const char *name,
		       FILE *names)
{
	tables->symbols[row + 1] = (Elf64_Sym){
		.st_name = (Elf64_Word)ftell(names),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = SECTION_TEXT,
		.st_value = gmon_address(row),
		.st_size = GMON_FUNCTION_BYTES,
	};
	fwrite(name, 1, strlen(name) + 1, names);
}

static void add_symbols(const struct profile_report *report,
			const struct function_profile *profile,
			struct tables *tables, FILE *names)
{
	fputc('\0', names);
	for (size_t i = 0; i < profile->row_count; i++) {
		const struct function_row *row = &profile->rows[i];
		struct function_label label = function_label_of(
			report->functions, row->function, row->pid);

		add_symbol(tables, i, label.text, names);
	}
	add_symbol(tables, profile->row_count, GMON_NOBODY_NAME, names);
}

static int make_tables(const struct profile_report *report,
		       const struct function_profile *profile,
		       struct tables *tables)
{
	FILE *names = open_memstream(&tables->names, &tables->names_size);

	tables->symbol_count = profile->row_count + 2;
	tables->symbols =
		calloc(tables->symbol_count, sizeof(*tables->symbols));
	if (names && tables->symbols)
		add_symbols(report, profile, tables, names);
	return names && fclose(names) == 0 && tables->symbols ? 0 :
								-ERROR_MEMORY;
}

static Elf64_Ehdr header_of(uint64_t sections_offset)
{
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = GMON_BASE,
		.e_shoff = sections_offset,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTION_COUNT,
		.e_shstrndx = SECTION_SHSTRTAB,
	};
}

/* Writes header, symbols, names, section names and sections. */
static void write_file(const struct tables *tables, FILE *out)
{
	uint64_t symbols_size = tables->symbol_count * sizeof(Elf64_Sym);
	uint64_t names_at = sizeof(Elf64_Ehdr) + symbols_size;
	uint64_t shnames_at = names_at + tables->names_size;
	const Elf64_Shdr sections[SECTION_COUNT] = {
		[SECTION_TEXT] = {
			.sh_name = 1,
			.sh_type = SHT_NOBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = GMON_BASE,
			.sh_offset = sizeof(Elf64_Ehdr),
			.sh_size = (tables->symbol_count - 1) *
				   GMON_FUNCTION_BYTES,
			.sh_addralign = GMON_FUNCTION_BYTES,
		},
		[SECTION_SYMTAB] = {
			.sh_name = 7,
			.sh_type = SHT_SYMTAB,
			.sh_offset = sizeof(Elf64_Ehdr),
			.sh_size = symbols_size,
			.sh_link = SECTION_STRTAB,
			.sh_info = 1,
			.sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Sym),
		},
		[SECTION_STRTAB] = {
			.sh_name = 15,
			.sh_type = SHT_STRTAB,
			.sh_offset = names_at,
			.sh_size = tables->names_size,
			.sh_addralign = 1,
		},
		[SECTION_SHSTRTAB] = {
			.sh_name = 23,
			.sh_type = SHT_STRTAB,
			.sh_offset = shnames_at,
			.sh_size = sizeof(section_names),
			.sh_addralign = 1,
		},
	};
	const Elf64_Ehdr header = header_of(shnames_at + sizeof(section_names));

	fwrite(&header, sizeof(header), 1, out);
	fwrite(tables->symbols, 1, symbols_size, out);
	fwrite(tables->names, 1, tables->names_size, out);
	fwrite(section_names, 1, sizeof(section_names), out);
	fwrite(sections, sizeof(sections), 1, out);
}

int render_gmon_symbols(const struct profile_report *report, FILE *out)
{
	struct function_profile profile;
	struct tables tables = { 0 };
	int status = function_profile_make(
		report->tree, function_count(report->functions), &profile);

	if (status < 0)
		return status;
	status = make_tables(report, &profile, &tables);
	if (!status)
		write_file(&tables, out);
	free(tables.symbols);
	free(tables.names);
	function_profile_free(&profile);
	return status;
}
