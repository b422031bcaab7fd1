/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events_parts.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

/* The first function of the chain that the trace comes back to: the chosen one,
 * in which the probe is; or the one that called the function with the probe
 * where a task comes to its CPU, whose own rest is perf's.
 */
static uint32_t site_index(const struct gate_step *mark)
{
	return mark->kind == GATE_COME && mark->count > 1;
}

void gate_arrival_begin(struct gate_events *events,
			const struct function_event *start)
{
	const struct gate_step *mark = &events->opened;

	/* A return address may be the first of another function. */
	events->state = GATE_ARRIVING;
	events->started = *start;
	events->depth = 0;
	events->is_interrupted = false;
	events->is_in_copy = false;
	events->held.count = 0;
	events->site = (struct symbol){ .function = FUNCTION_UNKNOWN };
	if (mark->count)
		symbols_find(events->functions.symbols, -1,
			     mark->chain[site_index(mark)] -
				     (site_index(mark) > 0),
			     &events->site);
}

/* Returns whether an exception entered frame @i of the chain: its own handlers
 * have names like the entry's, and so has what a second one came in.
 */
static bool is_exception(const struct gate_events *events, uint32_t i)
{
	const struct gate_step *mark = &events->opened;

	return i + 1 < mark->count &&
	       gate_is_exception(&events->functions, mark->chain[i]) &&
	       (gate_is_vector(&events->functions, mark->chain[i]) ||
		!gate_is_exception(&events->functions, mark->chain[i + 1]));
}

/* A return address may be behind its function; where an exception came, it is in
 * it, perhaps its first.
 */
static uint32_t function_of_frame(const struct gate_events *events, uint32_t i)
{
	bool is_interrupted = i && is_exception(events, i - 1);

	return gate_function_at(&events->functions,
				events->opened.chain[i] - !is_interrupted);
}

static void put_frame(struct gate_events *events, uint64_t time_ns, uint32_t i,
		      uint8_t depth)
{
	const struct gate_step *mark = &events->opened;
	bool has_caller = i + 1 < mark->count;

	gate_events_put(events,
			(struct function_event){
				.time_ns = time_ns,
				.kind = is_exception(events, i) ?
						FUNCTION_OPEN_EXCEPTION :
						FUNCTION_OPEN,
				.detail = depth,
				.function = function_of_frame(events, i),
				.address = has_caller ? mark->chain[i + 1] : 0,
			});
}

static void put_call(struct gate_events *events, uint64_t time_ns, uint32_t i)
{
	const struct gate_step *mark = &events->opened;

	gate_events_put(
		events,
		(struct function_event){
			.time_ns = time_ns,
			.kind = FUNCTION_CALL,
			.function = i ? gate_function_at(&events->functions,
							 mark->chain[i] - 1) :
					events->site.function,
			.address = i + 1 < mark->count ? mark->chain[i + 1] : 0,
		});
}

/* All open functions, the site being the innermost; it begins now if that is what
 * the mark is about.
 */
static void put_open(struct gate_events *events, uint64_t time_ns)
{
	const struct gate_step *mark = &events->opened;
	bool begins = mark->kind == GATE_BEGIN;
	uint32_t last = begins ? 1 : site_index(mark);
	uint8_t depth = 0;

	for (uint32_t i = mark->count; i-- > last;)
		put_frame(events, time_ns, i, depth++);
	gate_events_put(events, (struct function_event){
					.time_ns = time_ns,
					.kind = FUNCTION_OPEN_END,
					.detail = depth,
				});
	if (begins)
		put_call(events, time_ns, 0);
}

/* A system call is chosen by the function that implements it: its entry, and the
 * few functions between, begin with it.
 */
static bool begins_system_call(const struct gate_events *events)
{
	const struct gate_step *mark = &events->opened;
	const struct function *site =
		function_at(symbols_functions(events->functions.symbols),
			    events->site.function);

	return mark->kind == GATE_BEGIN && mark->count > 1 &&
	       arch_system_call(symbols_arch(events->functions.symbols),
				site->base);
}

static void put_start(struct gate_events *events)
{
	const struct gate_step *mark = &events->opened;
	struct function_event start = events->started;

	start.time_ns = mark->time_ns;
	if (begins_system_call(events)) {
		start.detail = 1;
		start.address = mark->chain[mark->count - 1];
		start.function =
			gate_function_at(&events->functions, start.address - 1);
		gate_events_put(events, start);
		for (uint32_t i = mark->count - 1; i-- > 0;)
			put_call(events, start.time_ns, i);
	} else if (mark->count) {
		start.detail = 2;
		gate_events_put(events, start);
		put_open(events, start.time_ns);
	} else {
		gate_events_put(events, start);
	}
}

/* The probe's own rest, from the mark to @event, is a call of the tracer's, which
 * interrupts may interrupt.
 */
static void put_probe(struct gate_events *events,
		      const struct function_event *event)
{
	const struct function_event *held = events->held.items;
	struct function_event call = {
		.time_ns = events->opened.time_ns,
		.kind = FUNCTION_CALL,
		.function = events->functions.probe,
		.address = events->opened.chain[site_index(&events->opened)],
	};

	gate_events_put(events, call);
	for (size_t i = 0; i < events->held.count; i++)
		gate_events_put(events, held[i]);
	call.time_ns = event->time_ns;
	call.kind = FUNCTION_RETURN;
	call.function = events->site.function;
	gate_events_put(events, call);
}

/* Where a breakpoint replaced the probed instruction, the kernel may execute a
 * copy of it in a page of that name (kernel/kprobes.c), behind which another
 * breakpoint leads back to the function.
 */
static bool is_copy(const struct gate_events *events, uint64_t address)
{
	const struct function *function =
		function_at(symbols_functions(events->functions.symbols),
			    gate_function_at(&events->functions, address));

	return !strcmp(function->base, "kprobe_insn_page");
}

/* Keeps what interrupts do.  Returns how @event changes the depth of calls. */
static int hold_interrupt(struct gate_events *events,
			  const struct function_event *event)
{
	bool begins = !events->depth && event->kind == FUNCTION_EXCEPTION;

	if (begins && is_copy(events, event->address)) {
		events->is_in_copy = true;
		begins = false;
	}
	if (begins || events->is_interrupted)
		gate_events_hold(events, event);
	if (begins)
		events->is_interrupted = true;
	return gate_depth_change(event);
}

static bool is_in_site(const struct gate_events *events, uint64_t address)
{
	return address >= events->site.start && address < events->site.end;
}

/* Returns whether @event comes back from the probe, if that is where it goes. */
static bool is_return(const struct gate_events *events,
		      const struct function_event *event)
{
	if (events->is_in_copy)
		return events->depth == 1 &&
		       event->kind == FUNCTION_EXCEPTION_RETURN;
	return !events->depth && !events->is_interrupted &&
	       gate_depth_change(event) < 0;
}

static void arrive(struct gate_events *events,
		   const struct function_event *event)
{
	put_start(events);
	put_probe(events, event);
	events->state = GATE_INSIDE;
}

bool gate_arrival_take(struct gate_events *events,
		       const struct function_event *event)
{
	bool is_below = !events->depth && !events->is_interrupted;

	if (is_below && event->kind == FUNCTION_CALL &&
	    is_in_site(events, event->address)) {
		arrive(events, event);
		return true;
	}
	if (is_return(events, event) &&
	    event->function == events->site.function) {
		arrive(events, event);
		return false;
	}
	if (is_below && gate_depth_change(event) < 0)
		return false;
	events->depth += (uint32_t)hold_interrupt(events, event);
	if (!events->depth) {
		events->is_interrupted = false;
		events->is_in_copy = false;
	}
	return false;
}

void gate_arrival_break(struct gate_events *events)
{
	put_start(events);
	events->state = GATE_INSIDE;
}
