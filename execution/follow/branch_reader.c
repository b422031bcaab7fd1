/* SPDX-License-Identifier: MIT */
#include "execution/follow/branch_reader.h"
#include "decoder/flow/branch_source.h"

int branch_reader_open(struct branch_reader *reader,
		       const struct flow_input *input)
{
	branch_reader_close(reader);
	return branch_source_open(input, &reader->source);
}

void branch_reader_close(struct branch_reader *reader)
{
	branch_source_close(reader->source);
	*reader = (struct branch_reader){ 0 };
}

int branch_reader_seek(struct branch_reader *reader, uint64_t position)
{
	reader->next = NULL;
	reader->end = NULL;
	return branch_source_seek(reader->source, position);
}

const struct trace_branch *branch_reader_next(struct branch_reader *reader,
					      int *status)
{
	*status = 1;
	while (reader->next == reader->end) {
		struct trace_branch_batch batch = { 0 };

		reader->next = NULL;
		reader->end = NULL;
		*status = branch_source_next(reader->source, &batch);
		if (*status <= 0)
			return NULL;
		reader->next = batch.branches;
		reader->end = batch.branches + batch.count;
		reader->position = batch.position;
	}
	return reader->next++;
}
