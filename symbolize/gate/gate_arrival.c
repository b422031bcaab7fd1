/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_arrival.h"
#include "common/recording_events.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/gate/gate_functions.h"
#include "symbolize/gate/gate_output.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

/* Returns the index in the call chain of the first function that the trace
 * returns to: the chosen one, which contains the probe; or, when a task arrives
 * on its CPU, the caller of the function with the probe, whose own rest is
 * perf's.
 */
static uint32_t site_index(const struct gate_step *mark)
{
	return mark->kind == GATE_COME && mark->count > 1;
}

struct gate_arrival gate_arrival_new(const struct gate_functions *functions,
				     struct gate_output *output)
{
	return (struct gate_arrival){
		.functions = functions,
		.output = output,
		.held = ARRAY_OF(struct function_event),
	};
}

void gate_arrival_free(struct gate_arrival *arrival)
{
	array_free(&arrival->held);
}

void gate_arrival_begin(struct gate_arrival *arrival,
			const struct gate_step *mark,
			const struct function_event *start)
{
	arrival->opened = *mark;
	arrival->started = *start;
	arrival->depth = 0;
	arrival->is_interrupted = false;
	arrival->is_in_copy = false;
	arrival->held.count = 0;
	arrival->site = (struct symbol){ .function = FUNCTION_UNKNOWN };
	/* A return address may be the first address of another function. */
	if (mark->count)
		symbols_find(arrival->functions->symbols, -1, 0,
			     mark->chain[site_index(mark)] -
				     (site_index(mark) > 0),
			     &arrival->site);
}

/* Returns whether an exception entered frame @i of the chain. Its own handlers
 * have names like the entry's, and so does the code that a second exception
 * interrupted.
 */
static bool is_exception(const struct gate_arrival *arrival, uint32_t i)
{
	const struct gate_step *mark = &arrival->opened;

	return i + 1 < mark->count &&
	       gate_is_exception(arrival->functions, mark->chain[i]) &&
	       (gate_is_vector(arrival->functions, mark->chain[i]) ||
		!gate_is_exception(arrival->functions, mark->chain[i + 1]));
}

/* A return address may be after the end of its function. The address that an
 * exception interrupted is inside its function, perhaps at its start.
 */
static uint32_t function_of_frame(const struct gate_arrival *arrival,
				  uint32_t i)
{
	bool is_interrupted = i && is_exception(arrival, i - 1);

	return gate_function_at(arrival->functions,
				arrival->opened.chain[i] - !is_interrupted);
}

static void put_frame(struct gate_arrival *arrival, uint64_t time_ns,
		      uint32_t i, uint8_t depth)
{
	const struct gate_step *mark = &arrival->opened;
	bool has_caller = i + 1 < mark->count;

	gate_output_put(arrival->output,
			(struct function_event){
				.time_ns = time_ns,
				.kind = is_exception(arrival, i) ?
						FUNCTION_OPEN_EXCEPTION :
						FUNCTION_OPEN,
				.detail = depth,
				.function = function_of_frame(arrival, i),
				.address = has_caller ? mark->chain[i + 1] : 0,
			});
}

static void put_call(struct gate_arrival *arrival, uint64_t time_ns, uint32_t i)
{
	const struct gate_step *mark = &arrival->opened;

	gate_output_put(
		arrival->output,
		(struct function_event){
			.time_ns = time_ns,
			.kind = FUNCTION_CALL,
			.function = i ? gate_function_at(arrival->functions,
							 mark->chain[i] - 1) :
					arrival->site.function,
			.address = i + 1 < mark->count ? mark->chain[i + 1] : 0,
		});
}

/* Emits all open functions, the site being the innermost; it starts now if the
 * mark is for its start.
 */
static void put_open(struct gate_arrival *arrival, uint64_t time_ns)
{
	const struct gate_step *mark = &arrival->opened;
	bool begins = mark->kind == GATE_BEGIN;
	uint32_t last = begins ? 1 : site_index(mark);
	uint8_t depth = 0;

	for (uint32_t i = mark->count; i-- > last;)
		put_frame(arrival, time_ns, i, depth++);
	gate_output_put(arrival->output, (struct function_event){
						 .time_ns = time_ns,
						 .kind = FUNCTION_OPEN_END,
						 .detail = depth,
					 });
	if (begins)
		put_call(arrival, time_ns, 0);
}

/* A system call is chosen by its implementing function: its entry, and the few
 * functions between, start with that function.
 */
static bool begins_system_call(const struct gate_arrival *arrival)
{
	const struct gate_step *mark = &arrival->opened;
	const struct function *site =
		function_at(symbols_functions(arrival->functions->symbols),
			    arrival->site.function);

	return mark->kind == GATE_BEGIN && mark->count > 1 &&
	       arch_system_call(symbols_arch(arrival->functions->symbols),
				site->base);
}

static void put_start(struct gate_arrival *arrival)
{
	const struct gate_step *mark = &arrival->opened;
	struct function_event start = arrival->started;

	start.time_ns = mark->time_ns;
	if (begins_system_call(arrival)) {
		start.detail = 1;
		start.address = mark->chain[mark->count - 1];
		start.function =
			gate_function_at(arrival->functions, start.address - 1);
		gate_output_put(arrival->output, start);
		for (uint32_t i = mark->count - 1; i-- > 0;)
			put_call(arrival, start.time_ns, i);
	} else if (mark->count) {
		start.detail = 2;
		gate_output_put(arrival->output, start);
		put_open(arrival, start.time_ns);
	} else {
		gate_output_put(arrival->output, start);
	}
}

/* Emits the probe's own rest, from the mark to @event, as a call of the tracer,
 * which interrupts may interrupt.
 */
static void put_probe(struct gate_arrival *arrival,
		      const struct function_event *event)
{
	struct function_event call = {
		.time_ns = arrival->opened.time_ns,
		.kind = FUNCTION_CALL,
		.function = arrival->functions->probe,
		.address = arrival->opened.chain[site_index(&arrival->opened)],
	};

	gate_output_put(arrival->output, call);
	gate_output_put_held(arrival->output, &arrival->held);
	call.time_ns = event->time_ns;
	call.kind = FUNCTION_RETURN;
	call.function = arrival->site.function;
	gate_output_put(arrival->output, call);
}

/* Where a breakpoint replaced the probed instruction, the kernel may execute a
 * copy of it in a page of that name (kernel/kprobes.c). Another breakpoint
 * after the copy leads back to the function.
 */
static bool is_copy(const struct gate_arrival *arrival, uint64_t address)
{
	const struct function *function =
		function_at(symbols_functions(arrival->functions->symbols),
			    gate_function_at(arrival->functions, address));

	return !strcmp(function->base, "kprobe_insn_page");
}

/* Holds back the events of interrupts. Returns the change of the call depth by
 * @event.
 */
static int hold_interrupt(struct gate_arrival *arrival,
			  const struct function_event *event)
{
	bool begins = !arrival->depth && event->kind == FUNCTION_EXCEPTION;

	if (begins && is_copy(arrival, event->address)) {
		arrival->is_in_copy = true;
		begins = false;
	}
	if (begins || arrival->is_interrupted)
		gate_output_hold(arrival->output, &arrival->held, event);
	if (begins)
		arrival->is_interrupted = true;
	return gate_depth_change(event);
}

static bool is_in_site(const struct gate_arrival *arrival, uint64_t address)
{
	return address >= arrival->site.start && address < arrival->site.end;
}

/* Returns whether @event returns from the probe, if its target matches. */
static bool is_return(const struct gate_arrival *arrival,
		      const struct function_event *event)
{
	if (arrival->is_in_copy)
		return arrival->depth == 1 &&
		       event->kind == FUNCTION_EXCEPTION_RETURN;
	return !arrival->depth && !arrival->is_interrupted &&
	       gate_depth_change(event) < 0;
}

static void arrive(struct gate_arrival *arrival,
		   const struct function_event *event)
{
	put_start(arrival);
	put_probe(arrival, event);
}

enum gate_progress gate_arrival_take(struct gate_arrival *arrival,
				     const struct function_event *event)
{
	bool is_below = !arrival->depth && !arrival->is_interrupted;

	if (is_below && event->kind == FUNCTION_CALL &&
	    is_in_site(arrival, event->address)) {
		arrive(arrival, event);
		return GATE_CAME_BEFORE;
	}
	if (is_return(arrival, event) &&
	    event->function == arrival->site.function) {
		arrive(arrival, event);
		return GATE_CAME_BY;
	}
	if (is_below && gate_depth_change(event) < 0)
		return GATE_ON_ITS_WAY;
	arrival->depth += (uint32_t)hold_interrupt(arrival, event);
	if (!arrival->depth) {
		arrival->is_interrupted = false;
		arrival->is_in_copy = false;
	}
	return GATE_ON_ITS_WAY;
}

void gate_arrival_break(struct gate_arrival *arrival)
{
	put_start(arrival);
}
