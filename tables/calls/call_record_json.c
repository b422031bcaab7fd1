/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_record.h"

#include "attribution/calls/system_calls.h"
#include "attribution/sleeps/sleeps.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_trace.h"
#include "tables/sleeps/sleep_places.h"
#include "tables/text/stack_text.h"

#include "common/array.h"
#include <inttypes.h>
#include <stdlib.h>

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
	/* As strings: JSON's numbers lose bits. */
	fputs("\"arguments\":[", out);
	for (int i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		fprintf(out, "%s\"0x%" PRIx64 "\"", i ? "," : "",
			call->arguments[i]);
	fputs("],", out);
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
