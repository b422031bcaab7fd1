/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_blocks.h"

#include "common/error.h"
#include "execution/stream/execution_stream.h"

#include <stdlib.h>

struct block_source {
	struct flow_source base;
	struct execution_stream *stream;
};

static int open_blocks(const struct flow_input *input,
		       struct flow_source **opened)
{
	struct block_source *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &execution_blocks;
	error = execution_stream_open_blocks(input, &source->stream);
	if (error)
		free(source);
	else
		*opened = &source->base;
	return error;
}

static int next_blocks(struct flow_source *source,
		       const struct flow_item **items)
{
	return execution_stream_next_blocks(
		((struct block_source *)source)->stream, items);
}

static void close_blocks(struct flow_source *source)
{
	execution_stream_close(((struct block_source *)source)->stream);
	free(source);
}

const struct flow_source_ops execution_blocks = {
	.name = "graph",
	.open = open_blocks,
	.next = next_blocks,
	.close = close_blocks,
};
