/* SPDX-License-Identifier: MIT */
#include "tables/lanes.h"

#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/call_argument.h"
#include "tables/processes/interrupts_table.h"
#include "tables/table.h"
#include "tables/text/stack_text.h"
#include "tables/text/table_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The tracks of an export beside functions: one part for each kind, system
 * calls, sleeps with wake-ups, interrupts, and then struct lanes, which
 * connects them to the trackers of the pass and to the format's span_export.
 *
 *	task_tracker ─► call_lanes, sleep_lanes ─┐
 *	interrupts ───► interrupt_lanes ─────────┴─► span_export ─► the format
 *
 * Names that are not functions are numbered after all functions. Texts of notes
 * are written to a buffer that the next note reuses. An arrow from a waker to
 * its thread never goes back in time, although the times of trace and events
 * differ a little.
 */

/* Returns 0 or -ERROR_MEMORY. The caller must free @text either way. */
static int lane_text_open(struct lane_text *text)
{
	text->out = open_memstream(&text->bytes, &text->size);
	return text->out ? 0 : -ERROR_MEMORY;
}

static void lane_text_free(struct lane_text *text)
{
	if (text->out)
		fclose(text->out);
	free(text->bytes);
}

/* Empties the buffer and returns the file to write to. */
static FILE *lane_text_begin(struct lane_text *text)
{
	rewind(text->out);
	return text->out;
}

/* Returns the text written since lane_text_begin(), valid until its next call.
 */
static const char *lane_text_end(struct lane_text *text)
{
	fputc('\0', text->out);
	return fflush(text->out) ? "" : text->bytes;
}

int call_lanes_open(struct call_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback)
{
	int status;

	*lanes = (struct call_lanes){ .options = *options,
				      .callback = callback };
	status = lane_text_open(&lanes->arguments);
	return status ? status : lane_text_open(&lanes->result);
}

void call_lanes_free(struct call_lanes *lanes)
{
	lane_text_free(&lanes->arguments);
	lane_text_free(&lanes->result);
}

static bool wants_call(const struct call_lanes *lanes,
		       const struct system_call *call)
{
	return call->end_ns - call->begin_ns >= lanes->options.min_ns &&
	       table_wants(lanes->options.input, call->task, call->begin_ns);
}

static const char *arguments_of(struct call_lanes *lanes,
				const struct system_call *call,
				const char *name, const struct arch *arch)
{
	call_arguments_write(call, name, strcmp(arch->name, "x86_64"),
			     lane_text_begin(&lanes->arguments));
	return lane_text_end(&lanes->arguments);
}

/* Returns the result as text, "3", without the " = " that call_result_write()
 * writes.
 */
static const char *result_of(struct call_lanes *lanes,
			     const struct system_call *call, const char *name)
{
	call_result_write(call, name, lane_text_begin(&lanes->result));
	return lane_text_end(&lanes->result) + strlen(" = ");
}

static size_t fill_call_notes(struct call_lanes *lanes,
			      const struct system_call *call, const char *name,
			      struct span_note *notes)
{
	size_t count = 0;

	if (call->has_enter)
		notes[count++] = (struct span_note){
			.name = NOTE_ARGUMENTS,
			.text = arguments_of(
				lanes, call, name,
				symbols_arch(lanes->options.input->symbols)),
		};
	if (call->has_exit)
		notes[count++] = (struct span_note){
			.name = NOTE_RESULT,
			.text = result_of(lanes, call, name),
			.number = (uint64_t)call->result,
		};
	if (call->end != CALL_RETURNED)
		notes[count++] = (struct span_note){
			.name = NOTE_END,
			.text = system_call_end_text(call->end),
		};
	return count;
}

void call_lanes_take(struct call_lanes *lanes, const struct system_call *call)
{
	const struct symbols *symbols = lanes->options.input->symbols;
	const struct lane lane = { .kind = SPAN_CALLS, .task = call->task };
	struct span_note notes[3];
	struct span span = {
		.time_ns = call->begin_ns,
		.number = call->function,
		.name = system_call_name(symbols_functions(symbols),
					 symbols_arch(symbols), call->function),
		.category = "syscall",
		.notes = notes,
	};

	if (!wants_call(lanes, call))
		return;
	span.note_count = fill_call_notes(lanes, call, span.name, notes);
	lanes->callback->begin(lanes->callback, &lane, &span);
	lanes->callback->end(lanes->callback, &lane, call->end_ns);
}

/* Names that are not functions are numbered after all functions. */
enum own_name { NAME_RUNNABLE, NAME_WAKES };

int sleep_lanes_open(struct sleep_lanes *lanes,
		     const struct lanes_options *options,
		     struct lane_callback *callback)
{
	*lanes = (struct sleep_lanes){ .options = *options,
				       .callback = callback };
	return lane_text_open(&lanes->waker);
}

void sleep_lanes_free(struct sleep_lanes *lanes)
{
	lane_text_free(&lanes->waker);
}

static const struct function_table *
functions_of(const struct sleep_lanes *lanes)
{
	return symbols_functions(lanes->options.input->symbols);
}

static uint32_t own_number(const struct sleep_lanes *lanes, enum own_name name)
{
	return function_count(functions_of(lanes)) + (uint32_t)name;
}

static bool wants_sleep(const struct sleep_lanes *lanes,
			const struct sleep *sleep)
{
	return sleep->asleep_ns + sleep->runnable_ns >= lanes->options.min_ns &&
	       table_wants(lanes->options.input, sleep->task, sleep->begin_ns);
}

static const char *waker_text(struct sleep_lanes *lanes, uint32_t waker,
			      const struct wakers *wakers)
{
	wakers_write(wakers, waker, functions_of(lanes),
		     lanes->options.input->names,
		     lane_text_begin(&lanes->waker));
	return lane_text_end(&lanes->waker);
}

static size_t fill_sleep_notes(struct sleep_lanes *lanes,
			       const struct sleep *sleep,
			       const struct wakers *wakers,
			       struct span_note *notes)
{
	const struct function_table *functions = functions_of(lanes);
	size_t count = 0;

	if (sleep->inner != FUNCTION_UNKNOWN && sleep->inner != FUNCTION_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_INNER,
			.text = function_at(functions, sleep->inner)->name,
		};
	if (sleep->waker != WAKER_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_WAKER,
			.text = waker_text(lanes, sleep->waker, wakers),
		};
	if (sleep->is_cut)
		notes[count++] = (struct span_note){
			.name = NOTE_IS_CUT,
			.number = 1,
		};
	return count;
}

static void put_asleep(struct sleep_lanes *lanes, const struct lane *lane,
		       const struct sleep *sleep, const struct wakers *wakers)
{
	struct span_note notes[3];
	const struct span span = {
		.time_ns = sleep->begin_ns,
		.number = sleep->label,
		.name = sleep_label_name(functions_of(lanes), sleep->label),
		.category = "sleep",
		.notes = notes,
		.note_count = fill_sleep_notes(lanes, sleep, wakers, notes),
	};

	lanes->callback->begin(lanes->callback, lane, &span);
	lanes->callback->end(lanes->callback, lane,
			     sleep->begin_ns + sleep->asleep_ns);
}

/* Returns whether @sleep was ended by its thread's last wake-up and has a known
 * waker.
 */
static bool is_ended_by_last(const struct sleep *sleep)
{
	return sleep->waker_task && sleep->waker != WAKER_NONE &&
	       sleep->wake_ns >= sleep->begin_ns &&
	       sleep->wake_ns <=
		       sleep->begin_ns + sleep->asleep_ns + sleep->runnable_ns;
}

/* Emits the waker's end of the arrow. An arrow must not go back in time: the
 * sleep's times are from the trace, which may differ a little from the event's.
 */
static void put_mark(struct sleep_lanes *lanes, const struct sleep *sleep)
{
	const struct lane lane = { .kind = SPAN_SLEEPS,
				   .task = sleep->waker_task };
	uint64_t wake_ns = sleep->begin_ns + sleep->asleep_ns;
	const struct span_note notes[] = {
		{ .name = NOTE_WOKEN,
		  .text = task_names_comm(lanes->options.input->names,
					  sleep->task->tid, wake_ns) },
		{ .name = NOTE_WOKEN_TID,
		  .number = (uint64_t)sleep->task->tid },
	};
	const struct span span = {
		.time_ns = sleep->wake_ns < wake_ns ? sleep->wake_ns : wake_ns,
		.number = own_number(lanes, NAME_WAKES),
		.name = "wakes",
		.category = "wakeup",
		.flow = lanes->flows,
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	lanes->callback->mark(lanes->callback, &lane, &span);
}

static void put_runnable(struct sleep_lanes *lanes, const struct lane *lane,
			 const struct sleep *sleep, bool has_arrow)
{
	const struct span span = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.number = own_number(lanes, NAME_RUNNABLE),
		.name = "runnable",
		.category = "runnable",
		.flow = has_arrow ? lanes->flows : 0,
	};

	lanes->callback->begin(lanes->callback, lane, &span);
	lanes->callback->end(lanes->callback, lane,
			     span.time_ns + sleep->runnable_ns);
}

static void put_blocked(struct sleep_lanes *lanes, const struct sleep *sleep)
{
	const struct lane_blocked blocked = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.tid = sleep->task->tid,
		.function = sleep->label,
	};

	if (sleep->label != FUNCTION_UNKNOWN)
		lanes->callback->blocked(lanes->callback, &blocked);
}

void sleep_lanes_take(struct sleep_lanes *lanes, const struct sleep *sleep,
		      const struct wakers *wakers)
{
	const struct lane lane = { .kind = SPAN_SLEEPS, .task = sleep->task };
	bool has_arrow = is_ended_by_last(sleep);

	if (!wants_sleep(lanes, sleep))
		return;
	put_asleep(lanes, &lane, sleep, wakers);
	put_blocked(lanes, sleep);
	lanes->flows += has_arrow;
	if (has_arrow)
		put_mark(lanes, sleep);
	if (has_arrow || sleep->runnable_ns)
		put_runnable(lanes, &lane, sleep, has_arrow);
}

/* The kernel's struct trace_entry starts with the type, 2 bytes, and flags. */
enum { ENTRY_FLAGS = 2, ENTRY_BYTES = 8 };

static bool wants_thread(const struct attribution_input *input, int32_t tid)
{
	const struct task task = {
		.tid = tid,
		.pid = task_names_process(input->names, tid),
	};

	return step_filter_task(input->filter, &task);
}

/* Returns whether to show a wake-up. It has two threads; the filter may select
 * either.
 */
static bool wants_waking(const struct wakings *wakings,
			 const struct event_record *event)
{
	const struct attribution_input *input = wakings->options.input;

	return time_window_has(input->window, event->time_ns) &&
	       step_filter_cpu(input->filter, (uint32_t)event->cpu) &&
	       (wants_thread(input, event->tid) ||
		wants_thread(input, (int32_t)event->values[WAKING_TID]));
}

static uint32_t flags_of(const struct event_record *event)
{
	const struct sideband_record *record = event->sideband;

	return record && record->kind == SIDEBAND_SAMPLE &&
			       record->sample.raw_size >= ENTRY_BYTES ?
		       record->sample.raw[ENTRY_FLAGS] :
		       0;
}

void wakings_event(const struct wakings *wakings,
		   const struct event_record *event)
{
	const struct lane_waking waking = {
		.time_ns = event->time_ns,
		.cpu = (uint32_t)event->cpu,
		.waker_tid = event->tid,
		.tid = (int32_t)event->values[WAKING_TID],
		.flags = flags_of(event),
		.is_new = event->event == EVENT_SCHED_WAKEUP_NEW,
	};

	if (event->event != EVENT_SCHED_WAKING && !waking.is_new)
		return;
	if (wants_waking(wakings, event))
		wakings->callback->waking(wakings->callback, &waking);
}

#define SLICE_NONE UINT32_MAX

struct slice {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t function;
	uint32_t around; /* the enclosing slice, or SLICE_NONE */
	int32_t irq;	 /* or -1 */
	uint8_t kind;	 /* enum interrupt_kind */
};

/* An outermost slice and the slices in it, by start. */
struct slices {
	struct array all; /* struct slice */
	uint32_t open;	  /* the innermost open slice, or SLICE_NONE */
	uint32_t cpu;
};

struct task_slices {
	const struct task *task;
	struct slices interrupts;
	struct slices work; /* of a kernel thread that runs deferred work */
};

static struct slices *slices_of(struct interrupt_lanes *lanes,
				const struct task *task,
				const struct interrupt_slice *slice)
{
	const struct slices none = { .all = ARRAY_OF(struct slice),
				     .open = SLICE_NONE };
	struct task_slices *slices = array_reach_like(
		&lanes->tasks, task->index,
		&(struct task_slices){ .interrupts = none, .work = none });

	if (!slices) {
		lanes->status = -ERROR_MEMORY;
		return NULL;
	}
	slices->task = task;
	return slice->is_thread_work ? &slices->work : &slices->interrupts;
}

static void begin_slice(struct interrupt_observer *observer,
			const struct interrupt_slice *begun,
			const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct slices *slices = slices_of(lanes, step->task, begun);
	struct slice *slice = slices ? array_add(&slices->all) : NULL;

	if (!slice) {
		lanes->status = -ERROR_MEMORY;
		return;
	}
	if (slices->open == SLICE_NONE)
		slices->cpu = step->cpu;
	*slice = (struct slice){
		.begin_ns = step->time_ns,
		.function = begun->function,
		.around = slices->open,
		.irq = begun->irq,
		.kind = begun->kind,
	};
	slices->open = (uint32_t)slices->all.count - 1;
}

static void put_begin(struct interrupt_lanes *lanes, const struct lane *lane,
		      const struct task *task, const struct slice *slice)
{
	const struct span_note notes[] = {
		{ .name = NOTE_KIND, .text = interrupt_kind_name(slice->kind) },
		{ .name = NOTE_ON_PID,
		  .number = task->pid > 0 ? (uint64_t)task->pid : 0 },
		{ .name = NOTE_ON_TID,
		  .number = task->tid > 0 ? (uint64_t)task->tid : 0 },
		{ .name = NOTE_IRQ, .number = (uint64_t)slice->irq },
	};
	const struct function_table *functions =
		symbols_functions(lanes->options.input->symbols);
	const struct span span = {
		.time_ns = slice->begin_ns,
		.number = slice->function,
		.name = function_at(functions, slice->function)->name,
		.category = notes[0].text,
		.notes = notes,
		.note_count = slice->irq < 0 ? 3 : 4,
	};

	lanes->callback->begin(lanes->callback, lane, &span);
}

/* Returns whether the slice is long enough to be shown. A nested slice is never
 * longer than the enclosing one, so no orphans remain.
 */
static bool is_long(const struct interrupt_lanes *lanes,
		    const struct slice *slice)
{
	return slice->end_ns - slice->begin_ns >= lanes->options.min_ns;
}

/* Ends the slices from @from outwards, up to but not including @until. */
static void put_ends(struct interrupt_lanes *lanes, const struct lane *lane,
		     const struct slices *slices, uint32_t from, uint32_t until)
{
	while (from != until) {
		const struct slice *slice = array_at(&slices->all, from);

		if (is_long(lanes, slice))
			lanes->callback->end(lanes->callback, lane,
					     slice->end_ns);
		from = slice->around;
	}
}

/* Returns the track of a task's slices. Threads with a trace stream of their
 * own have no CPU track.
 */
static struct lane lane_of(const struct task_slices *task,
			   const struct slices *slices)
{
	if (slices == &task->work || slices->cpu == UINT32_MAX)
		return (struct lane){ .kind = SPAN_WORK, .task = task->task };
	return (struct lane){ .kind = SPAN_CPU_INTERRUPTS, .cpu = slices->cpu };
}

static bool wants_slices(const struct interrupt_lanes *lanes,
			 const struct task_slices *task,
			 const struct slices *slices)
{
	const struct attribution_input *input = lanes->options.input;
	const struct slice *first = array_at(&slices->all, 0);

	return step_filter_task(input->filter, task->task) &&
	       step_filter_cpu(input->filter, slices->cpu) &&
	       time_window_has(input->window, first->begin_ns);
}

static void put_all(struct interrupt_lanes *lanes,
		    const struct task_slices *task, struct slices *slices)
{
	const struct lane lane = lane_of(task, slices);
	uint32_t last = SLICE_NONE;

	for (uint32_t i = 0; i < slices->all.count; i++) {
		const struct slice *slice = array_at(&slices->all, i);

		put_ends(lanes, &lane, slices, last, slice->around);
		if (is_long(lanes, slice))
			put_begin(lanes, &lane, task->task, slice);
		last = i;
	}
	put_ends(lanes, &lane, slices, last, SLICE_NONE);
}

static void emit_slices(struct interrupt_lanes *lanes,
			const struct task_slices *task, struct slices *slices)
{
	if (wants_slices(lanes, task, slices))
		put_all(lanes, task, slices);
	slices->all.count = 0;
	slices->open = SLICE_NONE;
}

static void end_slice(struct interrupt_observer *observer,
		      const struct interrupt_slice *ended,
		      const struct call_step *step)
{
	struct interrupt_lanes *lanes = (struct interrupt_lanes *)observer;
	struct slices *slices = slices_of(lanes, step->task, ended);
	struct slice *slice;

	lanes->last_ns = step->time_ns;
	if (!slices || slices->open == SLICE_NONE)
		return;
	slice = array_at(&slices->all, slices->open);
	slice->end_ns = step->time_ns;
	slice->function = ended->function;
	slice->irq = ended->irq;
	slices->open = slice->around;
	if (slices->open == SLICE_NONE)
		emit_slices(lanes, array_at(&lanes->tasks, step->task->index),
			    slices);
}

/* Ends all open slices at the last time at which any slice ended. */
static void cut(struct interrupt_lanes *lanes, const struct task_slices *task,
		struct slices *slices)
{
	while (slices->open != SLICE_NONE) {
		struct slice *slice = array_at(&slices->all, slices->open);

		slice->end_ns = slice->begin_ns > lanes->last_ns ?
					slice->begin_ns :
					lanes->last_ns;
		slices->open = slice->around;
	}
	if (slices->all.count)
		emit_slices(lanes, task, slices);
}

struct interrupt_lanes interrupt_lanes_of(const struct lanes_options *options,
					  struct lane_callback *callback)
{
	return (struct interrupt_lanes){
		.observer = { begin_slice, end_slice },
		.options = *options,
		.callback = callback,
		.tasks = ARRAY_OF(struct task_slices),
	};
}

int interrupt_lanes_end(struct interrupt_lanes *lanes)
{
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		struct task_slices *task = array_at(&lanes->tasks, i);

		if (!task->task)
			continue;
		cut(lanes, task, &task->interrupts);
		cut(lanes, task, &task->work);
	}
	return lanes->status;
}

void interrupt_lanes_free(struct interrupt_lanes *lanes)
{
	for (size_t i = 0; i < lanes->tasks.count; i++) {
		struct task_slices *task = array_at(&lanes->tasks, i);

		array_free(&task->interrupts.all);
		array_free(&task->work.all);
	}
	array_free(&lanes->tasks);
}

struct lanes {
	struct event_handler handler;
	struct task_listener listener;
	const struct task_tracker *tracker;
	struct call_lanes calls;
	struct sleep_lanes sleeps;
	struct interrupt_lanes interrupts;
	struct wakings wakings;
	struct counter_lanes counters;
	struct wait_lanes waits;
};

static struct lanes *of_listener(struct task_listener *listener)
{
	return container_of(listener, struct lanes, listener);
}

static int take_call(struct task_listener *listener,
		     const struct system_call *call)
{
	call_lanes_take(&of_listener(listener)->calls, call);
	return 0;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct lanes *lanes = of_listener(listener);

	sleep_lanes_take(&lanes->sleeps, sleep,
			 task_tracker_wakers(lanes->tracker));
	return 0;
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	wakings_event(&((struct lanes *)handler)->wakings, event);
}

static int open_parts(struct lanes *lanes, const struct lanes_options *options,
		      struct lane_callback *callback)
{
	int status = call_lanes_open(&lanes->calls, options, callback);
	int next = sleep_lanes_open(&lanes->sleeps, options, callback);
	lanes->wakings = (struct wakings){ *options, callback };
	lanes->interrupts = interrupt_lanes_of(options, callback);
	status = status ? status : next;
	next = counter_lanes_open(&lanes->counters, options, callback);
	status = status ? status : next;
	next = wait_lanes_open(&lanes->waits, options, callback);
	return status ? status : next;
}

struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback)
{
	struct trackers *trackers = options->input->trackers;
	struct lanes *lanes = calloc(1, sizeof(*lanes));
	struct interrupt_accounts *accounts;
	int status;

	if (!lanes)
		return NULL;
	lanes->handler.event = take_event;
	lanes->listener.ended = take_call;
	lanes->listener.slept = take_sleep;
	status = open_parts(lanes, options, callback);
	lanes->tracker = trackers_plain_tasks(trackers, &lanes->listener);
	accounts = trackers_interrupts(trackers);
	if (!status && lanes->tracker && accounts &&
	    !trackers_follow(trackers, &lanes->handler)) {
		interrupt_accounts_observe(accounts,
					   &lanes->interrupts.observer);
		return lanes;
	}
	lanes_free(lanes);
	return NULL;
}

void lanes_free(struct lanes *lanes)
{
	if (!lanes)
		return;
	call_lanes_free(&lanes->calls);
	sleep_lanes_free(&lanes->sleeps);
	interrupt_lanes_free(&lanes->interrupts);
	counter_lanes_free(&lanes->counters);
	wait_lanes_free(&lanes->waits);
	free(lanes);
}

int lanes_end(struct lanes *lanes)
{
	int status = interrupt_lanes_end(&lanes->interrupts);
	int next = counter_lanes_end(&lanes->counters);

	status = status ? status : next;
	next = wait_lanes_end(&lanes->waits);
	return status ? status : next;
}
