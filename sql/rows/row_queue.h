/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_QUEUE_H
#define KT_SQL_ROW_QUEUE_H

#include "sql/rows/row_chunk.h"

#include <stdbool.h>

/* Rows from the thread that decodes to the one that asked for them: it pushes,
 * SQLite pulls.  Who pushes waits when the other is a few chunks behind.
 */
struct row_queue;

/* Returns NULL when out of memory or locks. */
struct row_queue *row_queue_new(void);

/* Frees it with all chunks that are in it. */
void row_queue_free(struct row_queue *queue);

/* Who makes rows: returns an empty chunk for @table, used before or new;
 * NULL when out of memory.  Owner: the caller.
 */
struct row_chunk *row_queue_chunk(struct row_queue *queue,
				  const struct sql_table *table);

/* Takes @chunk with its rows, waiting for room. */
void row_queue_push(struct row_queue *queue, struct row_chunk *chunk);

/* Nothing more comes; @status: 0, or why, a negative enum error. */
void row_queue_end(struct row_queue *queue, int status);

/* Returns whether rows are not wanted any more. */
bool row_queue_is_stopped(const struct row_queue *queue);

/* Returns whether somebody waits for a row at this moment. */
bool row_queue_is_awaited(const struct row_queue *queue);

/* Who reads them: returns the next chunk, waiting for it, or NULL at the end.
 * Owner: the caller, until row_queue_give_back().
 */
struct row_chunk *row_queue_pop(struct row_queue *queue);
void row_queue_give_back(struct row_queue *queue, struct row_chunk *chunk);

/* Wants no more: who makes rows waits no longer, and may end. */
void row_queue_stop(struct row_queue *queue);

/* Returns what row_queue_end() was told, after row_queue_pop() returned NULL. */
int row_queue_status(const struct row_queue *queue);

#endif
