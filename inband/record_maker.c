/* SPDX-License-Identifier: MIT */
#include "inband/record_maker.h"
#include "attribution/calls/system_call.h"
#include "attribution/sleeps/wakers.h"
#include "common/error.h"
#include "common/memory.h"
#include "decoder/flow/flow.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_record.h"
#include "tables/calls/call_trace.h"
#include "tables/sleeps/sleep_places.h"
#include "tables/text/stack_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void record_maker_free(struct record_maker *maker)
{
	arena_free(maker->arena);
	array_free(&maker->calls);
}

int record_maker_begin(struct record_maker *maker, uint64_t begin_ns,
		       uint64_t end_ns)
{
	if (maker->arena)
		arena_clear(maker->arena);
	else
		maker->arena = arena_new();
	maker->calls.count = 0;
	maker->record = (struct ktrace_hw_record){
		.begin_ns = begin_ns,
		.wall_ns = end_ns - begin_ns,
		.gap_reason = "",
	};
	return maker->arena ? 0 : -ERROR_MEMORY;
}

static const char *name_of(const struct call_record_context *context,
			   uint32_t function)
{
	if (function == FUNCTION_UNKNOWN || function == FUNCTION_NONE)
		return NULL;
	return function_at(context->functions, function)->name;
}

static enum ktrace_hw_call_end end_of(const struct system_call *call)
{
	switch ((enum system_call_end)call->end) {
	case CALL_RETURNED:
		return KTRACE_HW_RETURNED;
	case CALL_NO_RETURN:
		return KTRACE_HW_NO_RETURN;
	case CALL_CUT:
	case CALL_ENDS:
		return KTRACE_HW_CUT;
	}
	return KTRACE_HW_CUT;
}

static struct ktrace_hw_call call_of(const struct call_record_context *context,
				     const struct system_call *call)
{
	return (struct ktrace_hw_call){
		.name = system_call_name(context->functions, context->arch,
					 call->function),
		.function = name_of(context, call->function),
		.end = end_of(call),
		.begin_ns = call->begin_ns,
		.wall_ns = call->end_ns - call->begin_ns,
		.on_cpu_ns = system_call_on_cpu(call->class_ns),
		.asleep_ns = call->class_ns[TIME_ASLEEP],
		.runnable_ns = call->class_ns[TIME_RUNNABLE],
		.stolen_ns = call->class_ns[TIME_INTERRUPT],
		.tracer_ns = call->class_ns[TIME_TRACER],
		.unknown_ns = call->class_ns[TIME_UNKNOWN],
		.faults = call->faults,
		.fault_ns = call->fault_ns,
	};
}

static int add_wakers(const struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct sleep_place *place,
		      struct ktrace_hw_sleep *sleep)
{
	size_t count = place->wakers.items.count;
	struct ktrace_hw_waker *wakers =
		arena_alloc(maker->arena, count * sizeof(*wakers));

	if (!wakers)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct place_waker *chain =
			array_at(&place->wakers.items, i);
		const struct waker *waker;

		if (chain->waker == WAKER_NONE)
			continue;
		waker = wakers_at(context->wakers, chain->waker);
		wakers[sleep->waker_count++] = (struct ktrace_hw_waker){
			.count = chain->count,
			.pid = waker->pid,
			.tid = waker->tid,
			.comm = task_names_last(context->names, waker->tid),
			.function = name_of(context, waker->function),
			.interrupt = name_of(context, waker->interrupt),
		};
	}
	sleep->wakers = wakers;
	return 0;
}

static int add_stack(const struct record_maker *maker,
		     const struct call_record_context *context, uint32_t stack,
		     struct ktrace_hw_sleep *sleep)
{
	char *text = stack_text(context->stacks, stack, context->functions);

	if (text)
		sleep->stack = arena_text(maker->arena, text, strlen(text));
	free(text);
	return sleep->stack ? 0 : -ERROR_MEMORY;
}

static int add_sleeps(const struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct sleep_places *places,
		      struct ktrace_hw_call *call)
{
	struct ktrace_hw_sleep *sleeps = arena_alloc(
		maker->arena, places->all.items.count * sizeof(*sleeps));
	int error = sleeps ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; i < places->all.items.count && !error; i++) {
		const struct sleep_place *place = sleep_places_at(places, i);
		struct ktrace_hw_sleep *sleep = &sleeps[i];

		sleep->channel = name_of(context, place->label);
		sleep->function = name_of(context, place->function);
		sleep->count = place->count;
		sleep->asleep_ns = place->asleep_ns;
		sleep->max_ns = place->max_ns;
		sleep->runnable_ns = place->runnable_ns;
		error = add_wakers(maker, context, place, sleep);
		if (!error)
			error = add_stack(maker, context, place->stack, sleep);
	}
	call->sleeps = sleeps;
	call->sleep_count = places->all.items.count;
	return error;
}

static int add_functions(const struct record_maker *maker,
			 const struct call_record_context *context,
			 const struct call_trace *trace,
			 struct ktrace_hw_call *call)
{
	struct ktrace_hw_function *functions = arena_alloc(
		maker->arena, trace->functions.count * sizeof(*functions));

	if (!functions)
		return -ERROR_MEMORY;
	for (uint32_t i = call_trace_first(trace); i != TRACED_NONE;
	     i = call_trace_next(trace, i)) {
		const struct traced_function *function =
			call_trace_at(trace, i);

		functions[call->function_count++] = (struct ktrace_hw_function){
			.name = function_at(context->functions,
					    function->function)
					->name,
			.depth = function->depth,
			.is_interrupt = function->is_interrupt,
			.calls = function->calls,
			.wall_ns = function->wall_ns,
			.on_cpu_ns = function->on_cpu_ns,
		};
	}
	call->functions = functions;
	return 0;
}

int record_maker_call(struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct call_record *record)
{
	struct ktrace_hw_call *call = array_add(&maker->calls);
	int error = call ? 0 : -ERROR_MEMORY;

	if (error)
		return error;
	*call = call_of(context, record->call);
	error = add_sleeps(maker, context, record->places, call);
	return error ? error :
		       add_functions(maker, context, record->trace, call);
}

void record_maker_step(struct record_maker *maker, const struct call_step *step)
{
	if (step->kind != STEP_GAP)
		return;
	if (!maker->record.gaps++)
		maker->record.gap_reason = flow_gap_text(step->detail);
	maker->record.lost_bytes += step->value;
}

const struct ktrace_hw_record *record_maker_end(struct record_maker *maker,
						uint64_t lost_records)
{
	maker->record.calls = maker->calls.items;
	maker->record.call_count = maker->calls.count;
	maker->record.lost_records = lost_records;
	return &maker->record;
}
