/* SPDX-License-Identifier: MIT */
#include "sql/tables/fault_records_internal.h"

#include "attribution/table_records.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The tables "thread_state" and "fault", from the spans of threads' time
 * (task_time.h), and their source.
 *
 * A span becomes a row of thread_state at once, unless its class is
 * provisional: then it waits in pending until the thread's class is known
 * (resolve()), or until the end (resolve_all()). Faults are the spans that
 * threads spent in a kernel context of the kind fault: a fault is open from the
 * first of its spans to the first span without it.
 */

/* The data of a row of the table "thread_state": a stored span. */
struct state_fact {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t work;	   /* serial of the innermost kernel context; 0: none */
	uint32_t function; /* the context's first function */
	uint32_t begin_error_ns;
	int32_t cpu;
	int32_t waker_tid;
	uint8_t time_class;
	uint8_t reason;
	bool is_provisional; /* its class is not known yet */
};

/* The sources of the row's cells. */
struct state_columns {
	const struct attribution_input *input; /* borrowed */
	struct comm_cache comms;
};

/* Page faults and exceptions, assembled from the time spans that threads spent
 * in them.
 */
struct fault_rows {
	struct row_out *out;		       /* borrowed; or NULL */
	const struct attribution_input *input; /* borrowed */
	struct array threads;		       /* struct array by task index */
	struct cache_file_writer *writer;      /* NULL: they are not cached */
	int status;
};

#define OF_FACT(member) MEMBER(struct state_fact, member)

static const struct column columns_list[] = {
	NS_COLUMN("begin_ns", "start of the state", .role = ROLE_BEGIN,
		  OF_FACT(begin_ns)),
	NS_COLUMN("end_ns",
		  "end of the state and start of the thread's next one",
		  .role = ROLE_END, OF_FACT(end_ns)),
	NS_COLUMN("duration_ns", "end_ns - begin_ns"),
	INT_COLUMN("pid", "process; -1: unknown", .role = ROLE_PID),
	INT_COLUMN("tid", "thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	INT_COLUMN("cpu", "CPU on which the thread runs, or last ran",
		   .role = ROLE_CPU, OF_FACT(cpu)),
	TEXT_COLUMN(
		"class",
		"class of the time: user, system_call, fault, reclaim, kernel, "
		"interrupt, tracer (also waits while the recorder had "
		"the CPU), guest (as the CPU of a virtual machine), "
		"runnable, asleep, not_asked (outside the calls selected "
		"by record --only), unknown"),
	TEXT_COLUMN("reason", "reason if the class is unknown, otherwise NULL"),
	TEXT_COLUMN("function",
		    "entry function of the innermost system call, fault, "
		    "interrupt or similar that the thread is in; NULL: none",
		    .role = ROLE_FUNCTION),
	INT_COLUMN("work",
		   "number of that system call, fault or interrupt: equal "
		   "for all its states within one query"),
	INT_COLUMN("waker_tid",
		   "if runnable after a sleep, the thread that woke it; "
		   "NULL if unknown",
		   ID_MEMBER(struct state_fact, waker_tid)),
	INT_COLUMN("is_recorder",
		   "1: a thread of the recorder, omitted from reports"),
	NS_COLUMN("begin_error_ns", "error bound of begin_ns",
		  OF_FACT(begin_error_ns)),
};

static const struct sql_need state_needs[] = {
	{ "function work", NULL, RECORDED_KERNEL, 0 },
	{ "waker_tid", NULL, EVENT_SCHED_WAKING, 0 },
};

const struct sql_table sql_thread_state_table = {
	.id = TABLE_THREAD_STATE,
	.name = "thread_state",
	.meaning =
		"The states of each thread, without gaps, one row per interval "
		"of one class; report --threads adds them up.",
	COLUMN_LIST(columns_list),
	.rows_per_mb = 3000,
	.source = &span_source,
	SQL_NEEDS(state_needs),
};

static struct state_fact state_fact_of(const struct time_span *span)
{
	const struct open_context *work =
		span->context_count ? &span->contexts[span->context_count - 1] :
				      NULL;

	return (struct state_fact){
		.task = span->task,
		.begin_ns = span->begin_ns,
		.end_ns = span->end_ns,
		.work = work ? work->serial : 0,
		.function = work ? work->function : 0,
		.begin_error_ns = span->begin_error_ns,
		.cpu = span->cpu,
		.waker_tid = span->waker_tid,
		.time_class = (uint8_t)time_span_account(span),
		.reason = span->reason,
		.is_provisional = span->is_provisional &&
				  span->time_class == TIME_KERNEL,
	};
}

static struct state_columns
state_columns_of(const struct attribution_input *input)
{
	return (struct state_columns){
		.input = input,
		.comms = comm_cache_of(input->names),
	};
}

/* Adds a row for @fact to @out. */
static void state_columns_add(struct state_columns *columns,
			      struct row_out *out,
			      const struct state_fact *fact)
{
	const struct attribution_input *input = columns->input;

	if (!row_out_start(out, fact))
		return;
	row_put_number(out, (int64_t)(fact->end_ns - fact->begin_ns));
	row_put_number(out, task_process(input->names, fact->task));
	row_put_number(out, fact->task->tid);
	row_put_text(out, comm_cache_find(&columns->comms, fact->task,
					  fact->begin_ns));
	row_put_text(out, time_class_name((enum time_class)fact->time_class));
	row_put_text(out, fact->time_class == TIME_UNKNOWN ?
				  unknown_reason_name(
					  (enum unknown_reason)fact->reason) :
				  NULL);
	row_put_function(out, input, fact->work, fact->function);
	row_put_known(out, fact->work, (int64_t)fact->work);
	row_put_number(out, task_is_recorder(input, fact->task->tid));
	row_out_end(out);
}

#define OF_FAULT(member) MEMBER(struct open_fault, member)

static const struct column fault_columns[] = {
	NS_COLUMN("begin_ns", "start", .role = ROLE_BEGIN,
		  OF_FAULT(context.begin_ns)),
	NS_COLUMN("end_ns", "end", .role = ROLE_END, OF_FAULT(end_ns)),
	NS_COLUMN("wall_ns", "end_ns - begin_ns"),
	NS_COLUMN("on_cpu_ns",
		  "part of wall_ns on a CPU in the fault itself, without "
		  "interrupts",
		  OF_FAULT(on_cpu_ns)),
	INT_COLUMN("cpu", "CPU on which it started", .role = ROLE_CPU,
		   OF_FAULT(cpu)),
	INT_COLUMN("pid", "process", .role = ROLE_PID),
	INT_COLUMN("tid", "thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	TEXT_COLUMN("kind", "page_fault or exception"),
	TEXT_COLUMN("function", "the kernel's function that handles it",
		    .role = ROLE_FUNCTION),
	INT_COLUMN("is_recorder",
		   "1: a thread of the recorder, omitted from reports"),
	INT_COLUMN("begin_unseen",
		   "1: the actual start is earlier, and not in the trace"),
	INT_COLUMN("end_unseen", "1: the recording ends before the fault does"),
};

static const struct sql_need fault_needs[] = {
	{ .event = RECORDED_KERNEL },
};

static const struct table_records fault_records;

const struct sql_table sql_fault_table = {
	.id = TABLE_FAULT,
	.name = "fault",
	.meaning = "All page faults and exceptions.",
	COLUMN_LIST(fault_columns),
	.rows_per_mb = 500,
	.records = &fault_records,
	.source = &span_source,
	SQL_NEEDS(fault_needs),
};

static struct fault_rows fault_rows_of(const struct attribution_input *input,
				       struct row_out *out)
{
	return (struct fault_rows){
		.out = out,
		.input = input,
		.threads = ARRAY_OF(struct array),
	};
}

static void fault_rows_free(struct fault_rows *rows)
{
	for (size_t i = 0; i < rows->threads.count; i++)
		array_free((struct array *)array_at(&rows->threads, i));
	array_free(&rows->threads);
}

void fault_pack(struct pack *pack, struct open_fault *fault, struct task *task,
		bool *is_open, uint32_t functions)
{
	if (!pack->is_reading)
		*task = *fault->task;
	task_pack_facts(pack, task);
	pack_small(pack, &fault->context.kind, CONTEXT_KINDS - 1);
	pack_small(pack, &fault->context.unseen, UINT8_MAX);
	pack_u32(pack, &fault->context.function);
	pack_check(pack, fault->context.function < functions);
	pack_u64(pack, &fault->context.begin_ns);
	pack_u64(pack, &fault->end_ns);
	pack_u64(pack, &fault->on_cpu_ns);
	pack_i32(pack, &fault->cpu);
	pack_bool(pack, is_open);
	fault->task = task;
}

static void keep_fault(const struct fault_rows *rows,
		       const struct open_fault *fault, bool is_open)
{
	const struct cached_span span =
		cached_span_of(fault->context.begin_ns, fault->end_ns);
	struct open_fault kept = *fault;
	struct task task;

	fault_pack(cache_file_writer_pack(rows->writer), &kept, &task, &is_open,
		   function_count(symbols_functions(rows->input->symbols)));
	cache_file_writer_add(rows->writer, &span);
}

static void add(struct fault_rows *rows, const struct open_fault *fault,
		bool is_open)
{
	const struct task *task = fault->task;
	const struct open_context *context = &fault->context;
	struct row_out *out = rows->out;

	if (rows->writer)
		keep_fault(rows, fault, is_open);
	if (!row_out_start(out, fault))
		return;
	row_put_number(out, (int64_t)(fault->end_ns - context->begin_ns));
	row_put_task(out, rows->input, task, context->begin_ns);
	row_put_text(out, context->kind == CONTEXT_FAULT ? "page_fault" :
							   "exception");
	row_put_function(out, rows->input, true, context->function);
	row_put_number(out, task_is_recorder(rows->input, task->tid));
	row_put_number(out, !!(context->unseen & UNSEEN_BEGIN));
	row_put_number(out, is_open);
	row_out_end(out);
}

static bool is_fault(const struct open_context *context)
{
	return context->kind == CONTEXT_FAULT ||
	       context->kind == CONTEXT_EXCEPTION;
}

static bool has_work(const struct time_span *span, uint64_t serial)
{
	for (uint32_t i = 0; i < span->context_count; i++)
		if (span->contexts[i].serial == serial)
			return true;
	return false;
}

/* Emits the faults that the thread has left, innermost first. */
static void close_ended(struct fault_rows *rows, struct array *open,
			const struct time_span *span)
{
	while (open->count) {
		const struct open_fault *last = array_at(open, open->count - 1);

		if (has_work(span, last->context.serial))
			return;
		add(rows, last, false);
		open->count--;
	}
}

static struct open_fault *fault_of(struct array *open,
				   const struct open_context *context)
{
	struct open_fault *fault;

	for (size_t i = 0; i < open->count; i++) {
		fault = array_at(open, i);
		if (fault->context.serial == context->serial)
			return fault;
	}
	fault = array_add(open);
	if (fault)
		fault->context = *context;
	return fault;
}

static int consume_work(struct array *open, const struct time_span *span,
			const struct open_context *context, bool is_innermost)
{
	struct open_fault *fault = fault_of(open, context);

	if (!fault)
		return -ERROR_MEMORY;
	if (!fault->task) {
		fault->task = span->task;
		fault->cpu = span->cpu;
	}
	fault->end_ns = span->end_ns;
	if (is_innermost && span->time_class == TIME_FAULT)
		fault->on_cpu_ns += span->end_ns - span->begin_ns;
	return 0;
}

/* Returns the innermost fault among the span's contexts, or NULL. */
static const struct open_context *innermost(const struct time_span *span)
{
	for (uint32_t i = span->context_count; i > 0; i--)
		if (is_fault(&span->contexts[i - 1]))
			return &span->contexts[i - 1];
	return NULL;
}

/* Consumes the next span of a thread. */
static void fault_rows_consume(struct fault_rows *rows,
			       const struct time_span *span)
{
	const struct open_context *last = innermost(span);
	struct array *open = array_reach(&rows->threads, span->task->index);

	if (!open) {
		rows->status = -ERROR_MEMORY;
		return;
	}
	if (!open->item_size)
		*open = ARRAY_OF(struct open_fault);
	close_ended(rows, open, span);
	for (uint32_t i = 0; last && i < span->context_count; i++)
		if (is_fault(&span->contexts[i]) &&
		    consume_work(open, span, &span->contexts[i],
				 &span->contexts[i] == last) < 0)
			rows->status = -ERROR_MEMORY;
}

/* Emits the faults that have not ended. */
static void fault_rows_end(struct fault_rows *rows)
{
	for (size_t i = 0; i < rows->threads.count; i++) {
		const struct array *open = array_at(&rows->threads, i);

		for (size_t j = open->count; j > 0; j--)
			add(rows, array_at(open, j - 1), true);
	}
}

/* Each thread's time as spans of one class, and the rows made from them. */
struct span_rows {
	struct row_source source;
	struct span_callback callback;
	const struct attribution_input *input;
	const struct row_choice *choice;
	struct task_time *time; /* borrowed */
	struct row_out *states; /* or NULL */
	struct state_columns columns;
	struct fault_rows faults; /* out may be NULL */
	/* struct array of struct state_fact, by task index */
	struct array pending;
	int status;
};

static struct array *pending_of(struct span_rows *rows, uint32_t index)
{
	struct array *pending = array_reach(&rows->pending, index);

	if (!pending)
		rows->status = -ERROR_MEMORY;
	else if (!pending->item_size)
		*pending = ARRAY_OF(struct state_fact);
	return pending;
}

/* Emits the spans that waited for the thread's class to become known. */
static void resolve(struct span_rows *rows, struct array *pending,
		    uint8_t time_class)
{
	for (size_t i = 0; i < pending->count; i++) {
		struct state_fact *fact = array_at(pending, i);

		if (fact->is_provisional)
			fact->time_class = time_class;
		state_columns_add(&rows->columns, rows->states, fact);
	}
	pending->count = 0;
}

static void consume_state(struct span_rows *rows, const struct time_span *span)
{
	struct state_fact fact = state_fact_of(span);
	struct array *pending = pending_of(rows, span->task->index);

	if (!pending)
		return;
	if (!span->is_provisional && span->time_class < TIME_RUNNABLE &&
	    pending->count)
		resolve(rows, pending, on_cpu_resolved_class(span));
	if (!fact.is_provisional && !pending->count) {
		state_columns_add(&rows->columns, rows->states, &fact);
		return;
	}
	if (array_append(pending, &fact) < 0)
		rows->status = -ERROR_MEMORY;
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct span_rows *rows =
		container_of(callback, struct span_rows, callback);

	if (rows->states)
		consume_state(rows, span);
	if (rows->faults.out)
		fault_rows_consume(&rows->faults, span);
}

static bool is_done(const struct row_source *source, uint64_t time_ns)
{
	const struct span_rows *rows = (const struct span_rows *)source;

	return time_ns >= rows->choice->end.until_ns &&
	       !task_time_is_due(rows->time, rows->choice->end.until_ns);
}

/* Emits all provisional spans with their provisional class. */
static void resolve_all(struct span_rows *rows)
{
	for (size_t i = 0; i < rows->pending.count; i++)
		resolve(rows, array_at(&rows->pending, i), TIME_KERNEL);
}

static int end(struct row_source *source, const struct row_end *pass)
{
	struct span_rows *rows = (struct span_rows *)source;

	if (!pass->is_early && rows->faults.out)
		fault_rows_end(&rows->faults);
	resolve_all(rows);
	return rows->status ? rows->status : rows->faults.status;
}

/* Writes or reads the states of a thread that wait for their class. States that
 * wait at a checkpoint are from before the window that starts there, but they
 * make later states of the same thread wait, too. So one state without time is
 * read in place of all.
 */
static void pack_pending(struct span_rows *rows, uint32_t index,
			 const struct task_pack *tasks)
{
	struct array *pending = pending_of(rows, index);
	struct state_fact none = { .waker_tid = -1 };
	struct state_fact *waiting;
	bool waits = pending && pending->count;

	pack_bool(tasks->pack, &waits);
	if (!tasks->pack->is_reading || !waits)
		return;
	none.task = tasks->find(tasks->tasks, index);
	waiting = pending ? array_add(pending) : NULL;
	pack_check(tasks->pack, none.task && waiting);
	if (waiting)
		*waiting = none;
}

static void free_pending(struct span_rows *rows)
{
	for (size_t i = 0; i < rows->pending.count; i++)
		array_free((struct array *)array_at(&rows->pending, i));
	array_free(&rows->pending);
}

static void reset(struct span_rows *rows)
{
	const struct off_cpu_evidence evidence = off_cpu_evidence_of(
		rows->input->recording, rows->input->events);

	task_time_reset(rows->time, &evidence);
	free_pending(rows);
}

static void pack_rows(struct row_source *source, const struct task_pack *tasks)
{
	struct span_rows *rows = (struct span_rows *)source;
	uint32_t count = (uint32_t)rows->pending.count;
	struct pack *pack = tasks->pack;

	task_time_pack(rows->time, tasks);
	pack_u32(pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_pending(rows, i, tasks);
	if (pack->is_reading && !pack_is_whole(pack))
		reset(rows);
}

static void read_fault(struct event_handler *handler, struct pack *pack)
{
	struct fault_rows *rows = &((struct span_rows *)handler)->faults;
	struct open_fault fault = { .cpu = 0 };
	struct task task = { 0 };
	bool is_open = false;

	fault_pack(pack, &fault, &task, &is_open,
		   function_count(symbols_functions(rows->input->symbols)));
	if (!pack->failed)
		add(rows, &fault, is_open);
}

static const struct table_records fault_records = {
	.name = "faults",
	.writer = offsetof(struct span_rows, faults.writer),
	.pack_rest = table_records_refer_to_nothing,
	.consume = read_fault,
	.wanted = table_records_begin_in,
};

static void close_rows(struct row_source *source)
{
	struct span_rows *rows = (struct span_rows *)source;

	free_pending(rows);
	fault_rows_free(&rows->faults);
	comm_cache_free(&rows->columns.comms);
}

static bool open_rows(struct row_source *source,
		      const struct row_source_input *input)
{
	struct thread_tracker *threads =
		trackers_threads(input->recording->trackers);
	struct span_rows *rows = (struct span_rows *)source;

	source->needs_begin = input->outs[TABLE_FAULT];
	rows->callback.consume = consume_span;
	rows->input = input->recording;
	rows->choice = input->choice;
	rows->states = input->outs[TABLE_THREAD_STATE];
	rows->columns = state_columns_of(input->recording);
	rows->faults =
		fault_rows_of(input->recording, input->outs[TABLE_FAULT]);
	rows->pending = ARRAY_OF(struct array);
	rows->time = thread_tracker_time(threads);
	return rows->time &&
	       !thread_tracker_hand_spans(threads, &rows->callback,
					  input->recording->window);
}

const struct row_source_class span_source = {
	.needs_time = true,
	.size = sizeof(struct span_rows),
	.open = open_rows,
	.pack = pack_rows,
	.is_done = is_done,
	.end = end,
	.close = close_rows,
};
