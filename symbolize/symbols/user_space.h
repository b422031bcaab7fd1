/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_USER_SPACE_H
#define KT_SYMBOLIZE_USER_SPACE_H

#include "symbolize/functions/address_map.h"

#include <stdbool.h>

struct function_table;
struct log;
struct recording;

/* The symbols of the user programs in a recording, by process. */
struct user_space;

/* Reads which files the processes of @recording had mapped, and the symbols
 * of those files.  Returns 0 and *@space, or -ERROR_MEMORY.
 */
int user_space_open(const struct recording *recording,
		    struct function_table *functions,
		    struct user_space **space);

/* Warns @log of the files whose symbols could not be read and that the processes
 * @pids had mapped; NULL: that any had.  Returns 0 or -ERROR_MEMORY.
 */
int user_space_log_unread(const struct user_space *space, const struct log *log,
			  const int32_t *pids, size_t count);

/* Adds @shift to the numbers of all functions, but FUNCTION_UNKNOWN: @functions were
 * joined with others.
 */
void user_space_renumber(struct user_space *space, uint32_t shift);
void user_space_close(struct user_space *space);

/* Looks up @address of process @pid; of several mappings there over time the
 * last one counts.
 *
 * Returns false if nothing was mapped there; else @symbol, whose start and
 * end are addresses of the process.  Either way it leaves of *@range what that
 * holds for.
 */
bool user_space_find(const struct user_space *space, int32_t pid,
		     uint64_t address, struct symbol *symbol,
		     struct symbol_range *range);

#endif
