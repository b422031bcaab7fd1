/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROWS_ROW_QUEUE_H
#define KT_SQL_ROWS_ROW_QUEUE_H

#include "sql/rows/sql_table.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;

/* Rows in chunks, and the queue that carries chunks from the thread that
 * decodes (producer) to SQLite's thread (consumer).
 *
 *	producer                                       consumer
 *	row_queue_chunk() ─► fill ─► row_queue_push() ─► row_queue_pop() ─► read
 *	      ▲                                                              │
 *	      └───────────────── row_queue_give_back() ◄─────────────────────┘
 *
 * 1. A chunk has one owner: the producer until row_queue_push(), the queue, the
 *    consumer until row_queue_give_back(). Used chunks are filled again.
 * 2. The queue has a limit: the producer waits when it is full, so memory does
 *    not grow with the number of rows.
 * 3. Either side may end first: row_queue_end() ends the rows, with a status;
 *    row_queue_stop() unblocks a producer whose rows are not needed any more.
 *
 * Texts of rows live as long as their chunk.
 */

/* A column of a row. */
union sql_cell {
	int64_t number;
	double real;
	const char *text; /* NULL is SQL's NULL too */
};

enum { CHUNK_CELLS = 1 << 14 };

/* Some rows of one table, passed from the thread that makes them to the thread
 * that reads them.
 */
struct row_chunk {
	const struct sql_table *table;
	uint32_t count; /* number of rows */
	uint32_t room;
	struct arena *texts; /* texts of these rows; or NULL */
	/* by row: a set of the columns that are NULL, as bits */
	uint64_t *nulls;
	union sql_cell *cells;
	struct row_chunk *next; /* next chunk in a list */
};

/* Returns an empty chunk for rows of @table, which is borrowed; NULL when out
 * of memory. The caller frees it with row_chunk_free().
 */
struct row_chunk *row_chunk_new(const struct sql_table *table);
void row_chunk_free(struct row_chunk *chunk);

/* Returns a copy of @text that lives as long as the chunk's rows; NULL, which
 * is SQL's NULL, when out of memory.
 */
const char *row_chunk_text(struct row_chunk *chunk, const char *text);

static inline union sql_cell *row_chunk_cells(const struct row_chunk *chunk,
					      uint32_t row)
{
	return chunk->cells + (size_t)row * chunk->table->column_count;
}

static inline bool row_chunk_is_null(const struct row_chunk *chunk,
				     uint32_t row, uint32_t column)
{
	return chunk->nulls[row] >> column & 1;
}

/* A queue of rows between two threads: the decoding thread (producer) pushes,
 * SQLite's thread (consumer) pulls. The producer waits when the queue is full.
 */
struct row_queue;

/* Returns an empty queue; NULL when out of memory or locks. */
struct row_queue *row_queue_new(void);

/* Frees the queue with all its chunks. */
void row_queue_free(struct row_queue *queue);

/* Producer: returns an empty chunk for @table, a used or a new one; NULL when
 * out of memory. The caller owns it.
 */
struct row_chunk *row_queue_chunk(struct row_queue *queue,
				  const struct sql_table *table);

/* Producer: adds @chunk with its rows, waiting for room. The queue owns it. */
void row_queue_push(struct row_queue *queue, struct row_chunk *chunk);

/* Producer: ends the queue. @status is 0 or a negative enum error. */
void row_queue_end(struct row_queue *queue, int status);

/* Producer: returns whether the consumer has stopped the queue. */
bool row_queue_is_stopped(const struct row_queue *queue);

/* Producer: returns whether the consumer is waiting for a row. */
bool row_queue_is_awaited(const struct row_queue *queue);

/* Consumer: waits for the next chunk and returns it; NULL at the end. The
 * caller owns the chunk until row_queue_give_back().
 */
struct row_chunk *row_queue_pop(struct row_queue *queue);
void row_queue_give_back(struct row_queue *queue, struct row_chunk *chunk);

/* Consumer: cancels the queue. Unblocks the producer, which may then stop. */
void row_queue_stop(struct row_queue *queue);

/* Consumer: returns the status of row_queue_end(), after row_queue_pop()
 * returned NULL.
 */
int row_queue_status(const struct row_queue *queue);

#endif
