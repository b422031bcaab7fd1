/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

START_TEST(each_column_of_each_table_is_explained)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		for (const struct column *column = table->columns;
		     column && column->name; column++)
			ck_assert_msg(*column->meaning, "--%s: %s", table->name,
				      column->name);
}
END_TEST

START_TEST(names_are_unique_in_a_table)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		for (const struct column *column = table->columns;
		     column && column->name; column++)
			for (const struct column *other = column + 1;
			     other->name; other++)
				ck_assert_str_ne(column->name, other->name);
}
END_TEST

/* Returns @text as roff. The caller frees it. */
static char *roff_of(const char *text)
{
	char *roff = NULL;
	size_t size;
	FILE *out = open_memstream(&roff, &size);

	for (; *text; text++)
		if (*text == '-')
			fputs("\\-", out);
		else if (*text == '\'')
			fputs("\\(aq", out);
		else
			fputc(*text, out);
	fclose(out);
	return roff;
}

/* Returns whether @page explains the column, for all tables or for this one. */
static bool is_on_page(const char *page, const struct attribution_table *table,
		       const struct column *column)
{
	char *name = roff_of(table->name);
	char *text = roff_of(column->meaning);
	char general[512];
	char own[512];

	snprintf(general, sizeof(general), "\n.B %s\n%s.\n", column->name,
		 text);
	snprintf(own, sizeof(own), "\n.B %s\nIn \\-\\-%s: %s.\n", column->name,
		 name, text);
	free(name);
	free(text);
	return strstr(page, general) || strstr(page, own);
}

START_TEST(the_manual_page_has_each_column)
{
	static char page[200000];
	FILE *in = fopen("docs/man/ktrace-hw-report.1", "re");
	const struct attribution_table *table;

	ck_assert_ptr_nonnull(in);
	page[fread(page, 1, sizeof(page) - 1, in)] = '\0';
	fclose(in);
	for (size_t i = 0; (table = attribution_table_at(i)); i++)
		for (const struct column *column = table->columns;
		     column && column->name; column++)
			ck_assert_msg(is_on_page(page, table, column),
				      "--%s: %s: %s", table->name, column->name,
				      column->meaning);
}
END_TEST

START_TEST(columns_are_found_by_name_and_heading)
{
	const struct column *processes = processes_table.columns;
	const struct column *sites = call_sites_table.columns;

	ck_assert(columns_have(processes, "interrupt_stolen_ns"));
	ck_assert(columns_have(processes, "Taken by interrupts"));
	ck_assert(columns_have(processes, "wall"));
	ck_assert(columns_have(processes, "thread time"));
	ck_assert(columns_have(sites, "on CPU"));
	ck_assert(!columns_have(sites, "CPU"));
	ck_assert(!columns_have(sites, ""));
	ck_assert(!columns_have(NULL, "wall"));
	ck_assert(columns_have(flat_columns, "self_ns"));
}
END_TEST

START_TEST(a_table_is_listed_with_headings)
{
	char names[COLUMN_NAMES_BYTES];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	columns_explain(servers_table.columns, out);
	fclose(out);
	ck_assert_ptr_nonnull(
		strstr(text, "  asleep                     asleep_ns"));
	ck_assert_ptr_nonnull(strstr(text, "for this client\n"));
	free(text);
	ck_assert_str_eq(columns_names(servers_table.columns, names),
			 "server_pid server client_pid client requests "
			 "kernel_ns user_ns tracer_ns runnable_ns asleep_ns "
			 "inferred_ns");
	ck_assert_str_eq(columns_names(NULL, names), "");
}
END_TEST

SUITE("columns")
{
	TEST(each_column_of_each_table_is_explained);
	TEST(names_are_unique_in_a_table);
	TEST(the_manual_page_has_each_column);
	TEST(columns_are_found_by_name_and_heading);
	TEST(a_table_is_listed_with_headings);
}
