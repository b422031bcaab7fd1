/* SPDX-License-Identifier: MIT */
#include "symbolize/gate/gate_events.h"
#include "decoder/flow/flow.h"
#include "symbolize/gate/gate_events_parts.h"
#include "symbolize/gate/gate_marks.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* The kernel's names for where a function with a probe at its return comes back
 * to (arch/x86/kernel/rethook.c, arch/arm64/kernel/probes/), and for where the
 * recorder knows that a task leaves its CPU (collector/gate/gate.c).
 */
static void find_functions(struct gate_events *events)
{
	const struct function_table *functions =
		symbols_functions(events->symbols);

	events->trampolines[0] =
		function_table_kernel(functions, "arch_rethook_trampoline");
	events->trampolines[1] =
		function_table_kernel(functions, "__kretprobe_trampoline");
	events->probe = function_table_kernel(functions, "perf_tp_event");
	if (events->probe == FUNCTION_NONE)
		events->probe = FUNCTION_UNKNOWN;
	events->leave =
		function_table_kernel(functions, "__perf_event_task_sched_out");
}

struct gate_events *gate_events_new(const struct symbols *symbols,
				    const struct gate_input *input)
{
	struct gate_events *events = calloc(1, sizeof(*events));
	const struct arch *arch;

	if (!events)
		return NULL;
	arch = symbols_arch(symbols);
	*events = (struct gate_events){
		.source = input->next_events,
		.ctx = input->events,
		.symbols = symbols,
		.entries = name_lookup_of(arch->entries, arch->entry_count),
		.held = ARRAY_OF(struct function_event),
		.out = ARRAY_OF(struct function_event),
	};
	if (gate_feed_begin(&events->feed, input->next_step, input->steps)) {
		gate_events_free(events);
		return NULL;
	}
	find_functions(events);
	return events;
}

void gate_events_free(struct gate_events *events)
{
	if (!events)
		return;
	array_free(&events->held);
	array_free(&events->out);
	free(events);
}

static bool is_call(const struct function_event *event)
{
	return event->kind <= FUNCTION_EXCEPTION_RETURN;
}

/* Hands on what was held back, since @event says that there is more to come of
 * the chosen call, or that it is lost.
 */
static void break_state(struct gate_events *events)
{
	if (events->state == GATE_ARRIVING)
		gate_arrival_break(events);
	else if (events->state == GATE_ASIDE)
		gate_aside_break(events);
}

/* Takes an event that is no call or return, while what runs was asked for. */
static void take_other(struct gate_events *events,
		       const struct function_event *event)
{
	/* Whoever runs: the record may be written a little late. */
	if (event->kind == FUNCTION_SWITCH) {
		gate_events_put(events, *event);
		return;
	}
	break_state(events);
	gate_events_put(events, *event);
	if (event->kind == FUNCTION_TRACE_STOP || event->kind == FUNCTION_GAP)
		events->state = GATE_LOST;
	else if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
}

static void take_call(struct gate_events *events,
		      const struct function_event *event)
{
	if (events->state == GATE_ASIDE)
		gate_aside_take(events, event);
	else if (events->state == GATE_ARRIVING &&
		 !gate_arrival_take(events, event))
		return;
	else if (!gate_aside_begin(events, event))
		gate_events_put(events, *event);
}

/* Trace without a mark: that was lost. */
static void take_unasked(struct gate_events *events,
			 const struct function_event *event)
{
	if (event->kind == FUNCTION_TRACE_START)
		events->state = GATE_INSIDE;
	if (event->kind == FUNCTION_TRACE_START ||
	    event->kind == FUNCTION_SWITCH)
		gate_events_put(events, *event);
}

static void take(struct gate_events *events, const struct function_event *event)
{
	if (gate_marks_take(events, event))
		return;
	if (event->kind == FUNCTION_END) {
		break_state(events);
		gate_events_put(events, *event);
	} else if (events->state == GATE_CLOSED) {
		take_unasked(events, event);
	} else if (is_call(event)) {
		take_call(events, event);
	} else {
		take_other(events, event);
	}
}

/* Reads on in what the source provides.  Returns 1, 0 at the end, or an error. */
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

/* A batch of the source's makes one, if it makes any events. */
int gate_events_next(void *ctx, const struct function_event **batch)
{
	struct gate_events *events = ctx;
	int status;

	events->out.count = 0;
	while (!events->out.count && (status = fill(events)) > 0)
		while (events->in_at < events->in_count)
			take(events, &events->in[events->in_at++]);
	if (events->status)
		return events->status;
	*batch = events->out.items;
	return events->out.count ? (int)events->out.count : status;
}
