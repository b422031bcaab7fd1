/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_queue.h"

#include "common/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct row_chunk *row_chunk_new(const struct sql_table *table)
{
	struct row_chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->table = table;
	chunk->room = CHUNK_CELLS / table->column_count;
	chunk->nulls = calloc(chunk->room, sizeof(*chunk->nulls));
	chunk->cells = calloc(CHUNK_CELLS, sizeof(*chunk->cells));
	if (chunk->nulls && chunk->cells)
		return chunk;
	row_chunk_free(chunk);
	return NULL;
}

void row_chunk_free(struct row_chunk *chunk)
{
	if (!chunk)
		return;
	arena_free(chunk->texts);
	free(chunk->nulls);
	free(chunk->cells);
	free(chunk);
}

/* Removes all rows. */
static void row_chunk_clear(struct row_chunk *chunk)
{
	arena_free(chunk->texts);
	chunk->texts = NULL;
	chunk->count = 0;
}

const char *row_chunk_text(struct row_chunk *chunk, const char *text)
{
	if (!chunk->texts)
		chunk->texts = arena_new();
	return chunk->texts ? arena_text(chunk->texts, text, strlen(text)) :
			      NULL;
}

/* Large enough that neither thread waits for a short pause of the other. */
enum { MOST_CHUNKS = 16 };

struct row_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct row_chunk *first; /* full chunks, in order */
	struct row_chunk *last;
	struct row_chunk *spare; /* empty chunks, of any table */
	unsigned int count;	 /* number of full chunks */
	bool has_ended;
	int status;
	atomic_bool is_stopped;
	atomic_bool is_awaited;
};

struct row_queue *row_queue_new(void)
{
	struct row_queue *queue = calloc(1, sizeof(*queue));

	if (!queue)
		return NULL;
	if (pthread_mutex_init(&queue->lock, NULL)) {
		free(queue);
		return NULL;
	}
	if (pthread_cond_init(&queue->changed, NULL)) {
		pthread_mutex_destroy(&queue->lock);
		free(queue);
		return NULL;
	}
	return queue;
}

static void free_list(struct row_chunk *chunk)
{
	while (chunk) {
		struct row_chunk *next = chunk->next;

		row_chunk_free(chunk);
		chunk = next;
	}
}

void row_queue_free(struct row_queue *queue)
{
	if (!queue)
		return;
	free_list(queue->first);
	free_list(queue->spare);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/* Removes an empty chunk of @table from the list of spare chunks and returns
 * it, or returns NULL.
 */
static struct row_chunk *consume_spare(struct row_queue *queue,
				       const struct sql_table *table)
{
	struct row_chunk **place = &queue->spare;
	struct row_chunk *chunk;

	while (*place && (*place)->table != table)
		place = &(*place)->next;
	chunk = *place;
	if (chunk)
		*place = chunk->next;
	return chunk;
}

struct row_chunk *row_queue_chunk(struct row_queue *queue,
				  const struct sql_table *table)
{
	struct row_chunk *chunk;

	pthread_mutex_lock(&queue->lock);
	chunk = consume_spare(queue, table);
	pthread_mutex_unlock(&queue->lock);
	return chunk ? chunk : row_chunk_new(table);
}

static void append(struct row_queue *queue, struct row_chunk *chunk)
{
	chunk->next = NULL;
	if (queue->first)
		queue->last->next = chunk;
	else
		queue->first = chunk;
	queue->last = chunk;
	queue->count++;
}

void row_queue_push(struct row_queue *queue, struct row_chunk *chunk)
{
	pthread_mutex_lock(&queue->lock);
	assert(!queue->has_ended); /* invariant 3 */
	while (queue->count >= MOST_CHUNKS && !row_queue_is_stopped(queue))
		pthread_cond_wait(&queue->changed, &queue->lock);
	append(queue, chunk);
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void row_queue_end(struct row_queue *queue, int status)
{
	pthread_mutex_lock(&queue->lock);
	queue->has_ended = true;
	queue->status = status;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

bool row_queue_is_stopped(const struct row_queue *queue)
{
	return atomic_load_explicit(&queue->is_stopped, memory_order_relaxed);
}

bool row_queue_is_awaited(const struct row_queue *queue)
{
	return atomic_load_explicit(&queue->is_awaited, memory_order_relaxed);
}

struct row_chunk *row_queue_pop(struct row_queue *queue)
{
	struct row_chunk *chunk;

	pthread_mutex_lock(&queue->lock);
	while (!queue->first && !queue->has_ended) {
		atomic_store(&queue->is_awaited, true);
		pthread_cond_wait(&queue->changed, &queue->lock);
	}
	atomic_store(&queue->is_awaited, false);
	chunk = queue->first;
	if (chunk) {
		queue->first = chunk->next;
		queue->count--;
		pthread_cond_broadcast(&queue->changed);
	}
	pthread_mutex_unlock(&queue->lock);
	return chunk;
}

void row_queue_give_back(struct row_queue *queue, struct row_chunk *chunk)
{
	row_chunk_clear(chunk);
	pthread_mutex_lock(&queue->lock);
	chunk->next = queue->spare;
	queue->spare = chunk;
	pthread_mutex_unlock(&queue->lock);
}

void row_queue_stop(struct row_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	atomic_store(&queue->is_stopped, true);
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

int row_queue_status(const struct row_queue *queue)
{
	return queue->status;
}
