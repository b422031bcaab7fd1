/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/functions/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions' entries by module, name and address: all, or all with one name. */
struct run {
	struct kernel_name **entries;
	size_t count;
};

/* Code that the kernel generates at run time is one function per name. */
static bool is_generated(const struct kernel_name *name)
{
	return !strcmp(name->module, "[bpf]") ||
	       !strncmp(name->module, "[__builtin__", 12);
}

static int compare(const struct kernel_name *one,
		   const struct kernel_name *other)
{
	int order = strcmp(one->module, other->module);

	return order ? order : strcmp(one->name, other->name);
}

static int by_name(const void *a, const void *b)
{
	const struct kernel_name *one = *(struct kernel_name *const *)a;
	const struct kernel_name *other = *(struct kernel_name *const *)b;
	int order = compare(one, other);

	return order ? order :
		       (one->start > other->start) -
			       (one->start < other->start);
}

/* Returns the entries of functions, by module and name. */
static struct run list(const struct kernel_names *names)
{
	struct run all = {
		.entries = calloc(names->count + 1, sizeof(*all.entries)),
	};

	if (!all.entries)
		abort();
	for (size_t i = 0; i < names->count; i++) {
		struct kernel_name *name = &names->names[i];

		if (strcmp(name->name, "[unknown]") && !name->is_padding &&
		    !name->is_cold && !is_generated(name))
			all.entries[all.count++] = name;
	}
	qsort(all.entries, all.count, sizeof(*all.entries), by_name);
	return all;
}

/* Returns the entries of @all that have the name of @name. */
static struct run run_of(const struct run *all, const struct kernel_name *name)
{
	struct run run = { .entries = all->entries };
	size_t high = all->count;
	size_t low = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(all->entries[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	run.entries += low;
	while (low + run.count < all->count &&
	       !compare(run.entries[run.count], name))
		run.count++;
	return run;
}

static bool is_one(const struct run *run)
{
	return run->entries[0]->start == run->entries[run->count - 1]->start;
}

/* Returns the entry of @run at or after @address, or else the last. */
static struct kernel_name *entry_from(const struct run *run, uint64_t address)
{
	size_t i = 0;

	while (i + 1 < run->count && run->entries[i]->start < address)
		i++;
	return run->entries[i];
}

/* Returns the entry that each part belongs to: padding to the next entry; cold
 * parts, which are in the order of their functions, to the entry after the
 * owner of the previous part.
 */
static struct kernel_name **find_owners(const struct kernel_names *names,
					const struct run *all)
{
	struct kernel_name **owners = calloc(names->count + 1, sizeof(*owners));
	uint64_t before = 0;

	if (!owners)
		abort();
	for (size_t i = 0; i < names->count; i++) {
		const struct kernel_name *name = &names->names[i];
		struct run run;

		if (!name->is_padding && !name->is_cold)
			continue;
		run = run_of(all, name);
		if (!run.count)
			continue;
		owners[i] =
			entry_from(&run, name->is_cold ? before : name->start);
		if (name->is_cold)
			before = owners[i]->start;
	}
	return owners;
}

static uint64_t start_of(const struct run *all, const char *module)
{
	uint64_t start = UINT64_MAX;

	for (size_t i = 0; i < all->count; i++)
		if (!strcmp(all->entries[i]->module, module) &&
		    all->entries[i]->start < start)
			start = all->entries[i]->start;
	return start;
}

static char *keep(struct kernel_names *names, char *made)
{
	names->made = realloc(names->made,
			      (names->made_count + 1) * sizeof(*names->made));
	if (!names->made)
		abort();
	names->made[names->made_count++] = made;
	return made;
}

/* Gives the entries of @run, which all have the same name, unique names. */
static void rename_entries(struct kernel_names *names, const struct run *all,
			   const struct run *run)
{
	uint64_t start = start_of(all, run->entries[0]->module);

	for (size_t i = 0; i < run->count; i++) {
		struct kernel_name *entry = run->entries[i];
		char *made;

		if (asprintf(&made, "%s@0x%" PRIx64, entry->name,
			     entry->start - start) < 0)
			abort();
		entry->name = keep(names, made);
	}
}

void kernel_names_tell_apart(struct kernel_names *names)
{
	struct run all = list(names);
	struct kernel_name **owners = find_owners(names, &all);
	struct run run;

	for (size_t i = 0; i < all.count; i += run.count) {
		const struct run rest = { all.entries + i, all.count - i };

		run = run_of(&rest, all.entries[i]);
		if (!is_one(&run))
			rename_entries(names, &all, &run);
	}
	for (size_t i = 0; i < names->count; i++)
		if (owners[i])
			names->names[i].name = owners[i]->name;
	free(owners);
	free(all.entries);
}
