/* SPDX-License-Identifier: MIT */
#include "tables/interrupts/interrupt_groups.h"

#include "attribution/interrupts/interrupt_rows.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <string.h>

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

const struct interrupt_grouping *interrupt_grouping_at(size_t index)
{
	return index < sizeof(groupings) / sizeof(*groupings) ?
		       &groupings[index] :
		       NULL;
}

const struct interrupt_grouping *interrupt_grouping_find(const char *name)
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

int interrupt_groups(const struct interrupt_accounts *accounts,
		     const struct interrupt_grouping *grouping,
		     const struct task_groups *groups,
		     const struct step_filter *filter, struct array *rows)
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
