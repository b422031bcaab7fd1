/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BRANCH_READER_H
#define KT_EXECUTION_BRANCH_READER_H

#include "decoder/flow/trace_branch.h"

#include <stdint.h>

struct branch_source;
struct flow_input;

/* Reads the branches of a stream one by one, and seeks. A zeroed reader is
 * closed.
 */
struct branch_reader {
	struct branch_source *source;
	const struct trace_branch *next;
	const struct trace_branch *end; /* of the current batch */
	uint64_t position; /* the batch's position in the stream's bytes */
};

/* Opens the stream of @input at its start. Closes the stream that was open.
 * Returns like branch_source_open().
 */
int branch_reader_open(struct branch_reader *reader,
		       const struct flow_input *input);
void branch_reader_close(struct branch_reader *reader);

/* Like branch_source_seek(). Drops the current batch. */
int branch_reader_seek(struct branch_reader *reader, uint64_t position);

/* Returns the next branch, or NULL and *@status: 0 at the end, or
 * -ERROR_MEMORY. The branches after it, up to reader->end, are available, too.
 */
const struct trace_branch *branch_reader_next(struct branch_reader *reader,
					      int *status);

/* Skips @count more branches of the current batch. */
static inline void branch_reader_skip(struct branch_reader *reader,
				      uint32_t count)
{
	reader->next += count;
}

/* Returns the position of @branch, of the current batch, in the stream's bytes.
 */
static inline uint64_t
branch_reader_position(const struct branch_reader *reader,
		       const struct trace_branch *branch)
{
	return reader->position + branch->position;
}

#endif
