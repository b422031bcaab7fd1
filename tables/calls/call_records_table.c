/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_records_table.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/name_choice.h"
#include "symbolize/functions/function_name.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_record.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdlib.h>

/* The record, so far, of a task's current call. */
struct open_record {
	struct call_trace trace;
	struct sleep_places places;
	bool is_open;
};

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

/* timeline --syscalls: a record for each call, written when the call ends. */
struct call_records {
	struct event_handler handler;
	struct attribution_input input;
	struct call_recorder recorder;
	struct call_record_context context;
	uint64_t written;
	uint64_t left_out; /* calls of the recorder */
};

static struct call_records *records_of(struct call_recorder *recorder)
{
	return container_of(recorder, struct call_records, recorder);
}

static bool begins_here(struct call_recorder *recorder,
			const struct system_call *call)
{
	return table_wants(&records_of(recorder)->input, call->task,
			   call->begin_ns);
}

/* Matches the call's name or its function's. */
static bool is_wanted(const struct call_records *records,
		      const struct system_call *call)
{
	const struct call_records_choice *choice = records->input.calls;
	const struct function_table *functions = records->context.functions;

	if (call->end_ns - call->begin_ns < choice->min_ns)
		return false;
	return !choice->names ||
	       name_choice_has(choice->names,
			       system_call_name(functions,
						records->context.arch,
						call->function)) ||
	       function_is_chosen(function_at(functions, call->function),
				  choice->names);
}

static void write_record(struct call_records *records,
			 const struct call_record *record)
{
	FILE *out = records->context.out;

	if (records->input.calls->format == RECORD_TABLE) {
		(records->input.calls->details ?
			 call_record_text :
			 call_line_text)(&records->context, record);
	} else {
		fputs(records->written ? ",\n" : "\n", out);
		call_record_json(&records->context, record);
	}
	records->written++;
}

static int take_record(struct call_recorder *recorder,
		       const struct system_call *call,
		       const struct call_record *record)
{
	struct call_records *records = records_of(recorder);

	if (record) {
		if (records->written < records->input.calls->max_count &&
		    is_wanted(records, call))
			write_record(records, record);
	} else if (table_leaves_out(&records->input, call->task,
				    call->begin_ns)) {
		records->left_out += is_wanted(records, call);
	}
	return 0;
}

static void close_records(struct event_handler *handler)
{
	struct call_records *records = (struct call_records *)handler;

	call_recorder_free(&records->recorder);
}

static bool open_records(struct event_handler *handler,
			 const struct attribution_input *input)
{
	struct call_records *records = (struct call_records *)handler;
	const struct task_tracker *tracker;

	records->input = *input;
	records->recorder.wants = begins_here;
	records->recorder.take = take_record;
	call_recorder_open(&records->recorder);
	tracker = trackers_tasks(input->trackers, &records->recorder.listener);
	if (!tracker)
		return false;
	records->context = call_record_context_of(input, tracker);
	records->context.max_depth = input->calls->max_depth;
	records->context.out = input->calls->out;
	if (input->calls->format == RECORD_JSON)
		fputs("[", records->context.out);
	else if (!input->calls->details)
		call_line_head(records->context.out);
	return true;
}

static const struct table_need needs[] = {
	{ .columns = "system calls", .event = RECORDED_KERNEL, .is_all = true },
	{ .columns = "sleeps", .event = EVENT_SCHED_SWITCH },
	{ .columns = "sleeps and their wakers", .event = EVENT_SCHED_WAKING },
	{ .columns = "numbers, arguments and results",
	  .event = EVENT_SYS_ENTER },
};

static void explain(const struct call_records *records, FILE *out)
{
	recorded_table(&records->input, needs, sizeof(needs) / sizeof(*needs),
		       1, "", out);
}

static void say_left_out(const struct call_records *records, FILE *out)
{
	if (records->left_out)
		fprintf(out,
			"Left out: %" PRIu64
			" calls of the recorder (--with-tracer).\n",
			records->left_out);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	const struct call_records *records = (struct call_records *)handler;

	if (output->format == RECORD_JSON)
		fputs("\n]\n", output->out);
	else
		explain(records, output->out);
	if (output->format != RECORD_JSON)
		say_left_out(records, output->out);
	else if (!output->is_quiet)
		say_left_out(records, stderr);
	return 0;
}

const struct attribution_table call_records_table = {
	.name = "syscalls",
	.is_of_tasks = true,
	.writes_left_out = true,
	.size = sizeof(struct call_records),
	.open = open_records,
	.render = render,
	.close = close_records,
};
