/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_BRANCH_READER_H
#define KT_EXECUTION_BRANCH_READER_H

#include "decoder/flow/trace_branch.h"

#include <stdint.h>

struct branch_source;
struct flow_input;

/* Goes along the branches of a stream one by one, or from another place on.  A zeroed
 * one reads none.
 */
struct branch_reader {
	struct branch_source *source;
	const struct trace_branch *next;
	const struct trace_branch *end; /* of what has been read */
	uint64_t position; /* that positions of branches up to there count from */
};

/* Opens the stream of @input at its begin; what was open is closed.  Returns as
 * branch_source_open().
 */
int branch_reader_open(struct branch_reader *reader,
		       const struct flow_input *input);
void branch_reader_close(struct branch_reader *reader);

/* As branch_source_seek(). */
int branch_reader_seek(struct branch_reader *reader, uint64_t position);

/* Returns the next branch, or NULL and *@status: 0 at the end, or -ERROR_MEMORY.  What
 * is behind it up to reader->end has been read, too.
 */
const struct trace_branch *branch_reader_next(struct branch_reader *reader,
					      int *status);

/* Goes on behind @count more of what has been read. */
static inline void branch_reader_skip(struct branch_reader *reader,
				      uint32_t count)
{
	reader->next += count;
}

/* Returns where @branch, one of those, is in the stream's bytes. */
static inline uint64_t
branch_reader_position(const struct branch_reader *reader,
		       const struct trace_branch *branch)
{
	return reader->position + branch->position;
}

#endif
