/* SPDX-License-Identifier: MIT */
#include "collector/trigger/user_function.h"
#include "common/error.h"
#include "common/name_choice.h"
#include "common/regular_file.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(const struct placed_name *wanted, const char *name,
		      const GElf_Sym *symbol)
{
	return name && strlen(name) == wanted->length &&
	       !memcmp(name, wanted->text, wanted->length) &&
	       GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       symbol->st_shndx != SHN_UNDEF &&
	       (!wanted->has_place || symbol->st_value == wanted->place);
}

/* A function may be in both symbol tables, and have several symbols there. */
static void take(struct user_functions *found, uint64_t address)
{
	for (size_t i = 0; i < found->count && i < USER_FUNCTIONS_KEPT; i++)
		if (found->addresses[i] == address)
			return;
	if (found->count < USER_FUNCTIONS_KEPT)
		found->addresses[found->count] = address;
	found->count++;
}

static void find_in(Elf *elf, Elf_Scn *section,
		    const struct placed_name *wanted,
		    struct user_functions *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || !gelf_getshdr(section, &header) ||
	    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
		return;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++)
		if (is_wanted(wanted,
			      elf_strptr(elf, header.sh_link, symbol.st_name),
			      &symbol))
			take(found, symbol.st_value);
}

/* Sets *@offset to the file offset of @address. Returns whether a segment
 * contains it.
 */
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

static int find(Elf *elf, const char *name, struct user_functions *found)
{
	struct placed_name wanted;
	Elf_Scn *section = NULL;

	*found = (struct user_functions){ .count = 0 };
	if (!placed_name_read(name, strlen(name), &wanted))
		return -ERROR_NOT_FOUND;
	while ((section = elf_nextscn(elf, section)))
		find_in(elf, section, &wanted, found);
	return found->count > 1 || (found->count &&
				    offset_of(elf, found->addresses[0],
					      &found->offset)) ?
		       0 :
		       -ERROR_NOT_FOUND;
}

int user_functions_find(const char *path, const char *name,
			struct user_functions *found)
{
	int error = -ERROR_FORMAT;
	int fd = regular_file_open(path);
	Elf *elf;

	/* EINVAL: no regular file */
	if (fd < 0)
		return errno == EINVAL ? -ERROR_FORMAT : -ERROR_SYSTEM;
	elf_version(EV_CURRENT);
	/* Not mapped: its owner may shorten the file. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		error = find(elf, name, found);
	elf_end(elf);
	close(fd);
	return error;
}
