/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_LIFE_READER_INTERNAL_H
#define KT_EXPLAIN_LIFE_READER_INTERNAL_H

#include "explain/lives_internal.h"

struct function_table;
struct symbols;
struct trackers;

/* Reads the lives of threads (lives_internal.h) in a pass over a recording:
 * from spans of their time, their sleeps and system calls, the switches of
 * CPUs, and the records of forks and execs.
 */
struct life_reader;

/* Requests the needed trackers from @trackers, and makes them pass all events
 * of a pass to the reader. Without @symbols (NULL), the offsets of user
 * functions' calls are unknown. Borrows all arguments. Returns NULL when out of
 * memory.
 */
struct life_reader *life_reader_new(struct trackers *trackers,
				    const struct function_table *functions,
				    const struct symbols *symbols);
void life_reader_free(struct life_reader *reader);

/* Ends all open rows. Must be called once, after trackers_end(). Returns 0 or
 * -ERROR_MEMORY.
 */
int life_reader_end(struct life_reader *reader);

/* Returns the lives, complete after life_reader_end(). */
const struct lives *life_reader_lives(const struct life_reader *reader);

#endif
