/* SPDX-License-Identifier: MIT */
#include "sql/tables/fault_rows.h"

#include "attribution/time/task_contexts.h"
#include "common/error.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

enum {
	COLUMN_BEGIN,
	COLUMN_END,
	COLUMN_WALL,
	COLUMN_ON_CPU,
	COLUMN_CPU,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_COMM,
	COLUMN_KIND,
	COLUMN_FUNCTION,
	COLUMN_IS_RECORDER,
	COLUMN_BEGIN_UNSEEN,
	COLUMN_END_UNSEEN,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_BEGIN] = { "begin_ns", SQL_INTEGER, ROLE_BEGIN, "ns", "start" },
	[COLUMN_END] = { "end_ns", SQL_INTEGER, ROLE_END, "ns", "end" },
	[COLUMN_WALL] = { "wall_ns", SQL_INTEGER, ROLE_NONE, "ns",
			  "end_ns - begin_ns" },
	[COLUMN_ON_CPU] = { "on_cpu_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "part of wall_ns on a CPU in the fault itself, "
			    "without interrupts" },
	[COLUMN_CPU] = { "cpu", SQL_INTEGER, ROLE_CPU, "",
			 "CPU on which it started" },
	[COLUMN_PID] = { "pid", SQL_INTEGER, ROLE_PID, "", "process" },
	[COLUMN_TID] = { "tid", SQL_INTEGER, ROLE_TID, "", "thread" },
	[COLUMN_COMM] = { "comm", SQL_TEXT, ROLE_NONE, "",
			  "name of the thread at that time" },
	[COLUMN_KIND] = { "kind", SQL_TEXT, ROLE_NONE, "",
			  "page_fault or exception" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "the kernel's function that handles it" },
	[COLUMN_IS_RECORDER] = { "is_recorder", SQL_INTEGER, ROLE_NONE, "",
				 "1: a thread of the recorder, omitted from "
				 "reports" },
	[COLUMN_BEGIN_UNSEEN] = { "begin_unseen", SQL_INTEGER, ROLE_NONE, "",
				  "1: the actual start is earlier, and not in "
				  "the trace" },
	[COLUMN_END_UNSEEN] = { "end_unseen", SQL_INTEGER, ROLE_NONE, "",
				"1: the recording ends before the fault does" },
};

static const struct sql_need needs[] = {
	{ .event = RECORDED_KERNEL },
};

const struct sql_table sql_fault_table = {
	.id = TABLE_FAULT,
	.name = "fault",
	.meaning = "All page faults and exceptions.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 500,
	.is_kept = true,
	.source = &span_source,
	.needs = needs,
	.need_count = sizeof(needs) / sizeof(*needs),
};

/* An open fault of a thread. */
struct open_fault {
	struct open_context context;
	const struct task *task;
	uint64_t end_ns;
	uint64_t on_cpu_ns;
	int32_t cpu;
};

struct fault_rows fault_rows_of(const struct attribution_input *input,
				struct row_out *out)
{
	return (struct fault_rows){
		.out = out,
		.input = input,
		.threads = ARRAY_OF(struct array),
	};
}

void fault_rows_free(struct fault_rows *rows)
{
	for (size_t i = 0; i < rows->threads.count; i++)
		array_free((struct array *)array_at(&rows->threads, i));
	array_free(&rows->threads);
}

static void add(struct fault_rows *rows, const struct open_fault *fault,
		bool is_open)
{
	const struct task_names *names = rows->input->names;
	const struct task *task = fault->task;
	union sql_cell *cells = row_out_begin(rows->out);

	if (!cells)
		return;
	cells[COLUMN_BEGIN].number = (int64_t)fault->context.begin_ns;
	cells[COLUMN_END].number = (int64_t)fault->end_ns;
	cells[COLUMN_WALL].number =
		(int64_t)(fault->end_ns - fault->context.begin_ns);
	cells[COLUMN_ON_CPU].number = (int64_t)fault->on_cpu_ns;
	cells[COLUMN_CPU].number = fault->cpu;
	cells[COLUMN_PID].number = task_process(names, task);
	cells[COLUMN_TID].number = task->tid;
	cells[COLUMN_COMM].text =
		task_names_comm(names, task->tid, fault->context.begin_ns);
	cells[COLUMN_KIND].text = fault->context.kind == CONTEXT_FAULT ?
					  "page_fault" :
					  "exception";
	cells[COLUMN_FUNCTION].text =
		function_at(symbols_functions(rows->input->symbols),
			    fault->context.function)
			->name;
	cells[COLUMN_IS_RECORDER].number =
		task_is_recorder(rows->input, task->tid);
	cells[COLUMN_BEGIN_UNSEEN].number =
		!!(fault->context.unseen & UNSEEN_BEGIN);
	cells[COLUMN_END_UNSEEN].number = is_open;
	row_out_end(rows->out);
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

static int take_work(struct array *open, const struct time_span *span,
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

void fault_rows_take(struct fault_rows *rows, const struct time_span *span)
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
		    take_work(open, span, &span->contexts[i],
			      &span->contexts[i] == last) < 0)
			rows->status = -ERROR_MEMORY;
}

void fault_rows_end(struct fault_rows *rows)
{
	for (size_t i = 0; i < rows->threads.count; i++) {
		const struct array *open = array_at(&rows->threads, i);

		for (size_t j = open->count; j > 0; j--)
			add(rows, array_at(open, j - 1), true);
	}
}
