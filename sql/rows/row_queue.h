/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_ROW_QUEUE_H
#define KT_SQL_ROW_QUEUE_H

#include "sql/rows/row_chunk.h"

#include <stdbool.h>

/* A queue of rows between two threads: the decoding thread (producer) pushes,
 * SQLite's thread (consumer) pulls. The producer waits when the queue is full.
 */
struct row_queue;

/* Returns NULL when out of memory or locks. */
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
