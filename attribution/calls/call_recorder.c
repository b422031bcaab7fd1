/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_recorder.h"

#include "attribution/calls/system_call.h"
#include "attribution/sleeps/sleeps.h"
#include "common/error.h"

static struct open_record *record_of(struct call_recorder *recorder,
				     const struct task *task)
{
	while (recorder->open.count <= task->index) {
		struct open_record *record = array_add(&recorder->open);

		if (!record)
			return NULL;
		record->trace = CALL_TRACE_EMPTY;
		record->places = SLEEP_PLACES_EMPTY;
	}
	return array_at(&recorder->open, task->index);
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

int call_recorder_begin(struct call_recorder *recorder,
			const struct system_call *call)
{
	struct open_record *record = record_of(recorder, call->task);

	if (!record)
		return -ERROR_MEMORY;
	record->is_open = true;
	call_trace_begin(&record->trace, call->depth);
	sleep_places_clear(&record->places);
	return 0;
}

int call_recorder_step(const struct call_recorder *recorder,
		       const struct call_step *step)
{
	struct open_record *record = find_open(recorder, step->task->index);

	return record ? call_trace_take(&record->trace, step) : 0;
}

int call_recorder_sleep(const struct call_recorder *recorder,
			const struct sleep *sleep)
{
	struct open_record *record = find_open(recorder, sleep->task->index);

	return record ? sleep_places_add(&record->places, sleep) : 0;
}

bool call_recorder_end(const struct call_recorder *recorder,
		       const struct system_call *call,
		       struct call_record *record)
{
	struct open_record *open = find_open(recorder, call->task->index);

	if (!open)
		return false;
	open->is_open = false;
	*record = (struct call_record){
		.call = call,
		.trace = &open->trace,
		.places = &open->places,
	};
	return true;
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
