/* SPDX-License-Identifier: MIT */
#include "attribution/events/switch_events.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/flow/dead_tasks.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

/* prev_state of sched_switch: include/linux/sched.h. */
enum { STATE_RUNNING = 0, STATE_INTERRUPTIBLE = 1, STATE_DEAD = 0x10 };

struct switch_events {
	/* Threads that are exiting and have not left their CPU since. By exec
	 * the id may belong to another thread when they do.
	 */
	struct number_map exiting;
	struct array dead; /* struct dead_tasks by CPU */
};

struct switch_events *switch_events_new(void)
{
	struct switch_events *switches = calloc(1, sizeof(*switches));

	if (switches)
		switches->dead = ARRAY_OF(struct dead_tasks);
	return switches;
}

void switch_events_free(struct switch_events *switches)
{
	if (!switches)
		return;
	array_free(&switches->dead);
	number_map_free(&switches->exiting);
	free(switches);
}

static int64_t state_of(const struct switch_events *switches,
			const struct sideband_record *record)
{
	if (record->change.preempted)
		return STATE_RUNNING;
	return number_map_find(&switches->exiting, (uint64_t)record->tid) ?
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
	};
	if (event->values[SWITCH_PREV_STATE] == STATE_DEAD)
		number_map_remove(&switches->exiting, (uint64_t)record->tid);
}

/* Gives dead tasks without an id unique ones in @record. */
static int name_dead(struct switch_events *switches,
		     struct sideband_record *record)
{
	struct dead_tasks *dead;

	if (record->cpu < 0)
		return 0;
	dead = array_reach(&switches->dead, (size_t)record->cpu);
	if (!dead)
		return -ERROR_MEMORY;
	dead_tasks_take(dead, record);
	return 0;
}

static int take_switch(struct switch_events *switches,
		       const struct sideband_record *record,
		       struct event_record *event)
{
	struct sideband_record named = *record;

	if (name_dead(switches, &named) < 0)
		return -ERROR_MEMORY;
	if (!named.change.out)
		return 0;
	leave(switches, &named, event);
	event->sideband = record;
	return 1;
}

static int take_exit(struct switch_events *switches,
		     struct sideband_record record)
{
	if (name_dead(switches, &record) < 0 ||
	    !number_map_add(&switches->exiting, (uint64_t)record.tid))
		return -ERROR_MEMORY;
	return 0;
}

int switch_events_take(struct switch_events *switches,
		       const struct sideband_record *record,
		       struct event_record *event)
{
	if (record->kind == SIDEBAND_SWITCH)
		return take_switch(switches, record, event);
	if (record->kind == SIDEBAND_FORK)
		number_map_remove(&switches->exiting, (uint64_t)record->tid);
	return record->kind == SIDEBAND_EXIT ? take_exit(switches, *record) : 0;
}
