/* SPDX-License-Identifier: MIT */
#include "attribution/events/step_join.h"

#include "attribution/events/known_events.h"
#include "attribution/events/switch_events.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "report/steps/task_pack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct step_join {
	struct step_callback callback;
	const struct recording *recording;
	const struct known_events *events;
	struct event_handler *const *handlers;
	size_t handler_count;
	struct switch_events *switches;
	int status;
	struct sideband *sideband;
	struct sideband_record next;
	int has_next;	/* last result of sideband_next() */
	uint64_t taken; /* number of records before it */
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
	int status = switch_events_take(join->switches, &join->next, &event);

	if (status < 0)
		join->status = status;
	else if (status && known_events_has_switch_records(join->events))
		hand_event(join, &event);
}

static void hand_record(struct step_join *join)
{
	struct event_record event;

	hand_switch(join);
	if (join->next.kind == SIDEBAND_SWITCH)
		return;
	if (join->next.kind == SIDEBAND_SAMPLE) {
		if (known_events_read(join->events, &join->next, &event))
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

static void take(struct step_callback *callback, const struct call_step *step)
{
	struct step_join *join = (struct step_join *)callback;

	hand_records(join, step->time_ns);
	for (size_t i = 0; i < join->handler_count; i++)
		if (join->handlers[i]->step)
			join->handlers[i]->step(join->handlers[i], step);
}

/* Opens the records. Returns whether it succeeded. */
static bool open_records(struct step_join *join)
{
	join->sideband = sideband_open(join->recording,
				       SIDEBAND_BIT(SIDEBAND_SAMPLE) |
					       SIDEBAND_BIT(SIDEBAND_SWITCH) |
					       SIDEBAND_BIT(SIDEBAND_COMM) |
					       SIDEBAND_BIT(SIDEBAND_FORK) |
					       SIDEBAND_BIT(SIDEBAND_EXIT) |
					       SIDEBAND_BIT(SIDEBAND_LOST));
	join->switches = switch_events_new();
	join->taken = 0;
	if (!join->sideband || !join->switches)
		return false;
	pull(join);
	return true;
}

static void close_records(struct step_join *join)
{
	sideband_close(join->sideband);
	switch_events_free(join->switches);
}

struct step_join *step_join_new(const struct recording *recording,
				const struct known_events *events,
				struct event_handler *const *handlers,
				size_t count)
{
	struct step_join *join = calloc(1, sizeof(*join));

	if (!join)
		return NULL;
	join->callback.take = take;
	join->callback.needs_begin = true;
	join->recording = recording;
	join->events = events;
	join->handlers = handlers;
	join->handler_count = count;
	if (open_records(join))
		return join;
	step_join_free(join);
	return NULL;
}

void step_join_free(struct step_join *join)
{
	if (!join)
		return;
	close_records(join);
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
	int status = switch_events_take(join->switches, &join->next, &event);

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
}

static void open(struct step_callback *callback, const struct call_step *step)
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
	join->callback.open = open;
}

void step_join_renew(struct step_join *join)
{
	close_records(join);
	if (open_records(join))
		return;
	join->has_next = -ERROR_MEMORY;
}

int step_join_end(struct step_join *join)
{
	hand_records(join, UINT64_MAX);
	return join->has_next < 0 ? -ERROR_MEMORY : join->status;
}
