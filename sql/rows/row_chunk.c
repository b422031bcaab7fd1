/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_chunk.h"

#include "common/memory.h"

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

void row_chunk_clear(struct row_chunk *chunk)
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
