/* SPDX-License-Identifier: MIT */
#include "tables/interrupts/interrupt_columns.h"

#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "report/text/duration_text.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/interrupts/interrupt_groups.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <math.h>

const char *interrupt_kind_name(uint32_t kind)
{
	static const char *const names[INTERRUPT_KINDS] = {
		[INTERRUPT_HARD] = "interrupt",
		[INTERRUPT_IPI] = "ipi",
		[INTERRUPT_NMI] = "nmi",
		[INTERRUPT_SOFTIRQ] = "softirq",
		[INTERRUPT_NAPI] = "napi",
		[INTERRUPT_TIMER] = "timer",
		[INTERRUPT_HRTIMER] = "hrtimer",
		[INTERRUPT_TASKLET] = "tasklet",
		[INTERRUPT_RCU] = "rcu",
		[INTERRUPT_WORK] = "work_item",
		[INTERRUPT_THREAD] = "threaded_handler",
	};

	return names[kind];
}

static const char *victim_name(const struct interrupt_columns *columns,
			       int32_t pid)
{
	return pid ? task_names_last(columns->input->names, pid) : "idle";
}

static const char *beneficiary_name(const struct interrupt_columns *columns,
				    int32_t pid)
{
	if (pid < 0)
		return "nobody";
	return pid ? task_names_last(columns->input->names, pid) : "system";
}

static void write_function(struct record_writer *writer,
			   const struct interrupt_columns *columns,
			   const struct interrupt_row *row)
{
	record_text(writer, "kind", interrupt_kind_name(row->kind));
	record_text(writer, "function",
		    function_at(columns->functions, row->function)->name);
}

static void write_device(struct record_writer *writer,
			 const struct interrupt_columns *columns,
			 const struct interrupt_row *row)
{
	if (row->irq >= 0)
		record_signed(writer, "irq", row->irq);
	else
		record_absent(writer, "irq");
	record_text(writer, "device",
		    row->irq >= 0 ? interrupt_accounts_device(columns->accounts,
							      row->irq) :
				    "");
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void write_certainty(struct record_writer *writer,
			    const struct interrupt_row *row)
{
	static const char *const names[CERTAINTIES][2] = {
		[CERTAIN_EXACT] = { "exact_ns", "exact_percent" },
		[CERTAIN_INFERRED] = { "inferred_ns", "inferred_percent" },
		[CERTAIN_NOBODY] = { "nobody_ns", "nobody_percent" },
	};

	for (int i = 0; i < CERTAINTIES; i++) {
		record_number(writer, names[i][0], row->certain_ns[i]);
		record_real(writer, names[i][1],
			    percent_of(row->certain_ns[i], row->total_ns), 1);
	}
}

void interrupt_columns_write(const struct interrupt_columns *columns,
			     struct record_writer *writer,
			     const struct interrupt_row *row)
{
	const struct interrupt_grouping *grouping = columns->grouping;

	if (grouping->by_function)
		write_function(writer, columns, row);
	record_text(writer, "time",
		    row->is_thread_work ? "thread" : "interrupt");
	if (grouping->by_victim &&
	    !table_rows_group(writer, columns->input, "on_group",
			      row->victim_pid)) {
		record_signed(writer, "on_pid", row->victim_pid);
		record_text(writer, "on_comm",
			    victim_name(columns, row->victim_pid));
	}
	if (grouping->by_beneficiary &&
	    !table_rows_group(writer, columns->input, "for_group", row->pid)) {
		record_signed(writer, "for_pid", row->pid);
		record_text(writer, "for_comm",
			    beneficiary_name(columns, row->pid));
	}
	/* Work for several processes counts as a fraction for each. */
	record_real(writer, "count", row->count,
		    row->count == floor(row->count) ? 0 : 2);
	record_number(writer, "total_ns", row->total_ns);
	record_number(writer, "mean_ns",
		      row->count > 0 ?
			      (uint64_t)((double)row->total_ns / row->count) :
			      0);
	record_number(writer, "max_ns", row->max_ns);
	if (grouping->by_function)
		write_device(writer, columns, row);
	write_certainty(writer, row);
}

static void write_sum(const struct array *rows, bool of_threads,
		      const char *name, FILE *out)
{
	static const char *const texts[CERTAINTIES] = {
		"exact",
		"inferred",
		"nobody's",
	};
	const struct interrupt_row *items = rows->items;
	uint64_t sums[CERTAINTIES] = { 0 };
	uint64_t total = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (items[i].is_thread_work != of_threads)
			continue;
		total += items[i].total_ns;
		for (size_t c = 0; c < CERTAINTIES; c++)
			sums[c] += items[i].certain_ns[c];
	}
	if (!total)
		return;
	fprintf(out, "%s: %s:", name, duration_text_of(total).text);
	for (size_t c = 0; c < CERTAINTIES; c++)
		fprintf(out, "%s %s (%.1f %%) %s", c ? "," : "",
			duration_text_of(sums[c]).text,
			percent_of(sums[c], total), texts[c]);
	fputs("\n", out);
}

void interrupt_columns_sum(const struct array *rows, FILE *out)
{
	write_sum(rows, false, "interrupt time", out);
	write_sum(rows, true, "kernel threads' work for others", out);
}

void interrupt_columns_explain(const struct attribution_input *input,
			       uint64_t rows, FILE *out)
{
	static const struct table_need needs[] = {
		{ .columns = "interrupts",
		  .event = RECORDED_KERNEL,
		  .is_all = true },
		{ .columns = "interrupt numbers and devices",
		  .event = EVENT_IRQ_ENTRY },
		{ .columns = "causes of soft interrupts",
		  .event = EVENT_SOFTIRQ_RAISE },
		{ .columns = "threads woken by interrupts",
		  .event = EVENT_SCHED_WAKING },
		{ .columns = "timers and the tasks that armed them",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "work items and the tasks that queued them",
		  .event = EVENT_WORK_BEGIN },
		{ .columns = "tasks that wait for a "
			     "disk",
		  .event = EVENT_BIO_QUEUE },
		{ .columns = "tasks that read and send packets",
		  .event = EVENT_NET_RECEIVE },
	};

	recorded_table(input, needs, sizeof(needs) / sizeof(*needs), rows,
		       "No interrupt was seen", out);
}
