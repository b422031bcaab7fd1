/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_stream.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "execution/stream/record_join_internal.h"

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

struct execution_stream {
	struct record_join join;
	uint64_t skipped; /* still to be: before the first */
};

int execution_stream_open(const struct flow_input *input,
			  const struct symbols *symbols, int32_t pid,
			  int32_t tid, struct jobs *jobs,
			  const struct stream_checkpoint *from,
			  struct execution_stream **opened)
{
	const struct execution_state *state =
		from && from->has_state ? &from->state : NULL;
	struct execution_stream *stream = calloc(1, sizeof(*stream));
	int error;

	if (!stream)
		return -ERROR_MEMORY;
	error = record_join_open(&stream->join, input, symbols, false, jobs,
				 state);
	if (error) {
		free(stream);
		return error;
	}
	stream_tasks_set(&stream->join.tasks, pid, tid, input->stream->cpu < 0);
	if (from) {
		stream->skipped = from->events;
		error = record_join_go_to(&stream->join, from);
	}
	if (error)
		execution_stream_close(stream);
	else
		*opened = stream;
	return error;
}

int execution_stream_restart(struct execution_stream *stream,
			     const struct flow_input *input,
			     struct stream_part part, int32_t pid, int32_t tid)
{
	int error = record_join_restart(&stream->join, input, part);

	stream->skipped = 0;
	stream_tasks_set(&stream->join.tasks, pid, tid, input->stream->cpu < 0);
	return error;
}

void execution_stream_close(struct execution_stream *stream)
{
	if (!stream)
		return;
	record_join_close(&stream->join);
	free(stream);
}

int execution_stream_next(struct execution_stream *stream,
			  const struct function_event **batch)
{
	const union timed_record *records;
	int count = record_join_next(&stream->join, &records);

	while (count > 0 && stream->skipped >= (uint64_t)count) {
		stream->skipped -= (uint64_t)count;
		count = record_join_next(&stream->join, &records);
	}
	if (count > 0) {
		records += stream->skipped;
		count -= (int)stream->skipped;
		stream->skipped = 0;
	}
	*batch = (const struct function_event *)records;
	return count;
}

void execution_stream_keep(struct execution_stream *stream)
{
	record_join_keep(&stream->join);
}

uint64_t execution_stream_position(const struct execution_stream *stream)
{
	return stream->join.kept.state.position;
}

void execution_stream_checkpoint(const struct execution_stream *stream,
				 uint64_t left,
				 struct stream_checkpoint *checkpoint)
{
	*checkpoint = stream->join.kept;
	checkpoint->events -= left;
}
