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

/* report --interrupts: interrupt work by kind, by the process whose time it
 * used, and by beneficiary.
 */
struct interrupts {
	struct event_handler handler;
	const struct attribution_input *input;
	struct interrupt_grouping grouping;
	struct interrupt_accounts *accounts;
	struct array rows; /* struct interrupt_row */
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

/* Returns row @index to sum up, or NULL after the last. In rows by beneficiary,
 * work for several processes is counted in fractions, so groupings without a
 * beneficiary use the rows that count whole work.
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

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *kind_of(const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	return interrupt_kind_name(work->kind);
}

static const char *time_of(const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	return work->is_thread_work ? "thread" : "interrupt";
}

static const char *victim_name(const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	return work->victim_pid ?
		       task_names_last(row->input->names, work->victim_pid) :
		       "idle";
}

static const char *beneficiary_name(const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	if (work->pid < 0)
		return "nobody";
	return work->pid ? task_names_last(row->input->names, work->pid) :
			   "system";
}

/* Work for several processes counts as a fraction for each. */
static void write_count(struct record_writer *writer,
			const struct column *column,
			const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	record_real(writer, column->name, work->count,
		    work->count == floor(work->count) ? 0 : 2);
}

static uint64_t mean_ns(const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;

	return work->count > 0 ?
		       (uint64_t)((double)work->total_ns / work->count) :
		       0;
}

static const char *device_of(const struct column_row *row)
{
	const struct interrupts *interrupts = row->state;
	const struct interrupt_row *work = row->fact;

	return work->irq >= 0 ? interrupt_accounts_device(interrupts->accounts,
							  work->irq) :
				"";
}

static void write_percent(struct record_writer *writer,
			  const struct column *column,
			  const struct column_row *row)
{
	const struct interrupt_row *work = row->fact;
	const uint64_t *part =
		(const void *)((const char *)work + column->offset);

	record_real(writer, column->name, percent_of(*part, work->total_ns), 1);
}

#define OF(member) MEMBER(struct interrupt_row, member)
#define BY_FUNCTION SHOWN_BY(struct interrupts, grouping.by_function)
#define BY_VICTIM SHOWN_BY(struct interrupts, grouping.by_victim)
#define BY_BENEFICIARY SHOWN_BY(struct interrupts, grouping.by_beneficiary)
#define PERCENT(certainty) \
	WRITTEN_OF(write_percent, struct interrupt_row, certain_ns[certainty])

static const struct column columns[] = {
	TEXT_COLUMN("kind", "interrupt, soft interrupt, timer, work item",
		    NAMED(kind_of), BY_FUNCTION),
	TEXT_COLUMN("function", "function of the kernel",
		    WRITTEN_OF(column_write_function, struct interrupt_row,
			       function),
		    BY_FUNCTION),
	TEXT_COLUMN("time",
		    "by which the work came: an interrupt, or a kernel thread",
		    NAMED(time_of)),
	TEXT_COLUMN("on_group", "group that was interrupted",
		    WRITTEN_OF(column_write_group, struct interrupt_row,
			       victim_pid),
		    BY_VICTIM, .rows = COLUMN_OF_GROUPS),
	INT_COLUMN("on_pid", "process that was interrupted", OF(victim_pid),
		   BY_VICTIM, .rows = COLUMN_OF_TASKS),
	TEXT_COLUMN("on_comm", "its name", NAMED(victim_name), BY_VICTIM,
		    .rows = COLUMN_OF_TASKS),
	TEXT_COLUMN("for_group", "group that it was for",
		    WRITTEN_OF(column_write_group, struct interrupt_row, pid),
		    BY_BENEFICIARY, .rows = COLUMN_OF_GROUPS),
	INT_COLUMN("for_pid", "process that it was for", OF(pid),
		   BY_BENEFICIARY, .rows = COLUMN_OF_TASKS),
	TEXT_COLUMN("for_comm", "its name", NAMED(beneficiary_name),
		    BY_BENEFICIARY, .rows = COLUMN_OF_TASKS),
	COUNT_COLUMN(WRITTEN(write_count)),
	TOTAL_COLUMN(OF(total_ns)),
	MEAN_COLUMN(COUNTED(mean_ns)),
	MAX_COLUMN(OF(max_ns)),
	INT_COLUMN("irq", "number of the interrupt",
		   ID_MEMBER(struct interrupt_row, irq), BY_FUNCTION),
	TEXT_COLUMN("device", "its device", NAMED(device_of), BY_FUNCTION),
	NS_COLUMN("exact_ns", "time whose beneficiary is certain",
		  OF(certain_ns[CERTAIN_EXACT])),
	REAL_COLUMN("exact_percent", "the same as a share",
		    PERCENT(CERTAIN_EXACT)),
	NS_COLUMN("inferred_ns", "time whose beneficiary is inferred",
		  OF(certain_ns[CERTAIN_INFERRED])),
	REAL_COLUMN("inferred_percent", "the same as a share",
		    PERCENT(CERTAIN_INFERRED)),
	NS_COLUMN("nobody_ns", "time that was for no process",
		  OF(certain_ns[CERTAIN_NOBODY])),
	REAL_COLUMN("nobody_percent", "the same as a share",
		    PERCENT(CERTAIN_NOBODY)),
	END_OF_COLUMNS,
};

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
	interrupts->grouping = *interrupt_grouping_find(input->argument);
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

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct interrupts *interrupts = of_handler(handler);
	const struct attribution_input *input = interrupts->input;
	struct table_rows rows = { .table = &interrupts_table,
				   .state = interrupts,
				   .input = input,
				   .facts = &interrupts->rows };
	struct attribution_output by_total = *output;
	int status = interrupt_groups(interrupts->accounts,
				      &interrupts->grouping, input->groups,
				      input->filter, &interrupts->rows);

	rows.count = interrupts->rows.count;
	if (!by_total.sort)
		by_total.sort = "total_ns";
	if (!status)
		status = table_rows_show(&by_total, &rows);
	if (!status && output->format == RECORD_TABLE) {
		interrupt_columns_sum(&interrupts->rows, output->out);
		interrupt_columns_explain(input, interrupts->rows.count,
					  output->out);
	}
	return status;
}

const struct attribution_table interrupts_table = {
	.name = "interrupts",
	.columns = columns,
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
