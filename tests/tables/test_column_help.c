/* SPDX-License-Identifier: MIT */
#include "tables/table.h"
#include "tables/text/column_help.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

START_TEST(each_column_of_each_table_is_explained)
{
	const struct attribution_table *table;

	for (size_t i = 0; (table = attribution_table_at(i)); i++) {
		char *names = strdup(table->columns ? table->columns : "");
		char *rest = names;
		const char *name;

		while ((name = strsep(&rest, " ")))
			ck_assert_msg(!*name || column_help_find(table->name,
								 name),
				      "--%s: %s", table->name, name);
		free(names);
	}
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

START_TEST(the_manual_page_has_each_line)
{
	static char page[200000];
	FILE *in = fopen("docs/man/ktrace-hw-report.1", "re");
	const struct column_help *help;

	ck_assert_ptr_nonnull(in);
	page[fread(page, 1, sizeof(page) - 1, in)] = '\0';
	fclose(in);
	for (size_t i = 0; (help = column_help_at(i)); i++) {
		char *table = roff_of(help->table ? help->table : "");
		char *text = roff_of(help->text);
		char line[512];

		snprintf(line, sizeof(line), "\n.B %s\n%s%s%s%s.\n", help->name,
			 help->table ? "In \\-\\-" : "", table,
			 help->table ? ": " : "", text);
		ck_assert_msg(strstr(page, line), "%s", line);
		free(table);
		free(text);
	}
}
END_TEST

START_TEST(columns_are_found_by_name_and_heading)
{
	ck_assert(attribution_table_has_column(&processes_table,
					       "interrupt_stolen_ns"));
	ck_assert(attribution_table_has_column(&processes_table,
					       "Taken by interrupts"));
	ck_assert(attribution_table_has_column(&processes_table, "wall"));
	ck_assert(
		attribution_table_has_column(&processes_table, "thread time"));
	ck_assert(attribution_table_has_column(&call_sites_table, "on CPU"));
	ck_assert(!attribution_table_has_column(&call_sites_table, "CPU"));
	ck_assert(!attribution_table_has_column(&call_sites_table, ""));
}
END_TEST

START_TEST(a_table_is_listed_with_headings)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	column_help_write(&servers_table, out);
	fclose(out);
	ck_assert_ptr_nonnull(
		strstr(text, "  asleep                     asleep_ns"));
	ck_assert_ptr_nonnull(strstr(text, "for this client\n"));
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("column_help");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, each_column_of_each_table_is_explained);
	tcase_add_test(tcase, the_manual_page_has_each_line);
	tcase_add_test(tcase, columns_are_found_by_name_and_heading);
	tcase_add_test(tcase, a_table_is_listed_with_headings);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
