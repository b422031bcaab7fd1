/* SPDX-License-Identifier: MIT */
/* The statements for operators make the tables that rows are sent to. */
#include "sql/tables/sql_tables.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/clickhouse/native_block_internal.h"
#include "store/entry/store_entry.h"
#include "tests/run_suite.h"

#include <check.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the statements, with placeholders as the names. */
static char *written(enum clickhouse_ddl which, const char *cluster,
		     const char *database)
{
	const struct clickhouse_ddl_names names = { cluster, database };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(clickhouse_ddl_write(which, &names, file), 0);
	fclose(file);
	return text;
}

static const char *type_name(enum column_type type)
{
	static const char *const names[] = {
		[COLUMN_INTEGER] = "Int64",
		[COLUMN_REAL] = "Float64",
		[COLUMN_TEXT] = "String",
	};

	return names[type];
}

static void append_entry(sqlite3_str *text)
{
	for (int i = 0; i < ENTRY_COLUMNS; i++)
		sqlite3_str_appendf(
			text, "%s  %s %s", i ? ",\n" : "",
			store_entry_columns[i].name,
			i == ENTRY_DAY ?
				"Date" :
				type_name(store_entry_columns[i].type));
}

/* Returns the definition of table @id: its name and columns. */
static char *table_text(enum sql_table_id id, bool is_cluster)
{
	const struct sql_table *table = sql_table_at(id);
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendf(text, "\nCREATE TABLE IF NOT EXISTS %s%s%s (\n",
			    is_cluster ? "{database}." : "",
			    clickhouse_schema_table(id),
			    is_cluster ? "_local ON CLUSTER '{cluster}'" : "");
	if (id == TABLE_RECORDING)
		append_entry(text);
	else
		sqlite3_str_appendall(text, "  day Date,\n  recording Int64");
	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		bool may_be_null = native_may_be_null(column);

		if (!column_is_hidden(column))
			sqlite3_str_appendf(text, ",\n  %s %s%s%s",
					    column->name,
					    may_be_null ? "Nullable(" : "",
					    type_name(column->type),
					    may_be_null ? ")" : "");
	}
	sqlite3_str_appendall(text, "\n)\nENGINE = ");
	return sqlite3_str_finish(text);
}

START_TEST(each_table_has_the_columns_of_its_rows)
{
	for (int is_cluster = 0; is_cluster < 2; is_cluster++) {
		char *text = table_text((enum sql_table_id)_i, is_cluster);
		char *all = written(is_cluster ? DDL_CLUSTER : DDL_SERVER,
				    "{cluster}", "{database}");

		ck_assert_msg(strstr(all, text), "there is no %s", text);
		free(all);
		sqlite3_free(text);
	}
}
END_TEST

START_TEST(rows_of_each_table_are_kept_for_some_days)
{
	for (int is_cluster = 0; is_cluster < 2; is_cluster++) {
		char *text = sqlite3_mprintf(
			"\nALTER TABLE %s%s%s MODIFY TTL day + INTERVAL ",
			is_cluster ? "{database}." : "",
			clickhouse_schema_table((enum sql_table_id)_i),
			is_cluster ? "_local ON CLUSTER '{cluster}'" : "");
		char *all =
			written(is_cluster ? DDL_CLUSTER_TTL : DDL_SERVER_TTL,
				"{cluster}", "{database}");

		ck_assert_msg(strstr(all, text), "there is no %s", text);
		free(all);
		sqlite3_free(text);
	}
}
END_TEST

START_TEST(the_version_is_that_of_the_program)
{
	static const enum clickhouse_ddl all[] = { DDL_SERVER, DDL_CLUSTER };
	static const char *const places[] = { "", "{database}." };

	for (int i = 0; i < 2; i++) {
		char *text = sqlite3_mprintf(
			"\nINSERT INTO %sstore_version VALUES (%d, ", places[i],
			STORE_SCHEMA_VERSION);

		char *statements = written(all[i], "{cluster}", "{database}");

		ck_assert_ptr_nonnull(strstr(statements, text));
		free(statements);
		sqlite3_free(text);
	}
}
END_TEST

/* Statements in order, without the text between them. */
START_TEST(statements_are_taken_apart)
{
	const char *text = "-- one;\nSELECT 1,\n2;\n\nSELECT ';';\n-- end\n";
	char *first = clickhouse_ddl_next(&text);
	char *second = clickhouse_ddl_next(&text);

	ck_assert_str_eq(first, "-- one;\nSELECT 1,\n2");
	ck_assert_str_eq(second, "\nSELECT ';'");
	ck_assert_ptr_null(clickhouse_ddl_next(&text));
	ck_assert_str_eq(text, "");
	sqlite3_free(first);
	sqlite3_free(second);
}
END_TEST

START_TEST(a_cluster_has_the_tables_of_a_server)
{
	char *text = written(DDL_CLUSTER, "fleet", "traces");

	ck_assert_ptr_null(strstr(text, "{cluster}"));
	ck_assert_ptr_null(strstr(text, "{database}"));
	ck_assert_ptr_nonnull(strstr(text,
				     " (recording, begin_ns);\n\n"
				     "CREATE TABLE IF NOT EXISTS "
				     "traces.call ON CLUSTER 'fleet'\n"
				     "AS traces.call_local\n"
				     "ENGINE = Distributed('fleet', "
				     "traces, call_local, recording);\n"));
	ck_assert_ptr_nonnull(strstr(
		text, "\nENGINE = ReplicatedMergeTree(\n  '/clickhouse/tables/"
		      "{shard}/traces/call_local', '{replica}')\n"));
	ck_assert_ptr_nonnull(strstr(text, "store_version_local, rand());"));
	ck_assert_ptr_nonnull(strstr(text, " VALUES (7, 'fleet');\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "SELECT * FROM traces.recording_all\n"));
	free(text);
}
END_TEST

SUITE("clickhouse_ddl")
{
	TEST_TIMES(each_table_has_the_columns_of_its_rows, SQL_TABLES);
	TEST_TIMES(rows_of_each_table_are_kept_for_some_days, SQL_TABLES);
	TEST(the_version_is_that_of_the_program);
	TEST(statements_are_taken_apart);
	TEST(a_cluster_has_the_tables_of_a_server);
}
