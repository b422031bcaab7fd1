/* SPDX-License-Identifier: MIT */
#include "tables/processes/interrupts_table.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_rows.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/duration_text.h"
#include "report/text/record_writer.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The key of the rows of a table of interrupt work. */
struct interrupt_grouping {
	const char *name;
	const char *help;
	bool by_function;    /* kind, function, interrupt number */
	bool by_victim;	     /* process whose time was used */
	bool by_beneficiary; /* process that the work was for */
};

/* Context for writing the rows of a table of interrupt work. All borrowed. */
struct interrupt_columns {
	const struct interrupt_grouping *grouping;
	const struct function_table *functions;
	const struct attribution_input *input;
	const struct interrupt_accounts *accounts;
};

static const struct interrupt_grouping groupings[] = {
	{ "for", "by kind and beneficiary", .by_function = true,
	  .by_beneficiary = true },
	{ "function", "by kind", .by_function = true },
	{ "on", "by kind and interrupted process", .by_function = true,
	  .by_victim = true },
	{ "both", "by kind, interrupted process and beneficiary",
	  .by_function = true, .by_victim = true, .by_beneficiary = true },
	{ "process", "by interrupted process and beneficiary",
	  .by_victim = true, .by_beneficiary = true },
};

/* Returns grouping @index, or NULL after the last. */
static const struct interrupt_grouping *interrupt_grouping_at(size_t index)
{
	return index < sizeof(groupings) / sizeof(*groupings) ?
		       &groupings[index] :
		       NULL;
}

/* Returns the grouping called @name (NULL: the first), or NULL. */
static const struct interrupt_grouping *
interrupt_grouping_find(const char *name)
{
	const struct interrupt_grouping *grouping;

	for (size_t i = 0; (grouping = interrupt_grouping_at(i)); i++)
		if (!name || !strcmp(grouping->name, name))
			return grouping;
	return NULL;
}

/* Counts of work for several processes are fractions, so groupings without a
 * beneficiary use the rows that count it as a whole.
 */
static const struct interrupt_row *
source_row(const struct interrupt_accounts *accounts,
	   const struct interrupt_grouping *grouping, size_t index)
{
	const struct interrupt_rows *rows = interrupt_accounts_rows(accounts);

	return grouping->by_beneficiary ? interrupt_rows_at(rows, index) :
					  interrupt_rows_work_at(rows, index);
}

static bool is_wanted(const struct interrupt_row *row,
		      const struct step_filter *filter)
{
	const struct task victim = {
		.pid = row->victim_pid,
		.tid = row->victim_tid,
	};
	const struct task beneficiary = { .pid = row->pid, .tid = row->pid };

	return step_filter_task(filter, &victim) ||
	       (row->pid > 0 && step_filter_task(filter, &beneficiary));
}

/* Replaces processes by groups. */
static void regroup(struct interrupt_row *row, const struct task_groups *groups)
{
	const struct task victim = { .pid = row->victim_pid,
				     .tid = row->victim_tid };

	row->victim_pid = task_groups_of(groups, &victim);
	row->pid = task_groups_beneficiary(groups, row->pid);
}

static struct interrupt_row reduced(const struct interrupt_row *row,
				    const struct interrupt_grouping *grouping,
				    const struct task_groups *groups)
{
	struct interrupt_row group = *row;

	if (groups)
		regroup(&group, groups);
	group.victim_tid = 0;
	if (!grouping->by_function) {
		group.kind = INTERRUPT_KINDS;
		group.function = 0;
		group.irq = -1;
	}
	if (!grouping->by_victim)
		group.victim_pid = 0;
	if (!grouping->by_beneficiary)
		group.pid = -1;
	return group;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const void *a, const void *b)
{
	const struct interrupt_row *x = a;
	const struct interrupt_row *y = b;
	const int64_t differences[] = {
		compare_numbers(x->kind, y->kind),
		compare_numbers(x->is_thread_work, y->is_thread_work),
		compare_numbers(x->function, y->function),
		compare_numbers(x->irq, y->irq),
		compare_numbers(x->victim_pid, y->victim_pid),
		compare_numbers(x->pid, y->pid),
	};

	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++)
		if (differences[i])
			return (int)differences[i];
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	const struct interrupt_row *x = a;
	const struct interrupt_row *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return compare_groups(a, b);
}

static void add(struct interrupt_row *sum, const struct interrupt_row *row)
{
	sum->count += row->count;
	sum->total_ns += row->total_ns;
	if (row->max_ns > sum->max_ns)
		sum->max_ns = row->max_ns;
	for (size_t i = 0; i < CERTAINTIES; i++)
		sum->certain_ns[i] += row->certain_ns[i];
}

/* Sums up adjacent rows of one group. */
static void unite(struct array *rows)
{
	struct interrupt_row *items = rows->items;
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (count && !compare_groups(&items[count - 1], &items[i]))
			add(&items[count - 1], &items[i]);
		else
			items[count++] = items[i];
	}
	rows->count = count;
}

/* Adds to @rows (struct interrupt_row) the sums of @accounts by @grouping, of
 * work during or for tasks that @filter selects. Keys that @grouping leaves out
 * are 0 or -1. Processes are numbers of @groups if that is not NULL. Longest
 * first. Returns 0 or -ERROR_MEMORY.
 */
static int interrupt_groups(const struct interrupt_accounts *accounts,
			    const struct interrupt_grouping *grouping,
			    const struct task_groups *groups,
			    const struct step_filter *filter,
			    struct array *rows)
{
	const struct interrupt_row *row;

	for (size_t i = 0; (row = source_row(accounts, grouping, i)); i++) {
		struct interrupt_row *slot;

		if (row->count == 0 || !is_wanted(row, filter))
			continue;
		slot = array_add(rows);
		if (!slot)
			return -ERROR_MEMORY;
		*slot = reduced(row, grouping, groups);
	}
	array_sort(rows, compare_groups);
	unite(rows);
	array_sort(rows, compare_times);
	return 0;
}

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
		[INTERRUPT_RECLAIM] = "reclaim",
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

/* Writes the fields of one row. */
static void interrupt_columns_write(const struct interrupt_columns *columns,
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

/* Writes the totals of @rows (struct interrupt_row) as text. */
static void interrupt_columns_sum(const struct array *rows, FILE *out)
{
	write_sum(rows, false, "interrupt time", out);
	write_sum(rows, true, "kernel threads' work for others", out);
}

/* Prints which events the recording lacks, for columns that are empty without
 * them.
 */
static void interrupt_columns_explain(const struct attribution_input *input,
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

/* report --interrupts: interrupt work by kind, by the process whose time it
 * used, and by beneficiary.
 */
struct interrupts {
	struct event_handler handler;
	const struct attribution_input *input;
	struct interrupt_columns columns;
	struct interrupt_accounts *accounts;
	struct array rows; /* struct interrupt_row */
};

static struct interrupts *of_handler(struct event_handler *handler)
{
	return (struct interrupts *)handler;
}

static void close_interrupts(struct event_handler *handler)
{
	struct interrupts *interrupts = of_handler(handler);

	array_free(&interrupts->rows);
}

static bool open_interrupts(struct event_handler *handler,
			    const struct attribution_input *input)
{
	struct interrupts *interrupts = (struct interrupts *)handler;

	interrupts->input = input;
	interrupts->rows = ARRAY_OF(struct interrupt_row);
	interrupts->accounts = trackers_interrupts(input->trackers);
	interrupts->columns = (struct interrupt_columns){
		.grouping = interrupt_grouping_find(input->argument),
		.functions = symbols_functions(input->symbols),
		.input = input,
		.accounts = interrupts->accounts,
	};
	return interrupts->accounts;
}

static bool check(const struct attribution_input *input, char *message,
		  size_t size)
{
	const struct interrupt_grouping *grouping;
	int used;

	if (interrupt_grouping_find(input->argument))
		return true;
	used = snprintf(message, size,
			"cannot be by '%s'; "
			"use",
			input->argument);
	for (size_t i = 0; (grouping = interrupt_grouping_at(i)); i++)
		if (used >= 0 && (size_t)used < size)
			used += snprintf(message + used, size - (size_t)used,
					 "%s %s (%s)", i ? "," : "",
					 grouping->name, grouping->help);
	return false;
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct interrupts *interrupts = ctx;

	interrupt_columns_write(&interrupts->columns, writer,
				array_at(&interrupts->rows, index));
}

static int write_table(const struct interrupts *interrupts,
		       const struct attribution_output *output)
{
	struct attribution_output by_total = *output;

	if (!by_total.sort)
		by_total.sort = "total_ns";
	return table_rows_render(&by_total, write_row, interrupts,
				 interrupts->rows.count);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct interrupts *interrupts = of_handler(handler);
	const struct attribution_input *input = interrupts->input;
	int status = interrupt_groups(interrupts->accounts,
				      interrupts->columns.grouping,
				      input->groups, input->filter,
				      &interrupts->rows);

	if (!status)
		status = write_table(interrupts, output);
	if (!status && output->format == RECORD_TABLE) {
		interrupt_columns_sum(&interrupts->rows, output->out);
		interrupt_columns_explain(input, interrupts->rows.count,
					  output->out);
	}
	return status;
}

const struct attribution_table interrupts_table = {
	.name = "interrupts",
	.columns = "kind function time on_group on_pid on_comm for_group "
		   "for_pid for_comm count total_ns mean_ns max_ns irq device "
		   "exact_ns exact_percent inferred_ns inferred_percent "
		   "nobody_ns nobody_percent",
	.argument = "[BY]",
	.help = "interrupt work by beneficiary (BY: for, on, both, …)",
	.has_groups = true,
	.check = check,
	.size = sizeof(struct interrupts),
	.open = open_interrupts,
	.render = render,
	.close = close_interrupts,
	.records = &interrupt_records,
};
