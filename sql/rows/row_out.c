/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_out.h"

#include "common/error.h"
#include "sql/rows/row_queue.h"

#include <stddef.h>

union sql_cell *row_out_begin(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	if (!chunk)
		chunk = out->chunk = row_queue_chunk(out->queue, out->id);
	if (!chunk) {
		out->status = -ERROR_MEMORY;
		return NULL;
	}
	chunk->nulls[chunk->count] = 0;
	return row_chunk_cells(chunk, chunk->count);
}

const char *row_out_text(struct row_out *out, const char *text)
{
	return row_chunk_text(out->chunk, text);
}

static void push(struct row_out *out)
{
	row_queue_push(out->queue, out->chunk);
	out->chunk = NULL;
}

void row_out_end(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	if (!row_choice_wants(out->choice, chunk, chunk->count) ||
	    row_queue_is_stopped(out->queue))
		return;
	chunk->count++;
	/* The first rows come at once: they may be all that is wanted. */
	if (chunk->count == chunk->room || row_queue_is_awaited(out->queue))
		push(out);
}

int row_out_flush(struct row_out *out)
{
	if (out->chunk)
		push(out);
	return out->status;
}
