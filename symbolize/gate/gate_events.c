/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events.h"

#include "common/array.h"
#include "common/error.h"
#include "common/formats/recording_events.h"
#include "common/maps.h"
#include "decoder/flow/flow.h"
#include "symbolize/arch/arch.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/address_map.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/gate/gate_marks.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Function events of a trace that probes switch on and off (--only). Besides
 * the traced code, the trace contains the end of the probe that resumed it and
 * the start of the probe that paused it.
 *
 *	mark "resumed" ─► struct gate_arrival: consumes events up to the chosen
 *	                  call, then emits the open functions of the mark's chain
 *	events ─────────► passed on; a call that may lead to a probe is held
 *	                  (struct gate_aside) until a mark or its return decides
 *	mark "paused" ──► held events were the probe's: dropped
 *
 * 1. Each path ends: by a mark, by the return to the chosen function, or by a
 *    gap, which emits the held events (aside_break()).
 * 2. Times of emitted events never decrease (output_put()).
 * 3. Memory: the events of one path.
 */

/* The kernel's functions that matter where the trace is resumed or paused. */
struct gate_functions {
	const struct symbols *symbols;
	struct name_lookup entries; /* the kernel's entries */
	/* the return targets of functions with a probe */
	uint32_t trampolines[2];
	/* the function that stands for the execution of probes */
	uint32_t probe;
	uint32_t leave; /* in which a task leaves its CPU */
};

/* The emitted events, in order of time. */
struct gate_output {
	struct array events; /* struct function_event */
	uint64_t last_ns;    /* time of the newest */
	int status;	     /* -ERROR_MEMORY: an event was lost */
};

/* The path from a chosen call to a function that may be a probe that pauses the
 * trace. Events on this path are held back until that is known.
 */
struct gate_aside {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct function_event started; /* the first event of the path */
	uint32_t depth;		       /* of the calls since then */
	/* struct function_event: the events since then; also the first one if
	 * that is a call
	 */
	struct array held;
	size_t outer; /* index in held of the last event at depth 0 */
};

/* The path from the probe that resumed the trace to the chosen call that
 * contains it. Everything traced on this path is the rest of the probe.
 */
struct gate_arrival {
	const struct gate_functions *functions;
	struct gate_output *output;
	struct probe_mark opened;      /* the mark that resumed the trace */
	struct symbol site;	       /* the function where the path ends */
	struct function_event started; /* the start of the trace */
	uint32_t depth;		       /* of the calls since then */
	bool is_interrupted; /* an interrupt runs: depth counts its calls */
	/* in the copy of the probed instruction, which the kernel executes
	 * elsewhere after a breakpoint
	 */
	bool is_in_copy;
	struct array held; /* struct function_event, of interrupts only */
};

/* The progress towards the chosen call. */
enum gate_progress {
	GATE_ON_ITS_WAY,
	GATE_CAME_BY, /* arrived by this event */
	/* arrived before this event, which already belongs to the chosen call
	 */
	GATE_CAME_BEFORE,
};

/* Looks up the functions by their names in the kernel; borrows @symbols. The
 * trampolines, to which functions with a return probe return, are from
 * arch/x86/kernel/rethook.c and arch/arm64/kernel/probes/.
 * collector/gate/gate.c probes the function leave.
 */
static struct gate_functions gate_functions_of(const struct symbols *symbols)
{
	const struct function_table *table = symbols_functions(symbols);
	const struct arch *arch = symbols_arch(symbols);
	struct gate_functions functions = {
		.symbols = symbols,
		.entries = name_lookup_of(arch->entries, arch->entry_count),
		.trampolines = {
			function_table_kernel(table, "arch_rethook_trampoline"),
			function_table_kernel(table, "__kretprobe_trampoline"),
		},
		.probe = function_table_kernel(table, "perf_tp_event"),
		.leave = function_table_kernel(table,
					       "__perf_event_task_sched_out"),
	};

	if (functions.probe == FUNCTION_NONE)
		functions.probe = FUNCTION_UNKNOWN;
	return functions;
}

/* Returns the number of the function that contains @address. */
static uint32_t gate_function_at(const struct gate_functions *functions,
				 uint64_t address)
{
	struct symbol symbol;

	symbols_find(functions->symbols, -1, 0, address, &symbol);
	return symbol.function;
}

static bool begins_with(const char *name, const char *prefix)
{
	return prefix && !strncmp(name, prefix, strlen(prefix));
}

/* Returns the name of the function that made the call with return address
 * @address, or was interrupted there.
 */
static const char *name_before(const struct gate_functions *functions,
			       uint64_t address)
{
	return function_at(symbols_functions(functions->symbols),
			   gate_function_at(functions, address - 1))
		->base;
}

/* Returns whether the function that contains @address is an entry of an
 * exception or interrupt.
 */
static bool is_entry(const struct gate_functions *functions, uint64_t address)
{
	const char *name = name_before(functions, address);
	const struct name_rule *rule =
		name_lookup_find(&functions->entries, name);

	if (begins_with(name,
			symbols_arch(functions->symbols)->exception_prefix))
		return true;
	return rule && rule->value != CONTEXT_SYSTEM_CALL;
}

/* Returns whether the function that contains @address is the first one of an
 * exception, on an architecture where the exception's other functions have the
 * same name prefix.
 */
static bool is_vector(const struct gate_functions *functions, uint64_t address)
{
	static const char handler[] = "_handler";
	const char *name = name_before(functions, address);
	size_t length = strlen(name);

	if (!begins_with(name, symbols_arch(functions->symbols)->vector_prefix))
		return false;
	return length < strlen(handler) ||
	       strcmp(name + length - strlen(handler), handler) != 0;
}

/* Returns the change of the call depth by @event: 1, 0 or -1. */
static int depth_change(const struct function_event *event)
{
	switch (event->kind) {
	case FUNCTION_CALL:
	case FUNCTION_EXCEPTION:
		return 1;
	case FUNCTION_RETURN:
	case FUNCTION_EXCEPTION_RETURN:
		return -1;
	default:
		return 0;
	}
}

static struct gate_output output_new(void)
{
	return (struct gate_output){
		.events = ARRAY_OF(struct function_event),
	};
}

/* Emits @event, at the earliest at the time of the previous event. */
static void output_put(struct gate_output *output, struct function_event event)
{
	struct function_event *out = array_add(&output->events);

	if (!out) {
		output->status = -ERROR_MEMORY;
		return;
	}
	if (event.time_ns < output->last_ns)
		event.time_ns = output->last_ns;
	output->last_ns = event.time_ns;
	*out = event;
}

/* Appends @event to @held (struct function_event), to be emitted later. */
static void output_hold(struct gate_output *output, struct array *held,
			const struct function_event *event)
{
	if (array_append(held, event) < 0)
		output->status = -ERROR_MEMORY;
}

/* Emits the events in @held and empties it. */
static void output_put_held(struct gate_output *output, struct array *held)
{
	const struct function_event *events = held->items;

	for (size_t i = 0; i < held->count; i++)
		output_put(output, events[i]);
	held->count = 0;
}

/* Returns whether @event is the return of a function with a return probe to the
 * kernel's trampoline, whose probe pauses the trace. If the function is nested
 * in another chosen one, the probe does not pause the trace: the trampoline
 * continues to the caller.
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

/* Borrows both arguments. */
static struct gate_aside aside_new(const struct gate_functions *functions,
				   struct gate_output *output)
{
	return (struct gate_aside){
		.functions = functions,
		.output = output,
		.held = ARRAY_OF(struct function_event),
	};
}

/* Applies @event, which leaves the trampoline to the caller, so nothing paused
 * the trace. Emits the function's return to the caller, at the time when it
 * reached the trampoline, and then the trampoline as one call of the tracer.
 */
static void put_trampoline(struct gate_aside *aside,
			   const struct function_event *event)
{
	struct function_event returned = *event;
	struct function_event call = aside->started;

	returned.time_ns = aside->started.time_ns;
	returned.early_ns = aside->started.early_ns;
	returned.late_ns = aside->started.late_ns;
	output_put(aside->output, returned);
	call.kind = FUNCTION_CALL;
	call.function = aside->functions->probe;
	call.detail = 0;
	call.address = event->address;
	output_put(aside->output, call);
	output_put_held(aside->output, &aside->held);
	output_put(aside->output, *event);
}

/* Returns whether @event returns to the caller from the trampoline's
 * breakpoint. Only arm64's trampoline has one.
 */
static bool is_beyond(const struct gate_aside *aside,
		      const struct function_event *event)
{
	return aside->started.kind == FUNCTION_RETURN && aside->depth == 1 &&
	       event->kind == FUNCTION_EXCEPTION_RETURN &&
	       event->function != aside->started.function;
}

/* Applies @event, which leaves the trampoline's breakpoint to the caller. Emits
 * the function's return to the caller, and the breakpoint as an exception in
 * the caller.
 */
static void put_exception(struct gate_aside *aside,
			  const struct function_event *event)
{
	struct function_event returned = aside->started;
	struct function_event *held = aside->held.items;

	returned.function = event->function;
	returned.address = event->address;
	output_put(aside->output, returned);
	if (aside->outer < aside->held.count)
		held[aside->outer].address = event->address;
	output_put_held(aside->output, &aside->held);
	output_put(aside->output, *event);
}

static void hold(struct gate_aside *aside, const struct function_event *event)
{
	if (!aside->depth)
		aside->outer = aside->held.count;
	output_hold(aside->output, &aside->held, event);
}

/* Consumes an event. Returns whether a probe may still pause the trace. If none
 * does, emits all held events.
 */
static bool aside_consume(struct gate_aside *aside,
			  const struct function_event *event)
{
	int change = depth_change(event);

	if (is_beyond(aside, event)) {
		put_exception(aside, event);
		return false;
	}
	if (change < 0 && !aside->depth) {
		/* The caller has a return probe, too, so the return leads to
		 * its trampoline.
		 */
		if (is_to_trampoline(aside, event))
			return true;
		put_trampoline(aside, event);
		return false;
	}
	hold(aside, event);
	aside->depth += (uint32_t)change;
	if (change >= 0 || aside->depth || aside->started.kind != FUNCTION_CALL)
		return true;
	output_put_held(aside->output, &aside->held);
	return false;
}

/* Returns whether @event may lead to a probe that pauses the trace. If so,
 * holds it back.
 */
static bool aside_begin(struct gate_aside *aside,
			const struct function_event *event)
{
	if (!is_to_trampoline(aside, event) && !is_leaving(aside, event))
		return false;
	aside->started = *event;
	aside->depth = 0;
	aside->held.count = 0;
	if (event->kind == FUNCTION_CALL)
		aside_consume(aside, event);
	return true;
}

/* Emits the held events, because no mark pauses the trace. */
static void aside_break(struct gate_aside *aside)
{
	if (aside->started.kind == FUNCTION_RETURN)
		output_put(aside->output, aside->started);
	output_put_held(aside->output, &aside->held);
}

/* Applies @mark, which paused the trace: drops all held events, which belong to
 * the probe, and emits the return that led to the probe, if any.
 */
static void aside_close(struct gate_aside *aside, const struct probe_mark *mark)
{
	struct function_event returned = aside->started;

	aside->held.count = 0;
	if (returned.kind != FUNCTION_RETURN || !mark->count)
		return;
	/* The chain starts with the address to which the function would have
	 * returned.
	 */
	returned.address = mark->chain[0];
	returned.function =
		gate_function_at(aside->functions, mark->chain[0] - 1);
	returned.detail = 0;
	output_put(aside->output, returned);
}

/* Returns the index in the call chain of the function to which the probe
 * returns. Usually that is 0, the chosen function, which contains the probe.
 * When a task arrives on its CPU, function 0 is a function of perf with the
 * probe, and the result is 1, its caller.
 */
static uint32_t site_index(const struct probe_mark *mark)
{
	return mark->kind == GATE_COME && mark->count > 1;
}

/* Borrows both arguments. */
static struct gate_arrival arrival_new(const struct gate_functions *functions,
				       struct gate_output *output)
{
	return (struct gate_arrival){
		.functions = functions,
		.output = output,
		.held = ARRAY_OF(struct function_event),
	};
}

/* Starts the path: the trace resumed at @start, because of @mark. Nothing is
 * emitted until the trace arrives in the chosen call.
 */
static void arrival_begin(struct gate_arrival *arrival,
			  const struct probe_mark *mark,
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

/* Returns whether frame @i of the chain is the entry of an exception. Its name
 * alone does not decide, because an exception's handlers have similar names: so
 * the caller must not have such a name, unless the frame's function can only be
 * the first one (is_vector()).
 */
static bool is_exception(const struct gate_arrival *arrival, uint32_t i)
{
	const struct probe_mark *mark = &arrival->opened;

	return i + 1 < mark->count &&
	       is_entry(arrival->functions, mark->chain[i]) &&
	       (is_vector(arrival->functions, mark->chain[i]) ||
		!is_entry(arrival->functions, mark->chain[i + 1]));
}

/* Returns the function of frame @i of the chain. A return address may be after
 * the end of its function; an address that an exception interrupted is inside
 * its function, perhaps at its start.
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
	const struct probe_mark *mark = &arrival->opened;
	bool has_caller = i + 1 < mark->count;

	output_put(arrival->output,
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
	const struct probe_mark *mark = &arrival->opened;

	output_put(
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

/* Emits all open functions, the chosen one innermost. If the mark is for the
 * start of the chosen function, emits a call of it instead.
 */
static void put_open(struct gate_arrival *arrival, uint64_t time_ns)
{
	const struct probe_mark *mark = &arrival->opened;
	bool begins = mark->kind == GATE_BEGIN;
	uint32_t last = begins ? 1 : site_index(mark);
	uint8_t depth = 0;

	for (uint32_t i = mark->count; i-- > last;)
		put_frame(arrival, time_ns, i, depth++);
	output_put(arrival->output, (struct function_event){
					    .time_ns = time_ns,
					    .kind = FUNCTION_OPEN_END,
					    .detail = depth,
				    });
	if (begins)
		put_call(arrival, time_ns, 0);
}

/* Returns whether the mark is for the start of a system call. A system call is
 * chosen by the function that implements it. The kernel's entry and the few
 * functions between it and that function are then emitted as starting at the
 * same time.
 */
static bool begins_system_call(const struct gate_arrival *arrival)
{
	const struct probe_mark *mark = &arrival->opened;
	const struct function *site =
		function_at(symbols_functions(arrival->functions->symbols),
			    arrival->site.function);

	return mark->kind == GATE_BEGIN && mark->count > 1 &&
	       arch_system_call(symbols_arch(arrival->functions->symbols),
				site->base);
}

static void put_start(struct gate_arrival *arrival)
{
	const struct probe_mark *mark = &arrival->opened;
	struct function_event start = arrival->started;

	start.time_ns = mark->time_ns;
	if (begins_system_call(arrival)) {
		start.detail = 1;
		start.address = mark->chain[mark->count - 1];
		start.function =
			gate_function_at(arrival->functions, start.address - 1);
		output_put(arrival->output, start);
		for (uint32_t i = mark->count - 1; i-- > 0;)
			put_call(arrival, start.time_ns, i);
	} else if (mark->count) {
		start.detail = 2;
		output_put(arrival->output, start);
		put_open(arrival, start.time_ns);
	} else {
		output_put(arrival->output, start);
	}
}

/* Emits the rest of the probe, from the mark to @event, as a call of the
 * tracer, with the interrupts in it.
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

	output_put(arrival->output, call);
	output_put_held(arrival->output, &arrival->held);
	call.time_ns = event->time_ns;
	call.kind = FUNCTION_RETURN;
	call.function = arrival->site.function;
	output_put(arrival->output, call);
}

/* Returns whether @address is in a copy of a probed instruction. If a
 * breakpoint replaced the instruction, the kernel may execute a copy, in a page
 * named kprobe_insn_page (kernel/kprobes.c). Another breakpoint after the copy
 * leads back.
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
		output_hold(arrival->output, &arrival->held, event);
	if (begins)
		arrival->is_interrupted = true;
	return depth_change(event);
}

static bool is_in_site(const struct gate_arrival *arrival, uint64_t address)
{
	return address >= arrival->site.start && address < arrival->site.end;
}

/* Returns whether @event may return from the probe. The caller checks its
 * target.
 */
static bool is_return(const struct gate_arrival *arrival,
		      const struct function_event *event)
{
	if (arrival->is_in_copy)
		return arrival->depth == 1 &&
		       event->kind == FUNCTION_EXCEPTION_RETURN;
	return !arrival->depth && !arrival->is_interrupted &&
	       depth_change(event) < 0;
}

static void arrive_at_call(struct gate_arrival *arrival,
			   const struct function_event *event)
{
	put_start(arrival);
	put_probe(arrival, event);
}

/* Consumes an event. When the trace arrives in the chosen call, emits the open
 * functions and the probe.
 */
static enum gate_progress arrival_consume(struct gate_arrival *arrival,
					  const struct function_event *event)
{
	bool is_below = !arrival->depth && !arrival->is_interrupted;

	if (is_below && event->kind == FUNCTION_CALL &&
	    is_in_site(arrival, event->address)) {
		arrive_at_call(arrival, event);
		return GATE_CAME_BEFORE;
	}
	if (is_return(arrival, event) &&
	    event->function == arrival->site.function) {
		arrive_at_call(arrival, event);
		return GATE_CAME_BY;
	}
	if (is_below && depth_change(event) < 0)
		return GATE_ON_ITS_WAY;
	arrival->depth += (uint32_t)hold_interrupt(arrival, event);
	if (!arrival->depth) {
		arrival->is_interrupted = false;
		arrival->is_in_copy = false;
	}
	return GATE_ON_ITS_WAY;
}

struct gate_events {
	gate_events_source *source;
	void *ctx;
	struct gate_functions functions;
	struct gate_feed feed;

	const struct function_event *in;
	size_t in_count;
	size_t in_at;

	enum gate_state state;
	struct gate_arrival arrival; /* in GATE_ARRIVING */
	struct gate_aside aside;     /* in GATE_ASIDE */
	struct gate_output out;
};

struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input)
{
	struct gate_events *events = calloc(1, sizeof(*events));

	if (!events)
		return NULL;
	*events = (struct gate_events){
		.source = input->next_events,
		.ctx = input->events,
		.functions = gate_functions_of(symbols),
		.out = output_new(),
	};
	events->arrival = arrival_new(&events->functions, &events->out);
	events->aside = aside_new(&events->functions, &events->out);
	if (gate_feed_begin(&events->feed, input->next_mark, input->marks)) {
		gate_events_free(events);
		return NULL;
	}
	return events;
}

void gate_events_free(struct gate_events *events)
{
	if (!events)
		return;
	array_free(&events->arrival.held);
	array_free(&events->aside.held);
	array_free(&events->out.events);
	free(events);
}

/* Leaves GATE_ARRIVING or GATE_ASIDE for GATE_INSIDE without a mark: emits the
 * open functions of the chain, or the events held in GATE_ASIDE.
 */
static void break_state(struct gate_events *events)
{
	if (events->state == GATE_ARRIVING)
		put_start(&events->arrival);
	else if (events->state == GATE_ASIDE)
		aside_break(&events->aside);
	else
		return;
	events->state = GATE_INSIDE;
}

/* Pauses the trace at @time_ns, because of @mark. */
static void close_gate(struct gate_events *events,
		       const struct probe_mark *mark, uint64_t time_ns)
{
	bool is_aside = mark->kind == GATE_LEAVE && mark->count;
	bool is_probe = mark->kind == GATE_LEAVE || mark->kind == GATE_END;

	if (events->state != GATE_ASIDE || !is_probe) {
		break_state(events);
	} else {
		time_ns = events->aside.started.time_ns;
		aside_close(&events->aside, mark);
	}
	/* When a task leaves its CPU, the callers of the probed function stay
	 * open.
	 */
	if (is_aside)
		output_put(&events->out,
			   (struct function_event){
				   .time_ns = time_ns,
				   .kind = FUNCTION_OPEN_END,
				   .detail = (uint8_t)(mark->count - 1),
			   });
	output_put(&events->out,
		   (struct function_event){
			   .time_ns = time_ns,
			   .kind = FUNCTION_TRACE_STOP,
			   .detail = is_aside ? FLOW_STOP_ASIDE :
						FLOW_STOP_NOT_ASKED,
		   });
	events->state = GATE_CLOSED;
}

/* Emits a gap for the trace that @mark resumed, which is missing because the
 * trace's buffer was full.
 */
static void lose(struct gate_events *events, const struct probe_mark *mark)
{
	output_put(&events->out, (struct function_event){
					 .time_ns = mark->time_ns,
					 .kind = FUNCTION_GAP,
					 .detail = FLOW_GAP_LOST,
				 });
	events->state = GATE_LOST;
}

/* Performs @action for @mark. Returns whether @event is the start or stop that
 * the mark caused.
 */
static bool act(struct gate_events *events, enum gate_action action,
		const struct probe_mark *mark,
		const struct function_event *event)
{
	switch (action) {
	case GATE_LOSE:
		lose(events, mark);
		return false;
	case GATE_RESUME:
		arrival_begin(&events->arrival, mark, event);
		events->state = GATE_ARRIVING;
		return true;
	case GATE_PAUSE:
		close_gate(events, mark, event->time_ns);
		return true;
	case GATE_CLOSE:
		close_gate(events, mark, mark->time_ns);
		return false;
	case GATE_SKIP:
	case GATE_WAIT:
		break;
	}
	return false;
}

/* Consumes the marks that precede @event or coincide with it: a mark that
 * resumes the trace coincides with the trace's start, one that pauses it with
 * its stop.
 *
 * Returns whether @event coincided with a mark.
 */
static bool consume_marks(struct gate_events *events,
			  const struct function_event *event)
{
	const struct probe_mark *mark;
	struct function_event at = *event;
	bool is_taken = false;

	while (!is_taken && (mark = gate_feed_first(&events->feed))) {
		enum gate_action action;

		/* Marks may continue after the end of the trace. */
		if (event->kind == FUNCTION_END && mark->time_ns > at.time_ns)
			at.time_ns = mark->time_ns;
		action = gate_mark_action(events->state, mark,
					  gate_feed_second(&events->feed), &at);
		if (action == GATE_WAIT)
			break;
		is_taken = act(events, action, mark, &at);
		if (gate_feed_advance(&events->feed) < 0)
			events->out.status = -ERROR_MEMORY;
	}
	return is_taken;
}

/* Returns whether @event is the entry or exit of a virtual machine: a chosen
 * call continues there.
 */
static bool is_of_guest(const struct function_event *event)
{
	return (event->kind == FUNCTION_TRACE_STOP &&
		event->detail == FLOW_STOP_GUEST) ||
	       (event->kind == FUNCTION_TRACE_START &&
		event->detail == FUNCTION_START_AFTER_GUEST);
}

/* Consumes an event other than a call or return, in any state except
 * GATE_CLOSED.
 */
static void consume_other(struct gate_events *events,
			  const struct function_event *event)
{
	/* A switch is emitted in any state, since its record may be late. */
	if (event->kind == FUNCTION_SWITCH ||
	    (events->state == GATE_INSIDE && is_of_guest(event))) {
		output_put(&events->out, *event);
		return;
	}
	break_state(events);
	output_put(&events->out, *event);
	if (event->kind == FUNCTION_TRACE_STOP || event->kind == FUNCTION_GAP)
		events->state = GATE_LOST;
	else if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
}

static void consume_inside(struct gate_events *events,
			   const struct function_event *event)
{
	if (aside_begin(&events->aside, event))
		events->state = GATE_ASIDE;
	else
		output_put(&events->out, *event);
}

static void arrive(struct gate_events *events,
		   const struct function_event *event)
{
	enum gate_progress progress = arrival_consume(&events->arrival, event);

	if (progress == GATE_ON_ITS_WAY)
		return;
	events->state = GATE_INSIDE;
	if (progress == GATE_CAME_BEFORE)
		consume_inside(events, event);
}

static void consume_call(struct gate_events *events,
			 const struct function_event *event)
{
	if (events->state != GATE_ARRIVING && events->state != GATE_ASIDE)
		consume_inside(events, event);
	else if (events->state == GATE_ARRIVING)
		arrive(events, event);
	else if (!aside_consume(&events->aside, event))
		events->state = GATE_INSIDE;
}

/* Handles an event in GATE_CLOSED. A start of the trace there means that a mark
 * was lost.
 */
static void consume_unasked(struct gate_events *events,
			    const struct function_event *event)
{
	if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
	if (event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_SWITCH)
		output_put(&events->out, *event);
}

static void consume(struct gate_events *events,
		    const struct function_event *event)
{
	if (consume_marks(events, event))
		return;
	if (event->kind == FUNCTION_END) {
		break_state(events);
		output_put(&events->out, *event);
	} else if (events->state == GATE_CLOSED) {
		consume_unasked(events, event);
	} else if (function_event_is_call(event)) {
		consume_call(events, event);
	} else {
		consume_other(events, event);
	}
}

/* Processes the source's next events. Returns 1, 0 at the end, or an error. */
static int fill(struct gate_events *events)
{
	int count;

	if (events->in_at < events->in_count)
		return 1;
	count = events->source(events->ctx, &events->in);
	if (count <= 0)
		return count;
	events->in_count = (size_t)count;
	events->in_at = 0;
	return 1;
}

/* Each batch of the source becomes one batch, unless it yields no events. */
int gate_events_next(void *ctx, const struct function_event **batch)
{
	struct gate_events *events = ctx;
	int status;

	events->out.events.count = 0;
	while (!events->out.events.count && (status = fill(events)) > 0)
		while (events->in_at < events->in_count)
			consume(events, &events->in[events->in_at++]);
	if (events->out.status)
		return events->out.status;
	*batch = events->out.events.items;
	return events->out.events.count ? (int)events->out.events.count :
					  status;
}
