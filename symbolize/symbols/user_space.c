/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_space.h"

#include "common/arena.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/functions/same_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct user_file {
	const char *path;
	bool is_recorded; /* else another is there: its names are wrong */
	struct address_map *symbols; /* by offset in the file */
};

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
	struct arena *arena;   /* paths */
	struct array files;    /* struct user_file */
	struct array mappings; /* struct user_mapping, sorted */
	struct array parents;  /* struct user_parent */
};

struct namer {
	struct function_table *functions;
	const char *path;
	const char *module;
};

/* Functions without a symbol: "[libc.so.6+0x29c50]". */
static uint32_t name_hole(void *ctx, uint64_t start)
{
	const struct namer *namer = ctx;
	const char *slash = strrchr(namer->path, '/');
	char name[300];
	int length = snprintf(name, sizeof(name), "[%.255s",
			      slash ? slash + 1 : namer->path);

	if (start)
		length += snprintf(name + length, sizeof(name) - (size_t)length,
				   "+0x%" PRIx64, start);
	name[length++] = ']';
	return function_table_add(namer->functions, name, (size_t)length,
				  namer->module, 'u');
}

/* Those of a file that was not recorded are of no module: its lines, which are
 * looked for in modules, would be wrong.
 */
static int name_holes(const struct user_file *file,
		      struct function_table *functions)
{
	struct namer namer = {
		.functions = functions,
		.path = file->path,
		.module = function_table_module(
			functions, file->path,
			file->is_recorded ? strlen(file->path) : 0),
	};

	return namer.module ?
		       address_map_fill(file->symbols, name_hole, &namer) :
		       -ERROR_MEMORY;
}

static int read_file(struct user_file *file, struct function_table *functions,
		     const struct log *log)
{
	int status = 0;

	file->symbols = address_map_new();
	if (!file->symbols)
		return -ERROR_MEMORY;
	if (file->is_recorded)
		status = elf_symbols_add(file->path, functions, file->symbols,
					 log);
	if (status == -ERROR_MEMORY)
		return status;
	status = address_map_finish(file->symbols);
	if (!status)
		status = same_names_tell_apart(functions, file->symbols);
	return status ? status : name_holes(file, functions);
}

static int open_file(struct user_space *space, const char *path,
		     bool is_recorded, struct function_table *functions,
		     const struct log *log, uint32_t *number)
{
	struct user_file *file;

	for (*number = 0; *number < space->files.count; ++*number) {
		file = array_at(&space->files, *number);
		if (file->is_recorded == is_recorded &&
		    strcmp(file->path, path) == 0)
			return 0;
	}
	file = array_add(&space->files);
	if (!file)
		return -ERROR_MEMORY;
	file->path = path;
	file->is_recorded = is_recorded;
	return read_file(file, functions, log);
}

static int add_mapping(struct user_space *space,
		       const struct recording *recording,
		       const struct sideband_record *record,
		       struct function_table *functions, const struct log *log)
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
	if (open_file(space, path, recording_has_program(recording, mmap, path),
		      functions, log, &file) < 0)
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
			struct function_table *functions, const struct log *log)
{
	struct sideband_record record;
	int status;

	while ((status = sideband_next(sideband, &record)) > 0) {
		if (record.kind == SIDEBAND_FORK)
			status = add_parent(space, &record);
		else
			status = add_mapping(space, recording, &record,
					     functions, log);
		if (status < 0)
			return status;
	}
	array_sort(&space->mappings, compare_mappings);
	return status;
}

int user_space_open(const struct recording *recording,
		    struct function_table *functions, const struct log *log,
		    struct user_space **space)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_MMAP) |
						 SIDEBAND_BIT(SIDEBAND_FORK));
	int status = -ERROR_MEMORY;

	*space = calloc(1, sizeof(**space));
	if (*space)
		(*space)->arena = arena_new();
	if (*space && (*space)->arena && sideband) {
		(*space)->files = ARRAY_OF(struct user_file);
		(*space)->mappings = ARRAY_OF(struct user_mapping);
		(*space)->parents = ARRAY_OF(struct user_parent);
		status = read_records(*space, recording, sideband, functions,
				      log);
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
	for (size_t i = 0; i < space->files.count; i++) {
		struct user_file *file = array_at(&space->files, i);
		size_t count;
		struct symbol *symbols =
			address_map_symbols(file->symbols, &count);

		for (size_t k = 0; k < count; k++)
			if (symbols[k].function != FUNCTION_UNKNOWN)
				symbols[k].function += shift;
	}
}

void user_space_close(struct user_space *space)
{
	if (!space)
		return;
	for (size_t i = 0; i < space->files.count; i++) {
		struct user_file *file = array_at(&space->files, i);

		address_map_free(file->symbols);
	}
	array_free(&space->files);
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
		file = array_at(&space->files, mapping->file);
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
