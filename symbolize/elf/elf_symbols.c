/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/elf_symbols.h"

#include "common/error.h"
#include "symbolize/elf/elf_file.h"
#include "symbolize/elf/plt_stubs.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>
#include <string.h>

struct elf_reader {
	struct elf_file *file;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
	bool is_arm; /* the lowest bit of a function's address marks T32 */
};

/* Ranks the names of one address, preferring the one that programs use: "read"
 * rather than "__read", "__libc_read".
 */
static unsigned int rank_of(const GElf_Sym *entry, const char *name)
{
	return (entry->st_size ? 4 : 0) + (name[0] != '_' ? 2 : 0) +
	       (GELF_ST_BIND(entry->st_info) == STB_GLOBAL);
}

/* Returns the address after the last byte of the symbol @entry of @elf; without
 * a size that is the end of its section, 0 if unknown.
 */
static uint64_t end_of(const GElf_Sym *entry, Elf *elf, uint64_t start)
{
	Elf_Scn *section;
	GElf_Shdr header;

	if (entry->st_size)
		return start + entry->st_size;
	section = elf ? elf_getscn(elf, entry->st_shndx) : NULL;
	if (!section || !gelf_getshdr(section, &header) ||
	    entry->st_value < header.sh_addr ||
	    entry->st_value - header.sh_addr >= header.sh_size)
		return 0;
	return start + header.sh_size - (entry->st_value - header.sh_addr);
}

static int add_symbol(const struct elf_reader *reader, const GElf_Sym *entry,
		      Elf *elf, uint64_t address, const char *name)
{
	struct symbol symbol = { .role = CODE_FUNCTION };
	size_t length;

	symbol.is_t32 = reader->is_arm && address & 1;
	address -= symbol.is_t32;
	if (!elf_file_offset(reader->file, address, &symbol.start))
		return 0;
	symbol.end = end_of(entry, elf, symbol.start);
	/* "read@@GLIBC_2.2.5": the version is not part of the name. */
	length = strcspn(name, "@");
	symbol.is_cold = function_name_is_cold(name, length);
	symbol.function =
		symbol.is_cold ?
			function_table_add(reader->functions, name, length,
					   reader->module, 'u') :
			function_table_add_entry(reader->functions, name,
						 length, reader->module, 'u',
						 address);
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	return address_map_add(reader->map, &symbol, rank_of(entry, name));
}

static bool is_function(const GElf_Sym *entry)
{
	int type = GELF_ST_TYPE(entry->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       entry->st_shndx != SHN_UNDEF;
}

/* libdwfl selects the most complete symbol table and adds that of
 * .gnu_debugdata.
 */
static int add_symbols(const struct elf_reader *reader)
{
	Dwfl_Module *module = elf_file_module(reader->file);
	uint64_t bias = elf_file_bias(reader->file);
	int count = dwfl_module_getsymtab(module);
	int status = 0;

	for (int i = 1; i < count && !status; i++) {
		GElf_Sym entry;
		GElf_Addr address;
		Elf *elf;
		const char *name = dwfl_module_getsym_info(
			module, i, &entry, &address, NULL, &elf, NULL);

		if (name && *name && is_function(&entry))
			status = add_symbol(reader, &entry, elf, address - bias,
					    name);
	}
	return status;
}

static int add_stubs(const struct elf_reader *reader)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(elf_file_module(reader->file), &bias);

	return elf ? plt_stubs_add(elf, reader->module, reader->functions,
				   reader->map) :
		     0;
}

static bool is_arm(const struct elf_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(elf_file_module(file), &bias);
	GElf_Ehdr header;

	return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_ARM;
}

int elf_symbols_add(const char *path, struct function_table *functions,
		    struct address_map *map, const struct log *log)
{
	struct elf_reader reader = { .functions = functions, .map = map };
	int status = -ERROR_MEMORY;

	reader.module = function_table_module(functions, path, strlen(path));
	if (!reader.module)
		return status;
	reader.file = elf_file_open(path, log);
	if (reader.file)
		reader.is_arm = is_arm(reader.file);
	status = reader.file ? add_symbols(&reader) : -ERROR_NOT_FOUND;
	if (!status)
		status = add_stubs(&reader);
	elf_file_close(reader.file);
	return status;
}
