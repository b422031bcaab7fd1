/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_USER_FILES_H
#define KT_SYMBOLIZE_USER_FILES_H

#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

struct address_map;
struct function_table;
struct log;
struct string_pool;

/* A program's file, or a library's. */
struct user_file {
	const char *path;
	bool is_recorded; /* else another is there: its names are wrong */
	struct address_map *symbols; /* by offset in the file */
	char *unread; /* why its symbols were not read; NULL: they were */
};

/* Those whose symbols were read, by number. */
struct user_files {
	struct array files;	   /* struct user_file */
	struct string_pool *paths; /* NULL: none yet */
	struct number_map by_path; /* number + 1: see user_files_open() */
};

#define USER_FILES_NONE \
	((struct user_files){ .files = ARRAY_OF(struct user_file) })

void user_files_free(struct user_files *files);

/* Sets *@number to that of the file at @path, borrowed, whose symbols are read
 * into @functions if it is new.  What it has without a symbol is a function, too.
 * Returns 0 or -ERROR_MEMORY.
 */
int user_files_open(struct user_files *files, const char *path,
		    bool is_recorded, struct function_table *functions,
		    uint32_t *number);

/* Warns @log of the files whose symbols were not read, by name of the first ones
 * and of the number of the others: of those whose number is set in @chosen, an
 * array as long as the files; NULL: of all.
 */
void user_files_log_unread(const struct user_files *files,
			   const struct log *log, const bool *chosen);

/* Adds @shift to the numbers of all functions but FUNCTION_UNKNOWN. */
void user_files_renumber(struct user_files *files, uint32_t shift);

static inline const struct user_file *
user_files_at(const struct user_files *files, uint32_t number)
{
	return array_at(&files->files, number);
}

#endif
