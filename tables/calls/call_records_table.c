/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_records_table.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/budget.h"
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

/* The unfinished record of a task's current call. */
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
static int consume_step(struct task_listener *listener,
			const struct call_step *step)
{
	struct open_record *record =
		find_open((struct call_recorder *)listener, step->task->index);

	return record ? call_trace_consume(&record->trace, step) : 0;
}

static int consume_skipped(struct task_listener *listener,
			   const struct skipped_calls *skipped)
{
	struct open_record *record = find_open((struct call_recorder *)listener,
					       skipped->last->task->index);

	return record ? call_trace_skip(&record->trace, skipped) : 0;
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
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
		return recorder->consume(recorder, call, NULL);
	open->is_open = false;
	return recorder->consume(recorder, call,
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
		.step = consume_step,
		.skip = consume_skipped,
		.slept = consume_sleep,
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

/* An entry of the queue, which is in order of the calls' starts: the record of
 * a call as text.
 */
struct queued_record {
	char *text; /* NULL: no record */
	size_t size;
	bool is_over; /* the call has ended: nothing more will come */
};

/* timeline --syscalls: a record for each call, in order of their starts. A
 * record is queued until those of all calls that started earlier are written.
 */
struct call_records {
	struct event_handler handler;
	struct attribution_input input;
	struct call_recorder recorder;
	struct call_record_context context;
	struct array queue; /* struct queued_record */
	/* serial number of the first call in the queue */
	uint64_t first;
	/* uint64_t by task index: serial number of its open call */
	struct array numbers;
	uint64_t waiting_bytes; /* of text in the queue */
	uint64_t written;
	/* wanted calls of the recorder itself, which were excluded */
	uint64_t left_out;
	/* long calls, whose records were written at their ends */
	uint64_t out_of_order;
	bool failed; /* out of memory */
};

static struct call_records *records_of(struct call_recorder *recorder)
{
	return container_of(recorder, struct call_records, recorder);
}

static bool is_json(const struct call_records *records)
{
	return records->input.calls->format == RECORD_JSON;
}

/* Appends an entry for @call to the queue, if it is selected. Returns whether
 * to make its record.
 */
static bool begins_here(struct call_recorder *recorder,
			const struct system_call *call)
{
	struct call_records *records = records_of(recorder);
	uint64_t *number;

	if (!table_wants(&records->input, call->task, call->begin_ns))
		return false;
	number = array_reach(&records->numbers, call->task->index);
	if (!number || !array_add(&records->queue)) {
		records->failed = true;
		return false;
	}
	*number = records->first + records->queue.count - 1;
	return true;
}

/* Returns whether @call is long enough and chosen: by the name of its
 * function's system call, the name of its number, or the name of the function.
 */
static bool is_wanted(const struct call_records *records,
		      const struct system_call *call)
{
	const struct call_records_choice *choice = records->input.calls;
	const struct function_table *functions = records->context.functions;
	const struct arch *arch = records->context.arch;
	char text[64];

	if (call->end_ns - call->begin_ns < choice->min_ns)
		return false;
	return !choice->names ||
	       name_choice_has(choice->names,
			       system_call_name(functions, arch,
						call->function)) ||
	       name_choice_has(choice->names,
			       system_call_text(call, functions, arch, text,
						sizeof(text))) ||
	       function_is_chosen(function_at(functions, call->function),
				  choice->names);
}

static void write_text(struct call_records *records,
		       struct queued_record *queued)
{
	FILE *out = records->input.calls->out;

	if (queued->text &&
	    records->written < records->input.calls->max_count) {
		if (is_json(records))
			fputs(records->written ? ",\n" : "\n", out);
		fwrite(queued->text, 1, queued->size, out);
		records->written++;
	}
	records->waiting_bytes -= queued->size;
	free(queued->text);
	*queued = (struct queued_record){ .is_over = queued->is_over };
}

/* Writes the records at the start of the queue whose calls have ended. */
static void write_ready(struct call_records *records)
{
	struct queued_record *queue = records->queue.items;
	size_t count = 0;

	while (count < records->queue.count && queue[count].is_over)
		write_text(records, &queue[count++]);
	records->first += count;
	array_remove(&records->queue, 0, count);
}

/* Writes all finished records of the queue and empties it, because they take
 * too much memory while the first call lasts. Open calls lose their entries:
 * their records are written when they end.
 */
static void write_early(struct call_records *records)
{
	struct queued_record *queue = records->queue.items;

	for (size_t i = 0; i < records->queue.count; i++) {
		records->out_of_order += !queue[i].is_over;
		write_text(records, &queue[i]);
	}
	records->first += records->queue.count;
	records->queue.count = 0;
}

static int format_record(struct call_records *records,
			 const struct call_record *record,
			 struct queued_record *queued)
{
	struct call_record_context *context = &records->context;

	context->out = open_memstream(&queued->text, &queued->size);
	if (!context->out)
		return -ERROR_MEMORY;
	(is_json(records)	       ? call_record_json :
	 records->input.calls->details ? call_record_text :
					 call_line_text)(context, record);
	return fclose(context->out) ? -ERROR_MEMORY : 0;
}

static int end_record(struct call_records *records,
		      const struct system_call *call,
		      const struct call_record *record)
{
	const uint64_t *number = array_at(&records->numbers, call->task->index);
	struct queued_record late = { .text = NULL };
	bool has_place = *number >= records->first;
	struct queued_record *queued =
		has_place ? array_at(&records->queue,
				     (size_t)(*number - records->first)) :
			    &late;
	int status = 0;

	queued->is_over = true;
	if (records->written < records->input.calls->max_count &&
	    is_wanted(records, call))
		status = format_record(records, record, queued);
	records->waiting_bytes += queued->size;
	if (!has_place)
		write_text(records, queued);
	write_ready(records);
	if (records->waiting_bytes > BUDGET_WAITING_LINES_BYTES)
		write_early(records);
	return status;
}

static int consume_record(struct call_recorder *recorder,
			  const struct system_call *call,
			  const struct call_record *record)
{
	struct call_records *records = records_of(recorder);

	if (records->failed)
		return -ERROR_MEMORY;
	if (record)
		return end_record(records, call, record);
	if (table_leaves_out(&records->input, call->task, call->begin_ns))
		records->left_out += is_wanted(records, call);
	return 0;
}

static void close_records(struct event_handler *handler)
{
	struct call_records *records = (struct call_records *)handler;
	struct queued_record *queue = records->queue.items;

	for (size_t i = 0; i < records->queue.count; i++)
		free(queue[i].text);
	array_free(&records->queue);
	array_free(&records->numbers);
	call_recorder_free(&records->recorder);
}

static bool open_records(struct event_handler *handler,
			 const struct attribution_input *input)
{
	struct call_records *records = (struct call_records *)handler;
	const struct task_tracker *tracker;

	records->input = *input;
	records->queue = ARRAY_OF(struct queued_record);
	records->numbers = ARRAY_OF(uint64_t);
	records->recorder.wants = begins_here;
	records->recorder.consume = consume_record;
	call_recorder_open(&records->recorder);
	tracker = trackers_tasks(input->trackers, &records->recorder.listener);
	if (!tracker)
		return false;
	records->context = call_record_context_of(input, tracker);
	records->context.max_depth = input->calls->max_depth;
	if (is_json(records))
		fputs("[", input->calls->out);
	else if (!input->calls->details)
		call_line_head(input->calls->out);
	return true;
}

static const struct table_need needs[] = {
	{ .columns = "system calls", .event = RECORDED_KERNEL, .is_all = true },
	{ .columns = "sleeps", .event = EVENT_SCHED_SWITCH },
	{ .columns = "sleeps and their wakers", .event = EVENT_SCHED_WAKING },
	{ .columns = "numbers, arguments and results",
	  .event = EVENT_SYS_ENTER },
	{ .columns = "paths, data and files of arguments",
	  .event = EVENT_SYS_DATA },
};

static void say_left_out(const struct call_records *records, FILE *out)
{
	if (records->left_out)
		fprintf(out,
			"Left out: %" PRIu64
			" calls of the recorder (--with-tracer).\n",
			records->left_out);
	if (records->out_of_order)
		fprintf(out,
			"Not in order of time: %" PRIu64
			" long calls, for which too many others would have had "
			"to wait.\n",
			records->out_of_order);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct call_records *records = (struct call_records *)handler;
	struct queued_record *queue = records->queue.items;

	for (size_t i = 0; i < records->queue.count; i++)
		write_text(records, &queue[i]);
	if (is_json(records))
		fputs("\n]\n", output->out);
	else
		recorded_table(&records->input, needs,
			       sizeof(needs) / sizeof(*needs), 1, "",
			       output->out);
	if (!is_json(records))
		say_left_out(records, output->out);
	else if (!output->is_quiet)
		say_left_out(records, stderr);
	return records->failed ? -ERROR_MEMORY : 0;
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
