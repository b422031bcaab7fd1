/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_blocks.h"

#include "common/error.h"
#include "execution/stream/record_join.h"

#include <stdlib.h>

struct block_source {
	struct flow_source base;
	struct record_join join;
};

static int open_blocks(const struct flow_input *input,
		       struct flow_source **opened)
{
	struct block_source *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &execution_blocks;
	error = record_join_open(&source->join, input, NULL, true, NULL, NULL);
	if (error)
		free(source);
	else
		*opened = &source->base;
	return error;
}

static int next_blocks(struct flow_source *source,
		       const struct flow_item **items)
{
	struct block_source *blocks = (struct block_source *)source;
	const union timed_record *records;
	int count = record_join_next(&blocks->join, &records);

	*items = (const struct flow_item *)records;
	return count;
}

static void close_blocks(struct flow_source *source)
{
	record_join_close(&((struct block_source *)source)->join);
	free(source);
}

const struct flow_source_ops execution_blocks = {
	.name = "graph",
	.open = open_blocks,
	.next = next_blocks,
	.close = close_blocks,
};
