/* SPDX-License-Identifier: MIT */
#include "attribution/calls/call_items.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/elf/lines.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/stack_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The tables "syscall" and "sleep", with one row for each that the trackers of
 * system calls and sleeps emit (struct task_listener). Both are made in one
 * pass.
 */

/* The CPUs on which a newly arrived thread has not changed its class yet: the
 * spans of its time off the CPU are emitted only at that change (task_time.h).
 */
struct fresh_cpus {
	/* bool by CPU + 1; index 0 is a trace without a CPU number */
	struct array is_fresh;
	uint32_t count;
};

#define FRESH_CPUS_NONE ((struct fresh_cpus){ .is_fresh = ARRAY_OF(bool) })

#define OF_CALL(member) MEMBER(struct system_call, member)
#define ARGUMENT(number) \
	INT_COLUMN("arg" #number, \
		   "argument, as a signed number; NULL if not recorded")

static const struct column syscall_columns[] = {
	NS_COLUMN("begin_ns", "entry into the kernel", .role = ROLE_BEGIN,
		  OF_CALL(begin_ns)),
	NS_COLUMN("end_ns",
		  "exit from the kernel, or the last time at which the "
		  "call was seen",
		  .role = ROLE_END, OF_CALL(end_ns)),
	NS_COLUMN("wall_ns", "end_ns - begin_ns"),
	INT_COLUMN("pid", "process", .role = ROLE_PID),
	INT_COLUMN("tid", "thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at the start of the call"),
	INT_COLUMN("cpu", "CPU on which it ended", .role = ROLE_CPU),
	TEXT_COLUMN("call",
		    "name of the system call, such as read; ? if no function "
		    "of a system call was entered"),
	TEXT_COLUMN("function", "the kernel's function that handles it",
		    .role = ROLE_FUNCTION),
	NS_COLUMN("on_cpu_ns", "part of wall_ns on a CPU for the call"),
	NS_COLUMN("asleep_ns", "part of wall_ns asleep",
		  OF_CALL(class_ns[TIME_ASLEEP])),
	NS_COLUMN("runnable_ns", "part of wall_ns waiting for a CPU",
		  OF_CALL(class_ns[TIME_RUNNABLE])),
	NS_COLUMN("stolen_ns", "part of wall_ns in interrupts",
		  OF_CALL(class_ns[TIME_INTERRUPT])),
	NS_COLUMN("tracer_ns", "part of wall_ns in the functions of the tracer",
		  OF_CALL(class_ns[TIME_TRACER])),
	NS_COLUMN("unknown_ns", "part of wall_ns that is not in the trace",
		  OF_CALL(class_ns[TIME_UNKNOWN])),
	INT_COLUMN("faults", "number of page faults in the call",
		   OF_CALL(faults)),
	NS_COLUMN("fault_ns", "wall time of these page faults",
		  OF_CALL(fault_ns)),
	INT_COLUMN("is_recorder",
		   "1: a thread of the recorder, omitted from reports"),
	TEXT_COLUMN("ended",
		    "returned; no_return: the thread ended in the call; cut: "
		    "part of the call is not in the trace"),
	INT_COLUMN("number", "number of the system call; NULL if not recorded"),
	INT_COLUMN("result",
		   "return value, negative for errors; NULL if not recorded"),
	ARGUMENT(0),
	ARGUMENT(1),
	ARGUMENT(2),
	ARGUMENT(3),
	ARGUMENT(4),
	ARGUMENT(5),
	TEXT_COLUMN("path", "first path among the arguments, by record "
			    "--syscall-data; NULL without it"),
	TEXT_COLUMN("file",
		    "file, pipe or socket of the first descriptor among the "
		    "arguments, else of the one that was returned; NULL "
		    "without record --syscall-data"),
};

static const struct sql_need syscall_needs[] = {
	{ .event = RECORDED_KERNEL },
	{ "asleep_ns runnable_ns", NULL, EVENT_SCHED_SWITCH, 0 },
	{ "asleep_ns runnable_ns", NULL, EVENT_SCHED_WAKING, 0 },
	{ "number arg0 arg1 arg2 arg3 arg4 arg5", NULL, EVENT_SYS_ENTER, 0 },
	{ "result", NULL, EVENT_SYS_EXIT, 0 },
	{ "path file", NULL, EVENT_SYS_DATA, 0 },
};

const struct sql_table sql_syscall_table = {
	.id = TABLE_SYSCALL,
	.name = "syscall",
	.meaning = "All system calls; report --syscalls adds up the ones that "
		   "returned.",
	COLUMN_LIST(syscall_columns),
	.rows_per_mb = 1000,
	.records = &system_call_records,
	.source = &watch_source,
	SQL_NEEDS(syscall_needs),
};

static void write_path(FILE *file, const void *ctx)
{
	fputs(ctx, file);
}

static void write_file(FILE *file, const void *ctx)
{
	call_file_write(ctx, file);
}

/* Puts the path and the file of a call. */
static void put_files(struct row_out *out, const struct system_call *call)
{
	const char *path = call_items_path(call->items);
	struct call_item file;

	if (path)
		row_put_written(out, write_path, path);
	else
		row_put_text(out, NULL);
	if (call_items_first_file(call->items, &file))
		row_put_written(out, write_file, &file);
	else
		row_put_text(out, NULL);
}

/* Adds a row of the table "syscall" to @out. */
static void syscall_columns_add(const struct attribution_input *input,
				struct row_out *out,
				const struct system_call *call)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	const struct task *task = call->task;

	if (!row_out_start(out, call))
		return;
	row_put_number(out, (int64_t)(call->end_ns - call->begin_ns));
	row_put_task(out, input, task, call->begin_ns);
	row_put_number(out, task->cpu);
	row_put_text(out,
		     system_call_name(functions, symbols_arch(input->symbols),
				      call->function));
	row_put_function(out, input, true, call->function);
	row_put_number(out, (int64_t)system_call_on_cpu(call->class_ns));
	row_put_number(out, task_is_recorder(input, task->tid));
	row_put_text(out, system_call_end_text(call->end));
	row_put_known(out, call->has_enter, call->number);
	row_put_known(out, call->has_exit, call->result);
	for (uint32_t i = 0; i < SYSTEM_CALL_ARGUMENTS; i++)
		row_put_known(out, call->has_enter,
			      (int64_t)call->arguments[i]);
	put_files(out, call);
	row_out_end(out);
}

#define OF_SLEEP(member) MEMBER(struct sleep, member)

static const struct column sleep_columns[] = {
	NS_COLUMN("begin_ns", "time at which the thread left its CPU",
		  .role = ROLE_BEGIN, OF_SLEEP(begin_ns)),
	NS_COLUMN("end_ns",
		  "time at which the thread ran again: begin_ns + "
		  "asleep_ns + runnable_ns",
		  .role = ROLE_END),
	NS_COLUMN("asleep_ns", "time until the thread was woken",
		  OF_SLEEP(asleep_ns)),
	NS_COLUMN("runnable_ns", "time from the wake-up until it ran",
		  OF_SLEEP(runnable_ns)),
	INT_COLUMN("pid", "process", .role = ROLE_PID),
	INT_COLUMN("tid", "thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	INT_COLUMN("cpu",
		   "CPU on which the thread had last run when the sleep "
		   "ended",
		   .role = ROLE_CPU),
	TEXT_COLUMN("function",
		    "wait channel: the function that decided to wait, as in "
		    "/proc/PID/wchan; NULL if not in the trace",
		    .role = ROLE_FUNCTION),
	TEXT_COLUMN("slept_in", "the function that it called to sleep"),
	INT_COLUMN("fd",
		   "file descriptor that its system call operates on; NULL: "
		   "none, or arguments were not recorded",
		   ID_MEMBER(struct sleep, fd)),
	INT_COLUMN("waker_pid",
		   "process of the waker; NULL if unknown or an interrupt"),
	INT_COLUMN("waker_tid", "its thread"),
	TEXT_COLUMN("waker_comm", "last name of that thread"),
	TEXT_COLUMN("waker_function",
		    "the function that decided to wake the thread; NULL if "
		    "unknown"),
	TEXT_COLUMN("waker_interrupt",
		    "handler, if an interrupt woke the thread; NULL: none"),
	TEXT_COLUMN("wakers",
		    "the waker, then the waker's own waker, and so on; empty "
		    "if unknown"),
	INT_COLUMN("others_at_begin",
		   "number of other threads asleep in the same function at "
		   "the start of the sleep",
		   OF_SLEEP(others_at_begin)),
	INT_COLUMN("others_at_end", "number of such threads at the wake-up",
		   OF_SLEEP(others_at_end)),
	INT_COLUMN("is_cut", "1: the recording starts or ends during the sleep",
		   OF_SLEEP(is_cut)),
	INT_COLUMN("is_recorder",
		   "1: a thread of the recorder, omitted from reports"),
	TEXT_COLUMN("stack",
		    "kernel functions, outermost first, separated by ;"),
	TEXT_COLUMN("user_stack",
		    "functions of the program in the same form, by record "
		    "--user-stacks or --user; NULL without them"),
	TEXT_COLUMN("blocking_file",
		    "source file in which function called slept_in; NULL "
		    "without the kernel's debug information"),
	INT_COLUMN("blocking_line", "line of that call"),
};

static const struct sql_need sleep_needs[] = {
	{ .event = EVENT_SCHED_SWITCH },
	{ .event = EVENT_SCHED_WAKING },
	{ "function slept_in waker_function waker_interrupt stack", NULL,
	  RECORDED_KERNEL, 0 },
	{ "fd", NULL, EVENT_SYS_ENTER, 0 },
	{ "user_stack", NULL, RECORDED_USER_STACKS, 0 },
};

const struct sql_table sql_sleep_table = {
	.id = TABLE_SLEEP,
	.name = "sleep",
	.meaning = "All sleeps of threads, with their wakers; report --sleeps "
		   "adds them up.",
	COLUMN_LIST(sleep_columns),
	.rows_per_mb = 200,
	.records = &sleep_records,
	.source = &watch_source,
	SQL_NEEDS(sleep_needs),
};

/* A text column of a row: a stack or wakers, by number. */
struct row_text {
	const struct attribution_input *input;
	const struct task_tracker *tracker;
	uint32_t number;
};

static void write_stack(FILE *file, const void *ctx)
{
	const struct row_text *text = ctx;

	stack_text_write(task_tracker_stacks(text->tracker), text->number,
			 symbols_functions(text->input->symbols), file);
}

/* Returns the stack of @sleep in user space: the unwound one or, if user code
 * is traced, the program's part of its stack.
 */
static uint32_t user_stack_of(const struct task_tracker *tracker,
			      const struct attribution_input *input,
			      const struct sleep *sleep)
{
	return sleep->user_stack != CALL_NODE_NONE ?
		       sleep->user_stack :
		       stack_text_user_part(task_tracker_stacks(tracker),
					    sleep->stack,
					    symbols_functions(input->symbols));
}

static void write_wakers(FILE *file, const void *ctx)
{
	const struct row_text *text = ctx;

	if (text->number != WAKER_NONE)
		wakers_write(task_tracker_wakers(text->tracker), text->number,
			     symbols_functions(text->input->symbols),
			     text->input->names, file);
}

/* Puts the waker's columns. If an interrupt is the waker, its task is only the
 * interrupted one.
 */
static void put_waker(struct row_out *out,
		      const struct attribution_input *input,
		      const struct waker *waker)
{
	bool is_task = waker && waker->interrupt == FUNCTION_NONE;

	row_put_known(out, is_task, is_task ? waker->pid : 0);
	row_put_known(out, is_task, is_task ? waker->tid : 0);
	row_put_text(out, is_task ? task_names_last(input->names, waker->tid) :
				    NULL);
	row_put_function(out, input, waker, waker ? waker->function : 0);
	row_put_function(out, input, waker && !is_task,
			 waker ? waker->interrupt : 0);
}

static void put_line(struct row_out *out, const struct attribution_input *input,
		     const struct sleep *sleep)
{
	struct source_line line = { 0 };

	sleep_find_line(input->lines, symbols_functions(input->symbols),
			sleep->label, sleep->place, &line);
	row_put_text(out, line.file);
	row_put_known(out, line.file, line.line);
}

/* Puts the text of @write for @number, a stack or wakers. */
static void put_written(struct row_out *out, struct row_text *text,
			uint32_t number,
			void (*write)(FILE *file, const void *ctx))
{
	text->number = number;
	row_put_written(out, write, text);
}

/* Adds a row of the table "sleep" to @out. */
static void sleep_columns_add(const struct attribution_input *input,
			      const struct task_tracker *tracker,
			      struct row_out *out, const struct sleep *sleep)
{
	struct row_text text = { .input = input, .tracker = tracker };

	if (!row_out_start(out, sleep))
		return;
	row_put_number(out, (int64_t)(sleep->begin_ns + sleep->asleep_ns +
				      sleep->runnable_ns));
	row_put_task(out, input, sleep->task, sleep->begin_ns);
	row_put_number(out, sleep->task->cpu);
	row_put_function(out, input, sleep->label != FUNCTION_UNKNOWN,
			 sleep->label);
	row_put_function(out, input, sleep->inner != FUNCTION_UNKNOWN,
			 sleep->inner);
	put_waker(out, input,
		  sleep->waker == WAKER_NONE ?
			  NULL :
			  wakers_at(task_tracker_wakers(tracker),
				    sleep->waker));
	put_written(out, &text, sleep->waker, write_wakers);
	row_put_number(out, task_is_recorder(input, sleep->task->tid));
	put_written(out, &text, sleep->stack, write_stack);
	if (known_events_has_user_stacks(input->events) ||
	    recording_traces_user(input->recording))
		put_written(out, &text, user_stack_of(tracker, input, sleep),
			    write_stack);
	else
		row_put_text(out, NULL);
	put_line(out, input, sleep);
	row_out_end(out);
}

/* Returns whether a step leaves the thread's class as it is. Most calls only
 * prolong the thread's current class. An entry by an exception or system call
 * starts another kernel context and changes the class.
 */
static bool changes_nothing(const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return step->how != HOW_EXCEPTION &&
		       step->how != HOW_SYSTEM_CALL;
	return step->kind == STEP_EXIT || step->kind == STEP_COUNT;
}

/* Applies a step.  Returns 0 or -ERROR_MEMORY. */
static int fresh_cpus_consume(struct fresh_cpus *cpus,
			      const struct call_step *step)
{
	bool is_fresh = step->kind == STEP_SWITCH && step->task->tid;
	bool *was_fresh;

	if (changes_nothing(step))
		return 0;
	was_fresh = array_reach(&cpus->is_fresh, (size_t)(step->cpu + 1));
	if (!was_fresh)
		return -ERROR_MEMORY;
	if (is_fresh && !*was_fresh)
		cpus->count++;
	else if (!is_fresh && *was_fresh)
		cpus->count--;
	*was_fresh = is_fresh;
	return 0;
}

/* System calls and sleeps, which one pass finds. */
struct watch_rows {
	struct row_source source;
	struct task_listener listener;
	const struct attribution_input *recording;
	const struct row_choice *choice;
	const struct task_tracker *tracker;
	struct row_out *syscalls; /* or NULL */
	struct row_out *sleeps;	  /* or NULL */
	struct fresh_cpus cpus;
	int status;
};

static struct watch_rows *of_listener(struct task_listener *listener)
{
	return container_of(listener, struct watch_rows, listener);
}

static int consume_call(struct task_listener *listener,
			const struct system_call *call)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->syscalls)
		syscall_columns_add(rows->recording, rows->syscalls, call);
	return 0;
}

static int consume_sleep(struct task_listener *listener,
			 const struct sleep *sleep)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->sleeps)
		sleep_columns_add(rows->recording, rows->tracker, rows->sleeps,
				  sleep);
	return 0;
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct watch_rows *rows = (struct watch_rows *)handler;

	if (fresh_cpus_consume(&rows->cpus, step) < 0)
		rows->status = -ERROR_MEMORY;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct watch_rows *rows = (const struct watch_rows *)source;

	return time_ns >= rows->choice->end.until_ns && !rows->cpus.count;
}

static int end(struct row_source *source, const struct row_end *pass)
{
	(void)pass;
	return ((const struct watch_rows *)source)->status;
}

static void close_rows(struct row_source *source)
{
	struct watch_rows *rows = (struct watch_rows *)source;

	array_free(&rows->cpus.is_fresh);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct watch_rows *rows = (struct watch_rows *)source;

	source->handler.step = consume_step;
	/* Entries by exceptions and system calls, which change a class, are
	 * never skipped.
	 */
	source->handler.limit = event_handler_limits_nothing;
	source->needs_begin = true;
	rows->listener.reads_records = true;
	rows->listener.ended = consume_call;
	rows->listener.slept = consume_sleep;
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->syscalls = input->outs[TABLE_SYSCALL];
	rows->sleeps = input->outs[TABLE_SLEEP];
	rows->cpus = FRESH_CPUS_NONE;
	rows->tracker =
		trackers_tasks(input->recording->trackers, &rows->listener);
	return rows->tracker;
}

const struct row_source_class watch_source = {
	.needs_time = true,
	.size = sizeof(struct watch_rows),
	.open = open_rows,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};
