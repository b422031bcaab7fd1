/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/plt_stubs.h"

#include "common/error.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* Above the ranks of symbols: some linkers give stubs symbols. */
enum { STUB_RANK = 16 };

/* .plt, .plt.got, .plt.sec, .iplt */
static bool is_stubs(const GElf_Shdr *header, const char *name)
{
	return header->sh_type == SHT_PROGBITS && header->sh_size &&
	       header->sh_flags & SHF_EXECINSTR && name &&
	       (!strcmp(name, ".plt") || !strncmp(name, ".plt.", 5) ||
		!strcmp(name, ".iplt"));
}

static int add_section(const GElf_Shdr *header, const char *module,
		       struct function_table *functions,
		       struct address_map *map)
{
	struct symbol symbol = {
		.start = header->sh_offset,
		.end = header->sh_offset + header->sh_size,
		.role = CODE_INDIRECT_THUNK,
	};

	symbol.function =
		function_table_add(functions, "[plt]", 5, module, 'u');
	if (symbol.function == FUNCTION_NONE)
		return -ERROR_MEMORY;
	return address_map_add(map, &symbol, STUB_RANK);
}

int plt_stubs_add(Elf *elf, const char *module,
		  struct function_table *functions, struct address_map *map)
{
	Elf_Scn *section = NULL;
	size_t names;
	int status = 0;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	while (!status && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    is_stubs(&header, elf_strptr(elf, names, header.sh_name)))
			status = add_section(&header, module, functions, map);
	}
	return status;
}
