/* SPDX-License-Identifier: MIT */
#include "sql/rows/row_out.h"

#include "common/error.h"
#include "sql/rows/row_queue.h"

#include <stdbool.h>
#include <stddef.h>

union sql_cell *row_out_begin(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	if (!chunk)
		chunk = out->chunk = row_queue_chunk(out->queue, out->table);
	if (!chunk) {
		out->status = -ERROR_MEMORY;
		return NULL;
	}
	chunk->nulls[chunk->count] = out->not_recorded;
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

/* The first rows are passed on immediately, because the reader may need no
 * more. After that, single rows would cost more for waking threads than for
 * making them.
 */
static bool is_enough(struct row_out *out)
{
	if (out->chunk->count <= out->enough ||
	    !row_queue_is_awaited(out->queue))
		return false;
	out->enough = out->enough * 2 + 1;
	return true;
}

void row_out_end(struct row_out *out)
{
	struct row_chunk *chunk = out->chunk;

	if (out->listener)
		out->listener->take(out->listener, chunk, chunk->count);
	if (!row_choice_wants(out->choice, chunk, chunk->count) ||
	    row_queue_is_stopped(out->queue))
		return;
	chunk->count++;
	if (chunk->count == chunk->room || is_enough(out))
		push(out);
}

int row_out_flush(struct row_out *out)
{
	if (out->chunk)
		push(out);
	return out->status;
}
