/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_space.h"

#include "common/arena.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/symbols/user_files.h"

#include <stdlib.h>

struct user_mapping {
	int32_t pid;
	uint32_t order;
	uint32_t file;
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
};

struct user_parent {
	int32_t pid;
	int32_t parent;
};

struct user_space {
	struct arena *arena; /* paths */
	struct user_files files;
	struct array mappings; /* struct user_mapping, sorted */
	struct array parents;  /* struct user_parent */
};

static int add_mapping(struct user_space *space,
		       const struct recording *recording,
		       const struct sideband_record *record,
		       struct function_table *functions)
{
	const struct sideband_mmap *mmap = &record->mmap;
	struct user_mapping *mapping;
	const char *path;
	uint32_t file;

	if (mmap->kernel || !mmap->executable)
		return 0;
	path = recording_user_path(recording, mmap->path, space->arena);
	if (!path)
		return -ERROR_MEMORY;
	/* "//anon", "[heap]" have no file to read. */
	if (path[0] != '/' || path[1] == '/')
		return 0;
	if (user_files_open(&space->files, path,
			    recording_has_program(recording, mmap, path),
			    functions, &file) < 0)
		return -ERROR_MEMORY;
	mapping = array_add(&space->mappings);
	if (!mapping)
		return -ERROR_MEMORY;
	*mapping = (struct user_mapping){
		.pid = record->pid,
		.order = (uint32_t)space->mappings.count,
		.file = file,
		.start = mmap->address,
		.end = mmap->address + mmap->size_bytes,
		.file_offset = mmap->file_offset,
	};
	return 0;
}

static int add_parent(struct user_space *space,
		      const struct sideband_record *record)
{
	struct user_parent *parent;

	if (record->pid == record->fork.parent_pid)
		return 0;
	parent = array_add(&space->parents);
	if (!parent)
		return -ERROR_MEMORY;
	parent->pid = record->pid;
	parent->parent = record->fork.parent_pid;
	return 0;
}

static int compare_mappings(const void *a, const void *b)
{
	const struct user_mapping *x = a;
	const struct user_mapping *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	/* The newest first. */
	return x->order < y->order ? 1 : -1;
}

static int read_records(struct user_space *space,
			const struct recording *recording,
			struct sideband *sideband,
			struct function_table *functions)
{
	struct sideband_record record;
	int status;

	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.kind == SIDEBAND_FORK)
			status = add_parent(space, &record);
		else
			status = add_mapping(space, recording, &record,
					     functions);
		if (status < 0)
			return status;
	}
	array_sort(&space->mappings, compare_mappings);
	return status;
}

int user_space_open(const struct recording *recording,
		    struct function_table *functions, struct user_space **space)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_MMAP) |
						 SIDEBAND_BIT(SIDEBAND_FORK));
	int status = -ERROR_MEMORY;

	*space = calloc(1, sizeof(**space));
	if (*space)
		(*space)->arena = arena_new();
	if (*space && (*space)->arena && sideband) {
		(*space)->files = USER_FILES_NONE;
		(*space)->mappings = ARRAY_OF(struct user_mapping);
		(*space)->parents = ARRAY_OF(struct user_parent);
		status = read_records(*space, recording, sideband, functions);
	}
	sideband_close(sideband);
	if (status < 0) {
		user_space_close(*space);
		*space = NULL;
	}
	return status;
}

void user_space_renumber(struct user_space *space, uint32_t shift)
{
	user_files_renumber(&space->files, shift);
}

void user_space_close(struct user_space *space)
{
	if (!space)
		return;
	user_files_free(&space->files);
	array_free(&space->mappings);
	array_free(&space->parents);
	arena_free(space->arena);
	free(space);
}

static bool is_of_lower(const void *mapping, const void *pid)
{
	return ((const struct user_mapping *)mapping)->pid <
	       *(const int32_t *)pid;
}

/* Returns the first mapping of @pid. */
static size_t first_mapping(const struct user_space *space, int32_t pid)
{
	return array_partition_point(&space->mappings, &pid, is_of_lower);
}

/* Takes what lies between @start and @end, and not at @address, off @range. */
static void narrow(struct symbol_range *range, uint64_t address, uint64_t start,
		   uint64_t end)
{
	if (start > address) {
		if (start < range->end)
			range->end = start;
	} else if (end > range->start) {
		range->start = end;
	}
}

/* Leaves of @range what @mapping has of @symbol, which is by offset in the file. */
static void narrow_to(struct symbol_range *range,
		      const struct user_mapping *mapping,
		      const struct symbol *symbol)
{
	uint64_t size = mapping->end - mapping->start;
	uint64_t first = 0;

	if (symbol->start > mapping->file_offset)
		first = symbol->start - mapping->file_offset;
	if (symbol->end - mapping->file_offset < size)
		size = symbol->end - mapping->file_offset;
	if (range->start < mapping->start + first)
		range->start = mapping->start + first;
	if (range->end > mapping->start + size)
		range->end = mapping->start + size;
}

static bool find_in(const struct user_space *space, int32_t pid,
		    uint64_t address, struct symbol *symbol,
		    struct symbol_range *range)
{
	const struct user_mapping *mappings = space->mappings.items;

	for (size_t i = first_mapping(space, pid);
	     i < space->mappings.count && mappings[i].pid == pid; i++) {
		const struct user_mapping *mapping = &mappings[i];
		const struct user_file *file;
		uint64_t shift;

		if (address < mapping->start || address >= mapping->end) {
			narrow(range, address, mapping->start, mapping->end);
			continue;
		}
		file = user_files_at(&space->files, mapping->file);
		shift = mapping->start - mapping->file_offset;
		*symbol = *address_map_find(file->symbols, address - shift);
		narrow_to(range, mapping, symbol);
		symbol->start += shift;
		symbol->end += shift;
		return true;
	}
	return false;
}

static bool find_parent(const struct user_space *space, int32_t *pid)
{
	for (size_t i = space->parents.count; i-- > 0;) {
		const struct user_parent *parent = array_at(&space->parents, i);

		if (parent->pid == *pid) {
			*pid = parent->parent;
			return true;
		}
	}
	return false;
}

bool user_space_find(const struct user_space *space, int32_t pid,
		     uint64_t address, struct symbol *symbol,
		     struct symbol_range *range)
{
	/* A forked process has its parent's mappings until it execs; there are
	 * loops among reused pids.
	 */
	for (unsigned int i = 0; i <= BUDGET_FORK_DEPTH; i++) {
		if (find_in(space, pid, address, symbol, range))
			return true;
		if (!find_parent(space, &pid))
			return false;
	}
	return false;
}

/* Adds each process's last parent to @parents, by pid. */
static int map_parents(const struct user_space *space,
		       struct number_map *parents)
{
	for (size_t i = 0; i < space->parents.count; i++) {
		const struct user_parent *fork = array_at(&space->parents, i);
		uint64_t *parent = number_map_add(parents, (uint32_t)fork->pid);

		if (!parent)
			return -ERROR_MEMORY;
		*parent = (uint32_t)fork->parent;
	}
	return 0;
}

/* Chooses the files of process @pid: those that it mapped, or else those of the
 * nearest ancestor that mapped any.
 */
static void choose_files(const struct user_space *space,
			 const struct number_map *parents, int32_t pid,
			 bool *chosen)
{
	const struct user_mapping *mappings = space->mappings.items;
	const uint64_t *parent;
	size_t first;

	for (unsigned int i = 0; i <= BUDGET_FORK_DEPTH; i++) {
		first = first_mapping(space, pid);
		if (first < space->mappings.count && mappings[first].pid == pid)
			break;
		parent = number_map_find(parents, (uint32_t)pid);
		if (!parent)
			return;
		pid = (int32_t)*parent;
	}
	for (; first < space->mappings.count && mappings[first].pid == pid;
	     first++)
		chosen[mappings[first].file] = true;
}

int user_space_log_unread(const struct user_space *space, const struct log *log,
			  const int32_t *pids, size_t count)
{
	bool *chosen = calloc(space->files.files.count + 1, sizeof(*chosen));
	struct number_map parents = { 0 };
	int status = chosen ? map_parents(space, &parents) : -ERROR_MEMORY;

	for (size_t i = 0; i < count && !status; i++)
		choose_files(space, &parents, pids[i], chosen);
	if (!status)
		user_files_log_unread(&space->files, log, pids ? chosen : NULL);
	number_map_free(&parents);
	free(chosen);
	return status;
}
