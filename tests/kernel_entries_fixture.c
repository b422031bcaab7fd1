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

struct kernel_entries kernel_entries_read(const char *path)
{
	struct kernel_entries entries = {
		.by_name = ARRAY_OF(struct kernel_entry),
		.first = UINT64_MAX,
	};
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
		entry = array_add(&entries.by_name);
		entry->name = strdup(name);
		entry->address = address;
		if (address < entries.first)
			entries.first = address;
	}
	if (kallsyms)
		fclose(kallsyms);
	array_sort(&entries.by_name, by_name);
	return entries;
}

void kernel_entries_free(struct kernel_entries *entries)
{
	struct array *all = &entries->by_name;

	for (size_t i = 0; i < all->count; i++)
		free(((struct kernel_entry *)array_at(all, i))->name);
	array_free(all);
}

static bool is_before(const void *entry, const void *name)
{
	return strcmp(((const struct kernel_entry *)entry)->name, name) < 0;
}

void kernel_entries_tell_apart(const struct kernel_entries *entries,
			       uint64_t address, char *name, size_t size)
{
	const struct array *by_name = &entries->by_name;
	const struct kernel_entry *all = by_name->items;
	size_t at = array_partition_point(by_name, name, is_before);
	size_t length = strlen(name);
	bool is_entry = false; /* else a module's */
	bool has_others = false;

	for (; at < by_name->count && !strcmp(all[at].name, name); at++) {
		is_entry |= all[at].address == address;
		has_others |= all[at].address != address;
	}
	if (is_entry && has_others)
		snprintf(name + length, size - length, "@0x%" PRIx64,
			 address - entries->first);
}
