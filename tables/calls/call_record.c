/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"

#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/call_argument.h"
#include "tables/table.h"
#include "tables/text/stack_text.h"

#include "common/array.h"
#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The record of one system call, in this order: the places where it slept
 * (struct sleep_places), the kernel functions that it ran as a tree (struct
 * call_trace), and the formats of a record: one line, text of several lines,
 * and JSON. All three formats have their facts from the same struct, so that
 * they agree.
 *
 * Sleeps of a call with the same label, stack, callee and address are added up
 * as one place, with all their wakers.
 */

static struct sleep_place *place_at(const struct sleep_places *places,
				    size_t index)
{
	return (struct sleep_place *)places->all.items.items + index;
}

void sleep_places_free(struct sleep_places *places)
{
	for (size_t i = 0; i < places->all.items.count; i++)
		keyed_array_free(&place_at(places, i)->wakers);
	keyed_array_free(&places->all);
}

static struct sleep_place *place_of(struct sleep_places *places,
				    const struct sleep *sleep)
{
	return keyed_array_add(
		&places->all,
		&(struct sleep_place){
			.label = sleep->label,
			.function = sleep->inner,
			.address = sleep->place,
			.stack = sleep->stack,
			.same_at_begin = -1,
			.same_at_end = -1,
			.wakers = KEYED_ARRAY_OF(struct place_waker, waker),
		});
}

static int add_waker(struct sleep_place *place, uint32_t waker)
{
	struct place_waker *added = keyed_array_add(
		&place->wakers, &(struct place_waker){ .waker = waker });

	if (!added)
		return -ERROR_MEMORY;
	added->count++;
	return 0;
}

static void raise_to(uint32_t *most, uint32_t value)
{
	if (value > *most)
		*most = value;
}

static void raise_known(int32_t *most, int32_t value)
{
	if (value > *most)
		*most = value;
}

int sleep_places_add(struct sleep_places *places, const struct sleep *sleep)
{
	struct sleep_place *place = place_of(places, sleep);

	if (!place)
		return -ERROR_MEMORY;
	place->count++;
	place->asleep_ns += sleep->asleep_ns;
	place->runnable_ns += sleep->runnable_ns;
	if (sleep->asleep_ns > place->max_ns)
		place->max_ns = sleep->asleep_ns;
	raise_to(&place->others_at_begin, sleep->others_at_begin);
	raise_to(&place->others_at_end, sleep->others_at_end);
	raise_known(&place->same_at_begin, sleep->same_at_begin);
	raise_known(&place->same_at_end, sleep->same_at_end);
	return add_waker(place, sleep->waker);
}

const struct sleep_place *sleep_places_at(const struct sleep_places *places,
					  size_t index)
{
	return place_at(places, index);
}

void call_trace_free(struct call_trace *trace)
{
	array_free(&trace->functions);
	array_free(&trace->open);
}

void call_trace_begin(struct call_trace *trace, uint32_t base)
{
	trace->functions.count = 0;
	trace->open.count = 0;
	trace->base = base;
}

static struct traced_function *at(const struct call_trace *trace,
				  uint32_t index)
{
	return (struct traced_function *)trace->functions.items + index;
}

/* A call that starts or ends, of the task's frame at a depth that is counted
 * from the system call's entry.
 */
struct trace_change {
	uint32_t function;
	uint32_t depth;
	bool is_interrupt;
	uint64_t time_ns;
	uint64_t whole_ns; /* as in struct call_step */
};

static bool is_function_of(const struct traced_function *function,
			   const struct trace_change *change)
{
	return function->function == change->function &&
	       function->is_interrupt == change->is_interrupt;
}

/* Returns the child of @parent after the one entered last, or TRACED_NONE:
 * functions mostly call others in the same order.
 */
static inline uint32_t next_child(const struct call_trace *trace,
				  uint32_t parent)
{
	uint32_t recent = at(trace, parent)->recent_child;

	return recent == TRACED_NONE ? at(trace, parent)->first_child :
				       at(trace, recent)->next_sibling;
}

/* Returns the child of @parent that @change enters, or TRACED_NONE. */
static uint32_t find_child(const struct call_trace *trace, uint32_t parent,
			   const struct trace_change *change)
{
	uint32_t child = parent == TRACED_NONE ? call_trace_first(trace) :
						 at(trace, parent)->first_child;

	while (child != TRACED_NONE &&
	       !is_function_of(at(trace, child), change))
		child = at(trace, child)->next_sibling;
	return child;
}

static void link_child(const struct call_trace *trace, uint32_t parent,
		       uint32_t child)
{
	uint32_t last = parent == TRACED_NONE ? 0 :
						at(trace, parent)->last_child;

	/* If the entry is replaced by jumps to other functions, these are
	 * siblings of the first.
	 */
	if (parent == TRACED_NONE) {
		if (!child)
			return;
		while (at(trace, last)->next_sibling != TRACED_NONE)
			last = at(trace, last)->next_sibling;
		at(trace, last)->next_sibling = child;
		return;
	}
	if (last == TRACED_NONE)
		at(trace, parent)->first_child = child;
	else
		at(trace, last)->next_sibling = child;
	at(trace, parent)->last_child = child;
}

/* Appends a function, to be initialized; NULL when out of memory. Each path of
 * a call is new once: there is mostly room.
 */
static inline struct traced_function *append(struct call_trace *trace)
{
	struct array *functions = &trace->functions;

	return functions->count < functions->room ?
		       at(trace, (uint32_t)functions->count++) :
		       array_add(functions);
}

static uint32_t add_child(struct call_trace *trace, uint32_t parent,
			  const struct trace_change *change)
{
	struct traced_function *added = append(trace);
	uint32_t child = (uint32_t)trace->functions.count - 1;

	if (!added)
		return TRACED_NONE;
	*added = (struct traced_function){
		.function = change->function,
		.depth = change->depth,
		.parent = parent,
		.first_child = TRACED_NONE,
		.last_child = TRACED_NONE,
		.next_sibling = TRACED_NONE,
		.recent_child = TRACED_NONE,
		.is_interrupt = change->is_interrupt,
	};
	link_child(trace, parent, child);
	return child;
}

/* Finds or adds the child of @parent that @change enters. */
static uint32_t reach_child(struct call_trace *trace, uint32_t parent,
			    const struct trace_change *change)
{
	uint32_t child = find_child(trace, parent, change);

	return child == TRACED_NONE ? add_child(trace, parent, change) : child;
}

static inline int enter(struct call_trace *trace,
			const struct trace_change *change)
{
	uint32_t depth = change->depth;
	uint32_t parent = TRACED_NONE;
	uint32_t child = TRACED_NONE;
	struct traced_call *open;

	if (depth >= trace->open.count && !array_reach(&trace->open, depth))
		return -ERROR_MEMORY;
	open = trace->open.items;
	if (depth) {
		parent = open[depth - 1].function;
		child = next_child(trace, parent);
	}
	if (child == TRACED_NONE || !is_function_of(at(trace, child), change))
		child = reach_child(trace, parent, change);
	if (child == TRACED_NONE)
		return -ERROR_MEMORY;
	if (parent != TRACED_NONE)
		at(trace, parent)->recent_child = child;
	at(trace, child)->calls++;
	open[depth] = (struct traced_call){ child, change->time_ns,
					    change->whole_ns };
	return 0;
}

/* @time_ns and @whole_ns are as in struct trace_change. */
static inline void leave(struct call_trace *trace, uint32_t depth,
			 uint64_t time_ns, uint64_t whole_ns)
{
	const struct traced_call *open = trace->open.items;
	struct traced_function *function;

	if (depth >= trace->open.count)
		return;
	open += depth;
	function = at(trace, open->function);
	function->wall_ns += time_ns - open->start_ns;
	function->on_cpu_ns += whole_ns - open->whole_ns;
}

int call_trace_consume(struct call_trace *trace, const struct call_step *step)
{
	const struct trace_change change = {
		.function = step->function,
		.depth = step->depth - trace->base,
		.is_interrupt = step->how == HOW_EXCEPTION,
		.time_ns = step->time_ns,
		.whole_ns = step->whole_ns,
	};

	if (step->depth < trace->base)
		return 0;
	if (step->kind == STEP_ENTER)
		return enter(trace, &change);
	if (step->kind == STEP_EXIT)
		leave(trace, change.depth, change.time_ns, change.whole_ns);
	return 0;
}

/* Returns the number of frames that were open before the run. */
static uint32_t frames_before(const struct skipped_calls *skipped)
{
	uint32_t count = skipped->frame_count;

	for (uint32_t i = 0; i < skipped->event_count; i++) {
		uint8_t kind = skipped->events[i].kind;

		count += kind == FUNCTION_RETURN;
		count -= kind == FUNCTION_CALL;
	}
	return count;
}

int call_trace_skip(struct call_trace *trace,
		    const struct skipped_calls *skipped)
{
	uint64_t ahead_ns = skipped->last->whole_ns - skipped->last->time_ns;
	uint32_t depth = frames_before(skipped) - trace->base;

	for (uint32_t i = 0; i < skipped->event_count; i++) {
		const struct function_event *event = &skipped->events[i];
		uint64_t time_ns = event->time_ns;

		if (event->kind != FUNCTION_CALL)
			leave(trace, --depth, time_ns, time_ns + ahead_ns);
		if (event->kind == FUNCTION_RETURN)
			continue;
		if (enter(trace, &(struct trace_change){
					 .function = event->function,
					 .depth = depth++,
					 .time_ns = time_ns,
					 .whole_ns = time_ns + ahead_ns,
				 }) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

struct call_record_context
call_record_context_of(const struct attribution_input *input,
		       const struct task_tracker *tracker)
{
	return (struct call_record_context){
		.functions = symbols_functions(input->symbols),
		.arch = symbols_arch(input->symbols),
		.names = input->names,
		.wakers = task_tracker_wakers(tracker),
		.stacks = task_tracker_stacks(tracker),
		.lines = input->lines,
		.origin_ns = input->origin_ns,
		.has_off_cpu =
			known_events_has(input->events, EVENT_SCHED_SWITCH) &&
			known_events_has(input->events, EVENT_SCHED_WAKING),
	};
}

/* Finds the source line at which the label of @place began to sleep.
 *
 * Writes it to @text as "kernel/time/hrtimer.c:2083", cut to @size bytes.
 * Returns false if the debug information has no line.
 */
static bool call_record_line(const struct call_record_context *context,
			     const struct sleep_place *place, char *text,
			     size_t size)
{
	struct source_line line;

	if (!sleep_find_line(context->lines, context->functions, place->label,
			     place->address, &line))
		return false;
	snprintf(text, size, "%s:%d", line.file, line.line);
	return true;
}

void call_line_head(FILE *out)
{
	fprintf(out, "# %14s  %-20s %9s  %s\n", "time_s", "task", "duration",
		"call");
}

/* Writes only the call: name, arguments and result. */
static void write_call(const struct call_record_context *context,
		       const struct system_call *call, FILE *out)
{
	char text[64];
	const char *name = system_call_text(call, context->functions,
					    context->arch, text, sizeof(text));

	name_write(out, NAME_TEXT, name);
	call_arguments_write(call, name, strcmp(context->arch->name, "x86_64"),
			     out);
	call_result_write(call, name, out);
}

/* Writes the call, then its end unless it returned, and "by seccomp" or "by
 * ptrace" if one of these refused it.
 */
static void call_line_call(const struct call_record_context *context,
			   const struct system_call *call)
{
	const char *refusal = system_call_refusal_text(call->refusal);
	FILE *out = context->out;

	write_call(context, call, out);
	if (call->end != CALL_RETURNED)
		fprintf(out, "  [%s]", system_call_end_text(call->end));
	if (refusal)
		fprintf(out, "  [by %s]", refusal);
}

static const struct sleep_place *longest(const struct sleep_places *places)
{
	const struct sleep_place *found = NULL;

	for (size_t i = 0; i < places->all.items.count; i++) {
		const struct sleep_place *place = sleep_places_at(places, i);

		if (!found || place->asleep_ns > found->asleep_ns)
			found = place;
	}
	return found;
}

static void write_sleep(const struct call_record_context *context,
			const struct call_record *record)
{
	const struct sleep_place *place = longest(record->places);
	uint64_t asleep_ns = record->call->class_ns[TIME_ASLEEP];

	if (!place || !asleep_ns)
		return;
	fprintf(context->out, "  [asleep %s, ",
		duration_text_of(asleep_ns).text);
	fputs(record->places->all.items.count > 1 ? "most in " : "in ",
	      context->out);
	function_name_write(context->functions, place->label, context->out);
	fputc(']', context->out);
}

/* Writes the task, padded to the width of the header's column. */
static void write_task(const struct call_record_context *context,
		       const struct system_call *call)
{
	enum { WIDTH = 20 };
	struct task_label label =
		task_label_of(context->names, call->task->tid, call->begin_ns);
	char *name = name_made(NAME_TEXT, label.text);

	fprintf(context->out, "%-*s", WIDTH, name ? name : "?");
	free(name);
}

void call_line_text(const struct call_record_context *context,
		    const struct call_record *record)
{
	const struct system_call *call = record->call;
	FILE *out = context->out;

	fprintf(out, "%16s  ",
		moment_text(call->begin_ns, context->origin_ns).text);
	write_task(context, call);
	fprintf(out, " %9s  ",
		duration_text_of(call->end_ns - call->begin_ns).text);
	call_line_call(context, call);
	write_sleep(context, record);
	fputc('\n', out);
}

static void print_head(const struct call_record_context *context,
		       const struct system_call *call)
{
	FILE *out = context->out;

	fprintf(out, "%16s  ",
		moment_text(call->begin_ns, context->origin_ns).text);
	task_label_write(context->names, call->task->tid, call->begin_ns, out);
	fputs("  ", out);
	call_line_call(context, call);
	fputs("\n", out);
}

static void print_times(const struct call_record_context *context,
			const struct system_call *call)
{
	FILE *out = context->out;

	fprintf(out, "    %s: on CPU %s",
		duration_text_of(call->end_ns - call->begin_ns).text,
		duration_text_of(system_call_on_cpu(call->class_ns)).text);
	if (context->has_off_cpu)
		fprintf(out, ", asleep %s, runnable %s",
			duration_text_of(call->class_ns[TIME_ASLEEP]).text,
			duration_text_of(call->class_ns[TIME_RUNNABLE]).text);
	fprintf(out, ", taken by interrupts %s",
		duration_text_of(call->class_ns[TIME_INTERRUPT]).text);
	if (call->class_ns[TIME_TRACER])
		fprintf(out, ", tracer %s",
			duration_text_of(call->class_ns[TIME_TRACER]).text);
	if (call->class_ns[TIME_UNKNOWN])
		fprintf(out, ", unknown %s",
			duration_text_of(call->class_ns[TIME_UNKNOWN]).text);
	fputs("\n", out);
	if (call->faults)
		fprintf(out, "    %" PRIu64 " page faults, %s\n", call->faults,
			duration_text_of(call->fault_ns).text);
}

static void print_others(const struct sleep_place *place, FILE *out)
{
	fprintf(out,
		"        other threads there: %" PRIu32
		" at its start, %" PRIu32 " at its end",
		place->others_at_begin, place->others_at_end);
	if (place->same_at_begin >= 0)
		fprintf(out, " (for the same object %d and %d)",
			place->same_at_begin, place->same_at_end);
	fputs("\n", out);
}

static void print_place(const struct call_record_context *context,
			const struct sleep_place *place)
{
	FILE *out = context->out;
	char line[512];

	fprintf(out, "    slept %" PRIu64 " times, %s, in ", place->count,
		duration_text_of(place->asleep_ns).text);
	function_name_write(context->functions, place->label, out);
	if (place->function != FUNCTION_UNKNOWN) {
		fputs(" (by ", out);
		function_name_write(context->functions, place->function, out);
		fputs(")", out);
	}
	if (call_record_line(context, place, line, sizeof(line))) {
		fputs(" at ", out);
		name_write(out, NAME_TEXT, line);
	}
	fputs("\n", out);
	stack_text_lines(context->stacks, place->stack, context->functions,
			 "    stack", out);
	print_others(place, out);
	for (size_t i = 0; i < place->wakers.items.count; i++) {
		const struct place_waker *waker =
			array_at(&place->wakers.items, i);

		if (waker->waker == WAKER_NONE)
			continue;
		fprintf(out, "        woken %" PRIu64 "x by ", waker->count);
		wakers_write(context->wakers, waker->waker, context->functions,
			     context->names, out);
		fputs("\n", out);
	}
}

static void print_trace(const struct call_record_context *context,
			const struct call_trace *trace)
{
	FILE *out = context->out;

	if (trace->functions.count)
		fprintf(out, "    %8s %8s %8s  function\n", "calls", "wall",
			"on CPU");
	for (uint32_t i = call_trace_first(trace); i != TRACED_NONE;
	     i = call_trace_next(trace, i)) {
		const struct traced_function *function =
			call_trace_at(trace, i);

		if (function->depth >= context->max_depth)
			continue;
		fprintf(out, "    %8" PRIu64 " %8s %8s  %*s%s", function->calls,
			duration_text_of(function->wall_ns).text,
			duration_text_of(function->on_cpu_ns).text,
			(int)depth_indent(function->depth) * 2, "",
			depth_mark_of(function->depth).text);
		function_name_write(context->functions, function->function,
				    out);
		fputs(function->is_interrupt ? " (interrupt)\n" : "\n", out);
	}
}

void call_record_text(const struct call_record_context *context,
		      const struct call_record *record)
{
	print_head(context, record->call);
	print_times(context, record->call);
	for (size_t i = 0; i < record->places->all.items.count; i++)
		print_place(context, sleep_places_at(record->places, i));
	print_trace(context, record->trace);
	fputs("\n", context->out);
}

static void put_text(FILE *out, const char *name, const char *text)
{
	fprintf(out, "\"%s\":", name);
	json_string(out, text);
	fputs(",", out);
}

static void put_function(const struct call_record_context *context,
			 const char *name, uint32_t function)
{
	if (function == FUNCTION_UNKNOWN || function == FUNCTION_NONE)
		fprintf(context->out, "\"%s\":null,", name);
	else
		put_text(context->out, name,
			 function_at(context->functions, function)->name);
}

static void put_number(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "\"%s\":%" PRIu64 ",", name, value);
}

static void put_known(FILE *out, bool is_known, const char *name, int64_t value)
{
	if (is_known)
		fprintf(out, "\"%s\":%" PRId64 ",", name, value);
	else
		fprintf(out, "\"%s\":null,", name);
}

static void put_arguments(FILE *out, const struct system_call *call)
{
	if (!call->has_enter) {
		fputs("\"arguments\":null,", out);
		return;
	}
	/* As strings: many readers of JSON keep only 53 bits of a number. */
	fputs("\"arguments\":[", out);
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		fprintf(out, "%s\"0x%" PRIx64 "\"", i ? "," : "",
			call->arguments[i]);
	fputs("],", out);
}

/* Writes three members: the call as strace writes it, its first path and its
 * first file.
 */
static void put_data(const struct call_record_context *context,
		     const struct system_call *call)
{
	const char *path = call_items_path(call->items);
	struct call_item item;
	char *text = NULL;
	char file[1024];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		write_call(context, call, out);
		fclose(out);
	}
	put_text(context->out, "text", text ? text : "");
	free(text);
	if (path)
		put_text(context->out, "path", path);
	else
		fputs("\"path\":null,", context->out);
	if (call_items_first_file(call->items, &item))
		put_text(context->out, "file",
			 call_file_text(&item, file, sizeof(file)));
	else
		fputs("\"file\":null,", context->out);
}

static void put_call(const struct call_record_context *context,
		     const struct system_call *call)
{
	const char *refusal = system_call_refusal_text(call->refusal);
	FILE *out = context->out;
	char name[64];

	put_known(out, call->has_number || call->has_enter, "number",
		  call->number);
	put_text(out, "name",
		 system_call_text(call, context->functions, context->arch, name,
				  sizeof(name)));
	put_function(context, "function", call->function);
	fprintf(out, "\"pid\":%d,\"tid\":%d,", call->task->pid,
		call->task->tid);
	put_text(out, "comm",
		 task_names_comm(context->names, call->task->tid,
				 call->begin_ns));
	put_number(out, "start_ns", call->begin_ns);
	put_number(out, "wall_ns", call->end_ns - call->begin_ns);
	put_text(out, "end", system_call_end_text(call->end));
	if (refusal)
		put_text(out, "refused_by", refusal);
	put_arguments(out, call);
	put_known(out, call->has_exit, "result", call->result);
	put_data(context, call);
}

static void put_times(const struct call_record_context *context,
		      const struct system_call *call)
{
	FILE *out = context->out;

	put_number(out, "on_cpu_ns", system_call_on_cpu(call->class_ns));
	put_known(out, context->has_off_cpu, "asleep_ns",
		  (int64_t)call->class_ns[TIME_ASLEEP]);
	put_known(out, context->has_off_cpu, "runnable_ns",
		  (int64_t)call->class_ns[TIME_RUNNABLE]);
	put_number(out, "stolen_ns", call->class_ns[TIME_INTERRUPT]);
	put_number(out, "tracer_ns", call->class_ns[TIME_TRACER]);
	put_number(out, "unknown_ns", call->class_ns[TIME_UNKNOWN]);
	put_number(out, "faults", call->faults);
	put_number(out, "fault_ns", call->fault_ns);
}

static void put_waker(const struct call_record_context *context,
		      const struct waker *waker)
{
	FILE *out = context->out;
	bool is_task = waker->interrupt == FUNCTION_NONE;

	fputs("{", out);
	put_known(out, is_task, "pid", waker->pid);
	put_known(out, is_task, "tid", waker->tid);
	if (is_task)
		put_text(out, "comm",
			 task_names_last(context->names, waker->tid));
	else
		fputs("\"comm\":null,", out);
	put_function(context, "interrupt", waker->interrupt);
	fputs("\"function\":", out);
	json_string(out,
		    function_at(context->functions, waker->function)->name);
	fputs("}", out);
}

static void put_wakers(const struct call_record_context *context,
		       const struct sleep_place *place)
{
	FILE *out = context->out;

	fputs("\"wakers\":[", out);
	for (size_t i = 0; i < place->wakers.items.count; i++) {
		const struct place_waker *chain =
			array_at(&place->wakers.items, i);
		uint32_t waker = chain->waker;

		fprintf(out, "%s{\"count\":%" PRIu64 ",\"chain\":[",
			i ? "," : "", chain->count);
		for (; waker != WAKER_NONE;
		     waker = wakers_at(context->wakers, waker)->earlier) {
			fputs(waker == chain->waker ? "" : ",", out);
			put_waker(context, wakers_at(context->wakers, waker));
		}
		fputs("]}", out);
	}
	fputs("]", out);
}

static void put_stack(const struct call_record_context *context, uint32_t stack)
{
	char *text = stack_text(context->stacks, stack, context->functions);

	fputs(",\"stack\":", context->out);
	if (text)
		json_string(context->out, text);
	else
		fputs("null", context->out);
	free(text);
}

static void put_place(const struct call_record_context *context,
		      const struct sleep_place *place)
{
	FILE *out = context->out;
	char line[512];

	fputs("{", out);
	put_function(context, "label", place->label);
	put_function(context, "function", place->function);
	if (call_record_line(context, place, line, sizeof(line)))
		put_text(out, "line", line);
	else
		fputs("\"line\":null,", out);
	put_number(out, "count", place->count);
	put_number(out, "asleep_ns", place->asleep_ns);
	put_number(out, "max_ns", place->max_ns);
	put_number(out, "runnable_ns", place->runnable_ns);
	put_number(out, "others_at_begin", place->others_at_begin);
	put_number(out, "others_at_end", place->others_at_end);
	put_known(out, place->same_at_begin >= 0, "same_object_at_begin",
		  place->same_at_begin);
	put_known(out, place->same_at_end >= 0, "same_object_at_end",
		  place->same_at_end);
	put_wakers(context, place);
	put_stack(context, place->stack);
	fputs("}", out);
}

static void put_places(const struct call_record_context *context,
		       const struct sleep_places *places)
{
	FILE *out = context->out;

	if (!context->has_off_cpu) {
		fputs("\"sleeps\":null,", out);
		return;
	}
	fputs("\"sleeps\":[", out);
	for (size_t i = 0; i < places->all.items.count; i++) {
		fputs(i ? "," : "", out);
		put_place(context, sleep_places_at(places, i));
	}
	fputs("],", out);
}

static void put_trace(const struct call_record_context *context,
		      const struct call_trace *trace)
{
	FILE *out = context->out;
	const char *comma = "";

	fputs("\"trace\":[", out);
	for (uint32_t i = call_trace_first(trace); i != TRACED_NONE;
	     i = call_trace_next(trace, i)) {
		const struct traced_function *function =
			call_trace_at(trace, i);

		if (function->depth >= context->max_depth)
			continue;
		fprintf(out, "%s{\"depth\":%" PRIu32 ",", comma,
			function->depth);
		put_text(out, "function",
			 function_at(context->functions, function->function)
				 ->name);
		put_number(out, "calls", function->calls);
		put_number(out, "wall_ns", function->wall_ns);
		put_number(out, "on_cpu_ns", function->on_cpu_ns);
		fprintf(out, "\"interrupt\":%s}",
			function->is_interrupt ? "true" : "false");
		comma = ",";
	}
	fputs("]", out);
}

void call_record_json(const struct call_record_context *context,
		      const struct call_record *record)
{
	fputs("{", context->out);
	put_call(context, record->call);
	put_times(context, record->call);
	put_places(context, record->places);
	put_trace(context, record->trace);
	fputs("}", context->out);
}
