/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_USER_FILES_H
#define KT_SYMBOLIZE_USER_FILES_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct address_map;
struct function_table;
struct log;
struct process_file;

/* The file of a program or library. */
struct user_file {
	const char *path;
	/* else the file differs from the recorded one: its names are wrong */
	bool is_recorded;
	/* by offset in the file; NULL: for memory without a file */
	struct address_map *symbols;
	/* the reason why its symbols were not read; NULL: they were */
	char *unread;
};

/* The files of a recording's programs, by number. */
struct user_files {
	struct array files; /* struct user_file */
};

#define USER_FILES_NONE \
	((struct user_files){ .files = ARRAY_OF(struct user_file) })

void user_files_free(struct user_files *files);

/* Adds the file with the next number, whose strings it borrows: reads its
 * symbols, or the functions of generated code that it lists, into @functions.
 * Code without a symbol gets a function, too. The path is NULL if no file has
 * that number. Returns 0 or -ERROR_MEMORY.
 */
int user_files_add(struct user_files *files, const struct process_file *file,
		   struct function_table *functions);

/* Warns @log of the files whose symbols were not read: the first few by name,
 * the rest as a count. @chosen, by number of the file, selects the files; NULL:
 * all.
 */
void user_files_log_unread(const struct user_files *files,
			   const struct log *log, const bool *chosen);

/* Adds @shift to the numbers of all functions except FUNCTION_UNKNOWN. */
void user_files_renumber(struct user_files *files, uint32_t shift);

static inline const struct user_file *
user_files_at(const struct user_files *files, uint32_t number)
{
	return array_at(&files->files, number);
}

#endif
