/* SPDX-License-Identifier: MIT */
#include "symbolize/elf_symbols.h"

#include "common/error.h"
#include "common/log.h"
#include "symbolize/address_map.h"
#include "symbolize/function_table.h"
#include "symbolize/plt_stubs.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

struct elf_reader {
	Elf *elf;
	const char *module;
	struct function_table *functions;
	struct address_map *map;
};

/* Returns false if no loaded segment holds @address. */
static bool file_offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(elf, (int)i, &segment) ||
		    segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

static Elf_Scn *find_table(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

/* Of several names for a place the one that programs use: "read" rather than
 * "__read", "__libc_read".
 */
static unsigned int rank_of(const GElf_Sym *entry, const char *name)
{
	return (entry->st_size ? 4 : 0) + (name[0] != '_' ? 2 : 0) +
	       (GELF_ST_BIND(entry->st_info) == STB_GLOBAL);
}

static int add_symbol(const struct elf_reader *reader, const GElf_Sym *entry,
		      const char *name)
{
	struct symbol symbol = { .role = CODE_FUNCTION };

	if (!file_offset_of(reader->elf, entry->st_value, &symbol.start))
		return 0;
	if (entry->st_size)
		symbol.end = symbol.start + entry->st_size;
	symbol.function = function_table_add(reader->functions, name,
					     strlen(name), reader->module, 'u');
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	function_table_locate(reader->functions, symbol.function,
			      entry->st_value);
	return address_map_add(reader->map, &symbol,
			       rank_of(entry, name));
}

static bool is_function(const GElf_Sym *entry)
{
	int type = GELF_ST_TYPE(entry->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       entry->st_shndx != SHN_UNDEF;
}

static int add_table(const struct elf_reader *reader, Elf_Scn *section,
		     const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size /
						    header->sh_entsize :
					    0;
	int status = 0;

	for (size_t i = 0; data && i < count && !status; i++) {
		GElf_Sym entry;
		const char *name;

		if (!gelf_getsym(data, (int)i, &entry) || !is_function(&entry))
			continue;
		name = elf_strptr(reader->elf, header->sh_link, entry.st_name);
		if (name && *name)
			status = add_symbol(reader, &entry, name);
	}
	return status;
}

static int add_symbols(const struct elf_reader *reader)
{
	GElf_Shdr header;
	Elf_Scn *section = find_table(reader->elf, SHT_SYMTAB, &header);

	if (!section)
		section = find_table(reader->elf, SHT_DYNSYM, &header);
	if (section && add_table(reader, section, &header) < 0)
		return -ERROR_MEMORY;
	return plt_stubs_add(reader->elf, reader->module, reader->functions,
			     reader->map);
}

int elf_symbols_add(const char *path, struct function_table *functions,
		    struct address_map *map, const struct log *log)
{
	struct elf_reader reader = { .functions = functions, .map = map };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int status = -ERROR_NOT_FOUND;

	reader.module = function_table_module(functions, path, strlen(path));
	elf_version(EV_CURRENT);
	if (fd >= 0)
		reader.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!reader.module)
		status = -ERROR_MEMORY;
	else if (reader.elf && elf_kind(reader.elf) == ELF_K_ELF)
		status = add_symbols(&reader);
	if (status == -ERROR_NOT_FOUND)
		log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "no symbols: %s",
			    fd < 0 ? strerror(errno) : "not an ELF file");
	elf_end(reader.elf);
	if (fd >= 0)
		close(fd);
	return status;
}
