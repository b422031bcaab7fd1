/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/chosen_views.h"

#include "report/steps/call_step.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"

#include <sqlite3.h>
#include <stdint.h>

/* The choice that the views express. */
struct choice {
	int64_t since_ns;
	int64_t until_ns;
	const uint32_t *cpus;
	size_t cpu_count;
};

static int64_t signed_time(uint64_t time_ns)
{
	return time_ns > INT64_MAX ? INT64_MAX : (int64_t)time_ns;
}

/* Starts another condition on a column of @table with @role. Returns the
 * column's name, or NULL if the table has none.
 */
static const char *add_condition(sqlite3_str *text,
				 const struct sql_table *table,
				 enum column_role role)
{
	int column = sql_table_role(table, role);

	if (column < 0)
		return NULL;
	sqlite3_str_appendall(text, " AND ");
	return table->columns[column].name;
}

static void add_window(sqlite3_str *text, const struct sql_table *table,
		       const struct choice *choice)
{
	const char *name;

	if ((name = add_condition(text, table, ROLE_BEGIN)))
		sqlite3_str_appendf(text, "%s < %lld", name, choice->until_ns);
	if ((name = add_condition(text, table, ROLE_END)))
		sqlite3_str_appendf(text, "(%s > %lld OR %s IS NULL)", name,
				    choice->since_ns, name);
	if ((name = add_condition(text, table, ROLE_TIME)))
		sqlite3_str_appendf(text, "%s >= %lld AND %s < %lld", name,
				    choice->since_ns, name, choice->until_ns);
	if ((name = add_condition(text, table, ROLE_SINCE)))
		sqlite3_str_appendf(text, "%s = %lld", name, choice->since_ns);
	if ((name = add_condition(text, table, ROLE_UNTIL)))
		sqlite3_str_appendf(text, "%s = %lld", name, choice->until_ns);
}

static void add_cpus(sqlite3_str *text, const struct sql_table *table,
		     const struct choice *choice)
{
	const char *name =
		choice->cpu_count ? add_condition(text, table, ROLE_CPU) : NULL;

	if (!name)
		return;
	sqlite3_str_appendf(text, "%s IN (", name);
	for (size_t i = 0; i < choice->cpu_count; i++)
		sqlite3_str_appendf(text, "%s%u", i ? "," : "",
				    choice->cpus[i]);
	sqlite3_str_appendall(text, ")");
}

/* Appends a statement that creates the view of @table; a table without these
 * columns gets a view of all its rows.
 */
static void add_view(sqlite3_str *text, const struct sql_table *table,
		     const struct choice *choice, int is_windowed)
{
	sqlite3_str_appendf(
		text,
		"CREATE TEMP VIEW \"%w\" AS SELECT * FROM main.\"%w\""
		" WHERE 1",
		table->name, table->name);
	if (is_windowed)
		add_window(text, table, choice);
	add_cpus(text, table, choice);
	sqlite3_str_appendall(text, ";\n");
}

int chosen_views_create(struct sqlite3 *db, const struct time_window *window,
			const uint32_t *cpus, size_t count, char **message)
{
	const struct choice choice = {
		.since_ns = signed_time(window->since_ns),
		.until_ns = signed_time(window->until_ns),
		.cpus = cpus,
		.cpu_count = count,
	};
	sqlite3_str *text = sqlite3_str_new(db);
	char *statements;
	int status;

	for (int i = 0; i < SQL_TABLES; i++)
		add_view(text, sql_table_at((enum sql_table_id)i), &choice,
			 !time_window_is_all(*window));
	statements = sqlite3_str_finish(text);
	status = statements ?
			 sqlite3_exec(db, statements, NULL, NULL, message) :
			 SQLITE_NOMEM;
	sqlite3_free(statements);
	if (status && !*message)
		*message = sqlite3_mprintf("%s", sqlite3_errstr(status));
	return status ? -1 : 0;
}
