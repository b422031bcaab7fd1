/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_EXECUTION_STREAM_H
#define KT_EXECUTION_EXECUTION_STREAM_H

#include "execution/follow/record_feed.h"
#include "symbolize/events/function_event.h"

#include <stdint.h>

struct flow_input;
struct jobs;
struct stream_checkpoint;
struct symbols;

/* Follows one stream of trace along the code: each block of code is read once,
 * each edge between blocks understood once, however often it is gone along.
 */
struct execution_stream;

/* Borrows all of @input, @symbols and @jobs, the threads to use; NULL: the
 * calling one.  @pid and @tid name the task that runs when the stream begins,
 * -1 if unknown.  @from: the place to go on from; NULL: the stream's begin.
 *
 * Returns 0 and *@stream, or a negative enum error; the log knows why.
 */
int execution_stream_open(const struct flow_input *input,
			  const struct symbols *symbols, int32_t pid,
			  int32_t tid, struct jobs *jobs,
			  const struct stream_checkpoint *from,
			  struct execution_stream **stream);

/* Begins anew with a part of another stream of the same code, where @stream
 * was opened without jobs: the blocks that are known stay, so that a short
 * stream costs what its branches do.  Borrows as execution_stream_open() does.
 *
 * Returns 0 or a negative enum error: @stream can then only be closed, or
 * renewed.
 */
int execution_stream_renew(struct execution_stream *stream,
			   const struct flow_input *input,
			   struct stream_part part, int32_t pid, int32_t tid);

void execution_stream_close(struct execution_stream *stream);

/* Provides the next events, 1 or more, valid until the next call.
 *
 * Returns their count, 0 after FUNCTION_END was delivered, or -ERROR_MEMORY:
 * what cannot be followed is a FUNCTION_GAP.
 */
int execution_stream_next(struct execution_stream *stream,
			  const struct function_event **batch);

/* Makes the stream ready to tell places.  To be called before the first events
 * are asked for.
 */
void execution_stream_keep(struct execution_stream *stream);

/* Returns where the last synchronisation point lies, in the stream's bytes. */
uint64_t execution_stream_position(const struct execution_stream *stream);

/* Sets *@checkpoint to the place before the last @left of the events that were
 * provided last.
 */
void execution_stream_checkpoint(const struct execution_stream *stream,
				 uint64_t left,
				 struct stream_checkpoint *checkpoint);

#endif
