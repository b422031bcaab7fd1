/* SPDX-License-Identifier: MIT */
#include "symbolize/symbols/user_files.h"

#include "common/error.h"
#include "symbolize/elf/elf_symbols.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/functions/same_names.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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

int user_files_open(struct user_files *files, const char *path,
		    bool is_recorded, struct function_table *functions,
		    const struct log *log, uint32_t *number)
{
	struct user_file *file;

	for (*number = 0; *number < files->files.count; ++*number) {
		file = array_at(&files->files, *number);
		if (file->is_recorded == is_recorded &&
		    strcmp(file->path, path) == 0)
			return 0;
	}
	file = array_add(&files->files);
	if (!file)
		return -ERROR_MEMORY;
	file->path = path;
	file->is_recorded = is_recorded;
	return read_file(file, functions, log);
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
	}
	array_free(&files->files);
}
