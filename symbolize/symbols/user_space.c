/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_space.h"

#include "common/array.h"
#include "common/error.h"
#include "decoder/code/process_maps.h"
#include "decoder/recording/recording.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/symbols/user_files.h"

#include <stdlib.h>

struct user_space {
	struct process_maps *maps;
	struct user_files files; /* by their numbers in the maps */
	bool has_time;
};

static int read_files(struct user_space *space,
		      struct function_table *functions)
{
	size_t count = process_maps_file_count(space->maps);

	for (size_t i = 0; i < count; i++) {
		const struct process_file *file =
			process_maps_file(space->maps, i);

		if (user_files_add(&space->files, file, functions) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

int user_space_open(const struct recording *recording,
		    struct function_table *functions, struct user_space **space)
{
	struct user_space *made = calloc(1, sizeof(*made));

	*space = NULL;
	if (!made)
		return -ERROR_MEMORY;
	made->files = USER_FILES_NONE;
	made->has_time = recording_time(recording) ==
			 RECORDING_TIME_NANOSECONDS;
	made->maps = process_maps_new(recording);
	if (!made->maps || read_files(made, functions) < 0) {
		user_space_close(made);
		return -ERROR_MEMORY;
	}
	*space = made;
	return 0;
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
	process_maps_free(space->maps);
	free(space);
}

/* Removes the addresses from @start to @end, which do not include @address, and
 * those beyond them from @range.
 */
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

/* Reduces @range to the addresses from @start to @end. */
static void narrow_to(struct symbol_range *range, uint64_t start, uint64_t end)
{
	if (range->start < start)
		range->start = start;
	if (range->end > end)
		range->end = end;
}

/* A search for @address from the newest map to the oldest. */
struct search {
	const struct user_space *space;
	uint64_t address;
	struct symbol *symbol;
	struct symbol_range *range;
	bool is_found;
};

/* Returns the symbols of the file of @map, or NULL. */
static const struct address_map *symbols_of(const struct user_space *space,
					    const struct process_map *map)
{
	return map->file < space->files.files.count ?
		       user_files_at(&space->files, map->file)->symbols :
		       NULL;
}

/* @map covers the address. Symbols are by offset in the file: the part of a
 * symbol outside the map is cut off.
 */
static void take_symbol(struct search *search, const struct process_map *map)
{
	const struct address_map *symbols = symbols_of(search->space, map);
	uint64_t shift = map->address - map->file_offset;
	uint64_t file_end = map->file_offset + map->size_bytes;
	struct symbol *symbol = search->symbol;
	uint64_t start;
	uint64_t end;

	narrow_to(search->range, map->address, map->address + map->size_bytes);
	search->is_found = symbols;
	if (!symbols)
		return;
	*symbol = *address_map_find(symbols, search->address - shift);
	start = symbol->start > map->file_offset ? symbol->start :
						   map->file_offset;
	end = symbol->end < file_end ? symbol->end : file_end;
	narrow_to(search->range, start + shift, end + shift);
	symbol->start += shift;
	symbol->end += shift;
}

static bool look_at(void *ctx, const struct process_map *map)
{
	struct search *search = ctx;

	if (search->address - map->address < map->size_bytes) {
		take_symbol(search, map);
		return true;
	}
	narrow(search->range, search->address, map->address,
	       map->address + map->size_bytes);
	return false;
}

bool user_space_find(const struct user_space *space, int32_t pid,
		     uint64_t time_ns, uint64_t address, struct symbol *symbol,
		     struct symbol_range *range)
{
	struct search search = { space, address, symbol, range, false };

	range->until_ns = process_maps_visit(
		space->maps, pid, space->has_time ? time_ns : UINT64_MAX,
		look_at, &search);
	return search.is_found;
}

bool user_space_find_mapped(const struct user_space *space,
			    const struct array *maps, uint64_t address,
			    struct symbol *symbol, struct symbol_range *range)
{
	struct search search = { space, address, symbol, range, false };

	for (size_t i = maps->count; i-- > 0;)
		if (look_at(&search, array_at(maps, i)))
			break;
	return search.is_found;
}

/* Marks the file of @map in the array @ctx. */
static bool choose_file(void *ctx, const struct process_map *map)
{
	bool *chosen = ctx;

	chosen[map->file] = true;
	return false;
}

int user_space_log_unread(const struct user_space *space, const struct log *log,
			  const int32_t *pids, size_t count)
{
	bool *chosen = calloc(space->files.files.count + 1, sizeof(*chosen));

	if (!chosen)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++)
		process_maps_visit_added(space->maps, pids[i], choose_file,
					 chosen);
	user_files_log_unread(&space->files, log, pids ? chosen : NULL);
	free(chosen);
	return 0;
}
