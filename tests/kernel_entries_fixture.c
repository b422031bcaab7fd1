/* SPDX-License-Identifier: MIT */
#include "tests/kernel_entries_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_entry {
	char *name;
	uint64_t address;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel_entry *)a)->name,
		      ((const struct kernel_entry *)b)->name);
}

struct array kernel_entries_read(const char *path)
{
	struct array entries = ARRAY_OF(struct kernel_entry);
	char line[1024];
	char name[512];
	char type;
	uint64_t address;
	FILE *kallsyms;

	snprintf(line, sizeof(line), "%s/kcore_dir/kallsyms", path);
	kallsyms = fopen(line, "re");
	while (kallsyms && fgets(line, sizeof(line), kallsyms)) {
		struct kernel_entry *entry;

		if (sscanf(line, "%" SCNx64 " %c %511s", &address, &type,
			   name) != 3 ||
		    !strchr("tTwW", type) || strchr(line, '[') ||
		    strstr(name, ".cold") || !strncmp(name, "__pfx_", 6))
			continue;
		entry = array_add(&entries);
		entry->name = strdup(name);
		entry->address = address;
	}
	if (kallsyms)
		fclose(kallsyms);
	array_sort(&entries, by_name);
	return entries;
}

void kernel_entries_free(struct array *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(((struct kernel_entry *)array_at(entries, i))->name);
	array_free(entries);
}

static bool is_before(const void *entry, const void *name)
{
	return strcmp(((const struct kernel_entry *)entry)->name, name) < 0;
}

void kernel_entries_tell_apart(const struct array *entries, uint64_t address,
			       char *name, size_t size)
{
	const struct kernel_entry *all = entries->items;
	size_t at = array_partition_point(entries, name, is_before);
	size_t length = strlen(name);
	uint64_t first = UINT64_MAX;
	bool is_entry = false; /* else a module's */
	bool has_others = false;

	for (; at < entries->count && !strcmp(all[at].name, name); at++) {
		is_entry |= all[at].address == address;
		has_others |= all[at].address != address;
	}
	if (!is_entry || !has_others)
		return;
	for (size_t i = 0; i < entries->count; i++)
		if (all[i].address < first)
			first = all[i].address;
	snprintf(name + length, size - length, "@0x%" PRIx64, address - first);
}
