/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/profile/profile.h"
#include "report/steps/call_step.h"
#include "report/timeline/step_texts.h"
#include "sql/rows/row_queue.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Data of a call that its last step does not have. */
struct call_facts {
	uint64_t begin_ns;
	uint64_t self_ns;
	uint32_t depth;
	uint32_t cpu; /* CPU of the call's start */
	enum profile_part part;
	bool has_caller;
	uint32_t caller;
};

static const struct column columns[] = {
	NS_COLUMN("begin_ns", "entry", .role = ROLE_BEGIN),
	NS_COLUMN("end_ns", "exit", .role = ROLE_END),
	NS_COLUMN("wall_ns", "end_ns - begin_ns, including sleeps and waits"),
	NS_COLUMN("on_cpu_ns",
		  "part of wall_ns that the thread was on a CPU and "
		  "traced, including callees"),
	NS_COLUMN("self_ns", "part of on_cpu_ns in the function itself"),
	INT_COLUMN("cpu", "CPU on which it started", .role = ROLE_CPU),
	INT_COLUMN("pid", "process; 0: idle, -1: unknown", .role = ROLE_PID),
	INT_COLUMN("tid", "thread; 0: idle, -1: unknown", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at the start of the call"),
	INT_COLUMN("depth",
		   "number of the thread's open functions at the entry"),
	TEXT_COLUMN("function", "name of the function", .role = ROLE_FUNCTION),
	TEXT_COLUMN("module",
		    "its module or program; empty for the kernel image"),
	INT_COLUMN("function_id", "its number in the table function"),
	TEXT_COLUMN("caller",
		    "the innermost function open at the entry; NULL: none"),
	INT_COLUMN("caller_id", "its number"),
	TEXT_COLUMN("how",
		    "call, tail (by a jump at the end of its caller), "
		    "interrupt (or exception), system_call, start (the trace "
		    "starts in it), inferred (it was already running when it "
		    "was first seen), resumed (a user-space stack or an "
		    "inlined function continues)"),
	TEXT_COLUMN("part",
		    "work (in profiles), idle (the idle loop) or tracer "
		    "(perf's functions, their callees, and the recorder)"),
	INT_COLUMN("begin_unseen",
		   "1: the actual start is earlier, and not in the trace"),
	INT_COLUMN("end_unseen",
		   "1: the actual end is earlier, or the call did not end"),
	INT_COLUMN("not_all_seen", "1: tracing paused during the call"),
	INT_COLUMN("fiber",
		   "number of the coroutine, fiber or goroutine within its "
		   "process, or a goroutine's id if it was recorded; 0: the "
		   "thread's own stack"),
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_FUNCTIONS },
};

const struct sql_table sql_call_table = {
	.id = TABLE_CALL,
	.name = "call",
	.meaning = "All calls of all functions, ordered by their end.",
	COLUMN_LIST(columns),
	.rows_per_mb = 300000,
	.source = &call_source,
	SQL_NEEDS(needs),
};

/* An open function of a task. */
struct open_call {
	uint64_t callees_ns; /* time of its callees on a CPU */
	uint32_t function;
	uint32_t cpu;
	enum profile_part part;
	bool is_wanted;	     /* it started in the window */
	bool ends_interrupt; /* it returns from an interrupt */
};

/* The open functions of a task. */
struct task_calls {
	struct array calls;	/* struct open_call, by depth of the stack */
	enum profile_part part; /* the part at the bottom of the stack */
	/* the function that returned last was inside an interrupt, or ended it */
	bool left_interrupt;
};

/* Every call of every function, emitted when it ends. */
struct call_rows {
	struct row_source source;
	const struct row_choice *choice;
	const struct attribution_input *recording;
	const struct function_table *functions;
	struct row_out *out;
	struct comm_cache comms;
	struct array tasks;  /* struct task_calls by task index */
	uint64_t open_count; /* number of open wanted calls */
	int status;
};

static void begin_task(const struct call_rows *rows, struct task_calls *calls,
		       const struct task *task)
{
	const struct attribution_input *recording = rows->recording;

	calls->calls = ARRAY_OF(struct open_call);
	calls->part = profile_part_of_task(
		recording->names, recording_info(recording->recording)->command,
		task->tid);
}

static struct task_calls *calls_of(struct call_rows *rows,
				   const struct task *task)
{
	struct task_calls *calls = array_reach(&rows->tasks, task->index);

	if (!calls)
		rows->status = -ERROR_MEMORY;
	else if (!calls->calls.item_size)
		begin_task(rows, calls, task);
	return calls;
}

static struct open_call *call_at(const struct task_calls *calls, uint32_t depth)
{
	return (struct open_call *)calls->calls.items + depth;
}

/* Returns the profile part of a call of @function at stack depth @depth. */
static enum profile_part part_at(const struct call_rows *rows,
				 const struct task_calls *calls, uint32_t depth,
				 uint32_t function, bool ends_interrupt)
{
	return profile_part_of_call(
		rows->recording->kinds, function, ends_interrupt,
		depth ? call_at(calls, depth - 1)->part : calls->part);
}

static void enter(struct call_rows *rows, const struct call_step *step)
{
	struct task_calls *calls = calls_of(rows, step->task);
	struct open_call *call;
	bool ends_interrupt;

	if (!calls)
		return;
	ends_interrupt = step->how == HOW_TAIL && calls->left_interrupt;
	calls->left_interrupt = false;
	call = array_reach(&calls->calls, step->depth);
	if (!call) {
		rows->status = -ERROR_MEMORY;
		return;
	}
	calls->calls.count = step->depth + 1;
	*call = (struct open_call){
		.function = step->function,
		.cpu = step->cpu,
		.part = part_at(rows, calls, step->depth, step->function,
				ends_interrupt),
		.ends_interrupt = ends_interrupt,
		.is_wanted =
			time_window_has(rows->choice->begin, step->time_ns),
	};
	rows->open_count += call->is_wanted;
}

/* Fills all cells of a row in the order of the columns: this table has by far
 * the most rows, and constant positions of cells take the fewest instructions.
 */
static void add(struct call_rows *rows, const struct call_step *step,
		const struct call_facts *facts)
{
	const struct function *function =
		function_at(rows->functions, step->function);
	const struct task *task = step->task;
	union sql_cell *cells = row_out_begin(rows->out);
	union sql_cell *next = cells;

	if (!cells)
		return;
	(next++)->number = (int64_t)facts->begin_ns;
	(next++)->number = (int64_t)step->time_ns;
	(next++)->number = (int64_t)step->wall_ns;
	(next++)->number = (int64_t)step->on_cpu_ns;
	(next++)->number = (int64_t)facts->self_ns;
	(next++)->number = facts->cpu;
	(next++)->number = task->pid;
	(next++)->number = task->tid;
	(next++)->text = comm_cache_find(&rows->comms, task, facts->begin_ns);
	(next++)->number = facts->depth;
	(next++)->text = function->name;
	(next++)->text = function->module;
	(next++)->number = step->function;
	(next++)->text =
		facts->has_caller ?
			function_at(rows->functions, facts->caller)->name :
			NULL;
	if (!facts->has_caller)
		row_out_null(rows->out, (uint32_t)(next - cells));
	(next++)->number = facts->caller;
	(next++)->text = call_how_text(step->how);
	(next++)->text = profile_part_name(facts->part);
	(next++)->number = !!(step->unseen & UNSEEN_BEGIN);
	(next++)->number = !!(step->unseen & UNSEEN_END);
	(next++)->number = !!(step->unseen & UNSEEN_INSIDE);
	(next++)->number = fiber_number(step->fiber);
	assert(next == cells + rows->out->table->column_count);
	row_out_end(rows->out);
}

static void leave(struct call_rows *rows, const struct call_step *step)
{
	struct task_calls *calls = calls_of(rows, step->task);
	const struct open_call *call;
	struct open_call *caller;

	if (!calls || step->depth >= calls->calls.count)
		return;
	calls->calls.count = step->depth;
	call = call_at(calls, step->depth);
	calls->left_interrupt =
		call->ends_interrupt ||
		profile_is_interrupt(rows->recording->kinds, call->function);
	caller = step->depth ? call_at(calls, step->depth - 1) : NULL;
	if (caller)
		caller->callees_ns += step->on_cpu_ns;
	rows->open_count -= call->is_wanted;
	if (call->is_wanted)
		add(rows, step,
		    &(struct call_facts){
			    .begin_ns = step->time_ns - step->wall_ns,
			    .self_ns = step->on_cpu_ns - call->callees_ns,
			    .depth = step->depth,
			    .cpu = call->cpu,
			    .part = call->part,
			    .has_caller = caller != NULL,
			    .caller = caller ? caller->function : 0,
		    });
}

/* Writes a row for a recursive call that has no frame of its own, so that no
 * stack contains it.
 */
static void count(struct call_rows *rows, const struct call_step *step)
{
	struct task_calls *calls = calls_of(rows, step->task);
	uint32_t depth;

	if (!calls || !time_window_has(rows->choice->begin, step->time_ns))
		return;
	depth = (uint32_t)calls->calls.count;
	add(rows, step,
	    &(struct call_facts){
		    .begin_ns = step->time_ns,
		    .depth = depth,
		    .cpu = step->cpu,
		    .part = part_at(rows, calls, depth, step->function, false),
		    .has_caller = depth > 0,
		    .caller = depth ? call_at(calls, depth - 1)->function : 0,
	    });
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct call_rows *rows = (struct call_rows *)handler;

	if (step->kind == STEP_ENTER)
		enter(rows, step);
	else if (step->kind == STEP_EXIT)
		leave(rows, step);
	else if (step->kind == STEP_COUNT)
		count(rows, step);
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct call_rows *rows = (const struct call_rows *)source;
	const struct row_choice *choice = rows->choice;

	return time_ns >= choice->end.until_ns ||
	       (time_ns >= choice->begin.until_ns && !rows->open_count);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	(void)pass;
	return ((const struct call_rows *)source)->status;
}

static void close_rows(struct row_source *source)
{
	struct call_rows *rows = (struct call_rows *)source;

	for (size_t i = 0; i < rows->tasks.count; i++)
		array_free(&((struct task_calls *)array_at(&rows->tasks, i))
				    ->calls);
	array_free(&rows->tasks);
	comm_cache_free(&rows->comms);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct call_rows *rows = (struct call_rows *)source;

	source->handler.step = consume_step;
	rows->choice = input->choice;
	rows->recording = input->recording;
	rows->functions = symbols_functions(input->recording->symbols);
	rows->out = input->outs[TABLE_CALL];
	rows->comms = comm_cache_of(input->recording->names);
	rows->tasks = ARRAY_OF(struct task_calls);
	return true;
}

const struct row_source_class call_source = {
	.size = sizeof(struct call_rows),
	.open = open_rows,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};
