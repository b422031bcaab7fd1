/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_CHECKPOINT_H
#define KT_EXECUTION_STREAM_CHECKPOINT_H

#include "execution/follow/execution_state.h"
#include "symbolize/events/task_switch.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* A place among one stream's events: some behind the last synchronisation
 * point before it.  Who goes on from there finds the same events.
 */
struct stream_checkpoint {
	/* At the point: */
	bool has_state; /* else it is the stream's begin */
	struct execution_state state;
	struct task_switch tasks;
	bool is_running;
	uint64_t last_ns; /* of the event before, */
	uint32_t last_early_ns;
	uint32_t last_late_ns;
	uint64_t switches; /* of the switch_feed, taken */
	/* Behind it: */
	uint64_t events;
};

/* Writes or reads *@checkpoint (common/pack.h), of which functions are numbers
 * below @functions, and the stream has @size bytes.
 */
void stream_checkpoint_pack(struct stream_checkpoint *checkpoint,
			    struct pack *pack, uint32_t functions,
			    uint64_t size);

#endif
