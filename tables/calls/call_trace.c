/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_trace.h"

#include "common/error.h"

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

const struct traced_function *call_trace_at(const struct call_trace *trace,
					    uint32_t index)
{
	return at(trace, index);
}

uint32_t call_trace_first(const struct call_trace *trace)
{
	return trace->functions.count ? 0 : TRACED_NONE;
}

static uint32_t find_child(const struct call_trace *trace, uint32_t parent,
			   const struct call_step *step)
{
	uint32_t child = parent == TRACED_NONE ? call_trace_first(trace) :
						 at(trace, parent)->first_child;

	while (child != TRACED_NONE &&
	       (at(trace, child)->function != step->function ||
		at(trace, child)->is_interrupt != (step->how == HOW_EXCEPTION)))
		child = at(trace, child)->next_sibling;
	return child;
}

static void link_child(const struct call_trace *trace, uint32_t parent,
		       uint32_t child)
{
	uint32_t last = parent == TRACED_NONE ? 0 :
						at(trace, parent)->last_child;

	/* Entries that follow one another by jumps are siblings of the first.
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

static uint32_t add_child(struct call_trace *trace, uint32_t parent,
			  const struct call_step *step)
{
	struct traced_function *added = array_add(&trace->functions);
	uint32_t child = (uint32_t)trace->functions.count - 1;

	if (!added)
		return TRACED_NONE;
	added->function = step->function;
	added->depth = step->depth - trace->base;
	added->parent = parent;
	added->first_child = TRACED_NONE;
	added->last_child = TRACED_NONE;
	added->next_sibling = TRACED_NONE;
	added->is_interrupt = step->how == HOW_EXCEPTION;
	link_child(trace, parent, child);
	return child;
}

static int enter(struct call_trace *trace, const struct call_step *step)
{
	uint32_t depth = step->depth - trace->base;
	uint32_t parent = TRACED_NONE;
	struct traced_call *open;
	uint32_t child;

	if (!array_reach(&trace->open, depth))
		return -ERROR_MEMORY;
	open = trace->open.items;
	if (depth)
		parent = open[depth - 1].function;
	child = find_child(trace, parent, step);
	if (child == TRACED_NONE)
		child = add_child(trace, parent, step);
	if (child == TRACED_NONE)
		return -ERROR_MEMORY;
	at(trace, child)->calls++;
	open[depth] = (struct traced_call){ child, step->whole_ns };
	return 0;
}

static void leave(struct call_trace *trace, const struct call_step *step)
{
	uint32_t depth = step->depth - trace->base;
	const struct traced_call *open;
	struct traced_function *function;

	if (depth >= trace->open.count)
		return;
	open = array_at(&trace->open, depth);
	function = at(trace, open->function);
	function->wall_ns += step->wall_ns;
	function->on_cpu_ns += step->whole_ns - open->whole_ns;
}

int call_trace_take(struct call_trace *trace, const struct call_step *step)
{
	if (step->depth < trace->base)
		return 0;
	if (step->kind == STEP_ENTER)
		return enter(trace, step);
	if (step->kind == STEP_EXIT)
		leave(trace, step);
	return 0;
}

uint32_t call_trace_next(const struct call_trace *trace, uint32_t index)
{
	if (at(trace, index)->first_child != TRACED_NONE)
		return at(trace, index)->first_child;
	while (index != TRACED_NONE &&
	       at(trace, index)->next_sibling == TRACED_NONE)
		index = at(trace, index)->parent;
	return index == TRACED_NONE ? index : at(trace, index)->next_sibling;
}
