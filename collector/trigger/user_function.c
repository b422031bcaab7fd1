/* SPDX-License-Identifier: MIT */
#include "collector/trigger/user_function.h"
#include "common/error.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Returns whether one of the symbols in @section is the function @name. */
static bool find_in(Elf *elf, Elf_Scn *section, const char *name,
		    uint64_t *address)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
		return false;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *text =
			elf_strptr(elf, header.sh_link, symbol.st_name);

		if (!text || strcmp(text, name) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		*address = symbol.st_value;
		return true;
	}
	return false;
}

static bool find(Elf *elf, const char *name, uint64_t *address)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (find_in(elf, section, name, address))
			return true;
	return false;
}

/* Returns whether a segment of the file holds @address. */
static bool offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr segment;

	for (int i = 0; gelf_getphdr(elf, i, &segment); i++) {
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

int user_function_offset(const char *path, const char *name, uint64_t *offset)
{
	uint64_t address;
	int error = -ERROR_FORMAT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0)
		return -ERROR_SYSTEM;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		error = find(elf, name, &address) &&
					offset_of(elf, address, offset) ?
				0 :
				-ERROR_NOT_FOUND;
	elf_end(elf);
	close(fd);
	return error;
}
