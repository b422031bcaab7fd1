/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/tracepoint.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit on the calls in progress of a thread: more are lost returns. */
enum { MOST_OPEN = 64 };

enum { MOST_ERRNO = 4095, ADDRESS_BITS = 40 };

#define UNTRACED UINT32_MAX

/* A call of a function that was chosen with record --args. */
struct read_call {
	struct task task;
	uint32_t function;
	uint64_t begin_ns; /* of the call in the trace, else of its record */
	uint64_t end_ns;   /* of the same source; 0: it did not return */
	uint32_t depth;	   /* in the trace; UNTRACED: it is not there */
	/* its frame has ended: the next step may be a function that replaces
	 * it by a jump
	 */
	bool may_go_on;
	bool is_open;	 /* its frame, or what replaced it, is open */
	char *arguments; /* "file=0xffff888003c41200, count=4096"; owned */
	char *result;	 /* owned; NULL: it did not return */
};

/* The calls in progress of a thread. */
struct read_thread {
	int32_t tid;
	uint32_t count;
	size_t open[MOST_OPEN]; /* indices of table.calls, innermost last */
};

/* report --args: the calls of chosen functions with their arguments and
 * results, in the order of their starts.
 *
 * A probe's record of a start is inside the function in the trace, so that the
 * innermost open function of this name is the call. The function may end in a
 * jump to another one, whose return is that of the call: so the call lasts as
 * long as the frame has a function. The record of the result is after that.
 *
 * Memory grows with the number of these calls.
 */
struct arguments_table {
	struct event_handler handler;
	struct attribution_input input;
	const struct task_time *time;
	const struct task_paths *paths;
	struct array calls;	    /* struct read_call */
	struct keyed_array threads; /* struct read_thread by tid */
	int status;
};

static struct read_call *call_at(const struct arguments_table *table,
				 size_t index)
{
	return array_at(&table->calls, index);
}

static struct read_thread *thread_of(struct arguments_table *table, int32_t tid)
{
	return keyed_array_add(&table->threads,
			       &(struct read_thread){ .tid = tid });
}

/* Writes a number as people read it: errors as negative numbers, addresses and
 * other large ones as hexadecimal ones.
 */
static void write_number(int64_t number, FILE *out)
{
	if ((number < 0 && number >= -MOST_ERRNO) ||
	    (number >= 0 && !(number >> ADDRESS_BITS)))
		fprintf(out, "%" PRId64, number);
	else
		fprintf(out, "0x%" PRIx64, (uint64_t)number);
}

/* Returns the result @number; one that fits into an int and is an error as
 * such. Without types (before Linux 6.4) the kernel reads a whole register,
 * whose upper half is 0.
 */
static int64_t result_of(int64_t number)
{
	int32_t result = (int32_t)(uint32_t)number;

	return result < 0 && result >= -MOST_ERRNO && number >> 32 == 0 ?
		       result :
		       number;
}

static void write_value(const struct tracepoint_field *field, bool is_result,
			const struct sideband_record *record, FILE *out)
{
	int64_t number = tracepoint_number(field, record->sample.raw,
					   record->sample.raw_size);
	char text[256];

	if (!field->is_dynamic) {
		write_number(is_result ? result_of(number) : number, out);
		return;
	}
	fputc('"', out);
	name_write(out, NAME_TEXT,
		   tracepoint_text(field, record->sample.raw,
				   record->sample.raw_size, text,
				   sizeof(text)));
	fputc('"', out);
}

/* Returns whether @field is of every event, or of every probe. */
static bool is_common(const struct tracepoint_field *field)
{
	return !strncmp(field->name, "common_", strlen("common_")) ||
	       !strncmp(field->name, "__probe_", strlen("__probe_"));
}

/* Returns the values in @record, named if @is_named. The caller frees them.
 * NULL when out of memory.
 */
static char *values_of(const struct sideband_record *record, bool is_named)
{
	const struct tracepoint *tracepoint = record->event->tracepoint;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *between = "";

	for (size_t i = 0; out && i < tracepoint->field_count; i++) {
		const struct tracepoint_field *field = &tracepoint->fields[i];

		if (is_common(field))
			continue;
		fputs(between, out);
		if (is_named) {
			name_write(out, NAME_TEXT, field->name);
			fputc('=', out);
		}
		write_value(field, !is_named, record, out);
		between = ", ";
	}
	return out && !fclose(out) ? text : NULL;
}

static uint32_t function_of(const struct arguments_table *table,
			    const struct event_record *event)
{
	struct symbol symbol;

	symbols_find(table->input.symbols, event->pid, event->time_ns,
		     (uint64_t)event->values[PROBED_FUNCTION], &symbol);
	return symbol.function;
}

/* Sets the start of @call: that of the innermost open call of its function, or
 * of @event.
 */
static void set_begin(const struct arguments_table *table,
		      const struct event_record *event, const struct task *task,
		      struct read_call *call)
{
	size_t count = 0;
	const struct path_frame *path =
		task ? task_paths_of(table->paths, task->index, &count) : NULL;

	call->begin_ns = event->time_ns;
	call->depth = UNTRACED;
	while (count-- > 0)
		if (path[count].function == call->function) {
			call->begin_ns = path[count].begin_ns;
			call->depth = (uint32_t)count;
			call->is_open = true;
			return;
		}
}

static int begin_call(struct arguments_table *table,
		      const struct event_record *event)
{
	const struct task *task =
		task_time_task(table->time, event->cpu, event->tid);
	struct read_thread *thread = thread_of(table, event->tid);
	struct read_call *call = thread ? array_add(&table->calls) : NULL;

	if (!call)
		return -ERROR_MEMORY;
	call->task = task ? *task :
			    (struct task){ .index = UINT32_MAX,
					   .tid = event->tid,
					   .pid = event->pid,
					   .cpu = event->cpu };
	call->function = function_of(table, event);
	set_begin(table, event, task, call);
	call->arguments = values_of(event->sideband, true);
	if (thread->count == MOST_OPEN)
		thread->count = 0;
	thread->open[thread->count++] = table->calls.count - 1;
	return call->arguments ? 0 : -ERROR_MEMORY;
}

/* Ends the innermost call of the function that returns. Calls inside it that
 * are still open have lost their results.
 */
static int end_call(struct arguments_table *table,
		    const struct event_record *event)
{
	struct read_thread *thread = thread_of(table, event->tid);
	uint32_t function = function_of(table, event);
	uint32_t index;
	struct read_call *call;

	if (!thread)
		return -ERROR_MEMORY;
	for (index = thread->count; index-- > 0;)
		if (call_at(table, thread->open[index])->function == function)
			break;
	if (index == UINT32_MAX)
		return 0;
	call = call_at(table, thread->open[index]);
	thread->count = index;
	if (!call->end_ns)
		call->end_ns = event->time_ns;
	call->result = values_of(event->sideband, false);
	return call->result ? 0 : -ERROR_MEMORY;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct arguments_table *table = (struct arguments_table *)handler;
	int status = 0;

	if (event->event == EVENT_CALL_ARGUMENTS)
		status = begin_call(table, event);
	else if (event->event == EVENT_CALL_RESULT)
		status = end_call(table, event);
	if (status < 0)
		table->status = status;
}

/* Applies @step to a call in progress of its thread. */
static void follow(struct read_call *call, const struct call_step *step)
{
	bool goes_on = call->may_go_on && step->kind == STEP_ENTER &&
		       step->how == HOW_TAIL && step->depth == call->depth;

	call->may_go_on = false;
	if (goes_on) {
		call->is_open = true;
	} else if (call->is_open && step->kind == STEP_EXIT &&
		   step->depth == call->depth) {
		call->is_open = false;
		call->may_go_on = true;
		call->end_ns = step->time_ns;
	}
}

/* Calls in progress may return now: several if one ended in a jump to another
 * one.
 */
static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct arguments_table *table = (struct arguments_table *)handler;
	const struct read_thread *thread;

	if ((step->kind != STEP_ENTER && step->kind != STEP_EXIT) ||
	    !table->calls.count)
		return;
	thread = keyed_array_find(&table->threads, &step->task->tid);
	for (uint32_t i = 0; thread && i < thread->count; i++)
		follow(call_at(table, thread->open[i]), step);
}

static void close_table(struct event_handler *handler)
{
	struct arguments_table *table = (struct arguments_table *)handler;

	for (size_t i = 0; i < table->calls.count; i++) {
		free(call_at(table, i)->arguments);
		free(call_at(table, i)->result);
	}
	array_free(&table->calls);
	keyed_array_free(&table->threads);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct arguments_table *table = (struct arguments_table *)handler;
	struct thread_tracker *threads = trackers_threads(input->trackers);

	table->handler.step = consume_step;
	table->handler.event = consume_event;
	table->input = *input;
	table->calls = ARRAY_OF(struct read_call);
	table->threads = KEYED_ARRAY_OF(struct read_thread, tid);
	if (!threads)
		return false;
	table->time = thread_tracker_time(threads);
	table->paths = thread_tracker_paths(threads);
	return table->time && table->paths;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct arguments_table *table = ctx;
	const struct read_call *call = call_at(table, index);
	const struct function_table *functions =
		symbols_functions(table->input.symbols);

	record_real(writer, "begin_s",
		    (double)(int64_t)(call->begin_ns - table->input.origin_ns) /
			    1e9,
		    9);
	record_signed(writer, "pid", call->task.pid);
	record_signed(writer, "tid", call->task.tid);
	record_text(writer, "comm",
		    task_names_comm(table->input.names, call->task.tid,
				    call->begin_ns));
	record_text(writer, "function",
		    function_at(functions, call->function)->name);
	record_text(writer, "arguments", call->arguments);
	if (call->result)
		record_text(writer, "result", call->result);
	else
		record_absent(writer, "result");
	if (call->end_ns && call->result)
		record_duration(writer, "wall_ns",
				call->end_ns - call->begin_ns);
	else
		record_absent(writer, "wall_ns");
}

/* Keeps the calls that the options choose. */
static void choose(struct arguments_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->calls.count; i++) {
		struct read_call *call = call_at(table, i);

		if (table_wants(&table->input, &call->task, call->begin_ns)) {
			*call_at(table, count++) = *call;
			continue;
		}
		free(call->arguments);
		free(call->result);
	}
	table->calls.count = count;
}

static const struct table_need needs[] = {
	{ .columns = "arguments and results",
	  .event = EVENT_CALL_ARGUMENTS,
	  .is_all = true },
};

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct arguments_table *table = (struct arguments_table *)handler;
	int status = table->status;

	if (status)
		return status;
	choose(table);
	array_sort_by(&table->calls, KEYS(RISING(struct read_call, begin_ns)));
	status =
		table_rows_render(output, write_row, table, table->calls.count);
	if (!status && output->format == RECORD_TABLE)
		recorded_table(&table->input, needs, 1, table->calls.count,
			       "No chosen function was called", output->out);
	return status;
}

const struct attribution_table arguments_table = {
	.name = "args",
	.columns = "begin_s pid tid comm function arguments result wall_ns",
	.brief = "begin_s,comm,function,arguments,result,wall_ns",
	.help = "the calls of functions chosen with record --args: arguments, "
		"results, times",
	.is_of_tasks = true,
	.size = sizeof(struct arguments_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
