/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_FLOW_SWITCH_FEED_H
#define KT_DECODER_FLOW_SWITCH_FEED_H

#include "decoder/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_stream;
struct flow_batch;
struct recording;

/* The task switches of a stream, which its decoder merges into its batches.
 *
 *	tid ─► task_ids ─► pid
 *	records of a stream ─► switch_feed ─► FLOW_SWITCH items of flow.h
 */

/* Maps the threads of a recording to their processes. */
struct task_ids;

/* Returns NULL when out of memory. */
struct task_ids *task_ids_new(const struct recording *recording);

void task_ids_free(struct task_ids *tasks);

/* Returns the process of thread @tid; 0 for the idle task, -1 for another
 * thread that is not in the recording. Of a reused @tid it is any one of the
 * processes.
 */
int32_t task_ids_process(const struct task_ids *tasks, int32_t tid);

/* The context switches of one stream as FLOW_SWITCH items in order of time, one
 * for each switch, although the kernel writes two records: one as a task leaves
 * and one as the next arrives.
 */
struct switch_feed;

/* Borrows @recording and @stream. Returns NULL when out of memory. */
struct switch_feed *switch_feed_new(const struct recording *recording,
				    const struct aux_stream *stream);

/* Starts again with @stream of @recording, like freeing the feed and making a
 * new one, but keeps its memory. Returns 0 or -ERROR_MEMORY.
 */
int switch_feed_reopen(struct switch_feed *feed,
		       const struct recording *recording,
		       const struct aux_stream *stream);

void switch_feed_free(struct switch_feed *feed);

/* Returns the next switch, or NULL if there is none left. */
const struct flow_item *switch_feed_peek(const struct switch_feed *feed);

/* Returns whether only the task that arrives has a record of the next switch,
 * which the kernel writes after it changed tasks. Otherwise the next switch is
 * the record of the task that leaves, written before.
 */
bool switch_feed_is_arrival(const struct switch_feed *feed);

/* Returns the time when the last switch that switch_feed_advance() consumed was
 * over: that of the arriving task's record, UINT64_MAX if there is none.
 */
uint64_t switch_feed_done_ns(const struct switch_feed *feed);

/* Advances to the next switch. Returns 0 or -ERROR_MEMORY. */
int switch_feed_advance(struct switch_feed *feed);

/* Inserts the switches of @feed by time among the finished items of @batch:
 * those up to the last finished item, or with @all as many as there is room
 * for. Skips switches to another task after @end_ns, when the CPU is no longer
 * traced.
 *
 * Returns 1 if no switch is left to insert now, 0 if the batch is full,
 * -ERROR_MEMORY.
 */
int switch_feed_merge(struct switch_feed *feed, struct flow_batch *batch,
		      bool all, uint64_t end_ns);

#endif
