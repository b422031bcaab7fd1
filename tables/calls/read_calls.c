/* SPDX-License-Identifier: MIT */
#include "tables/calls/read_calls.h"

#include "attribution/attribution_input.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "report/text/name_text.h"
#include "symbolize/symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of calls in progress of a thread. At more, their returns must
 * have been lost: the thread then has none.
 */
enum { MOST_OPEN = 64 };

enum { MOST_ERRNO = 4095, ADDRESS_BITS = 40 };

/* The calls in progress of a thread. */
struct read_thread {
	int32_t tid;
	uint32_t count;
	size_t open[MOST_OPEN]; /* indices of calls.calls, innermost last */
};

struct read_calls {
	struct event_handler handler;
	struct attribution_input input;
	const struct task_time *time;
	const struct task_paths *paths;
	struct array calls;	    /* struct read_call */
	struct keyed_array threads; /* struct read_thread by tid */
	int status;
};

static struct read_call *call_at(const struct read_calls *calls, size_t index)
{
	return array_at(&calls->calls, index);
}

static struct read_thread *thread_of(struct read_calls *calls, int32_t tid)
{
	return keyed_array_add(&calls->threads,
			       &(struct read_thread){ .tid = tid });
}

/* Writes a number as people read it: errors as negative numbers, addresses and
 * other large numbers in hexadecimal.
 */
static void write_number(int64_t number, FILE *out)
{
	if ((number < 0 && number >= -MOST_ERRNO) ||
	    (number >= 0 && !(number >> ADDRESS_BITS)))
		fprintf(out, "%" PRId64, number);
	else
		fprintf(out, "0x%" PRIx64, (uint64_t)number);
}

/* Returns the result whose register has the value @number. An int that is a
 * negative errno is returned as such: without type information (before Linux
 * 6.4), the kernel records the whole register, with 0 in the upper half.
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

/* Returns whether all events, or all probes, have @field. */
static bool is_common(const struct tracepoint_field *field)
{
	return !strncmp(field->name, "common_", strlen("common_")) ||
	       !strncmp(field->name, "__probe_", strlen("__probe_"));
}

/* Returns the values in @record as text: "name=value, ..." of arguments if
 * @is_named, else the result. The caller frees it. NULL when out of memory.
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

static uint32_t function_of(const struct read_calls *calls,
			    const struct event_record *event)
{
	struct symbol symbol;

	symbols_find(calls->input.symbols, event->pid, event->time_ns,
		     (uint64_t)event->values[PROBED_FUNCTION], &symbol);
	return symbol.function;
}

/* Sets the start of @call to that of the innermost open call of its function in
 * the trace, or to the time of @event if there is none.
 */
static void set_begin(const struct read_calls *calls,
		      const struct event_record *event, const struct task *task,
		      struct read_call *call)
{
	size_t count = 0;
	const struct path_frame *path =
		task ? task_paths_of(calls->paths, task->index, &count) : NULL;

	call->begin_ns = event->time_ns;
	call->depth = READ_CALL_UNTRACED;
	while (count-- > 0)
		if (path[count].function == call->function) {
			call->begin_ns = path[count].begin_ns;
			call->depth = (uint32_t)count;
			call->is_open = true;
			return;
		}
}

static int begin_call(struct read_calls *calls,
		      const struct event_record *event)
{
	const struct task *task =
		task_time_task(calls->time, event->cpu, event->tid);
	struct read_thread *thread = thread_of(calls, event->tid);
	struct read_call *call = thread ? array_add(&calls->calls) : NULL;

	if (!call)
		return -ERROR_MEMORY;
	call->task = task ? *task :
			    (struct task){ .index = UINT32_MAX,
					   .tid = event->tid,
					   .pid = event->pid,
					   .cpu = event->cpu };
	call->function = function_of(calls, event);
	set_begin(calls, event, task, call);
	call->arguments = values_of(event->sideband, true);
	if (thread->count == MOST_OPEN)
		thread->count = 0;
	thread->open[thread->count++] = calls->calls.count - 1;
	return call->arguments ? 0 : -ERROR_MEMORY;
}

/* Ends the innermost call of the function that returns. Calls inside it that
 * are still open have lost their results.
 */
static int end_call(struct read_calls *calls, const struct event_record *event)
{
	struct read_thread *thread = thread_of(calls, event->tid);
	uint32_t function = function_of(calls, event);
	uint32_t index;
	struct read_call *call;

	if (!thread)
		return -ERROR_MEMORY;
	for (index = thread->count; index-- > 0;)
		if (call_at(calls, thread->open[index])->function == function)
			break;
	if (index == UINT32_MAX)
		return 0;
	call = call_at(calls, thread->open[index]);
	thread->count = index;
	if (!call->end_ns)
		call->end_ns = event->time_ns;
	call->result = values_of(event->sideband, false);
	return call->result ? 0 : -ERROR_MEMORY;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct read_calls *calls = (struct read_calls *)handler;
	int status = 0;

	if (event->event == EVENT_CALL_ARGUMENTS)
		status = begin_call(calls, event);
	else if (event->event == EVENT_CALL_RESULT)
		status = end_call(calls, event);
	if (status < 0)
		calls->status = status;
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

/* Several calls in progress may return at once, if one ended in a jump to
 * another.
 */
static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct read_calls *calls = (struct read_calls *)handler;
	const struct read_thread *thread;

	if ((step->kind != STEP_ENTER && step->kind != STEP_EXIT) ||
	    !calls->calls.count)
		return;
	thread = keyed_array_find(&calls->threads, &step->task->tid);
	for (uint32_t i = 0; thread && i < thread->count; i++)
		follow(call_at(calls, thread->open[i]), step);
}

void read_calls_free(struct read_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->calls.count; i++) {
		free(call_at(calls, i)->arguments);
		free(call_at(calls, i)->result);
	}
	array_free(&calls->calls);
	keyed_array_free(&calls->threads);
	free(calls);
}

struct read_calls *read_calls_new(const struct attribution_input *input)
{
	struct thread_tracker *threads = trackers_threads(input->trackers);
	struct read_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->handler.step = consume_step;
	calls->handler.event = consume_event;
	calls->input = *input;
	calls->calls = ARRAY_OF(struct read_call);
	calls->threads = KEYED_ARRAY_OF(struct read_thread, tid);
	if (threads) {
		calls->time = thread_tracker_time(threads);
		calls->paths = thread_tracker_paths(threads);
	}
	if (calls->time && calls->paths &&
	    !trackers_follow(input->trackers, &calls->handler))
		return calls;
	read_calls_free(calls);
	return NULL;
}

int read_calls_end(struct read_calls *calls, struct array **list)
{
	array_sort_by(&calls->calls, KEYS(RISING(struct read_call, begin_ns)));
	*list = &calls->calls;
	return calls->status;
}

const struct read_call *read_calls_find(const struct read_calls *calls,
					int32_t tid, uint32_t function,
					uint64_t begin_ns)
{
	const struct read_call *items = calls->calls.items;
	size_t low = 0;
	size_t high = calls->calls.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle].begin_ns < begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < calls->calls.count && items[low].begin_ns == begin_ns;
	     low++)
		if (items[low].task.tid == tid &&
		    items[low].function == function)
			return &items[low];
	return NULL;
}
