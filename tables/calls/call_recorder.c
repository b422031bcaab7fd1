/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_recorder.h"

#include "attribution/calls/system_calls.h"
#include "attribution/sleeps/sleeps.h"
#include "common/array.h"
#include "common/error.h"

static struct open_record *record_of(struct call_recorder *recorder,
				     const struct task *task)
{
	return array_reach_like(&recorder->open, task->index,
				&(struct open_record){
					.trace = CALL_TRACE_EMPTY,
					.places = SLEEP_PLACES_EMPTY,
				});
}

static struct open_record *find_open(const struct call_recorder *recorder,
				     uint32_t index)
{
	struct open_record *record;

	if (index >= recorder->open.count)
		return NULL;
	record = array_at(&recorder->open, index);
	return record->is_open ? record : NULL;
}

static int begin(struct task_listener *listener, const struct system_call *call)
{
	struct call_recorder *recorder = (struct call_recorder *)listener;
	struct open_record *record;

	if (recorder->wants && !recorder->wants(recorder, call))
		return 0;
	record = record_of(recorder, call->task);
	if (!record)
		return -ERROR_MEMORY;
	record->is_open = true;
	call_trace_begin(&record->trace, call->depth);
	sleep_places_free(&record->places);
	return 0;
}

/* Ignores tasks without an open record. */
static int take_step(struct task_listener *listener,
		     const struct call_step *step)
{
	struct open_record *record =
		find_open((struct call_recorder *)listener, step->task->index);

	return record ? call_trace_take(&record->trace, step) : 0;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct open_record *record =
		find_open((struct call_recorder *)listener, sleep->task->index);

	return record ? sleep_places_add(&record->places, sleep) : 0;
}

static int end(struct task_listener *listener, const struct system_call *call)
{
	struct call_recorder *recorder = (struct call_recorder *)listener;
	struct open_record *open = find_open(recorder, call->task->index);

	if (!open)
		return recorder->take(recorder, call, NULL);
	open->is_open = false;
	return recorder->take(recorder, call,
			      &(struct call_record){
				      .call = call,
				      .trace = &open->trace,
				      .places = &open->places,
			      });
}

void call_recorder_open(struct call_recorder *recorder)
{
	recorder->listener = (struct task_listener){
		.began = begin,
		.step = take_step,
		.slept = take_sleep,
		.ended = end,
	};
	recorder->open = ARRAY_OF(struct open_record);
}

void call_recorder_free(struct call_recorder *recorder)
{
	for (size_t i = 0; i < recorder->open.count; i++) {
		struct open_record *record = array_at(&recorder->open, i);

		call_trace_free(&record->trace);
		sleep_places_free(&record->places);
	}
	array_free(&recorder->open);
}
