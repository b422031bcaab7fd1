/* SPDX-License-Identifier: MIT */
/* The last row of each thread is open: spans are added to it, in parts by kind
 * and function, until a span of another kind, or a cut, starts a new row.
 *
 * The name of a system call is known only when it ends, which may be many rows
 * later. Its parts and sleeps therefore begin with CALL_OPEN instead of a
 * function, and the thread lists them until the call ends.
 */
#include "explain/life_reader_internal.h"
#include "explain/sleep_place_internal.h"

#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/event_handler.h"
#include "attribution/events/function_marks.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"
#include "symbolize/functions/function_table.h"

#include "common/array.h"
#include <stdlib.h>

/* MARK_WORK, MARK_SIGNAL: a function that names work outside of system calls.
 * MARK_LOOP: one that implements a call of struct life_loop.
 */
enum {
	MARK_IO = 1,
	MARK_EXIT = 2,
	MARK_BACKLOG = 4,
	MARK_WORK = 8,
	MARK_SIGNAL = 16,
	MARK_LOOP = 32,
};

/* A program that polls makes few calls between a refusal and its sleep. */
enum { MOST_SINCE_REFUSED = 4 };

/* kernel/sched/core.c, kernel/exit.c, net/core/dev.c, fs/coredump.c (the latter
 * name since Linux 6.17), kernel/task_work.c, kernel/signal.c, fs/eventpoll.c,
 * fs/select.c.
 */
static const struct name_rule rules[] = {
	{ "io_schedule", true, MARK_IO },
	{ "do_exit", false, MARK_EXIT | MARK_WORK },
	{ "process_backlog", false, MARK_BACKLOG },
	{ "do_coredump", false, MARK_WORK },
	{ "vfs_coredump", false, MARK_WORK },
	{ "task_work_run", false, MARK_WORK },
	{ "get_signal", false, MARK_SIGNAL },
	{ "__x64_sys_epoll_wait", false, MARK_LOOP },
	{ "__x64_sys_epoll_pwait", true, MARK_LOOP },
	{ "__x64_sys_poll", false, MARK_LOOP },
	{ "__x64_sys_ppoll", false, MARK_LOOP },
	{ "__x64_sys_select", false, MARK_LOOP },
	{ "__x64_sys_pselect6", false, MARK_LOOP },
	{ "__arm64_sys_epoll_pwait", true, MARK_LOOP },
	{ "__arm64_sys_ppoll", false, MARK_LOOP },
	{ "__arm64_sys_pselect6", false, MARK_LOOP },
};

/* From time_ns on, the thread was in the function. */
struct function_change {
	uint64_t time_ns;
	uint32_t function;
};

/* Position of a part of a row in its thread's parts: a long row may have parts
 * for thousands of functions, between which each call switches.
 */
struct part_place {
	uint64_t row; /* open_life.serial; 0: none */
	uint32_t kind;
	uint32_t function;
	size_t index;
};

enum { PART_PLACES = 4096 };

/* The state of a thread while it is read. */
struct open_life {
	bool has_row;
	uint64_t serial; /* of the row, unique; changes if its parts move */
	struct life_row row;
	struct array parts; /* struct life_part of row */
	/* struct function_change, of which the first is in effect: changes of
	 * the user function, and of the function that names work
	 */
	struct array changes;
	struct array works;
	struct array cuts;	  /* uint64_t: where rows must end */
	struct array open_parts;  /* uint32_t, index in lives.parts */
	struct array open_sleeps; /* uint32_t, index in lives.sleeps */
	uint32_t last_sleep;	  /* index of its row + 1; 0: none */
	uint64_t last_fault;	  /* serial of its context; 0: none */
	/* a sleep that has begun and has no row yet */
	struct life_sleep falling;
	uint32_t refused;	/* last refused call, as in struct life_sleep */
	uint32_t since_refused; /* number of calls that ended since then */
	bool was_woken_by_exit;
	uint32_t sender; /* thread whose packet woke it last, or LIFE_NONE */
};

struct life_reader {
	struct event_handler handler;
	struct span_callback spans;
	struct task_listener listener;
	struct lives lives;
	struct array open;    /* struct open_life by thread */
	struct array by_task; /* uint32_t: thread + 1 by task index */
	const struct function_table *functions;
	const struct symbols *symbols; /* or NULL */
	const struct task_time *time;
	const struct task_paths *paths;
	const struct task_tracker *tasks;
	struct function_marks *marks;
	uint64_t rows; /* the last serial */
	struct part_place places[PART_PLACES];
	int status;
};

static void note(struct life_reader *reader, int status)
{
	if (status < 0)
		reader->status = status;
}

/* Returns the state of @thread, valid until the next call; NULL for LIFE_NONE, and
 * when out of memory.
 */
static struct open_life *open_of(struct life_reader *reader, uint32_t thread)
{
	struct open_life *open;

	if (thread == LIFE_NONE)
		return NULL;
	open = array_reach_like(
		&reader->open, thread,
		&(struct open_life){
			.parts = ARRAY_OF(struct life_part),
			.changes = ARRAY_OF(struct function_change),
			.works = ARRAY_OF(struct function_change),
			.cuts = ARRAY_OF(uint64_t),
			.open_parts = ARRAY_OF(uint32_t),
			.open_sleeps = ARRAY_OF(uint32_t),
			.falling = sleep_unknown,
			.refused = FUNCTION_NONE,
			.sender = LIFE_NONE,
		});

	if (!open)
		reader->status = -ERROR_MEMORY;
	return open;
}

static int flush_parts(struct life_reader *reader, struct open_life *open)
{
	const struct life_part *parts = open->parts.items;

	open->row.first_part = (uint32_t)reader->lives.parts.count;
	open->row.part_count = (uint32_t)open->parts.count;
	for (size_t i = 0; i < open->parts.count; i++) {
		uint32_t index = (uint32_t)reader->lives.parts.count;

		if (array_append(&reader->lives.parts, &parts[i]) < 0 ||
		    (parts[i].kind == WORK_CALL &&
		     parts[i].function == CALL_OPEN &&
		     array_append(&open->open_parts, &index) < 0))
			return -ERROR_MEMORY;
	}
	open->parts.count = 0;
	return 0;
}

/* Ends the open row of @thread. */
static void end_row(struct life_reader *reader, struct open_life *open,
		    uint32_t thread)
{
	struct life *life = lives_reach(&reader->lives, thread);

	if (!open->has_row)
		return;
	open->has_row = false;
	if (!life || flush_parts(reader, open) < 0 ||
	    array_append(&life->rows, &open->row) < 0)
		reader->status = -ERROR_MEMORY;
}

static bool is_on_cpu(const struct time_span *span)
{
	return span->time_class < TIME_RUNNABLE ||
	       span->time_class == TIME_NOT_ASKED;
}

static enum life_kind kind_of(const struct time_span *span)
{
	if (is_on_cpu(span))
		return LIFE_RUNS;
	if (span->is_throttled)
		return LIFE_THROTTLED;
	if (span->time_class == TIME_RUNNABLE)
		return span->is_behind_recorder ? LIFE_RECORDER : LIFE_READY;
	return span->time_class == TIME_ASLEEP ? LIFE_SLEEPS : LIFE_UNKNOWN;
}

static uint32_t add_sleep(struct life_reader *reader, struct open_life *open)
{
	uint32_t index = (uint32_t)reader->lives.sleeps.count;

	if (array_append(&reader->lives.sleeps, &open->falling) < 0 ||
	    (open->falling.call == CALL_OPEN &&
	     array_append(&open->open_sleeps, &index) < 0))
		reader->status = -ERROR_MEMORY;
	return index;
}

static void begin_row(struct life_reader *reader, struct open_life *open,
		      const struct time_span *span)
{
	const struct life *life = lives_at(&reader->lives, span->thread);

	open->has_row = true;
	open->serial = ++reader->rows;
	open->row = (struct life_row){
		.begin_ns = span->begin_ns,
		.end_ns = span->begin_ns,
		.kind = (uint8_t)kind_of(span),
		.reason = span->reason,
		.detail = (uint32_t)span->cpu,
	};
	if (open->row.kind != LIFE_SLEEPS)
		return;
	sleep_place_by_span(&open->falling, span);
	open->row.detail = add_sleep(reader, open);
	open->falling = sleep_unknown;
	open->last_sleep = (uint32_t)(life ? life->rows.count : 0) + 1;
}

/* Returns whether @span continues the open row. */
static bool continues(const struct open_life *open,
		      const struct time_span *span)
{
	return open->has_row && open->row.end_ns == span->begin_ns &&
	       open->row.kind == kind_of(span) &&
	       (open->row.kind != LIFE_UNKNOWN ||
		open->row.reason == span->reason);
}

/* Makes @span continue the open row, or ends that and starts a new one. A
 * thread that waited for a CPU counts as having waited for the CPU on which it
 * then runs, even if it had left another one.
 */
static void reach_row(struct life_reader *reader, struct open_life *open,
		      const struct time_span *span)
{
	if (continues(open, span))
		return;
	if (open->has_row && open->row.kind == LIFE_READY && is_on_cpu(span))
		open->row.detail = (uint32_t)span->cpu;
	end_row(reader, open, span->thread);
	begin_row(reader, open, span);
}

static size_t search_part(const struct open_life *open, enum work_kind kind,
			  uint32_t function)
{
	const struct life_part *parts = open->parts.items;
	size_t i = 0;

	while (i < open->parts.count &&
	       (parts[i].kind != kind || parts[i].function != function))
		i++;
	return i;
}

/* Returns the index of the part of @kind and @function; the number of parts if
 * there is none yet.
 */
static size_t find_part(struct life_reader *reader,
			const struct open_life *open, enum work_kind kind,
			uint32_t function)
{
	struct part_place *place =
		&reader->places[(function * 8 + kind + open->row.begin_ns) %
				PART_PLACES];

	if (place->row != open->serial || place->kind != kind ||
	    place->function != function)
		*place = (struct part_place){
			.row = open->serial,
			.kind = kind,
			.function = function,
			.index = search_part(open, kind, function),
		};
	return place->index;
}

static void add_parts(struct life_reader *reader, struct open_life *open,
		      enum work_kind kind, uint32_t function, uint64_t ns,
		      uint32_t count)
{
	const struct life_part empty = { .kind = kind, .function = function };
	struct life_part *part = array_reach_like(
		&open->parts, find_part(reader, open, kind, function), &empty);

	if (part) {
		part->ns += ns;
		part->count += count;
	} else
		reader->status = -ERROR_MEMORY;
}

static void add_part(struct life_reader *reader, struct open_life *open,
		     enum work_kind kind, uint32_t function, uint64_t ns)
{
	add_parts(reader, open, kind, function, ns, 0);
}

/* Adds the time between @begin_ns and @end_ns to parts, by the functions that
 * were in effect in @list (struct function_change).
 */
static void add_changes(struct life_reader *reader, struct open_life *open,
			enum work_kind kind, struct array *list,
			uint64_t begin_ns, uint64_t end_ns)
{
	const struct function_change *changes = list->items;
	size_t count = list->count;
	uint32_t function = count ? changes[0].function : FUNCTION_NONE;
	size_t i = 1;

	for (; i < count && changes[i].time_ns < end_ns; i++) {
		uint64_t until_ns = changes[i].time_ns;

		if (until_ns > begin_ns) {
			add_part(reader, open, kind, function,
				 until_ns - begin_ns);
			begin_ns = until_ns;
		}
		function = changes[i].function;
	}
	if (end_ns > begin_ns)
		add_part(reader, open, kind, function, end_ns - begin_ns);
	if (i > 1)
		array_remove(list, 0, i - 1);
}

/* Returns 1 if @span is the first of a fault, else 0. */
static uint32_t count_fault(struct open_life *open,
			    const struct time_span *span)
{
	const struct open_context *top = span->contexts + span->context_count;

	if (!span->context_count || top[-1].kind != CONTEXT_FAULT ||
	    top[-1].serial == open->last_fault)
		return 0;
	open->last_fault = top[-1].serial;
	return 1;
}

static void add_time(struct life_reader *reader, struct open_life *open,
		     const struct time_span *span)
{
	uint64_t ns = span->end_ns - span->begin_ns;

	switch (time_span_cause(span)) {
	case TIME_USER:
	case TIME_NOT_ASKED:
		add_changes(reader, open, WORK_USER, &open->changes,
			    span->begin_ns, span->end_ns);
		return;
	case TIME_SYSTEM_CALL:
		add_part(reader, open, WORK_CALL, CALL_OPEN, ns);
		return;
	case TIME_FAULT:
		add_parts(reader, open, span_exception_kind(span),
			  span_exception(span), ns, count_fault(open, span));
		return;
	case TIME_INTERRUPT:
		add_part(reader, open, WORK_INTERRUPT, span_interrupt(span),
			 ns);
		return;
	case TIME_TRACER:
		add_part(reader, open, WORK_TRACER, FUNCTION_NONE, ns);
		return;
	case TIME_GUEST:
		add_part(reader, open, WORK_GUEST, FUNCTION_NONE, ns);
		return;
	case TIME_RECLAIM:
	case TIME_KERNEL:
		add_changes(reader, open, WORK_KERNEL, &open->works,
			    span->begin_ns, span->end_ns);
		return;
	case TIME_RUNNABLE:
	case TIME_THROTTLED:
	case TIME_ASLEEP:
	case TIME_UNKNOWN:
	case TIME_CLASSES:
		return;
	}
}

/* Adds @span, in which there is no cut. */
static void add_whole(struct life_reader *reader, struct open_life *open,
		      const struct time_span *span)
{
	reach_row(reader, open, span);
	add_time(reader, open, span);
	open->row.end_ns = span->end_ns;
}

/* Adds @span, and ends a row at each cut in it (lives_internal.h, 2). */
static void add_cut(struct life_reader *reader, struct open_life *open,
		    const struct time_span *span)
{
	const uint64_t *cuts = open->cuts.items;
	struct time_span rest = *span;
	size_t i;

	for (i = 0; i < open->cuts.count && cuts[i] <= span->end_ns; i++) {
		struct time_span part = rest;

		part.end_ns = cuts[i];
		if (part.end_ns > part.begin_ns) {
			add_whole(reader, open, &part);
			rest.begin_ns = part.end_ns;
		}
		if (cuts[i] >= span->begin_ns)
			end_row(reader, open, span->thread);
	}
	array_remove(&open->cuts, 0, i);
	if (rest.end_ns > rest.begin_ns)
		add_whole(reader, open, &rest);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct life_reader *reader =
		container_of(callback, struct life_reader, spans);
	struct life *life = lives_reach(&reader->lives, span->thread);
	struct open_life *open = open_of(reader, span->thread);
	uint32_t *thread = array_reach(&reader->by_task, span->task->index);

	if (!life || !open || !thread) {
		reader->status = -ERROR_MEMORY;
		return;
	}
	*thread = span->thread + 1;
	life->tid = span->task->tid;
	life->pid = span->task->pid;
	if (is_on_cpu(span))
		add_cut(reader, open, span);
	else
		add_whole(reader, open, span);
}

static void set_waker(struct life_reader *reader, struct life_sleep *sleep,
		      uint32_t number)
{
	const struct waker *waker =
		number == WAKER_NONE ?
			NULL :
			wakers_at(task_tracker_wakers(reader->tasks), number);

	if (!waker)
		return;
	sleep->wake_function = waker->function;
	sleep->interrupt = waker->interrupt;
	sleep->is_guessed = waker->function == FUNCTION_UNKNOWN;
	/* Only interrupts wake from an idle CPU. A negative tid is an unknown
	 * task.
	 */
	if (waker->interrupt != FUNCTION_NONE || waker->tid == 0)
		sleep->wake = WAKE_BY_INTERRUPT;
	else
		sleep->waker = task_time_thread(reader->time, waker->tid);
	if (sleep->waker != LIFE_NONE)
		sleep->wake = WAKE_BY_THREAD;
}

static struct life_sleep *last_sleep(struct life_reader *reader,
				     const struct sleep *slept)
{
	uint32_t thread = task_time_thread(reader->time, slept->task->tid);
	const struct life *life = lives_at(&reader->lives, thread);
	const struct life_row *row;
	const struct open_life *open;

	if (!life || thread >= reader->open.count)
		return NULL;
	open = array_at(&reader->open, thread);
	if (!open->last_sleep)
		return NULL;
	row = open->last_sleep > life->rows.count ?
		      &open->row :
		      array_at(&life->rows, open->last_sleep - 1);
	return row->kind == LIFE_SLEEPS && row->begin_ns == slept->off_ns ?
		       array_at(&reader->lives.sleeps, row->detail) :
		       NULL;
}

/* Completes the waker by the last wake-up's event. The sender of a packet
 * counts as the waker, although the wake-up is in a soft interrupt.
 */
static void set_wake(const struct life_reader *reader, struct life_sleep *sleep,
		     const struct sleep *slept)
{
	const struct open_life *open =
		array_at(&reader->open,
			 task_time_thread(reader->time, slept->task->tid));

	if (sleep->wake == WAKE_BY_INTERRUPT && open->sender != LIFE_NONE) {
		sleep->wake = WAKE_BY_THREAD;
		sleep->waker = open->sender;
	}
	sleep->is_exit = sleep->wake == WAKE_BY_THREAD &&
			 open->was_woken_by_exit;
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *slept)
{
	struct life_reader *reader =
		container_of(listener, struct life_reader, listener);
	struct life_sleep *sleep = last_sleep(reader, slept);

	if (!sleep)
		return 0;
	sleep->label = slept->label;
	sleep->inner = slept->inner;
	set_waker(reader, sleep, slept->waker);
	set_wake(reader, sleep, slept);
	sleep_place_by_stack(sleep, reader->functions,
			     task_tracker_stacks(reader->tasks),
			     slept->user_stack);
	return 0;
}

static void name_parts(struct life_reader *reader, struct open_life *open,
		       uint32_t function)
{
	const uint32_t *indexes = open->open_parts.items;

	for (size_t i = 0; i < open->open_parts.count; i++) {
		struct life_part *part =
			array_at(&reader->lives.parts, indexes[i]);

		part->function = function;
	}
	open->open_parts.count = 0;
	indexes = open->open_sleeps.items;
	for (size_t i = 0; i < open->open_sleeps.count; i++) {
		struct life_sleep *sleep =
			array_at(&reader->lives.sleeps, indexes[i]);

		sleep->call = function;
		if (open->since_refused <= MOST_SINCE_REFUSED)
			sleep->refused = open->refused;
	}
	open->open_sleeps.count = 0;
}

/* Names the part of the open row that belongs to an ended call. If the row has
 * a part of that name already, joins the two.
 */
static void name_open(struct life_reader *reader, struct open_life *open,
		      uint32_t function)
{
	struct life_part *parts = open->parts.items;

	for (size_t i = 0; i < open->parts.count; i++) {
		uint64_t ns = parts[i].ns;

		if (parts[i].kind != WORK_CALL ||
		    parts[i].function != CALL_OPEN)
			continue;
		array_remove(&open->parts, i, 1);
		open->serial = ++reader->rows;
		add_part(reader, open, WORK_CALL, function, ns);
		return;
	}
}

static uint32_t number_of(struct life_reader *reader,
			  const struct system_call *call)
{
	char text[1024];
	struct call_item file;
	const char *name = call_items_first_file(call->items, &file) ?
				   call_file_text(&file, text, sizeof(text)) :
				   call_items_path(call->items);
	uint32_t number = lives_add_call(&reader->lives, call->function, name);

	if (number == LIFE_NONE)
		reader->status = -ERROR_MEMORY;
	return number;
}

static void note_refused(struct open_life *open, const struct system_call *call,
			 uint32_t number)
{
	open->since_refused++;
	if (!sleep_place_is_refused(call))
		return;
	open->refused = number;
	open->since_refused = 0;
}

static int consume_call(struct task_listener *listener,
			const struct system_call *call)
{
	struct life_reader *reader =
		container_of(listener, struct life_reader, listener);
	uint32_t thread = task_time_thread(reader->time, call->task->tid);
	struct open_life *open = open_of(reader, thread);
	uint32_t number;

	if (!open)
		return 0;
	number = number_of(reader, call);
	name_parts(reader, open, number);
	name_open(reader, open, number);
	note_refused(open, call, number);
	if (function_marks_at(reader->marks, call->function) & MARK_LOOP)
		lives_loop_returns(&reader->lives, thread, number,
				   call->begin_ns, call->end_ns);
	return 0;
}

static uint32_t thread_of(const struct life_reader *reader,
			  const struct task *task)
{
	const uint32_t *known = reader->by_task.items;

	return task->index < reader->by_task.count && known[task->index] ?
		       known[task->index] - 1 :
		       task_time_thread(reader->time, task->tid);
}

/* Returns the user function that @task is in; FUNCTION_NONE: in none. */
static uint32_t user_function(const struct life_reader *reader,
			      const struct task *task)
{
	size_t count;
	const struct path_frame *frames =
		task_paths_of(reader->paths, task->index, &count);
	uint32_t function = count ? frames[count - 1].function : FUNCTION_NONE;

	return count && function_at(reader->functions, function)->space == 'u' ?
		       function :
		       FUNCTION_NONE;
}

static void add_change(struct life_reader *reader, struct array *list,
		       uint64_t time_ns, uint32_t function)
{
	const struct function_change change = { time_ns, function };
	const struct function_change *last = list->items;

	if (!list->count || last[list->count - 1].function != function)
		note(reader, array_append(list, &change));
}

/* Returns the outermost of @frames that names work; or FUNCTION_NONE. A
 * function that handles a signal counts only if no other names work.
 */
static uint32_t work_function(const struct life_reader *reader,
			      const struct path_frame *frames, size_t count)
{
	uint32_t found = FUNCTION_NONE;

	for (size_t i = 0; i < count; i++) {
		uint8_t mark =
			function_marks_at(reader->marks, frames[i].function);

		if (mark & MARK_WORK)
			return frames[i].function;
		if (mark & MARK_SIGNAL)
			found = frames[i].function;
	}
	return found;
}

/* Handles the entry or exit of a user function, or of one that names work. */
static void consume_function(struct life_reader *reader,
			     const struct call_step *step, bool is_user)
{
	struct open_life *open = open_of(reader, thread_of(reader, step->task));
	const struct path_frame *frames;
	size_t count;

	if (!open)
		return;
	if (is_user) {
		add_change(reader, &open->changes, step->time_ns,
			   user_function(reader, step->task));
		return;
	}
	frames = task_paths_of(reader->paths, step->task->index, &count);
	if (!open->works.count)
		add_change(reader, &open->works, 0, FUNCTION_NONE);
	add_change(reader, &open->works, step->time_ns,
		   work_function(reader, frames, count));
}

static uint32_t thread_of_tid(const struct life_reader *reader, int32_t tid)
{
	return tid > 0 ? task_time_thread(reader->time, tid) : LIFE_NONE;
}

static void consume_switch(struct life_reader *reader,
			   const struct call_step *step)
{
	const struct life_switch change = {
		.time_ns = step->time_ns,
		.thread = thread_of_tid(reader, step->task->tid),
		.is_idle = step->task->tid == 0,
	};

	note(reader, lives_switch(&reader->lives, step->cpu, &change));
}

static bool is_user(const struct life_reader *reader, uint32_t function)
{
	return function_at(reader->functions, function)->space == 'u';
}

/* Returns which calls of @function consume_step() needs: an enum function_need.
 */
static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct life_reader *reader = (const struct life_reader *)handler;

	if (is_user(reader, function))
		return NEED_OUTSIDE_USER;
	return (function_marks_at(reader->marks, function) &
		(MARK_WORK | MARK_SIGNAL)) != 0;
}

/* Applies skipped calls: all of them are of user functions, or none matters. */
static void skip(struct event_handler *handler,
		 const struct skipped_calls *skipped)
{
	struct life_reader *reader = (struct life_reader *)handler;
	const struct function_event *events = skipped->events;
	struct open_life *open;

	if (!is_user(reader, events->function))
		return;
	open = open_of(reader, thread_of(reader, skipped->last->task));
	if (!open)
		return;
	for (uint32_t i = 0; i < skipped->event_count; i++)
		add_change(reader, &open->changes, events[i].time_ns,
			   events[i].function);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct life_reader *reader = (struct life_reader *)handler;

	if (step->kind == STEP_SWITCH ||
	    (step->kind == STEP_STATE && step->detail == CPU_TRACED))
		consume_switch(reader, step);
	else if ((step->kind == STEP_ENTER || step->kind == STEP_EXIT) &&
		 needs_function(handler, step->function))
		consume_function(reader, step, is_user(reader, step->function));
}

static void cut(struct life_reader *reader, int32_t tid, uint64_t time_ns)
{
	struct open_life *open = open_of(reader, thread_of_tid(reader, tid));

	if (open)
		note(reader, array_append(&open->cuts, &time_ns));
}

static const struct path_frame *frames_of(const struct life_reader *reader,
					  const struct event_record *event,
					  size_t *count)
{
	const struct task *task =
		task_time_task(reader->time, event->cpu, event->tid);

	*count = 0;
	return task ? task_paths_of(reader->paths, task->index, count) : NULL;
}

static bool has_mark(const struct life_reader *reader,
		     const struct path_frame *frames, size_t count,
		     uint8_t mark)
{
	for (size_t i = 0; i < count; i++)
		if (function_marks_at(reader->marks, frames[i].function) & mark)
			return true;
	return false;
}

static void fall_asleep(struct life_reader *reader,
			const struct event_record *event)
{
	int32_t tid = (int32_t)event->values[SWITCH_PREV];
	struct open_life *open = open_of(reader, thread_of_tid(reader, tid));
	const struct path_frame *frames;
	size_t count;

	if (!open || off_how_of(event->values[SWITCH_PREV_STATE]) != OFF_ASLEEP)
		return;
	frames = frames_of(reader, event, &count);
	open->falling = sleep_unknown;
	open->falling.is_io = has_mark(reader, frames, count, MARK_IO);
	open->falling.inside = work_function(reader, frames, count);
	sleep_place_by_frames(&open->falling, reader->functions, frames, count,
			      reader->symbols, event);
}

/* Returns whether the thread of @event delivers a packet that it sent over the
 * loopback device: in a soft interrupt that its system call runs, from the
 * backlog of its CPU.
 */
static bool is_sending(const struct life_reader *reader,
		       const struct event_record *event,
		       const struct path_frame *frames, size_t count)
{
	const struct task *task =
		task_time_task(reader->time, event->cpu, event->tid);
	const struct open_context *contexts;
	size_t depth;

	if (!task || event->tid <= 0 ||
	    !has_mark(reader, frames, count, MARK_BACKLOG))
		return false;
	contexts = task_time_contexts(reader->time, task->index, &depth);
	return depth > 1 && contexts[0].kind == CONTEXT_SYSTEM_CALL &&
	       contexts[1].kind == CONTEXT_SOFTIRQ;
}

/* Handles a wake-up, or the start of a new thread. The waker's row ends there. */
static void wake(struct life_reader *reader, const struct event_record *event)
{
	uint32_t thread =
		thread_of_tid(reader, (int32_t)event->values[WAKING_TID]);
	struct open_life *open;
	const struct path_frame *frames;
	size_t count;

	cut(reader, event->tid, event->time_ns);
	if (event->event == EVENT_SCHED_WAKEUP_NEW) {
		lives_start(&reader->lives, thread, event->time_ns);
		return;
	}
	open = open_of(reader, thread);
	if (!open)
		return;
	lives_set_priority(&reader->lives, thread,
			   event->values[WAKING_PRIORITY]);
	frames = frames_of(reader, event, &count);
	open->was_woken_by_exit = has_mark(reader, frames, count, MARK_EXIT);
	open->sender = is_sending(reader, event, frames, count) ?
			       task_time_thread(reader->time, event->tid) :
			       LIFE_NONE;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct life_reader *reader = (struct life_reader *)handler;

	if (event->event == EVENT_SCHED_WAKING ||
	    event->event == EVENT_SCHED_WAKEUP_NEW)
		wake(reader, event);
	else if (event->event == EVENT_SCHED_SWITCH)
		fall_asleep(reader, event);
}

static void consume_fork(struct life_reader *reader, struct life *life,
			 const struct sideband_record *record)
{
	const struct life_birth birth = {
		record->time_ns, thread_of_tid(reader, record->fork.parent_tid)
	};

	life->has_exited = false;
	note(reader, array_append(&life->births, &birth));
	cut(reader, record->fork.parent_tid, record->time_ns);
}

static void consume_record(struct event_handler *handler,
			   const struct sideband_record *record)
{
	struct life_reader *reader = (struct life_reader *)handler;
	uint32_t thread = thread_of_tid(reader, record->tid);
	struct life *life = lives_reach(&reader->lives, thread);

	/* Records without a time are from before the recording. */
	if (!life || !record->time_ns)
		return;
	if (record->kind == SIDEBAND_FORK)
		consume_fork(reader, life, record);
	else if (record->kind == SIDEBAND_EXIT)
		life->has_exited = true;
	else if (record->kind == SIDEBAND_COMM && record->comm.exec &&
		 !life->exec_ns)
		life->exec_ns = record->time_ns;
}

static bool open_reader(struct life_reader *reader, struct trackers *trackers)
{
	struct thread_tracker *threads = trackers_threads(trackers);

	reader->handler = (struct event_handler){ .step = consume_step,
						  .needs = needs_function,
						  .skip = skip,
						  .event = consume_event,
						  .record = consume_record };
	reader->spans.consume = consume_span;
	reader->listener = (struct task_listener){ .slept = consume_sleep,
						   .ended = consume_call };
	reader->marks = function_marks_by_rules(reader->functions, rules,
						sizeof(rules) / sizeof(*rules));
	reader->tasks = trackers_tasks(trackers, &reader->listener);
	reader->time = thread_tracker_time(threads);
	reader->paths = thread_tracker_paths(threads);
	reader->lives.allowed = trackers_allowed_cpus(trackers);
	return reader->lives.allowed && reader->marks && reader->tasks &&
	       reader->time && reader->paths &&
	       !thread_tracker_hand_spans(threads, &reader->spans,
					  TIME_WINDOW_ALL) &&
	       !trackers_follow(trackers, &reader->handler);
}

struct life_reader *life_reader_new(struct trackers *trackers,
				    const struct function_table *functions,
				    const struct symbols *symbols)
{
	struct life_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->functions = functions;
	reader->symbols = symbols;
	reader->lives = LIVES_NONE;
	reader->open = ARRAY_OF(struct open_life);
	reader->by_task = ARRAY_OF(uint32_t);
	if (open_reader(reader, trackers))
		return reader;
	life_reader_free(reader);
	return NULL;
}

void life_reader_free(struct life_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->open.count; i++) {
		struct open_life *open = array_at(&reader->open, i);

		array_free(&open->parts);
		array_free(&open->changes);
		array_free(&open->works);
		array_free(&open->cuts);
		array_free(&open->open_parts);
		array_free(&open->open_sleeps);
	}
	array_free(&reader->open);
	array_free(&reader->by_task);
	lives_free(&reader->lives);
	free(reader->marks);
	free(reader);
}

int life_reader_end(struct life_reader *reader)
{
	for (size_t i = 0; i < reader->open.count; i++) {
		struct open_life *open = array_at(&reader->open, i);

		name_open(reader, open, FUNCTION_NONE);
		name_parts(reader, open, FUNCTION_NONE);
		end_row(reader, open, (uint32_t)i);
	}
	return reader->status;
}

const struct lives *life_reader_lives(const struct life_reader *reader)
{
	return &reader->lives;
}
