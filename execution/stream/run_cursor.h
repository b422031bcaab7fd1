/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_RUN_CURSOR_H
#define KT_EXECUTION_RUN_CURSOR_H

#include "execution/follow/record_feed.h"

#include <stddef.h>
#include <stdint.h>

/* A reading position in a run of records and marks. A zeroed cursor is at the
 * end of an empty run.
 */
struct run_cursor {
	struct record_run run;
	size_t at; /* the next record */
	size_t next_mark;
};

/* Returns the next mark, or NULL. */
static inline const struct event_mark *
run_cursor_mark(const struct run_cursor *cursor)
{
	return cursor->next_mark < cursor->run.mark_count ?
		       &cursor->run.marks[cursor->next_mark] :
		       NULL;
}

/* Returns the next record, or NULL. */
static inline const union timed_record *
run_cursor_record(const struct run_cursor *cursor)
{
	return cursor->at < cursor->run.count ?
		       &cursor->run.records[cursor->at] :
		       NULL;
}

/* Returns the number of records before the next mark that are not later than
 * @until_ns (UINT64_MAX: any time).
 */
size_t run_cursor_left(const struct run_cursor *cursor, uint64_t until_ns);

/* Consumes and returns the next @count records, which must exist. */
static inline const union timed_record *
run_cursor_take(struct run_cursor *cursor, size_t count)
{
	cursor->at += count;
	return cursor->run.records + cursor->at - count;
}

#endif
