/* SPDX-License-Identifier: MIT */
#include "sql/tables/interrupt_columns.h"

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_columns.h"
#include "attribution/table.h"
#include "report/text/task_names.h"
#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "sql/tables/sum_window.h"
#include "symbolize/symbols/symbols.h"

enum {
	COLUMN_KIND,
	COLUMN_FUNCTION,
	COLUMN_IRQ,
	COLUMN_IS_THREAD,
	COLUMN_ON_PID,
	COLUMN_ON_TID,
	COLUMN_ON_COMM,
	COLUMN_FOR_PID,
	COLUMN_FOR_COMM,
	COLUMN_COUNT,
	COLUMN_TOTAL,
	COLUMN_MAX,
	COLUMN_EXACT,
	COLUMN_INFERRED,
	COLUMN_NOBODY,
	COLUMN_SINCE,
	COLUMN_UNTIL,
	COLUMNS,
};

static const struct sql_column columns[COLUMNS] = {
	[COLUMN_KIND] = { "kind", SQL_TEXT, ROLE_NONE, "",
			  "interrupt, ipi, nmi, softirq, napi, timer, hrtimer, "
			  "tasklet, rcu, work_item, threaded_handler" },
	[COLUMN_FUNCTION] = { "function", SQL_TEXT, ROLE_FUNCTION, "",
			      "the handler, action or callback" },
	[COLUMN_IRQ] = { "irq", SQL_INTEGER, ROLE_NONE, "",
			 "interrupt number; NULL: none known" },
	[COLUMN_IS_THREAD] = { "is_thread_work", SQL_INTEGER, ROLE_NONE, "",
			       "1: no interrupt, but a kernel thread's own "
			       "work, as a work item" },
	[COLUMN_ON_PID] = { "on_pid", SQL_INTEGER, ROLE_NONE, "",
			    "process on whose time it ran; 0: idle" },
	[COLUMN_ON_TID] = { "on_tid", SQL_INTEGER, ROLE_NONE, "",
			    "its thread" },
	[COLUMN_ON_COMM] = { "on_comm", SQL_TEXT, ROLE_NONE, "",
			     "the process's last name, or idle" },
	[COLUMN_FOR_PID] = { "for_pid", SQL_INTEGER, ROLE_NONE, "",
			     "process that it was for; 0: the system as a "
			     "whole; NULL: nobody claims it" },
	[COLUMN_FOR_COMM] = { "for_comm", SQL_TEXT, ROLE_NONE, "",
			      "that process's last name, system or nobody" },
	[COLUMN_COUNT] = { "count", SQL_REAL, ROLE_NONE, "",
			   "pieces of work; of one for several, the part" },
	[COLUMN_TOTAL] = { "total_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "its time, without what broke into it" },
	[COLUMN_MAX] = { "max_ns", SQL_INTEGER, ROLE_NONE, "ns",
			 "most of one piece" },
	[COLUMN_EXACT] = { "exact_ns", SQL_INTEGER, ROLE_NONE, "ns",
			   "of total_ns: whom it was for is followed" },
	[COLUMN_INFERRED] = { "inferred_ns", SQL_INTEGER, ROLE_NONE, "ns",
			      "of total_ns: it is inferred" },
	[COLUMN_NOBODY] = { "nobody_ns", SQL_INTEGER, ROLE_NONE, "ns",
			    "of total_ns: it is not known" },
	SUM_WINDOW_COLUMNS(COLUMN_SINCE, COLUMN_UNTIL),
};

const struct sql_table sql_interrupt_table = {
	.name = "interrupt",
	.meaning = "Interrupt work and deferred work: what, on whose time, for "
		   "whom; sums, as in report --interrupts.",
	.columns = columns,
	.column_count = COLUMNS,
	.rows_per_mb = 5,
	.source = &account_source,
};

static const char *owner_name(const struct task_names *names, int32_t pid)
{
	if (pid < 0)
		return "nobody";
	return pid ? task_names_last(names, pid) : "system";
}

static void fill_sums(union sql_cell *cells, const struct interrupt_row *row)
{
	cells[COLUMN_COUNT].real = row->count;
	cells[COLUMN_TOTAL].number = (int64_t)row->total_ns;
	cells[COLUMN_MAX].number = (int64_t)row->max_ns;
	cells[COLUMN_EXACT].number = (int64_t)row->certain_ns[CERTAIN_EXACT];
	cells[COLUMN_INFERRED].number =
		(int64_t)row->certain_ns[CERTAIN_INFERRED];
	cells[COLUMN_NOBODY].number = (int64_t)row->certain_ns[CERTAIN_NOBODY];
}

void interrupt_columns_add(const struct attribution_input *input,
			   const struct row_choice *choice, struct row_out *out,
			   const struct interrupt_row *row)
{
	const struct function_table *functions =
		symbols_functions(input->symbols);
	union sql_cell *cells = row_out_begin(out);

	if (!cells)
		return;
	fill_sums(cells, row);
	cells[COLUMN_KIND].text = interrupt_kind_name(row->kind);
	cells[COLUMN_FUNCTION].text =
		function_at(functions, row->function)->name;
	cells[COLUMN_IRQ].number = row->irq;
	cells[COLUMN_IS_THREAD].number = row->is_thread_work;
	cells[COLUMN_ON_PID].number = row->victim_pid;
	cells[COLUMN_ON_TID].number = row->victim_tid;
	cells[COLUMN_ON_COMM].text =
		row->victim_pid ?
			task_names_last(input->names, row->victim_pid) :
			"idle";
	cells[COLUMN_FOR_PID].number = row->pid;
	cells[COLUMN_FOR_COMM].text = owner_name(input->names, row->pid);
	cells[COLUMN_SINCE].number = sum_window_bound(choice->sums.since_ns);
	cells[COLUMN_UNTIL].number = sum_window_bound(choice->sums.until_ns);
	if (row->irq < 0)
		row_out_null(out, COLUMN_IRQ);
	if (row->pid < 0)
		row_out_null(out, COLUMN_FOR_PID);
	row_out_end(out);
}
