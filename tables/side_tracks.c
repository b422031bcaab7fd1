/* SPDX-License-Identifier: MIT */
#include "tables/side_tracks.h"

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

/* The tracks of an export in addition to those of functions: system calls,
 * sleeps with wake-ups, interrupts, and then struct side_tracks, which connects
 * these and the tracks of counter_tracks.c and wait_tracks.c to the trackers of
 * the pass and to the format's callback.
 *
 *	task_tracker ─► call_tracks, sleep_tracks ─┐
 *	interrupts ───► interrupt_tracks ─────────┴─► span_export ─► the format
 *
 * A span's name has a number: that of its function, or for other names one
 * after all functions. Texts of notes are written to a buffer that the next
 * note reuses. An arrow from a waker to its thread never goes back in time,
 * although the times of trace and events differ a little.
 */

/* Returns 0 or -ERROR_MEMORY. The caller must free @text either way. */
static int track_text_open(struct track_text *text)
{
	text->out = open_memstream(&text->bytes, &text->size);
	return text->out ? 0 : -ERROR_MEMORY;
}

static void track_text_free(struct track_text *text)
{
	if (text->out)
		fclose(text->out);
	free(text->bytes);
}

/* Empties the buffer and returns the file to write to. */
static FILE *track_text_begin(struct track_text *text)
{
	rewind(text->out);
	return text->out;
}

/* Returns the text written since track_text_begin(), valid until its next call.
 */
static const char *track_text_end(struct track_text *text)
{
	fputc('\0', text->out);
	return fflush(text->out) ? "" : text->bytes;
}

int call_tracks_open(struct call_tracks *tracks,
		     const struct side_tracks_options *options,
		     struct track_callback *callback)
{
	int status;

	*tracks = (struct call_tracks){ .options = *options,
					.callback = callback };
	status = track_text_open(&tracks->arguments);
	return status ? status : track_text_open(&tracks->result);
}

void call_tracks_free(struct call_tracks *tracks)
{
	track_text_free(&tracks->arguments);
	track_text_free(&tracks->result);
}

static bool wants_call(const struct call_tracks *tracks,
		       const struct system_call *call)
{
	return call->end_ns - call->begin_ns >= tracks->options.min_ns &&
	       table_wants(tracks->options.input, call->task, call->begin_ns);
}

static const char *arguments_of(struct call_tracks *tracks,
				const struct system_call *call,
				const char *name, const struct arch *arch)
{
	call_arguments_write(call, name, strcmp(arch->name, "x86_64"),
			     track_text_begin(&tracks->arguments));
	return track_text_end(&tracks->arguments);
}

/* Returns the result as text, "3", without the " = " that call_result_write()
 * writes.
 */
static const char *result_of(struct call_tracks *tracks,
			     const struct system_call *call, const char *name)
{
	call_result_write(call, name, track_text_begin(&tracks->result));
	return track_text_end(&tracks->result) + strlen(" = ");
}

static size_t fill_call_notes(struct call_tracks *tracks,
			      const struct system_call *call, const char *name,
			      struct span_note *notes)
{
	size_t count = 0;

	if (call->has_enter)
		notes[count++] = (struct span_note){
			.name = NOTE_ARGUMENTS,
			.text = arguments_of(
				tracks, call, name,
				symbols_arch(tracks->options.input->symbols)),
		};
	if (call->has_exit)
		notes[count++] = (struct span_note){
			.name = NOTE_RESULT,
			.text = result_of(tracks, call, name),
			.number = (uint64_t)call->result,
		};
	if (call->end != CALL_RETURNED)
		notes[count++] = (struct span_note){
			.name = NOTE_END,
			.text = system_call_end_text(call->end),
		};
	return count;
}

void call_tracks_consume(struct call_tracks *tracks,
			 const struct system_call *call)
{
	const struct symbols *symbols = tracks->options.input->symbols;
	const struct side_track track = { .kind = SPAN_CALLS,
					  .task = call->task };
	struct span_note notes[3];
	struct span span = {
		.time_ns = call->begin_ns,
		.number = call->function,
		.name = system_call_name(symbols_functions(symbols),
					 symbols_arch(symbols), call->function),
		.category = "syscall",
		.notes = notes,
	};

	if (!wants_call(tracks, call))
		return;
	span.note_count = fill_call_notes(tracks, call, span.name, notes);
	tracks->callback->begin(tracks->callback, &track, &span);
	tracks->callback->end(tracks->callback, &track, call->end_ns);
}

/* Names that are not functions; own_number() numbers them after all functions.
 */
enum own_name { NAME_RUNNABLE, NAME_WAKES };

int sleep_tracks_open(struct sleep_tracks *tracks,
		      const struct side_tracks_options *options,
		      struct track_callback *callback)
{
	*tracks = (struct sleep_tracks){ .options = *options,
					 .callback = callback };
	return track_text_open(&tracks->waker);
}

void sleep_tracks_free(struct sleep_tracks *tracks)
{
	track_text_free(&tracks->waker);
}

static const struct function_table *
functions_of(const struct sleep_tracks *tracks)
{
	return symbols_functions(tracks->options.input->symbols);
}

static uint32_t own_number(const struct sleep_tracks *tracks,
			   enum own_name name)
{
	return function_count(functions_of(tracks)) + (uint32_t)name;
}

static bool wants_sleep(const struct sleep_tracks *tracks,
			const struct sleep *sleep)
{
	return sleep->asleep_ns + sleep->runnable_ns >=
		       tracks->options.min_ns &&
	       table_wants(tracks->options.input, sleep->task, sleep->begin_ns);
}

static const char *waker_text(struct sleep_tracks *tracks, uint32_t waker,
			      const struct wakers *wakers)
{
	wakers_write(wakers, waker, functions_of(tracks),
		     tracks->options.input->names,
		     track_text_begin(&tracks->waker));
	return track_text_end(&tracks->waker);
}

static size_t fill_sleep_notes(struct sleep_tracks *tracks,
			       const struct sleep *sleep,
			       const struct wakers *wakers,
			       struct span_note *notes)
{
	const struct function_table *functions = functions_of(tracks);
	size_t count = 0;

	if (sleep->inner != FUNCTION_UNKNOWN && sleep->inner != FUNCTION_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_INNER,
			.text = function_at(functions, sleep->inner)->name,
		};
	if (sleep->waker != WAKER_NONE)
		notes[count++] = (struct span_note){
			.name = NOTE_WAKER,
			.text = waker_text(tracks, sleep->waker, wakers),
		};
	if (sleep->is_cut)
		notes[count++] = (struct span_note){
			.name = NOTE_IS_CUT,
			.number = 1,
		};
	return count;
}

static void put_asleep(struct sleep_tracks *tracks,
		       const struct side_track *track,
		       const struct sleep *sleep, const struct wakers *wakers)
{
	struct span_note notes[3];
	const struct span span = {
		.time_ns = sleep->begin_ns,
		.number = sleep->label,
		.name = sleep_label_name(functions_of(tracks), sleep->label),
		.category = "sleep",
		.notes = notes,
		.note_count = fill_sleep_notes(tracks, sleep, wakers, notes),
	};

	tracks->callback->begin(tracks->callback, track, &span);
	tracks->callback->end(tracks->callback, track,
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

/* Emits the waker's end of the arrow. An arrow must not go back in time: its
 * time is at most the end of the sleep, which is from the trace and may differ
 * a little from the time of the wake-up event.
 */
static void put_mark(struct sleep_tracks *tracks, const struct sleep *sleep)
{
	const struct side_track track = { .kind = SPAN_SLEEPS,
					  .task = sleep->waker_task };
	uint64_t wake_ns = sleep->begin_ns + sleep->asleep_ns;
	const struct span_note notes[] = {
		{ .name = NOTE_WOKEN,
		  .text = task_names_comm(tracks->options.input->names,
					  sleep->task->tid, wake_ns) },
		{ .name = NOTE_WOKEN_TID,
		  .number = (uint64_t)sleep->task->tid },
	};
	const struct span span = {
		.time_ns = sleep->wake_ns < wake_ns ? sleep->wake_ns : wake_ns,
		.number = own_number(tracks, NAME_WAKES),
		.name = "wakes",
		.category = "wakeup",
		.flow = tracks->flows,
		.notes = notes,
		.note_count = sizeof(notes) / sizeof(*notes),
	};

	tracks->callback->mark(tracks->callback, &track, &span);
}

static void put_runnable(struct sleep_tracks *tracks,
			 const struct side_track *track,
			 const struct sleep *sleep, bool has_arrow)
{
	const struct span span = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.number = own_number(tracks, NAME_RUNNABLE),
		.name = "runnable",
		.category = "runnable",
		.flow = has_arrow ? tracks->flows : 0,
	};

	tracks->callback->begin(tracks->callback, track, &span);
	tracks->callback->end(tracks->callback, track,
			      span.time_ns + sleep->runnable_ns);
}

static void put_blocked(struct sleep_tracks *tracks, const struct sleep *sleep)
{
	const struct track_blocked blocked = {
		.time_ns = sleep->begin_ns + sleep->asleep_ns,
		.tid = sleep->task->tid,
		.function = sleep->label,
	};

	if (sleep->label != FUNCTION_UNKNOWN)
		tracks->callback->blocked(tracks->callback, &blocked);
}

void sleep_tracks_consume(struct sleep_tracks *tracks,
			  const struct sleep *sleep,
			  const struct wakers *wakers)
{
	const struct side_track track = { .kind = SPAN_SLEEPS,
					  .task = sleep->task };
	bool has_arrow = is_ended_by_last(sleep);

	if (!wants_sleep(tracks, sleep))
		return;
	put_asleep(tracks, &track, sleep, wakers);
	put_blocked(tracks, sleep);
	tracks->flows += has_arrow;
	if (has_arrow)
		put_mark(tracks, sleep);
	if (has_arrow || sleep->runnable_ns)
		put_runnable(tracks, &track, sleep, has_arrow);
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
	const struct track_waking waking = {
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
	int32_t irq;	 /* number of the interrupt; -1: unknown or none */
	uint8_t kind;	 /* enum interrupt_kind */
};

/* An outermost slice and all slices nested in it, in order of their starts. */
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

static struct slices *slices_of(struct interrupt_tracks *tracks,
				const struct task *task,
				const struct interrupt_slice *slice)
{
	const struct slices none = { .all = ARRAY_OF(struct slice),
				     .open = SLICE_NONE };
	struct task_slices *slices = array_reach_like(
		&tracks->tasks, task->index,
		&(struct task_slices){ .interrupts = none, .work = none });

	if (!slices) {
		tracks->status = -ERROR_MEMORY;
		return NULL;
	}
	slices->task = task;
	return slice->is_thread_work ? &slices->work : &slices->interrupts;
}

static void begin_slice(struct interrupt_observer *observer,
			const struct interrupt_slice *begun,
			const struct call_step *step)
{
	struct interrupt_tracks *tracks = (struct interrupt_tracks *)observer;
	struct slices *slices = slices_of(tracks, step->task, begun);
	struct slice *slice = slices ? array_add(&slices->all) : NULL;

	if (!slice) {
		tracks->status = -ERROR_MEMORY;
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

static void put_begin(struct interrupt_tracks *tracks,
		      const struct side_track *track, const struct task *task,
		      const struct slice *slice)
{
	const struct span_note notes[] = {
		{ .name = NOTE_KIND, .text = interrupt_kind_name(slice->kind) },
		{ .name = NOTE_ON_PID, .number = span_note_id(task->pid) },
		{ .name = NOTE_ON_TID, .number = span_note_id(task->tid) },
		{ .name = NOTE_IRQ, .number = (uint64_t)slice->irq },
	};
	const struct function_table *functions =
		symbols_functions(tracks->options.input->symbols);
	const struct span span = {
		.time_ns = slice->begin_ns,
		.number = slice->function,
		.name = function_at(functions, slice->function)->name,
		.category = notes[0].text,
		.notes = notes,
		.note_count = slice->irq < 0 ? 3 : 4,
	};

	tracks->callback->begin(tracks->callback, track, &span);
}

/* Returns whether the slice is long enough to be shown. A nested slice is never
 * longer than the enclosing one, so no orphans remain.
 */
static bool is_long(const struct interrupt_tracks *tracks,
		    const struct slice *slice)
{
	return slice->end_ns - slice->begin_ns >= tracks->options.min_ns;
}

/* Ends the slices from @from outwards, up to but not including @until. */
static void put_ends(struct interrupt_tracks *tracks,
		     const struct side_track *track,
		     const struct slices *slices, uint32_t from, uint32_t until)
{
	while (from != until) {
		const struct slice *slice = array_at(&slices->all, from);

		if (is_long(tracks, slice))
			tracks->callback->end(tracks->callback, track,
					      slice->end_ns);
		from = slice->around;
	}
}

/* Returns the track of a task's slices. Threads with a trace stream of their
 * own have no CPU track.
 */
static struct side_track side_track_of(const struct task_slices *task,
				       const struct slices *slices)
{
	if (slices == &task->work || slices->cpu == UINT32_MAX)
		return (struct side_track){ .kind = SPAN_WORK,
					    .task = task->task };
	return (struct side_track){ .kind = SPAN_CPU_INTERRUPTS,
				    .cpu = slices->cpu };
}

static bool wants_slices(const struct interrupt_tracks *tracks,
			 const struct task_slices *task,
			 const struct slices *slices)
{
	const struct attribution_input *input = tracks->options.input;
	const struct slice *first = array_at(&slices->all, 0);

	return step_filter_task(input->filter, task->task) &&
	       step_filter_cpu(input->filter, slices->cpu) &&
	       time_window_has(input->window, first->begin_ns);
}

static void put_all(struct interrupt_tracks *tracks,
		    const struct task_slices *task, struct slices *slices)
{
	const struct side_track track = side_track_of(task, slices);
	uint32_t last = SLICE_NONE;

	for (uint32_t i = 0; i < slices->all.count; i++) {
		const struct slice *slice = array_at(&slices->all, i);

		put_ends(tracks, &track, slices, last, slice->around);
		if (is_long(tracks, slice))
			put_begin(tracks, &track, task->task, slice);
		last = i;
	}
	put_ends(tracks, &track, slices, last, SLICE_NONE);
}

static void emit_slices(struct interrupt_tracks *tracks,
			const struct task_slices *task, struct slices *slices)
{
	if (wants_slices(tracks, task, slices))
		put_all(tracks, task, slices);
	slices->all.count = 0;
	slices->open = SLICE_NONE;
}

static void end_slice(struct interrupt_observer *observer,
		      const struct interrupt_slice *ended,
		      const struct call_step *step)
{
	struct interrupt_tracks *tracks = (struct interrupt_tracks *)observer;
	struct slices *slices = slices_of(tracks, step->task, ended);
	struct slice *slice;

	tracks->last_ns = step->time_ns;
	if (!slices || slices->open == SLICE_NONE)
		return;
	slice = array_at(&slices->all, slices->open);
	slice->end_ns = step->time_ns;
	slice->function = ended->function;
	slice->irq = ended->irq;
	slices->open = slice->around;
	if (slices->open == SLICE_NONE)
		emit_slices(tracks, array_at(&tracks->tasks, step->task->index),
			    slices);
}

/* Ends all open slices at the last time at which any slice ended. */
static void cut(struct interrupt_tracks *tracks, const struct task_slices *task,
		struct slices *slices)
{
	while (slices->open != SLICE_NONE) {
		struct slice *slice = array_at(&slices->all, slices->open);

		slice->end_ns = slice->begin_ns > tracks->last_ns ?
					slice->begin_ns :
					tracks->last_ns;
		slices->open = slice->around;
	}
	if (slices->all.count)
		emit_slices(tracks, task, slices);
}

struct interrupt_tracks
interrupt_tracks_of(const struct side_tracks_options *options,
		    struct track_callback *callback)
{
	return (struct interrupt_tracks){
		.observer = { begin_slice, end_slice },
		.options = *options,
		.callback = callback,
		.tasks = ARRAY_OF(struct task_slices),
	};
}

int interrupt_tracks_end(struct interrupt_tracks *tracks)
{
	for (size_t i = 0; i < tracks->tasks.count; i++) {
		struct task_slices *task = array_at(&tracks->tasks, i);

		if (!task->task)
			continue;
		cut(tracks, task, &task->interrupts);
		cut(tracks, task, &task->work);
	}
	return tracks->status;
}

void interrupt_tracks_free(struct interrupt_tracks *tracks)
{
	for (size_t i = 0; i < tracks->tasks.count; i++) {
		struct task_slices *task = array_at(&tracks->tasks, i);

		array_free(&task->interrupts.all);
		array_free(&task->work.all);
	}
	array_free(&tracks->tasks);
}

struct side_tracks {
	struct event_handler handler;
	struct task_listener listener;
	const struct task_tracker *tracker;
	struct call_tracks calls;
	struct sleep_tracks sleeps;
	struct interrupt_tracks interrupts;
	struct wakings wakings;
	struct counter_tracks counters;
	struct wait_tracks waits;
};

static struct side_tracks *of_listener(struct task_listener *listener)
{
	return container_of(listener, struct side_tracks, listener);
}

static int consume_call(struct task_listener *listener,
			const struct system_call *call)
{
	call_tracks_consume(&of_listener(listener)->calls, call);
	return 0;
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct side_tracks *tracks = of_listener(listener);

	sleep_tracks_consume(&tracks->sleeps, sleep,
			     task_tracker_wakers(tracks->tracker));
	return 0;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	wakings_event(&((struct side_tracks *)handler)->wakings, event);
}

static int open_parts(struct side_tracks *tracks,
		      const struct side_tracks_options *options,
		      struct track_callback *callback)
{
	int status = call_tracks_open(&tracks->calls, options, callback);
	int next = sleep_tracks_open(&tracks->sleeps, options, callback);
	tracks->wakings = (struct wakings){ *options, callback };
	tracks->interrupts = interrupt_tracks_of(options, callback);
	status = status ? status : next;
	next = counter_tracks_open(&tracks->counters, options, callback);
	status = status ? status : next;
	next = wait_tracks_open(&tracks->waits, options, callback);
	return status ? status : next;
}

struct side_tracks *side_tracks_new(const struct side_tracks_options *options,
				    struct track_callback *callback)
{
	struct trackers *trackers = options->input->trackers;
	struct side_tracks *tracks = calloc(1, sizeof(*tracks));
	struct interrupt_accounts *accounts;
	int status;

	if (!tracks)
		return NULL;
	tracks->handler.event = consume_event;
	tracks->listener.ended = consume_call;
	tracks->listener.slept = consume_sleep;
	status = open_parts(tracks, options, callback);
	tracks->tracker = trackers_plain_tasks(trackers, &tracks->listener);
	accounts = trackers_interrupts(trackers);
	if (!status && tracks->tracker && accounts &&
	    !trackers_follow(trackers, &tracks->handler)) {
		interrupt_accounts_observe(accounts,
					   &tracks->interrupts.observer);
		return tracks;
	}
	side_tracks_free(tracks);
	return NULL;
}

void side_tracks_free(struct side_tracks *tracks)
{
	if (!tracks)
		return;
	call_tracks_free(&tracks->calls);
	sleep_tracks_free(&tracks->sleeps);
	interrupt_tracks_free(&tracks->interrupts);
	counter_tracks_free(&tracks->counters);
	wait_tracks_free(&tracks->waits);
	free(tracks);
}

int side_tracks_end(struct side_tracks *tracks)
{
	int status = interrupt_tracks_end(&tracks->interrupts);
	int next = counter_tracks_end(&tracks->counters);

	status = status ? status : next;
	next = wait_tracks_end(&tracks->waits);
	return status ? status : next;
}
