/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_aside.h"
#include "symbolize/gate/gate_functions.h"
#include "symbolize/gate/gate_output.h"
#include "symbolize/gate/gate_step.h"

/* A function with a return probe returns to a trampoline of the kernel, whose
 * probe pauses the trace. If the function is nested in another chosen one, the
 * trampoline continues to the caller instead.
 */
static bool is_to_trampoline(const struct gate_aside *aside,
			     const struct function_event *event)
{
	return event->kind == FUNCTION_RETURN &&
	       (event->function == aside->functions->trampolines[0] ||
		event->function == aside->functions->trampolines[1]);
}

static bool is_leaving(const struct gate_aside *aside,
		       const struct function_event *event)
{
	return event->kind == FUNCTION_CALL &&
	       event->function == aside->functions->leave;
}

struct gate_aside gate_aside_new(const struct gate_functions *functions,
				 struct gate_output *output)
{
	return (struct gate_aside){
		.functions = functions,
		.output = output,
		.held = ARRAY_OF(struct function_event),
	};
}

void gate_aside_free(struct gate_aside *aside)
{
	array_free(&aside->held);
}

bool gate_aside_begin(struct gate_aside *aside,
		      const struct function_event *event)
{
	if (!is_to_trampoline(aside, event) && !is_leaving(aside, event))
		return false;
	aside->started = *event;
	aside->depth = 0;
	aside->held.count = 0;
	if (event->kind == FUNCTION_CALL)
		gate_aside_take(aside, event);
	return true;
}

/* The function returned to @address of @event's function when it reached the
 * trampoline; the trampoline was one call of the tracer.
 */
static void put_trampoline(struct gate_aside *aside,
			   const struct function_event *event)
{
	struct function_event returned = *event;
	struct function_event call = aside->started;

	returned.time_ns = aside->started.time_ns;
	returned.early_ns = aside->started.early_ns;
	returned.late_ns = aside->started.late_ns;
	gate_output_put(aside->output, returned);
	call.kind = FUNCTION_CALL;
	call.function = aside->functions->probe;
	call.detail = 0;
	call.address = event->address;
	gate_output_put(aside->output, call);
	gate_output_put_held(aside->output, &aside->held);
	gate_output_put(aside->output, *event);
}

/* Returns whether @event leads from the trampoline, which is a breakpoint on
 * arm64, to the caller.
 */
static bool is_beyond(const struct gate_aside *aside,
		      const struct function_event *event)
{
	return aside->started.kind == FUNCTION_RETURN && aside->depth == 1 &&
	       event->kind == FUNCTION_EXCEPTION_RETURN &&
	       event->function != aside->started.function;
}

/* The function returned to the function of @event, in which that exception
 * occurred.
 */
static void put_exception(struct gate_aside *aside,
			  const struct function_event *event)
{
	struct function_event returned = aside->started;
	struct function_event *held = aside->held.items;

	returned.function = event->function;
	returned.address = event->address;
	gate_output_put(aside->output, returned);
	if (aside->outer < aside->held.count)
		held[aside->outer].address = event->address;
	gate_output_put_held(aside->output, &aside->held);
	gate_output_put(aside->output, *event);
}

static void hold(struct gate_aside *aside, const struct function_event *event)
{
	if (!aside->depth)
		aside->outer = aside->held.count;
	gate_output_hold(aside->output, &aside->held, event);
}

bool gate_aside_take(struct gate_aside *aside,
		     const struct function_event *event)
{
	int change = gate_depth_change(event);

	if (is_beyond(aside, event)) {
		put_exception(aside, event);
		return false;
	}
	if (change < 0 && !aside->depth) {
		/* Its caller has a return probe, too. */
		if (is_to_trampoline(aside, event))
			return true;
		put_trampoline(aside, event);
		return false;
	}
	hold(aside, event);
	aside->depth += (uint32_t)change;
	if (change >= 0 || aside->depth || aside->started.kind != FUNCTION_CALL)
		return true;
	gate_output_put_held(aside->output, &aside->held);
	return false;
}

void gate_aside_break(struct gate_aside *aside)
{
	if (aside->started.kind == FUNCTION_RETURN)
		gate_output_put(aside->output, aside->started);
	gate_output_put_held(aside->output, &aside->held);
}

void gate_aside_close(struct gate_aside *aside, const struct gate_step *mark)
{
	struct function_event returned = aside->started;

	aside->held.count = 0;
	if (returned.kind != FUNCTION_RETURN || !mark->count)
		return;
	/* The chain starts where the function would have returned to. */
	returned.address = mark->chain[0];
	returned.function =
		gate_function_at(aside->functions, mark->chain[0] - 1);
	returned.detail = 0;
	gate_output_put(aside->output, returned);
}
