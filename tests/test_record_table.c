/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *name;
	uint64_t wall_ns;
	uint64_t never;
	uint64_t calls;
	bool is_known;
};

static const struct row rows[] = {
	{ "sh", 1234567, 0, 3, true },
	{ "a longer one", 5, 0, 0, false },
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct row *row = (const struct row *)ctx + index;

	record_text(writer, "comm", row->name);
	record_number(writer, "long_wall_ns", row->wall_ns);
	record_number(writer, "never", row->never);
	record_absent(writer, "not_known");
	if (row->is_known)
		record_number(writer, "system_calls", row->calls);
	else
		record_absent(writer, "system_calls");
}

static const struct {
	enum record_format format;
	bool is_compact;
	uint64_t count;
	const char *expected;
} cases[] = {
	{ RECORD_TABLE, true, 2,
	  "               long_        \n"
	  "               wall_ system_\n"
	  "comm              ns   calls\n"
	  "sh           1234567       3\n"
	  "a longer one       5       -\n"
	  "All 0: never\n" },
	{ RECORD_TABLE, false, 1,
	  "comm  long_wall_ns  never  not_known  system_calls\n"
	  "sh         1234567      0          -             3\n" },
	{ RECORD_TABLE, true, 0, "" },
	{ RECORD_CSV, true, 2,
	  "comm,long_wall_ns,never,not_known,system_calls\n"
	  "sh,1234567,0,,3\na longer one,5,0,,\n" },
};

START_TEST(tables_are_laid_out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer =
		record_writer_of(out, cases[_i].format);

	writer.is_compact = cases[_i].is_compact;
	record_writer_table(&writer, write_row, rows, cases[_i].count);
	fclose(out);
	ck_assert_str_eq(text, cases[_i].expected);
	free(text);
}
END_TEST

static Suite *record_table_suite(void)
{
	Suite *suite = suite_create("record_table");
	TCase *tcase = tcase_create("tables");

	tcase_add_loop_test(tcase, tables_are_laid_out, 0,
			    sizeof(cases) / sizeof(*cases));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(record_table_suite());
}
