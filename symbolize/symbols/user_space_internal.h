/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SYMBOLS_USER_SPACE_INTERNAL_H
#define KT_SYMBOLIZE_SYMBOLS_USER_SPACE_INTERNAL_H

#include "common/array.h"
#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct inlined_place;
struct log;
struct process_file;
struct recording;

/* The file of a program or library. */
struct user_file {
	const char *path;
	/* the file is the recorded one; if it is not, its names are not used */
	bool is_recorded;
	/* by offset in the file; NULL: for memory without a file */
	struct address_map *symbols;
	/* the reason why its symbols were not read; NULL: they were */
	char *unread;
	/* the reason why servers sent no debug data of it; NULL: they did, or
	 * were not queried
	 */
	char *unsent;
	/* struct inlined_range; empty before user_space_add_inlined() */
	struct array inlined;
};

/* The files of a recording's programs, by number. */
struct user_files {
	struct array files; /* struct user_file */
};

#define USER_FILES_NONE \
	((struct user_files){ .files = ARRAY_OF(struct user_file) })

void user_files_free(struct user_files *files);

/* Adds @file, whose strings are borrowed, under the next number. Reads its
 * symbols, or for generated code the functions that it lists, into @functions.
 * Code without a symbol gets a function, too. The path of @file is NULL if no
 * file has that number. Returns 0 or -ERROR_MEMORY.
 */
int user_files_add(struct user_files *files, const struct process_file *file,
		   struct function_table *functions);

static inline const struct user_file *
user_files_at(const struct user_files *files, uint32_t number)
{
	return array_at(&files->files, number);
}

/* The symbols of the user programs in a recording, by process and time.
 *
 * An address gets its symbol from the file that was mapped there at the time.
 * The decoder reads code by the same mappings (decoder/code/process_maps.h). So
 * symbols and code agree after exec, fork and a mapping that replaces an
 * earlier one.
 */
struct user_space;

/* Reads the mappings of the processes of @recording and the symbols of the
 * mapped files. Returns 0 and sets *@space, or returns -ERROR_MEMORY.
 */
int user_space_open(const struct recording *recording,
		    struct function_table *functions,
		    struct user_space **space);

/* Warns @log of each file whose symbols could not be read, if one of the
 * processes @pids had mapped it; @pids NULL: if any process had. Returns 0 or
 * -ERROR_MEMORY.
 */
int user_space_log_unread(const struct user_space *space, const struct log *log,
			  const int32_t *pids, size_t count);

/* Adds @shift to the numbers of all functions except FUNCTION_UNKNOWN, after
 * function_table_join().
 */
void user_space_renumber(struct user_space *space, uint32_t shift);
void user_space_close(struct user_space *space);

/* Finds the symbol at @address of process @pid by the mappings at @time_ns. If
 * the recording's times are not in nanoseconds, uses those at its end.
 *
 * Returns false if nothing with symbols was mapped there. Else sets @symbol,
 * whose start and end are addresses of the process. In both cases reduces
 * *@range to the addresses, and the time from @time_ns on, that the result is
 * valid for.
 */
bool user_space_find(const struct user_space *space, int32_t pid,
		     uint64_t time_ns, uint64_t address, struct symbol *symbol,
		     struct symbol_range *range);

/* Like user_space_find(), but in @maps: struct process_map, oldest first. Does
 * not change the time in *@range.
 */
bool user_space_find_mapped(const struct user_space *space,
			    const struct array *maps, uint64_t address,
			    struct symbol *symbol, struct symbol_range *range);

/* Adds the calls that were inlined into the functions of all files to
 * @functions, which must contain the functions of the files. Returns 0 or
 * -ERROR_MEMORY.
 */
int user_space_add_inlined(struct user_space *space,
			   struct function_table *functions);

/* Sets *@place to the inlined calls at @address of @symbol, which
 * user_space_find_mapped() found in @maps. Returns false if @symbol has none.
 */
bool user_space_find_inlined(const struct user_space *space,
			     const struct array *maps, uint64_t address,
			     const struct symbol *symbol,
			     struct inlined_place *place);

#endif
