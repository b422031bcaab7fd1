/* SPDX-License-Identifier: MIT */
#include "attribution/events/step_join.h"

#include "attribution/events/call_skips_internal.h"
#include "attribution/events/known_events.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* prev_state of sched_switch: include/linux/sched.h. */
enum { STATE_RUNNING = 0, STATE_INTERRUPTIBLE = 1, STATE_DEAD = 0x10 };

struct switch_events {
	/* Threads that are exiting and have not left their CPU yet. After exec
	 * in another thread of the process, the id may belong to that thread by
	 * then.
	 */
	struct number_map exiting;
	struct array dead; /* struct dead_tasks by CPU */
};

/* Sets @switches to the state before the first record. */
static void switch_events_clear(struct switch_events *switches)
{
	number_map_clear(&switches->exiting);
	switches->dead.count = 0;
}

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

/* Replaces the missing id of a dead task in @record by a unique one. */
static int name_dead(struct switch_events *switches,
		     struct sideband_record *record)
{
	struct dead_tasks *dead;

	if (record->cpu < 0)
		return 0;
	dead = array_reach(&switches->dead, (size_t)record->cpu);
	if (!dead)
		return -ERROR_MEMORY;
	dead_tasks_consume(dead, record);
	return 0;
}

static int consume_switch(struct switch_events *switches,
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

static int consume_exit(struct switch_events *switches,
			struct sideband_record record)
{
	if (name_dead(switches, &record) < 0 ||
	    !number_map_add(&switches->exiting, (uint64_t)record.tid))
		return -ERROR_MEMORY;
	return 0;
}

int switch_events_consume(struct switch_events *switches,
			  const struct sideband_record *record,
			  struct event_record *event)
{
	if (record->kind == SIDEBAND_SWITCH)
		return consume_switch(switches, record, event);
	if (record->kind == SIDEBAND_FORK)
		number_map_remove(&switches->exiting, (uint64_t)record->tid);
	return record->kind == SIDEBAND_EXIT ? consume_exit(switches, *record) :
					       0;
}

struct step_join {
	struct step_callback callback;
	const struct recording *recording;
	const struct known_events *events;
	struct event_handler *const *handlers;
	size_t handler_count;
	uint64_t all;		/* set of the handlers with step(), by index */
	uint64_t of_interrupts; /* set of those with wants_interrupts */
	/* uint64_t by function: the set of handlers that need its steps, with
	 * SET_IS_KNOWN; 0: not computed yet
	 */
	struct array needed;
	struct call_skips skips;
	struct switch_events *switches;
	int status;
	struct sideband *sideband;
	struct sideband_record next;
	int has_next;	/* last result of sideband_next() */
	uint64_t taken; /* number of records before next */
};

static void pull(struct step_join *join)
{
	join->has_next = sideband_next(join->sideband, &join->next);
}

static void pass(struct step_join *join)
{
	join->taken++;
	pull(join);
}

static void hand_event(const struct step_join *join,
		       const struct event_record *event)
{
	for (size_t i = 0; i < join->handler_count; i++)
		if (join->handlers[i]->event)
			join->handlers[i]->event(join->handlers[i], event);
}

static void hand_switch(struct step_join *join)
{
	struct event_record event;
	int status = switch_events_consume(join->switches, &join->next, &event);

	if (status < 0)
		join->status = status;
	else if (status && known_events_has_switch_records(join->events))
		hand_event(join, &event);
}

/* Reads the sample @record into @event, which borrows it. Returns false if its
 * event is not known, or other records replace it.
 */
static bool read_event(const struct step_join *join,
		       const struct sideband_record *record,
		       struct event_record *event)
{
	const struct known_layout *known =
		known_events_find(join->events, record->event);

	if (!known)
		return false;
	*event = (struct event_record){
		.event = known->number,
		.cpu = record->cpu,
		.pid = record->pid,
		.tid = record->tid,
		.time_ns = record->time_ns,
		.sideband = record,
		.fields = known->fields,
	};
	for (size_t i = 0; i < EVENT_MAX_FIELDS; i++)
		event->values[i] = tracepoint_number(&known->fields[i],
						     record->sample.raw,
						     record->sample.raw_size);
	return true;
}

static void hand_record(struct step_join *join)
{
	struct event_record event;

	hand_switch(join);
	if (join->next.kind == SIDEBAND_SWITCH)
		return;
	if (join->next.kind == SIDEBAND_SAMPLE) {
		if (name_dead(join->switches, &join->next) < 0)
			join->status = -ERROR_MEMORY;
		if (read_event(join, &join->next, &event))
			hand_event(join, &event);
		return;
	}
	for (size_t i = 0; i < join->handler_count; i++)
		if (join->handlers[i]->record)
			join->handlers[i]->record(join->handlers[i],
						  &join->next);
}

static void hand_records(struct step_join *join, uint64_t until_ns)
{
	while (join->has_next > 0 && join->next.time_ns <= until_ns) {
		hand_record(join);
		pass(join);
	}
}

#define SET_IS_KNOWN ((uint64_t)1 << 63)

/* Returns the set of handlers that need the steps of @function. */
static uint64_t ask_handlers(struct step_join *join, uint32_t function)
{
	uint64_t *set = array_reach(&join->needed, function);
	uint64_t needed = join->all;

	if (!set) {
		join->status = -ERROR_MEMORY;
		return join->all;
	}
	for (size_t i = 0; i < join->handler_count; i++)
		if (join->handlers[i]->needs && !join->handlers[i]->limit &&
		    !join->handlers[i]->needs(join->handlers[i], function))
			needed &= ~((uint64_t)1 << i);
	*set = needed | SET_IS_KNOWN;
	return needed;
}

static uint64_t handlers_for(struct step_join *join,
			     const struct call_step *step)
{
	const uint64_t *sets = join->needed.items;

	if (step->kind > STEP_COUNT)
		return step->kind == STEP_INTERRUPTS ? join->of_interrupts :
						       join->all;
	if (step->function < join->needed.count && sets[step->function])
		return sets[step->function] & ~SET_IS_KNOWN;
	return ask_handlers(join, step->function);
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct step_join *join = (struct step_join *)callback;
	uint64_t left;

	hand_records(join, step->time_ns);
	for (left = handlers_for(join, step); left; left &= left - 1) {
		struct event_handler *handler =
			join->handlers[__builtin_ctzll(left)];

		handler->step(handler, step);
	}
}

/* Skips calls and returns that no handler needs: nearly all. */
static uint32_t consume_plain(struct step_callback *callback,
			      const struct call_step *step,
			      struct call_stack *stack,
			      const struct function_event *events,
			      uint32_t count, struct call_times *times)
{
	struct step_join *join = (struct step_join *)callback;

	/* A record of the same time is delivered before a step. */
	return call_skips_consume(
		&join->skips, step, stack, events, count,
		join->has_next > 0 ? join->next.time_ns : UINT64_MAX, times);
}

/* Starts with the first record. */
static void begin_records(struct step_join *join)
{
	switch_events_clear(join->switches);
	join->taken = 0;
	pull(join);
}

struct step_join *step_join_new(const struct recording *recording,
				const struct known_events *events,
				struct event_handler *const *handlers,
				size_t count)
{
	struct step_join *join = calloc(1, sizeof(*join));

	if (!join)
		return NULL;
	join->callback.consume = consume;
	join->callback.needs_begin = true;
	join->recording = recording;
	join->events = events;
	join->handlers = handlers;
	join->handler_count = count;
	join->needed = ARRAY_OF(uint64_t);
	join->skips = call_skips_of(handlers, count);
	if (call_skips_are_possible(&join->skips))
		join->callback.consume_plain = consume_plain;
	assert(count < 63);
	for (size_t i = 0; i < count; i++) {
		join->all |= (uint64_t) !!handlers[i]->step << i;
		join->of_interrupts |= (uint64_t)handlers[i]->wants_interrupts
				       << i;
	}
	join->callback.wants_interrupts = join->of_interrupts;
	join->switches = switch_events_new();
	join->sideband = sideband_open(join->recording,
				       SIDEBAND_BIT(SIDEBAND_SAMPLE) |
					       SIDEBAND_BIT(SIDEBAND_SWITCH) |
					       SIDEBAND_BIT(SIDEBAND_COMM) |
					       SIDEBAND_BIT(SIDEBAND_FORK) |
					       SIDEBAND_BIT(SIDEBAND_EXIT) |
					       SIDEBAND_BIT(SIDEBAND_LOST));
	if (!join->switches || !join->sideband) {
		step_join_free(join);
		return NULL;
	}
	begin_records(join);
	return join;
}

void step_join_free(struct step_join *join)
{
	if (!join)
		return;
	sideband_close(join->sideband);
	switch_events_free(join->switches);
	array_free(&join->needed);
	call_skips_free(&join->skips);
	free(join);
}

struct step_callback *step_join_callback(struct step_join *join)
{
	return &join->callback;
}

/* Skips records, but still tracks exiting tasks. */
static void leave_out(struct step_join *join)
{
	struct event_record event;
	int status = switch_events_consume(join->switches, &join->next, &event);

	if (status < 0)
		join->status = status;
	pass(join);
}

void step_join_pack(struct step_join *join, struct pack *pack)
{
	uint64_t taken = join->taken;

	pack_u64(pack, &taken);
	while (join->has_next > 0 && join->taken < taken)
		leave_out(join);
	pack_check(pack, join->taken == taken);
}

static void pack_all(struct step_callback *callback,
		     const struct task_pack *tasks)
{
	struct step_join *join = (struct step_join *)callback;

	step_join_pack(join, tasks->pack);
	for (size_t i = 0; i < join->handler_count && !tasks->pack->failed; i++)
		if (join->handlers[i]->pack)
			join->handlers[i]->pack(join->handlers[i], tasks);
	if (tasks->pack->is_reading && !pack_is_whole(tasks->pack))
		join->status = -ERROR_FORMAT;
}

static void consume_open(struct step_callback *callback,
			 const struct call_step *step)
{
	struct step_join *join = (struct step_join *)callback;

	for (size_t i = 0; i < join->handler_count; i++)
		if (join->handlers[i]->open)
			join->handlers[i]->open(join->handlers[i], step);
}

void step_join_pack_as(struct step_join *join, const char *name)
{
	join->callback.pack = pack_all;
	join->callback.packed_as = name;
	join->callback.open = consume_open;
}

void step_join_reset(struct step_join *join)
{
	sideband_reopen(join->sideband, join->recording);
	begin_records(join);
}

void step_join_reset_to(struct step_join *join,
			const struct recording *recording)
{
	join->recording = recording;
	join->status = 0;
	step_join_reset(join);
}

int step_join_end(struct step_join *join)
{
	hand_records(join, UINT64_MAX);
	return join->has_next < 0 ? -ERROR_MEMORY : join->status;
}
