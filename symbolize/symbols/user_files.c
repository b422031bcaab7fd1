/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_files.h"

#include "common/error.h"
#include "common/log.h"
#include "common/string_pool.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/functions/same_names.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recording may name any number of files that are not there: so many are said
 * one by one.
 */
enum { MOST_UNREAD_SAID = 20 };

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

/* A log_fn: leaves the reason in the file. */
static void keep_reason(void *ctx, enum log_level level, const char *path,
			uint64_t offset, const char *text)
{
	struct user_file *file = ctx;

	(void)level;
	(void)path;
	(void)offset;
	if (!file->unread)
		file->unread = strdup(text);
}

static int add_symbols(struct user_file *file, struct function_table *functions)
{
	const struct log reason = { keep_reason, file };
	int status =
		elf_symbols_add(file->path, functions, file->symbols, &reason);

	return status == -ERROR_NOT_FOUND && !file->unread ? -ERROR_MEMORY :
							     status;
}

static int read_file(struct user_file *file, struct function_table *functions)
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
	return status ? status : name_holes(file, functions);
}

/* Returns the place of the number + 1 of the file at @path, as it was recorded or
 * as it is now; 0 there if it is new.  NULL when out of memory.
 */
static uint64_t *place_of(struct user_files *files, const char *path,
			  bool is_recorded)
{
	uint32_t number = STRING_POOL_NONE;

	if (!files->paths)
		files->paths = string_pool_new();
	if (files->paths)
		number = string_pool_add(files->paths, path, strlen(path));
	return number == STRING_POOL_NONE ?
		       NULL :
		       number_map_add(&files->by_path,
				      (uint64_t)number << 1 | is_recorded);
}

int user_files_open(struct user_files *files, const char *path,
		    bool is_recorded, struct function_table *functions,
		    uint32_t *number)
{
	uint64_t *place = place_of(files, path, is_recorded);
	struct user_file *file;

	if (!place)
		return -ERROR_MEMORY;
	if (*place) {
		*number = (uint32_t)*place - 1;
		return 0;
	}
	file = array_add(&files->files);
	if (!file)
		return -ERROR_MEMORY;
	*place = files->files.count;
	*number = (uint32_t)*place - 1;
	file->path = path;
	file->is_recorded = is_recorded;
	return read_file(file, functions);
}

void user_files_log_unread(const struct user_files *files,
			   const struct log *log, const bool *chosen)
{
	uint32_t count = 0;

	for (size_t i = 0; i < files->files.count; i++) {
		const struct user_file *file = array_at(&files->files, i);

		if (!file->unread || (chosen && !chosen[i]))
			continue;
		if (count++ < MOST_UNREAD_SAID)
			log_message(log, LOG_WARNING, file->path, LOG_NO_OFFSET,
				    "%s", file->unread);
	}
	if (count > MOST_UNREAD_SAID)
		log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "%" PRIu32
			    " more files of programs could not be read: no "
			    "symbols of them",
			    count - MOST_UNREAD_SAID);
}

void user_files_renumber(struct user_files *files, uint32_t shift)
{
	for (size_t i = 0; i < files->files.count; i++) {
		struct user_file *file = array_at(&files->files, i);
		size_t count;
		struct symbol *symbols =
			address_map_symbols(file->symbols, &count);

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
	}
	array_free(&files->files);
	string_pool_free(files->paths);
	number_map_free(&files->by_path);
}
