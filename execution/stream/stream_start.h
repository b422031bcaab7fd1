/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_START_H
#define KT_EXECUTION_STREAM_START_H

#include <stdint.h>

struct flow_input;
struct stream_checkpoint;
struct task_id;

/* Finds a position where decoding can start without earlier state in order to
 * see everything from @time_ns on: a sync point about @distance bytes of trace
 * earlier, where the running task is certain. Sets *@place to it and *@at_ns to
 * its time. *@task must be the task that runs at the start of the stream, and
 * is set to the one that runs at the sync point.
 *
 * Returns 1, 0 if there is no such sync point, or a negative enum error.
 */
int stream_start_find(const struct flow_input *input, uint64_t time_ns,
		      uint64_t distance, struct stream_checkpoint *place,
		      struct task_id *task, uint64_t *at_ns);

#endif
