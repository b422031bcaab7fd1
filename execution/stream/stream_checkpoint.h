/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_STREAM_CHECKPOINT_H
#define KT_EXECUTION_STREAM_STREAM_CHECKPOINT_H

#include "execution/follow/record_feed.h"
#include "symbolize/events/stream_tasks.h"

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct pack;

/* A position among one stream's events, as a sync point and the number of
 * events after it, without those of interrupts (FUNCTION_INTERRUPTS), so that it
 * does not depend on whether the pass requested these. A stream opened there
 * provides the same events.
 */
struct stream_checkpoint {
	/* At the sync point: */
	bool has_state; /* false: the sync point is the start of the stream */
	struct execution_state state;
	struct task_switch tasks;
	bool is_running;
	uint64_t last_ns; /* time and bounds of the previous event */
	uint32_t last_early_ns;
	uint32_t last_late_ns;
	uint64_t switches; /* number of records of switch_feed consumed */
	/* number of events from the sync point to the position */
	uint64_t events;
};

/* Writes or reads *@checkpoint (common/bytes.h). Checks that functions are
 * below @functions and positions below @size, the stream's bytes.
 */
void stream_checkpoint_pack(struct stream_checkpoint *checkpoint,
			    struct pack *pack, uint32_t functions,
			    uint64_t size);

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
