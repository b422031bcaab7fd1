/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_EXECUTION_STREAM_H
#define KT_EXECUTION_STREAM_EXECUTION_STREAM_H

#include <stdint.h>

#include "decoder/flow/flow_source.h"
#include "execution/follow/record_feed.h"
#include "symbolize/events/function_event.h"

struct jobs;
struct stream_checkpoint;
struct symbols;

/* The function events of one stream, with task switches, in order of time: the
 * interface of execution/ to the report.
 *
 *	record_feed (this thread)   ┐
 *	segment_ring (more threads) ┴─► segment_feed ─► record_join ─► events
 *	                                                   ▲
 *	        the kernel's switch records: stream_tasks ─┘
 *
 * A task switch is an event at its switch point in the trace, where the kernel
 * changes stacks; the switch record names the next task. Where switch points
 * are not traced, the record's time decides: struct record_join.
 *
 * Code is read once for each block and each edge between blocks is classified
 * once, however often it runs. So the cost is that of the branches.
 *
 * States: events, until FUNCTION_END was provided; then only
 * execution_stream_restart() and execution_stream_close() are useful.
 *
 * 1. Times never decrease. FUNCTION_END is the last event, once.
 * 2. The events do not depend on the number of threads.
 * 3. A stream opened at a checkpoint provides the same events as the original
 *    one did from there on, except FUNCTION_INTERRUPTS: a stream with these
 *    saves the same checkpoints, but cannot be opened at one.
 *
 * A stream is used by one thread at a time. With @jobs it starts up to 16
 * threads; streams that share the jobs may be used in parallel. Memory: the
 * graph of blocks, and for each thread about 16 MB of records. Errors: negative
 * enum errors; trace that cannot be followed is a FUNCTION_GAP.
 */
struct execution_stream;

/* Opens the stream of @input. Borrows everything in @input, @symbols, and
 * @jobs, which limits the threads; NULL: the calling thread only. @pid and @tid
 * are the task that runs at the start of the stream, -1 if unknown. @from: the
 * position to start at; NULL: the start of the stream.
 *
 * Returns 0 and *@stream, or a negative enum error with the reason in the log.
 */
int execution_stream_open(const struct flow_input *input,
			  const struct symbols *symbols, int32_t pid,
			  int32_t tid, struct jobs *jobs,
			  const struct stream_checkpoint *from,
			  struct execution_stream **stream);

/* Restarts with a part of another stream of the same code image; @stream must
 * have been opened without jobs. Keeps the known blocks, so that a short stream
 * only costs its branches. Borrows like execution_stream_open().
 *
 * Returns 0 or a negative enum error: @stream can then only be closed, or
 * restarted.
 */
int execution_stream_restart(struct execution_stream *stream,
			     const struct flow_input *input,
			     struct stream_part part, int32_t pid, int32_t tid);

void execution_stream_close(struct execution_stream *stream);

/* Provides the next events, 1 or more, valid until the next call.
 *
 * Returns their count, 0 after FUNCTION_END was provided, or a negative enum
 * error: -ERROR_MEMORY, or the reason why a decoding thread could not open its
 * decoder.
 */
int execution_stream_next(void *stream, const struct function_event **batch);

/* Makes the stream save checkpoints. Must be called before the first
 * execution_stream_next().
 */
void execution_stream_keep(struct execution_stream *stream);

/* Returns the position of the last sync point passed, in the stream's bytes.
 * Requires execution_stream_keep().
 */
uint64_t execution_stream_position(const struct execution_stream *stream);

/* Sets *@checkpoint to the position before the last @left events of the ones
 * provided by the last execution_stream_next(). Requires
 * execution_stream_keep().
 */
void execution_stream_checkpoint(const struct execution_stream *stream,
				 uint64_t left,
				 struct stream_checkpoint *checkpoint);

/* Follows the code like execution_stream_next(), but provides the blocks that
 * ran as flow items (flow.h), for display.
 */
extern const struct flow_source_ops execution_blocks;

#endif
