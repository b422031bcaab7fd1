/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_files.h"

#include "common/error.h"
#include "common/generated_chunk.h"
#include "common/log.h"
#include "decoder/code/process_maps.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/elf/unwind_functions.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/functions/same_names.h"
#include "symbolize/symbols/generated_functions.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recording may name any number of missing files: at most this many are
 * logged by name.
 */
enum { MOST_UNREAD_SAID = 20 };

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

/* Functions of a file that differs from the recorded one have no module: source
 * lines are found by module, and would be wrong.
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

/* A log_fn that stores the first message in the file. */
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

/* Adds the functions without symbols of the recorded file. */
static int add_unnamed(const struct user_file *file,
		       struct function_table *functions)
{
	const char *module = function_table_module(functions, file->path,
						   strlen(file->path));

	return module ? unwind_functions_add(file->path, module, functions,
					     file->symbols) :
			-ERROR_MEMORY;
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
	}
	array_free(&files->files);
}
