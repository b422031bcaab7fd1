/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_space_internal.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/generated_chunk.h"
#include "common/log.h"
#include "decoder/code/process_maps.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/recording.h"
#include "symbolize/elf/called_functions.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/elf/inlined_ranges.h"
#include "symbolize/elf/unwind_functions.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols of programs, by file: each file that a recording mapped has one
 * address map by offset, shared by all processes and times that mapped it.
 *
 *	ELF symbols ─┐
 *	unwind table ┼─► functions of the file; the rest is one function for each
 *	             │   part without symbols: "[libc.so.6+0x29c50]"
 *	perf map ────┴─► functions of generated code, one for each name
 *
 * A file that differs from the recorded one only has such parts, since its
 * symbols would be wrong. The reasons of files that were not read are logged at
 * the end, and only for files that a chosen process had mapped.
 */

/* Where the functions of generated code are added. */
struct adding {
	struct function_table *functions;
	struct address_map *symbols;
	const char *module;
};

static int add_run(void *ctx, const struct generated_run *run, const char *name)
{
	const struct adding *adding = ctx;
	const struct symbol symbol = {
		.start = run->start,
		.end = run->end,
		.function = function_table_add(adding->functions, name,
					       strlen(name), adding->module,
					       'u'),
	};

	return symbol.function == FUNCTION_NONE ?
		       -ERROR_MEMORY :
		       address_map_add(adding->symbols, &symbol, 0);
}

static uint32_t name_rest(void *ctx, uint64_t start)
{
	const struct adding *adding = ctx;

	(void)start;
	return function_table_add(adding->functions, GENERATED_CODE,
				  strlen(GENERATED_CODE), adding->module, 'u');
}

/* Adds the functions of generated code that @names (NULL: none) lists at
 * @time_ns to @functions, and sets *@symbols to them, sorted by address. Code
 * of one name is one function, wherever it is: a function is compiled again and
 * again. Other code is the function GENERATED_CODE.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int generated_functions_add(const struct generated_names *names,
				   uint64_t time_ns,
				   struct function_table *functions,
				   struct address_map **symbols)
{
	struct adding adding = {
		.functions = functions,
		.symbols = address_map_new(),
		.module = function_table_module(functions, GENERATED_CODE,
						strlen(GENERATED_CODE)),
	};
	int error = adding.symbols && adding.module ? 0 : -ERROR_MEMORY;

	*symbols = adding.symbols;
	if (!error && names)
		error = generated_names_visit(names, time_ns, add_run, &adding);
	if (!error)
		error = address_map_finish(adding.symbols);
	return error ? error :
		       address_map_fill(adding.symbols, name_rest, &adding);
}

/* A recording may name any number of missing files: at most this many are
 * logged by name.
 */
enum { MOST_UNREAD_DETAILS = 100 };

struct namer {
	struct function_table *functions;
	const char *file; /* prefix of the functions' names */
	const char *module;
};

/* Names functions without a symbol: "[libc.so.6+0x29c50]". */
static uint32_t name_hole(void *ctx, uint64_t start)
{
	const struct namer *namer = ctx;
	char name[300];
	int length = snprintf(name, sizeof(name), "[%.255s", namer->file);

	if (start)
		length += snprintf(name + length, sizeof(name) - (size_t)length,
				   "+0x%" PRIx64, start);
	name[length++] = ']';
	return function_table_add(namer->functions, name, (size_t)length,
				  namer->module, 'u');
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the name of @file to be used in the names of its functions. Functions
 * without a module differ only by name, so a second file with the same base
 * name uses its path.
 */
static const char *name_of(const struct user_files *files,
			   const struct user_file *file)
{
	const char *name = base_of(file->path);

	if (file->is_recorded)
		return name;
	for (size_t i = 0; i < files->files.count; i++) {
		const struct user_file *other = array_at(&files->files, i);

		if (other == file)
			break;
		if (other->symbols && !other->is_recorded &&
		    !strcmp(base_of(other->path), name))
			return file->path;
	}
	return name;
}

/* Names the parts of a file that no symbol covers. Functions of a file that
 * differs from the recorded one have no module: source lines are found by
 * module, and would be wrong.
 */
static int name_holes(const struct user_files *files,
		      const struct user_file *file,
		      struct function_table *functions)
{
	struct namer namer = {
		.functions = functions,
		.file = name_of(files, file),
		.module = function_table_module(
			functions, file->path,
			file->is_recorded ? strlen(file->path) : 0),
	};

	return namer.module ?
		       address_map_fill(file->symbols, name_hole, &namer) :
		       -ERROR_MEMORY;
}

/* A log_fn that keeps the first message in the struct user_file @ctx: a note is
 * of elf_file.c's queries of debug data.
 */
static void keep_reason(void *ctx, enum log_level level, const char *path,
			uint64_t offset, const char *text)
{
	struct user_file *file = ctx;
	char **reason = level == LOG_NOTE ? &file->unsent : &file->unread;

	(void)path;
	(void)offset;
	if (!*reason)
		*reason = strdup(text);
}

static int add_symbols(struct user_file *file, struct function_table *functions)
{
	const struct log reason = { keep_reason, file };
	int status =
		elf_symbols_add(file->path, functions, file->symbols, &reason);

	return status == -ERROR_NOT_FOUND && !file->unread ? -ERROR_MEMORY :
							     status;
}

/* Adds the functions without symbols of the recorded file. */
static int add_unnamed(const struct user_file *file,
		       struct function_table *functions)
{
	const char *module = function_table_module(functions, file->path,
						   strlen(file->path));

	int status = module ? unwind_functions_add(file->path, module,
						   functions, file->symbols) :
			      -ERROR_MEMORY;

	return status ? status :
			called_functions_add(file->path, module, functions,
					     file->symbols);
}

static int read_file(struct user_files *files, struct user_file *file,
		     struct function_table *functions)
{
	int status = 0;

	file->symbols = address_map_new();
	if (!file->symbols)
		return -ERROR_MEMORY;
	if (file->is_recorded)
		status = add_symbols(file, functions);
	if (status == -ERROR_MEMORY)
		return status;
	status = address_map_finish(file->symbols);
	if (!status)
		status = same_names_tell_apart(functions, file->symbols);
	if (!status && file->is_recorded && !file->unread)
		status = add_unnamed(file, functions);
	return status ? status : name_holes(files, file, functions);
}

int user_files_add(struct user_files *files,
		   const struct process_file *process_file,
		   struct function_table *functions)
{
	struct user_file *file = array_add(&files->files);
	const char *path = process_file->path;

	if (!file)
		return -ERROR_MEMORY;
	file->path = path;
	file->inlined = ARRAY_OF(struct inlined_range);
	file->is_recorded = process_file->is_recorded;
	if (process_file->is_generated)
		return generated_functions_add(process_file->names,
					       process_file->names_ns,
					       functions, &file->symbols);
	/* "[vdso]" is not a file, and a jitdump no program. */
	if (!path || path[0] != '/' || path[1] == '/' ||
	    generated_dump_path(path))
		return 0;
	return read_file(files, file, functions);
}

static const char *unread_of(const struct user_file *file)
{
	return file->unread;
}

static const char *unsent_of(const struct user_file *file)
{
	return file->unsent;
}

/* Logs a warning about the files that have a reason @reason_of(): a single file
 * by its name; several by their number, with the @text and the first few as
 * details. @chosen, by number of the file, selects the files; NULL: all.
 */
static void log_reasons(const struct user_files *files, const struct log *log,
			const bool *chosen,
			const char *(*reason_of)(const struct user_file *file),
			const char *text)
{
	const struct user_file *listed[MOST_UNREAD_DETAILS];
	uint32_t count = 0;

	for (size_t i = 0; i < files->files.count; i++) {
		const struct user_file *file = array_at(&files->files, i);

		if (!reason_of(file) || (chosen && !chosen[i]))
			continue;
		if (count < MOST_UNREAD_DETAILS)
			listed[count] = file;
		count++;
	}
	if (count > 1)
		log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "%" PRIu32 " files of programs %s %s and others "
			    "(-v names them)",
			    count, text, listed[0]->path);
	for (uint32_t i = 0; i < count && i < MOST_UNREAD_DETAILS; i++)
		log_message(log, count > 1 ? LOG_DETAIL : LOG_WARNING,
			    listed[i]->path, LOG_NO_OFFSET, "%s",
			    reason_of(listed[i]));
}

static void user_files_log_unread(const struct user_files *files,
				  const struct log *log, const bool *chosen)
{
	log_reasons(files, log, chosen, unread_of,
		    "could not be read: no symbols of");
	log_reasons(files, log, chosen, unsent_of,
		    "have no usable debug data on the servers:");
}

/* Adds @shift to the numbers of all functions except FUNCTION_UNKNOWN. */
static void user_files_renumber(struct user_files *files, uint32_t shift)
{
	for (size_t i = 0; i < files->files.count; i++) {
		const struct user_file *file = array_at(&files->files, i);
		struct symbol *symbols;
		size_t count = 0;

		if (file->symbols)
			symbols = address_map_symbols(file->symbols, &count);
		for (size_t k = 0; k < count; k++)
			if (symbols[k].function != FUNCTION_UNKNOWN)
				symbols[k].function += shift;
	}
}

void user_files_free(struct user_files *files)
{
	for (size_t i = 0; i < files->files.count; i++) {
		struct user_file *file = array_at(&files->files, i);

		address_map_free(file->symbols);
		free(file->unread);
		free(file->unsent);
		array_free(&file->inlined);
	}
	array_free(&files->files);
}

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

/* Cuts @range before or after @address so that it excludes [@start, @end),
 * which does not contain @address.
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

/* @map covers the address. Symbols have offsets in the file; the range is
 * limited to the part of the symbol inside the map. For memory that a program
 * fills with code, one symbol without a name covers all offsets: such a symbol
 * is itself limited to the map, since a jump out of the map leaves the
 * function.
 */
static void consume_symbol(struct search *search, const struct process_map *map)
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
	if (symbol->role == CODE_UNNAMED) {
		symbol->start = start;
		symbol->end = end;
	}
	symbol->start += shift;
	symbol->end += shift;
}

static bool look_at(void *ctx, const struct process_map *map)
{
	struct search *search = ctx;

	if (search->address - map->address < map->size_bytes) {
		consume_symbol(search, map);
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

int user_space_add_inlined(struct user_space *space,
			   struct function_table *functions)
{
	int status = 0;

	for (size_t i = 0; i < space->files.files.count && !status; i++) {
		struct user_file *file = array_at(&space->files.files, i);
		const char *module;

		if (!file->symbols || !file->is_recorded || file->unread ||
		    file->path[0] != '/')
			continue;
		module = function_table_module(functions, file->path,
					       strlen(file->path));
		status = module ?
				 inlined_ranges_add(file->path, module,
						    functions, &file->inlined) :
				 -ERROR_MEMORY;
	}
	return status;
}

bool user_space_find_inlined(const struct user_space *space,
			     const struct array *maps, uint64_t address,
			     const struct symbol *symbol,
			     struct inlined_place *place)
{
	for (size_t i = maps->count; i-- > 0;) {
		const struct process_map *map = array_at(maps, i);
		uint64_t shift = map->address - map->file_offset;
		bool is_found;

		if (address - map->address >= map->size_bytes)
			continue;
		if (!symbols_of(space, map))
			return false;
		is_found = inlined_ranges_find(
			&user_files_at(&space->files, map->file)->inlined,
			symbol->start - shift, address - shift,
			symbol->end - shift, place);
		if (is_found && place->end != UINT64_MAX)
			place->end += shift;
		return is_found;
	}
	return false;
}
