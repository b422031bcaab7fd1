/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/constraints.h"

#include <math.h>
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

static bool role_takes(enum sql_role role, unsigned char op)
{
	return sql_role_is_time(role) ||
	       (role != ROLE_NONE && op == SQLITE_INDEX_CONSTRAINT_EQ);
}

bool constraint_helps(const struct sql_column *column, unsigned char op,
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

/* @down and @up are the integers next to the compared value, which may be a
 * fraction.
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

/* Texts and NULL have comparison rules of their own, so they give no bounds. */
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

static void name(struct row_choice *choice, sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	if (sqlite3_value_type(value) == SQLITE_TEXT &&
	    strlen(text) < sizeof(choice->function))
		snprintf(choice->function, sizeof(choice->function), "%s",
			 text);
}

static void apply_time(enum sql_role role, const struct bounds *bounds,
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

static void apply(const struct sql_column *column, const char *op,
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
	case ROLE_NONE:
		break;
	}
}

static const struct sql_column *find_column(const struct sql_table *table,
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
		const struct sql_column *column =
			find_column(table, plan, length);
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
