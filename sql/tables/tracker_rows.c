/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/events/known_events.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
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

/* The tables "syscall" and "sleep", one row for each, as the trackers of system
 * calls and sleeps emit them (struct task_listener); both from one pass.
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

enum {
	SYSCALL_COLUMN_BEGIN,
	SYSCALL_COLUMN_END,
	SYSCALL_COLUMN_WALL,
	SYSCALL_COLUMN_PID,
	SYSCALL_COLUMN_TID,
	SYSCALL_COLUMN_COMM,
	SYSCALL_COLUMN_CPU,
	SYSCALL_COLUMN_CALL,
	SYSCALL_COLUMN_FUNCTION,
	SYSCALL_COLUMN_ON_CPU,
	SYSCALL_COLUMN_ASLEEP,
	SYSCALL_COLUMN_RUNNABLE,
	SYSCALL_COLUMN_STOLEN,
	SYSCALL_COLUMN_TRACER,
	SYSCALL_COLUMN_UNKNOWN,
	SYSCALL_COLUMN_FAULTS,
	SYSCALL_COLUMN_FAULT_NS,
	SYSCALL_COLUMN_IS_RECORDER,
	SYSCALL_COLUMN_ENDED,
	SYSCALL_COLUMN_NUMBER,
	SYSCALL_COLUMN_RESULT,
	SYSCALL_COLUMN_ARGUMENT,
	SYSCALL_COLUMNS = SYSCALL_COLUMN_ARGUMENT + SYSTEM_CALL_ARGUMENTS,
};

#define ARGUMENT(number) \
	[SYSCALL_COLUMN_ARGUMENT + \
		(number)] = { "arg" #number, SQL_INTEGER, ROLE_NONE, "", \
			      "argument, as a signed " \
			      "number; NULL if not recorded" }

static const struct sql_column syscall_columns[SYSCALL_COLUMNS] = {
	[SYSCALL_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
				   "entry into the kernel" },
	[SYSCALL_COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
				 "exit from the kernel, or the last time at which the "
				 "call was seen" },
	[SYSCALL_COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
				  "end_ns - begin_ns" },
	[SYSCALL_COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" },
	[SYSCALL_COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[SYSCALL_COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
				  "name of the thread at the start of the call" },
	[SYSCALL_COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
				 "CPU on which it ended" },
	[SYSCALL_COLUMN_CALL] = { "call", SQL_TEXT, ROLE_NONE, "",
				  "name of the system call, such as read; ? if no "
				  "function of a system call was entered" },
	[SYSCALL_COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
				      "the kernel's function that handles it" },
	[SYSCALL_COLUMN_ON_CPU] = { "on_cpu_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "part of wall_ns on a CPU for the call" },
	[SYSCALL_COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "part of wall_ns asleep" },
	[SYSCALL_COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE,
				      "ns",
				      "part of wall_ns waiting for a CPU" },
	[SYSCALL_COLUMN_STOLEN] = { "stolen_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "part of wall_ns in interrupts" },
	[SYSCALL_COLUMN_TRACER] = { "tracer_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "part of wall_ns in the functions of the tracer" },
	[SYSCALL_COLUMN_UNKNOWN] = { "unknown_ns", SQL_INTEGER, ROLE_NONE, "ns",
				     "part of wall_ns that is not in the trace" },
	[SYSCALL_COLUMN_FAULTS] = { "faults", SQL_INTEGER, ROLE_NONE, "",
				    "number of page faults in the call" },
	[SYSCALL_COLUMN_FAULT_NS] = { "fault_ns", SQL_INTEGER, ROLE_NONE, "ns",
				      "wall time of these page faults" },
	[SYSCALL_COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE,
					 "",
					 "1: a thread of the recorder, omitted from "
					 "reports" },
	[SYSCALL_COLUMN_ENDED] = { "ended", SQL_TEXT, ROLE_NONE, "",
				   "returned; no_return: the thread ended in the call; "
				   "cut: part of the call is not in the trace" },
	[SYSCALL_COLUMN_NUMBER] = { "number", SQL_INTEGER, ROLE_NONE, "",
				    "number of the system call; NULL if not recorded" },
	[SYSCALL_COLUMN_RESULT] = { "result", SQL_INTEGER, ROLE_NONE, "",
				    "return value, negative for errors; NULL if not "
				    "recorded" },
	ARGUMENT(0),
	ARGUMENT(1),
	ARGUMENT(2),
	ARGUMENT(3),
	ARGUMENT(4),
	ARGUMENT(5),
};

#define OFF_CPU \
	(SQL_COLUMN(SYSCALL_COLUMN_ASLEEP) | \
	 SQL_COLUMN(SYSCALL_COLUMN_RUNNABLE))

/* The number and all arguments. */
#define VALUES \
	(SQL_COLUMN(SYSCALL_COLUMN_NUMBER) | \
	 (SQL_COLUMN(SYSTEM_CALL_ARGUMENTS) - 1) << SYSCALL_COLUMN_ARGUMENT)

static const struct sql_need syscall_needs[] = {
	{ .event = RECORDED_KERNEL },
	{ OFF_CPU, NULL, EVENT_SCHED_SWITCH, 0 },
	{ OFF_CPU, NULL, EVENT_SCHED_WAKING, 0 },
	{ VALUES, NULL, EVENT_SYS_ENTER, 0 },
	{ SQL_COLUMN(SYSCALL_COLUMN_RESULT), NULL, EVENT_SYS_EXIT, 0 },
};

const struct sql_table sql_syscall_table = {
	.id = TABLE_SYSCALL,
	.name = "syscall",
	.meaning = "All system calls; report --syscalls adds up the ones that "
		   "returned.",
	.columns = syscall_columns,
	.column_count = SYSCALL_COLUMNS,
	.rows_per_mb = 1000,
	.is_kept = true,
	.source = &watch_source,
	.needs = syscall_needs,
	.need_count = sizeof(syscall_needs) / sizeof(*syscall_needs),
};

static void fill_times(union sql_cell *cells, const struct system_call *call)
{
	cells[SYSCALL_COLUMN_BEGIN].number = (int64_t)call->begin_ns;
	cells[SYSCALL_COLUMN_END].number = (int64_t)call->end_ns;
	cells[SYSCALL_COLUMN_WALL].number =
		(int64_t)(call->end_ns - call->begin_ns);
	cells[SYSCALL_COLUMN_ON_CPU].number =
		(int64_t)system_call_on_cpu(call->class_ns);
	cells[SYSCALL_COLUMN_ASLEEP].number =
		(int64_t)call->class_ns[TIME_ASLEEP];
	cells[SYSCALL_COLUMN_RUNNABLE].number =
		(int64_t)call->class_ns[TIME_RUNNABLE];
	cells[SYSCALL_COLUMN_STOLEN].number =
		(int64_t)call->class_ns[TIME_INTERRUPT];
	cells[SYSCALL_COLUMN_TRACER].number =
		(int64_t)call->class_ns[TIME_TRACER];
	cells[SYSCALL_COLUMN_UNKNOWN].number =
		(int64_t)call->class_ns[TIME_UNKNOWN];
	cells[SYSCALL_COLUMN_FAULTS].number = (int64_t)call->faults;
	cells[SYSCALL_COLUMN_FAULT_NS].number = (int64_t)call->fault_ns;
}

static void fill_values(union sql_cell *cells, struct row_out *out,
			const struct system_call *call)
{
	cells[SYSCALL_COLUMN_NUMBER].number = call->number;
	cells[SYSCALL_COLUMN_RESULT].number = call->result;
	if (!call->has_enter)
		row_out_null(out, SYSCALL_COLUMN_NUMBER);
	if (!call->has_exit)
		row_out_null(out, SYSCALL_COLUMN_RESULT);
	for (uint32_t i = 0; i < SYSTEM_CALL_ARGUMENTS; i++) {
		cells[SYSCALL_COLUMN_ARGUMENT + i].number =
			(int64_t)call->arguments[i];
		if (!call->has_enter)
			row_out_null(out, SYSCALL_COLUMN_ARGUMENT + i);
	}
}

/* Adds a row of the table "syscall" to @out. */
static void syscall_columns_add(const struct attribution_input *input,
				struct row_out *out,
				const struct system_call *call)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_times(cells, call);
	fill_values(cells, out, call);
	cells[SYSCALL_COLUMN_PID].number =
		task_process(input->names, call->task);
	cells[SYSCALL_COLUMN_TID].number = call->task->tid;
	cells[SYSCALL_COLUMN_COMM].text =
		task_names_comm(input->names, call->task->tid, call->begin_ns);
	cells[SYSCALL_COLUMN_CPU].number = call->task->cpu;
	cells[SYSCALL_COLUMN_CALL].text = system_call_name(
		functions, symbols_arch(input->symbols), call->function);
	cells[SYSCALL_COLUMN_FUNCTION].text =
		function_at(functions, call->function)->name;
	cells[SYSCALL_COLUMN_IS_RECORDER].number =
		task_is_recorder(input, call->task->tid);
	cells[SYSCALL_COLUMN_ENDED].text = system_call_end_text(call->end);
	row_out_end(out);
}

enum {
	SLEEP_COLUMN_BEGIN,
	SLEEP_COLUMN_END,
	SLEEP_COLUMN_ASLEEP,
	SLEEP_COLUMN_RUNNABLE,
	SLEEP_COLUMN_PID,
	SLEEP_COLUMN_TID,
	SLEEP_COLUMN_COMM,
	SLEEP_COLUMN_CPU,
	SLEEP_COLUMN_LABEL,
	SLEEP_COLUMN_INNER,
	SLEEP_COLUMN_FD,
	SLEEP_COLUMN_WAKER_PID,
	SLEEP_COLUMN_WAKER_TID,
	SLEEP_COLUMN_WAKER_COMM,
	SLEEP_COLUMN_WAKER_FUNCTION,
	SLEEP_COLUMN_WAKER_INTERRUPT,
	SLEEP_COLUMN_WAKERS,
	SLEEP_COLUMN_OTHERS_BEGIN,
	SLEEP_COLUMN_OTHERS_END,
	SLEEP_COLUMN_IS_CUT,
	SLEEP_COLUMN_IS_RECORDER,
	SLEEP_COLUMN_STACK,
	SLEEP_COLUMN_USER_STACK,
	SLEEP_COLUMN_BLOCKING_FILE,
	SLEEP_COLUMN_BLOCKING_LINE,
	SLEEP_COLUMNS,
};

static const struct sql_column sleep_columns[SLEEP_COLUMNS] = {
	[SLEEP_COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns",
				 "time at which the thread left its CPU" },
	[SLEEP_COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns",
			       "time at which the thread ran again: begin_ns + "
			       "asleep_ns + runnable_ns" },
	[SLEEP_COLUMN_ASLEEP] = { "asleep_ns", SQL_INTEGER, ROLE_NONE, "ns",
				  "time until the thread was woken" },
	[SLEEP_COLUMN_RUNNABLE] = { "runnable_ns", SQL_INTEGER, ROLE_NONE, "ns",
				    "time from the wake-up until it ran" },
	[SLEEP_COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" },
	[SLEEP_COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[SLEEP_COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
				"name of the thread at that time" },
	[SLEEP_COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			       "CPU on which the thread had last run when the sleep "
			       "ended" },
	[SLEEP_COLUMN_LABEL] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
				 "wait channel: the function that decided to wait, "
				 "as in /proc/PID/wchan; NULL if not in the trace" },
	[SLEEP_COLUMN_INNER] = { "slept_in", SQL_TEXT, ROLE_NONE, "",
				 "the function that it called to sleep" },
	[SLEEP_COLUMN_FD] = { "fd", SQL_INTEGER, ROLE_NONE, "",
			      "file descriptor that its system call operates on; "
			      "NULL: none, or arguments were not recorded" },
	[SLEEP_COLUMN_WAKER_PID] = { "waker_pid", SQL_INTEGER, ROLE_NONE, "",
				     "process of the waker; NULL if unknown or an "
				     "interrupt" },
	[SLEEP_COLUMN_WAKER_TID] = { "waker_tid", SQL_INTEGER, ROLE_NONE, "",
				     "its thread" },
	[SLEEP_COLUMN_WAKER_COMM] = { "waker_comm", SQL_TEXT, ROLE_NONE, "",
				      "last name of that thread" },
	[SLEEP_COLUMN_WAKER_FUNCTION] = { "waker_function", SQL_TEXT, ROLE_NONE,
					  "",
					  "the function that decided to wake the "
					  "thread; NULL if unknown" },
	[SLEEP_COLUMN_WAKER_INTERRUPT] = { "waker_interrupt", SQL_TEXT,
					   ROLE_NONE, "",
					   "handler, if an interrupt woke the "
					   "thread; NULL: none" },
	[SLEEP_COLUMN_WAKERS] = { "wakers", SQL_TEXT, ROLE_NONE, "",
				  "the waker, then the waker's own waker, and so on; "
				  "empty if unknown" },
	[SLEEP_COLUMN_OTHERS_BEGIN] = { "others_at_begin", SQL_INTEGER,
					ROLE_NONE, "",
					"number of other threads asleep in the same "
					"function at the start of the sleep" },
	[SLEEP_COLUMN_OTHERS_END] = { "others_at_end", SQL_INTEGER, ROLE_NONE,
				      "",
				      "number of such threads at the wake-up" },
	[SLEEP_COLUMN_IS_CUT] = { "is_cut", SQL_INTEGER, ROLE_NONE, "",
				  "1: the recording starts or ends during the "
				  "sleep" },
	[SLEEP_COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE,
				       "",
				       "1: a thread of the recorder, omitted from "
				       "reports" },
	[SLEEP_COLUMN_STACK] = { "stack", SQL_TEXT, ROLE_NONE, "",
				 "kernel functions, outermost first, separated by "
				 ";" },
	[SLEEP_COLUMN_USER_STACK] = { "user_stack", SQL_TEXT, ROLE_NONE, "",
				      "functions of the program in the same form, by "
				      "record --user-stacks; NULL without it" },
	[SLEEP_COLUMN_BLOCKING_FILE] = { "blocking_file", SQL_TEXT, ROLE_NONE,
					 "",
					 "source file in which function called "
					 "slept_in; NULL without the kernel's "
					 "debug information" },
	[SLEEP_COLUMN_BLOCKING_LINE] = { "blocking_line", SQL_INTEGER,
					 ROLE_NONE, "", "line of that call" },
};

#define FUNCTIONS \
	(SQL_COLUMN(SLEEP_COLUMN_LABEL) | SQL_COLUMN(SLEEP_COLUMN_INNER) | \
	 SQL_COLUMN(SLEEP_COLUMN_WAKER_FUNCTION) | \
	 SQL_COLUMN(SLEEP_COLUMN_WAKER_INTERRUPT) | \
	 SQL_COLUMN(SLEEP_COLUMN_STACK))

static const struct sql_need sleep_needs[] = {
	{ .event = EVENT_SCHED_SWITCH },
	{ .event = EVENT_SCHED_WAKING },
	{ FUNCTIONS, NULL, RECORDED_KERNEL, 0 },
	{ SQL_COLUMN(SLEEP_COLUMN_FD), NULL, EVENT_SYS_ENTER, 0 },
	{ SQL_COLUMN(SLEEP_COLUMN_USER_STACK), NULL, RECORDED_USER_STACKS, 0 },
};

const struct sql_table sql_sleep_table = {
	.id = TABLE_SLEEP,
	.name = "sleep",
	.meaning = "All sleeps of threads, with their wakers; report --sleeps "
		   "adds them up.",
	.columns = sleep_columns,
	.column_count = SLEEP_COLUMNS,
	.rows_per_mb = 200,
	.is_kept = true,
	.source = &watch_source,
	.needs = sleep_needs,
	.need_count = sizeof(sleep_needs) / sizeof(*sleep_needs),
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

static void write_wakers(FILE *file, const void *ctx)
{
	const struct row_text *text = ctx;

	if (text->number != WAKER_NONE)
		wakers_write(task_tracker_wakers(text->tracker), text->number,
			     symbols_functions(text->input->symbols),
			     text->input->names, file);
}

static void fill_texts(union sql_cell *cells, struct row_out *out,
		       struct row_text *text, const struct sleep *sleep)
{
	text->number = sleep->waker;
	cells[SLEEP_COLUMN_WAKERS].text = written_text(out, write_wakers, text);
	text->number = sleep->stack;
	cells[SLEEP_COLUMN_STACK].text = written_text(out, write_stack, text);
	text->number = sleep->user_stack;
	cells[SLEEP_COLUMN_USER_STACK].text =
		written_text(out, write_stack, text);
	/* With a trace of user code its functions are in the stack itself. */
	if (!known_events_has_user_stacks(text->input->events))
		row_out_null(out, SLEEP_COLUMN_USER_STACK);
}

static void fill_line(union sql_cell *cells, struct row_out *out,
		      const struct attribution_input *input,
		      const struct sleep *sleep)
{
	struct source_line line = { 0 };

	sleep_find_line(input->lines, symbols_functions(input->symbols),
			sleep->label, sleep->place, &line);
	cells[SLEEP_COLUMN_BLOCKING_FILE].text = line.file;
	cells[SLEEP_COLUMN_BLOCKING_LINE].number = line.line;
	if (!line.file)
		row_out_null(out, SLEEP_COLUMN_BLOCKING_LINE);
}

static void fill_sleep_times(union sql_cell *cells, const struct sleep *sleep)
{
	cells[SLEEP_COLUMN_BEGIN].number = (int64_t)sleep->begin_ns;
	cells[SLEEP_COLUMN_END].number =
		(int64_t)(sleep->begin_ns + sleep->asleep_ns +
			  sleep->runnable_ns);
	cells[SLEEP_COLUMN_ASLEEP].number = (int64_t)sleep->asleep_ns;
	cells[SLEEP_COLUMN_RUNNABLE].number = (int64_t)sleep->runnable_ns;
	cells[SLEEP_COLUMN_OTHERS_BEGIN].number = sleep->others_at_begin;
	cells[SLEEP_COLUMN_OTHERS_END].number = sleep->others_at_end;
	cells[SLEEP_COLUMN_IS_CUT].number = sleep->is_cut;
}

static void fill_task(union sql_cell *cells,
		      const struct attribution_input *input,
		      const struct sleep *sleep)
{
	cells[SLEEP_COLUMN_PID].number =
		task_process(input->names, sleep->task);
	cells[SLEEP_COLUMN_TID].number = sleep->task->tid;
	cells[SLEEP_COLUMN_COMM].text = task_names_comm(
		input->names, sleep->task->tid, sleep->begin_ns);
	cells[SLEEP_COLUMN_IS_RECORDER].number =
		task_is_recorder(input, sleep->task->tid);
	cells[SLEEP_COLUMN_CPU].number = sleep->task->cpu;
}

/* Sets the waker's cells. If an interrupt is the waker, its task is only the
 * interrupted one.
 */
static void fill_waker(union sql_cell *cells, struct row_out *out,
		       const struct attribution_input *input,
		       const struct waker *waker)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	bool is_task = waker && waker->interrupt == FUNCTION_NONE;

	cells[SLEEP_COLUMN_WAKER_FUNCTION].text =
		waker ? function_at(functions, waker->function)->name : NULL;
	cells[SLEEP_COLUMN_WAKER_INTERRUPT].text =
		waker && !is_task ?
			function_at(functions, waker->interrupt)->name :
			NULL;
	cells[SLEEP_COLUMN_WAKER_COMM].text =
		is_task ? task_names_last(input->names, waker->tid) : NULL;
	cells[SLEEP_COLUMN_WAKER_PID].number = is_task ? waker->pid : 0;
	cells[SLEEP_COLUMN_WAKER_TID].number = is_task ? waker->tid : 0;
	if (!is_task) {
		row_out_null(out, SLEEP_COLUMN_WAKER_PID);
		row_out_null(out, SLEEP_COLUMN_WAKER_TID);
	}
}

static const char *name_of(const struct function_table *functions,
			   uint32_t function)
{
	return function == FUNCTION_UNKNOWN ?
		       NULL :
		       function_at(functions, function)->name;
}

/* Adds a row of the table "sleep" to @out. */
static void sleep_columns_add(const struct attribution_input *input,
			      const struct task_tracker *tracker,
			      struct row_out *out, const struct sleep *sleep)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	struct row_text text = { .input = input, .tracker = tracker };
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_sleep_times(cells, sleep);
	fill_task(cells, input, sleep);
	cells[SLEEP_COLUMN_LABEL].text = name_of(functions, sleep->label);
	cells[SLEEP_COLUMN_INNER].text = name_of(functions, sleep->inner);
	cells[SLEEP_COLUMN_FD].number = sleep->fd;
	if (sleep->fd < 0)
		row_out_null(out, SLEEP_COLUMN_FD);
	fill_waker(cells, out, input,
		   sleep->waker == WAKER_NONE ?
			   NULL :
			   wakers_at(task_tracker_wakers(tracker),
				     sleep->waker));
	fill_texts(cells, out, &text, sleep);
	fill_line(cells, out, input, sleep);
	row_out_end(out);
}

static void fresh_cpus_free(struct fresh_cpus *cpus)
{
	array_free(&cpus->is_fresh);
}

/* Returns whether a step leaves the thread's class as it is. Most calls only
 * prolong the thread's current class. An entry from outside begins another
 * kernel context and does not.
 */
static bool changes_nothing(const struct call_step *step)
{
	if (step->kind == STEP_ENTER)
		return step->how != HOW_EXCEPTION &&
		       step->how != HOW_SYSTEM_CALL;
	return step->kind == STEP_EXIT || step->kind == STEP_COUNT;
}

/* Applies a step.  Returns 0 or -ERROR_MEMORY. */
static int fresh_cpus_take(struct fresh_cpus *cpus,
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

static int take_call(struct task_listener *listener,
		     const struct system_call *call)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->syscalls)
		syscall_columns_add(rows->recording, rows->syscalls, call);
	return 0;
}

static int take_sleep(struct task_listener *listener, const struct sleep *sleep)
{
	struct watch_rows *rows = of_listener(listener);

	if (rows->sleeps)
		sleep_columns_add(rows->recording, rows->tracker, rows->sleeps,
				  sleep);
	return 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct watch_rows *rows = (struct watch_rows *)handler;

	if (fresh_cpus_take(&rows->cpus, step) < 0)
		rows->status = -ERROR_MEMORY;
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct watch_rows *rows = (const struct watch_rows *)source;

	return time_ns >= rows->choice->end.until_ns && !rows->cpus.count;
}

static int end(struct row_source *source, const struct task_stacks *stacks,
	       bool is_early)
{
	struct watch_rows *rows = (struct watch_rows *)source;
	int status = 0;

	(void)stacks;
	(void)is_early;
	if (!status && rows->syscalls)
		status = row_out_flush(rows->syscalls);
	if (!status && rows->sleeps)
		status = row_out_flush(rows->sleeps);
	return status ? status : rows->status;
}

static void close_rows(struct row_source *source)
{
	struct watch_rows *rows = (struct watch_rows *)source;

	fresh_cpus_free(&rows->cpus);
	free(rows);
}

static struct row_source *open_rows(const struct row_source_input *input)
{
	struct watch_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	rows->source = (struct row_source){
		.handler.step = take_step,
		.needs_begin = true,
		.is_done = is_done,
		.end = end,
		.close = close_rows,
	};
	rows->listener.ended = take_call;
	rows->listener.slept = take_sleep;
	rows->recording = input->recording;
	rows->choice = input->choice;
	rows->syscalls = input->outs[TABLE_SYSCALL];
	rows->sleeps = input->outs[TABLE_SLEEP];
	rows->cpus = FRESH_CPUS_NONE;
	rows->tracker =
		trackers_tasks(input->recording->trackers, &rows->listener);
	if (rows->tracker)
		return &rows->source;
	close_rows(&rows->source);
	return NULL;
}

const struct row_source_class watch_source = {
	.needs_time = true,
	.open = open_rows,
};
