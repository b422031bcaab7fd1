/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_START_H
#define KT_EXECUTION_STREAM_START_H

#include <stdint.h>

struct flow_input;
struct stream_checkpoint;
struct task_id;

/* Finds a place in a stream for who wants to see what happens from @time_ns on
 * and knows nothing of before: a synchronisation point about @distance bytes
 * of trace earlier.  Sets *@place to it, *@task to who runs there, which is to
 * be who runs when the stream begins, and *@at_ns to when it is.
 *
 * Returns 1, 0 if there is no such point, or a negative enum error.
 */
int stream_start_find(const struct flow_input *input, uint64_t time_ns,
		      uint64_t distance, struct stream_checkpoint *place,
		      struct task_id *task, uint64_t *at_ns);

#endif
