/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_plan_internal.h"

#include "sql/rows/row_out.h"
#include "sql/tables/row_source.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
	unsigned char op;
	const char *text;
} operators[] = {
	{ SQLITE_INDEX_CONSTRAINT_EQ, "=" },
	{ SQLITE_INDEX_CONSTRAINT_GE, ">=" },
	{ SQLITE_INDEX_CONSTRAINT_GT, ">" },
	{ SQLITE_INDEX_CONSTRAINT_LE, "<=" },
	{ SQLITE_INDEX_CONSTRAINT_LT, "<" },
};

static bool role_takes(enum column_role role, unsigned char op)
{
	return column_role_is_time(role) ||
	       (role != NO_ROLE && op == SQLITE_INDEX_CONSTRAINT_EQ);
}

bool constraint_helps(const struct column *column, unsigned char op,
		      const char **text)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].op == op && role_takes(column->role, op)) {
			*text = operators[i].text;
			return true;
		}
	return false;
}

/* The integers that satisfy a comparison: [least, end). */
struct bounds {
	uint64_t least;
	uint64_t end;
};

static uint64_t clip(double value)
{
	if (value <= 0)
		return 0;
	return value >= 18e18 ? UINT64_MAX : (uint64_t)value;
}

static uint64_t next(uint64_t value)
{
	return value == UINT64_MAX ? value : value + 1;
}

/* Returns the integers that satisfy a comparison by @op with a value between
 * the neighbouring integers @down and @up; these are equal if it is an integer.
 */
static struct bounds bounds_of(const char *op, uint64_t down, uint64_t up)
{
	struct bounds bounds = { 0, UINT64_MAX };

	if (!strcmp(op, ">="))
		bounds.least = up;
	else if (!strcmp(op, ">"))
		bounds.least = next(down);
	else if (!strcmp(op, "<="))
		bounds.end = next(down);
	else if (!strcmp(op, "<"))
		bounds.end = up;
	else
		bounds = (struct bounds){ down, next(up) };
	return bounds;
}

/* Sets *@bounds to the integers that satisfy a comparison with @value. Returns
 * false if it gives no bounds: texts and NULL have comparison rules of their
 * own.
 */
static bool read_bounds(sqlite3_value *value, const char *op,
			struct bounds *bounds)
{
	int64_t number = sqlite3_value_int64(value);
	double real = sqlite3_value_double(value);

	switch (sqlite3_value_type(value)) {
	case SQLITE_INTEGER:
		/* Columns have no negative values. */
		if (number < 0)
			return false;
		*bounds = bounds_of(op, (uint64_t)number, (uint64_t)number);
		return true;
	case SQLITE_FLOAT:
		if (!isfinite(real) || real < 0)
			return false;
		*bounds = bounds_of(op, clip(floor(real)), clip(ceil(real)));
		return true;
	default:
		return false;
	}
}

static void narrow(struct time_window *window, const struct bounds *bounds)
{
	if (window->since_ns < bounds->least)
		window->since_ns = bounds->least;
	if (window->until_ns > bounds->end)
		window->until_ns = bounds->end;
}

static void identify(struct row_identity *identity, sqlite3_value *value)
{
	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return;
	identity->is_chosen = true;
	identity->number = sqlite3_value_int64(value);
}

/* A name with a backslash may be the escaped form of another one. */
static void name(struct row_choice *choice, sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	if (sqlite3_value_type(value) == SQLITE_TEXT &&
	    strlen(text) < sizeof(choice->function) && !strchr(text, '\\'))
		snprintf(choice->function, sizeof(choice->function), "%s",
			 text);
}

static void apply_time(enum column_role role, const struct bounds *bounds,
		       struct row_choice *choice)
{
	if (role == ROLE_BEGIN || role == ROLE_TIME)
		narrow(&choice->begin, bounds);
	else if (role == ROLE_END)
		narrow(&choice->end, bounds);
	else if (role == ROLE_SINCE)
		choice->sums.since_ns = bounds->least;
	else
		choice->sums.until_ns = bounds->least;
}

static void apply(const struct column *column, const char *op,
		  sqlite3_value *value, struct row_choice *choice)
{
	struct bounds bounds;

	choice->is_limited = true;
	switch (column->role) {
	case ROLE_BEGIN:
	case ROLE_END:
	case ROLE_TIME:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		if (read_bounds(value, op, &bounds))
			apply_time(column->role, &bounds, choice);
		break;
	case ROLE_CPU:
		identify(&choice->cpu, value);
		break;
	case ROLE_TID:
		identify(&choice->tid, value);
		break;
	case ROLE_PID:
		identify(&choice->pid, value);
		break;
	case ROLE_FUNCTION:
		name(choice, value);
		break;
	case NO_ROLE:
		break;
	}
}

static const struct column *find_column(const struct sql_table *table,
					const char *text, size_t length)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (strlen(table->columns[i].name) == length &&
		    !strncmp(table->columns[i].name, text, length))
			return &table->columns[i];
	return NULL;
}

void constraints_apply(const struct sql_table *table, const char *plan,
		       sqlite3_value *const *values, int count,
		       struct row_choice *choice)
{
	for (int i = 0; i < count; i++) {
		size_t length = strcspn(plan, "<>=");
		const struct column *column = find_column(table, plan, length);
		char op[3] = "";

		plan += length;
		length = strspn(plan, "<>=");
		if (!column || length >= sizeof(op))
			return;
		memcpy(op, plan, length);
		apply(column, op, values[i], choice);
		plan += strcspn(plan, " ");
		plan += strspn(plan, " ");
	}
}

/* The constraints that are pushed down so far. */
struct plan {
	const struct sql_table *table;
	const struct plan_sizes *sizes;
	sqlite3_index_info *info;
	sqlite3_str *text;
	int count;
	/* narrowed by constraints with known values */
	struct row_choice choice;
	/* estimated share of rows that columns other than times select */
	double share;
	/* a lower time bound with a still unknown value */
	bool has_since;
	bool has_until;
};

/* Estimates the share of rows with one CPU, thread, process or function. */
static double share_of(enum column_role role)
{
	switch (role) {
	case ROLE_CPU:
		return 0.25;
	case ROLE_TID:
	case ROLE_PID:
		return 0.1;
	case ROLE_FUNCTION:
		return 0.001;
	case NO_ROLE:
	case ROLE_BEGIN:
	case ROLE_END:
	case ROLE_TIME:
	case ROLE_SINCE:
	case ROLE_UNTIL:
		break;
	}
	return 1;
}

static void note(struct plan *plan, const struct column *column, const char *op,
		 int index)
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
	const struct column *column;
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

/* Returns whether the value of a bound of the window of sums is not available
 * in this plan.
 */
static bool lacks_window(const struct plan *plan)
{
	for (int i = 0; i < plan->info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint =
			&plan->info->aConstraint[i];

		if (!constraint->usable && constraint->iColumn >= 0 &&
		    column_is_hidden(
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
