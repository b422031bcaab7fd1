/* SPDX-License-Identifier: MIT */
#include "attribution/calls/open_records.h"

#include "attribution/calls/call_record.h"
#include "attribution/calls/system_call.h"
#include "attribution/sleeps/sleeps.h"
#include "common/error.h"

void open_records_free(struct open_records *records)
{
	for (size_t i = 0; i < records->all.count; i++) {
		struct open_record *record = array_at(&records->all, i);

		call_trace_free(&record->trace);
		sleep_places_free(&record->places);
	}
	array_free(&records->all);
}

static struct open_record *record_of(struct open_records *records,
				     const struct task *task)
{
	while (records->all.count <= task->index) {
		struct open_record *record = array_add(&records->all);

		if (!record)
			return NULL;
		record->trace = CALL_TRACE_EMPTY;
		record->places = SLEEP_PLACES_EMPTY;
	}
	return array_at(&records->all, task->index);
}

static struct open_record *find_open(const struct open_records *records,
				     uint32_t index)
{
	struct open_record *record;

	if (index >= records->all.count)
		return NULL;
	record = array_at(&records->all, index);
	return record->is_open ? record : NULL;
}

int open_records_begin(struct open_records *records,
		       const struct system_call *call)
{
	struct open_record *record = record_of(records, call->task);

	if (!record)
		return -ERROR_MEMORY;
	record->is_open = true;
	call_trace_begin(&record->trace, call->depth);
	sleep_places_clear(&record->places);
	return 0;
}

int open_records_step(struct open_records *records,
		      const struct call_step *step)
{
	struct open_record *record = find_open(records, step->task->index);

	return record ? call_trace_take(&record->trace, step) : 0;
}

int open_records_sleep(struct open_records *records, const struct sleep *sleep)
{
	struct open_record *record = find_open(records, sleep->task->index);

	return record ? sleep_places_add(&record->places, sleep) : 0;
}

bool open_records_end(struct open_records *records,
		      const struct system_call *call,
		      struct call_record *record)
{
	struct open_record *open = find_open(records, call->task->index);

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
