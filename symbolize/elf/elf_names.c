/* SPDX-License-Identifier: MIT */
#include "symbolize/elf/elf_names.h"

#include "common/array.h"
#include "symbolize/elf/elf_file.h"

#include <stdlib.h>
#include <string.h>

struct named {
	const char *name; /* owned by libdwfl */
	uint64_t address;
};

struct elf_names {
	struct array sorted; /* struct named */
};

static int compare(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;

	return strcmp(x->name, y->name);
}

static bool add_all(struct elf_names *names, const struct elf_file *file)
{
	Dwfl_Module *module = elf_file_module(file);
	uint64_t bias = elf_file_bias(file);
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Sym entry;
		GElf_Addr address;
		const char *name = dwfl_module_getsym_info(
			module, i, &entry, &address, NULL, NULL, NULL);

		if (!name || GELF_ST_TYPE(entry.st_info) != STT_FUNC)
			continue;
		if (array_append(&names->sorted,
				 &(struct named){ name, address - bias }) < 0)
			return false;
	}
	array_sort(&names->sorted, compare);
	return true;
}

struct elf_names *elf_names_new(const struct elf_file *file)
{
	struct elf_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->sorted = ARRAY_OF(struct named);
	if (!add_all(names, file)) {
		elf_names_free(names);
		return NULL;
	}
	return names;
}

void elf_names_free(struct elf_names *names)
{
	if (names)
		array_free(&names->sorted);
	free(names);
}

bool elf_names_find(const struct elf_names *names, const char *name,
		    uint64_t *address)
{
	const struct named key = { .name = name };
	const struct named *first = names->sorted.items;
	const struct named *end = first + names->sorted.count;
	const struct named *found;

	if (first == end)
		return false;
	found = bsearch(&key, first, names->sorted.count, sizeof(key), compare);
	if (!found || (found > first && !compare(found - 1, &key)) ||
	    (found + 1 < end && !compare(found + 1, &key)))
		return false;
	*address = found->address;
	return true;
}
