/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"

#include "attribution/calls/system_calls.h"
#include "attribution/sleeps/sleeps.h"
#include "report/profile/call_tree.h"
#include "report/text/deep_stack.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_label.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_trace.h"
#include "tables/sleeps/sleep_places.h"
#include "tables/text/sleep_text.h"
#include "tables/text/stack_text.h"

#include "common/array.h"
#include <inttypes.h>

static void print_head(const struct call_record_context *context,
		       const struct system_call *call)
{
	FILE *out = context->out;

	fprintf(out, "%6" PRIu64 ".%09" PRIu64 "  ",
		call->begin_ns / 1000000000, call->begin_ns % 1000000000);
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
	fprintf(out, ", stolen %s",
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
