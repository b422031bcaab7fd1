/* SPDX-License-Identifier: MIT */
#include "attribution/events/switch_events.h"

#include "common/error.h"
#include "common/number_map.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

/* prev_state of sched_switch: include/linux/sched.h. */
enum { STATE_RUNNING = 0, STATE_INTERRUPTIBLE = 1, STATE_DEAD = 0x10 };

struct switch_events {
	/* Threads that exit and have not left their CPU since.  The id may be
	 * another's then, by exec.
	 */
	struct number_map *exiting;
};

struct switch_events *switch_events_new(void)
{
	struct switch_events *switches = calloc(1, sizeof(*switches));

	if (!switches)
		return NULL;
	switches->exiting = number_map_new();
	if (switches->exiting)
		return switches;
	free(switches);
	return NULL;
}

void switch_events_free(struct switch_events *switches)
{
	if (!switches)
		return;
	number_map_free(switches->exiting);
	free(switches);
}

static int64_t state_of(const struct switch_events *switches,
			const struct sideband_record *record)
{
	if (record->change.preempted)
		return STATE_RUNNING;
	return number_map_find(switches->exiting, (uint64_t)record->tid) ?
		       STATE_DEAD :
		       STATE_INTERRUPTIBLE;
}

static void leave(struct switch_events *switches,
		  const struct sideband_record *record,
		  struct event_record *event)
{
	*event = (struct event_record){
		.event = EVENT_SCHED_SWITCH,
		.cpu = record->cpu,
		.pid = record->pid,
		.tid = record->tid,
		.time_ns = record->time_ns,
		.values = {
			[SWITCH_PREV] = record->tid,
			[SWITCH_PREV_STATE] = state_of(switches, record),
			[SWITCH_NEXT] = record->change.other_tid,
		},
		.sideband = record,
	};
	if (event->values[SWITCH_PREV_STATE] == STATE_DEAD)
		number_map_remove(switches->exiting, (uint64_t)record->tid);
}

int switch_events_take(struct switch_events *switches,
		       const struct sideband_record *record,
		       struct event_record *event)
{
	if (record->kind == SIDEBAND_SWITCH && record->change.out) {
		leave(switches, record, event);
		return 1;
	}
	if (record->kind == SIDEBAND_FORK)
		number_map_remove(switches->exiting, (uint64_t)record->tid);
	if (record->kind != SIDEBAND_EXIT)
		return 0;
	return number_map_add(switches->exiting, (uint64_t)record->tid) ?
		       0 :
		       -ERROR_MEMORY;
}
