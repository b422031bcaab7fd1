/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_plan.h"

#include "sql/rows/row_choice.h"
#include "sql/sqlite/constraints.h"
#include "sql/tables/row_source.h"

#include <stdbool.h>

/* The constraints that are pushed down so far. */
struct plan {
	const struct sql_table *table;
	const struct plan_sizes *sizes;
	sqlite3_index_info *info;
	sqlite3_str *text;
	int count;
	/* narrowed by constraints with known values */
	struct row_choice choice;
	/* estimated share of rows that other columns than times select */
	double share;
	/* a lower time bound with a still unknown value */
	bool has_since;
	bool has_until;
};

/* Estimates the share of rows with one CPU, thread, process or function. */
static double share_of(enum sql_role role)
{
	switch (role) {
	case ROLE_CPU:
		return 0.25;
	case ROLE_TID:
	case ROLE_PID:
		return 0.1;
	case ROLE_FUNCTION:
		return 0.001;
	case ROLE_NONE:
	case ROLE_BEGIN:
	case ROLE_END:
	case ROLE_TIME:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		break;
	}
	return 1;
}

static void note(struct plan *plan, const struct sql_column *column,
		 const char *op, int index)
{
	bool is_lower = *op == '>' || *op == '=';
	bool is_upper = *op == '<' || *op == '=';
	sqlite3_value *value = NULL;
	char one[64];

	plan->share *= share_of(column->role);
	if (share_of(column->role) < 1)
		return;
	sqlite3_snprintf(sizeof(one), one, "%s%s?", column->name, op);
	if (sqlite3_vtab_rhs_value(plan->info, index, &value) == SQLITE_OK) {
		constraints_apply(plan->table, one, &value, 1, &plan->choice);
		return;
	}
	plan->has_since |= is_lower;
	plan->has_until |= is_upper;
}

static void push_down(struct plan *plan, int index)
{
	const struct sqlite3_index_constraint *constraint =
		&plan->info->aConstraint[index];
	const struct sql_column *column;
	const char *op;

	if (!constraint->usable || constraint->iColumn < 0)
		return;
	column = &plan->table->columns[constraint->iColumn];
	if (!constraint_helps(column, constraint->op, &op))
		return;
	sqlite3_str_appendf(plan->text, "%s%s%s?", plan->count ? " " : "",
			    column->name, op);
	plan->info->aConstraintUsage[index].argvIndex = ++plan->count;
	note(plan, column, op, index);
}

/* The bounds of a window of sums must be usable values. */
static bool lacks_window(const struct plan *plan)
{
	for (int i = 0; i < plan->info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint =
			&plan->info->aConstraint[i];

		if (!constraint->usable && constraint->iColumn >= 0 &&
		    sql_column_is_hidden(
			    &plan->table->columns[constraint->iColumn]))
			return true;
	}
	return false;
}

/* Returns the part of the recording that has to be decoded. */
static double decoded_part(const struct plan *plan)
{
	const struct plan_sizes *sizes = plan->sizes;
	double length = (double)(sizes->last_ns - sizes->first_ns) + 1;
	uint64_t since_ns = row_choice_since(&plan->choice);
	uint64_t until_ns = row_choice_until(&plan->choice);
	double part;

	if (since_ns < sizes->first_ns)
		since_ns = sizes->first_ns;
	if (until_ns > sizes->last_ns)
		until_ns = sizes->last_ns;
	part = until_ns > since_ns ? (double)(until_ns - since_ns) / length : 0;
	if (plan->has_since)
		part *= 0.1;
	if (plan->has_until)
		part *= 0.1;
	return part + 0.001;
}

static void guess(const struct plan *plan)
{
	const struct sql_table *table = plan->table;
	double megabytes = 1 + (double)plan->sizes->trace_bytes / 1e6;
	double part = decoded_part(plan);
	double rows = 10 + table->rows_per_mb * megabytes * part;

	if (table->source->need == NEEDS_TRACE)
		plan->info->estimatedCost = 1e6 * megabytes * part;
	else if (table->source->need == NEEDS_EVENTS)
		plan->info->estimatedCost = 1e5 * megabytes;
	else
		plan->info->estimatedCost = 1e4;
	rows *= plan->share;
	plan->info->estimatedCost += rows;
	plan->info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
}

int query_plan_make(const struct sql_table *table,
		    const struct plan_sizes *sizes, sqlite3_index_info *info)
{
	struct plan plan = {
		.table = table,
		.sizes = sizes,
		.info = info,
		.choice = ROW_CHOICE_ALL,
		.share = 1,
	};

	if (lacks_window(&plan))
		return SQLITE_CONSTRAINT;
	plan.text = sqlite3_str_new(NULL);
	for (int i = 0; i < info->nConstraint; i++)
		push_down(&plan, i);
	info->idxStr = sqlite3_str_finish(plan.text);
	info->needToFreeIdxStr = 1;
	if (plan.count && !info->idxStr)
		return SQLITE_NOMEM;
	guess(&plan);
	return SQLITE_OK;
}
