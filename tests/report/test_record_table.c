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
	{ "a long\xc3\xa9r one", 5, 0, 0, false },
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct row *row = (const struct row *)ctx + index;

	record_signed(writer, "pid", 7);
	record_text(writer, "comm", row->name);
	record_number(writer, "wall_ns", row->wall_ns);
	record_number(writer, "never_ns", row->never);
	record_absent(writer, "not_known");
	if (row->is_known)
		record_number(writer, "many_system_calls", row->calls);
	else
		record_absent(writer, "many_system_calls");
	record_real(writer, "exact_percent", 50, 1);
	record_text(writer, "file", row->name);
}

static const struct {
	enum record_format format;
	const char *width;
	uint64_t count;
	const char *expected;
} cases[] = {
	{ RECORD_TABLE, "80", 2,
	  "                            many system  exact\n"
	  "pid  comm             wall        calls      %  file\n"
	  "  7  sh            1.23 ms            3   50.0  sh\n"
	  "  7  a long\xc3\xa9r one     5 ns            -   50.0"
	  "  a long\xc3\xa9r one\n"
	  "All 0: never\n" },
	{ RECORD_TABLE, "40", 2,
	  "                            many system\n"
	  "pid  comm             wall        calls\n"
	  "  7  sh            1.23 ms            3\n"
	  "  7  a long\xc3\xa9r one     5 ns            -\n"
	  "\n"
	  "                   exact\n"
	  "pid  comm              %  file\n"
	  "  7  sh             50.0  sh\n"
	  "  7  a long\xc3\xa9r one   50.0  a long\xc3\xa9r one\n"
	  "All 0: never\n" },
	{ RECORD_TABLE, "80", 0, "" },
	{ RECORD_CSV, "40", 2,
	  "pid,comm,wall_ns,never_ns,not_known,many_system_calls,"
	  "exact_percent,file\n"
	  "7,sh,1234567,0,,3,50.0,sh\n"
	  "7,a long\xc3\xa9r one,5,0,,,50.0,a long\xc3\xa9r one\n" },
};

static char *write_table(enum record_format format, const char *width,
			 uint64_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, format);

	setenv("COLUMNS", width, 1);
	record_writer_table(&writer, write_row, rows, count);
	fclose(out);
	return text;
}

START_TEST(tables_are_laid_out)
{
	char *text =
		write_table(cases[_i].format, cases[_i].width, cases[_i].count);

	ck_assert_str_eq(text, cases[_i].expected);
	free(text);
}
END_TEST

static void write_glossed(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	(void)ctx;
	(void)index;
	record_number(writer, "pid", 7);
	record_number(writer, "interrupt_benefited_ns", 5);
	record_number(writer, "interrupt_stolen_ns", 6);
	record_number(writer, "wall_ns", 20);
	record_number(writer, "fault_ns", 0);
}

static const struct {
	const char *shown; /* NULL: all */
	bool is_brief;
	bool hides_zeros;
	const char *expected;
} choices[] = {
	{ NULL, false, true,
	  "      for it by    taken by\n"
	  "pid  interrupts  interrupts   wall\n"
	  "  7        5 ns        6 ns  20 ns\n"
	  "for it by interrupts: work of interrupts that interrupted it, for "
	  "itself\n"
	  "taken by interrupts: work of interrupts that interrupted it, for "
	  "other processes\n" },
	{ NULL, false, false,
	  "      for it by    taken by\n"
	  "pid  interrupts  interrupts   wall\n"
	  "  7        5 ns        6 ns  20 ns\n"
	  "All 0: fault\n"
	  "for it by interrupts: work of interrupts that interrupted it, for "
	  "itself\n"
	  "taken by interrupts: work of interrupts that interrupted it, for "
	  "other processes\n" },
	{ "pid,wall_ns", true, false,
	  "pid   wall\n"
	  "  7  20 ns\n"
	  "Not shown (--wide): for it by interrupts, taken by interrupts\n" },
	/* Columns that were chosen on the command line. */
	{ "Taken by interrupts,wall,fault", false, false,
	  "  taken by\n"
	  "interrupts   wall\n"
	  "      6 ns  20 ns\n"
	  "All 0: fault\n"
	  "taken by interrupts: work of interrupts that interrupted it, for "
	  "other processes\n" },
};

START_TEST(columns_are_chosen_by_name_and_heading)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, RECORD_TABLE);

	setenv("COLUMNS", "80", 1);
	writer.shown = choices[_i].shown;
	writer.is_brief = choices[_i].is_brief;
	writer.hides_zeros = choices[_i].hides_zeros;
	record_writer_table(&writer, write_glossed, NULL, 1);
	fclose(out);
	ck_assert_str_eq(text, choices[_i].expected);
	free(text);
}
END_TEST

static void write_keyed(struct record_writer *writer, const void *ctx,
			uint64_t index)
{
	(void)ctx;
	record_number(writer, "request", index + 1);
	record_number(writer, "client_pid", 30);
	record_text(writer, "client", "wget");
	record_number(writer, "server_tid", 41);
	record_number(writer, "wall_ns", 20);
	record_number(writer, "asleep_ns", 10);
}

/* Numbers of requests and of other tasks are keys, as pid and tid are. */
START_TEST(each_block_repeats_all_keys)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, RECORD_TABLE);

	setenv("COLUMNS", "40", 1);
	record_writer_table(&writer, write_keyed, NULL, 1);
	fclose(out);
	ck_assert_str_eq(text, "         client          server\n"
			       "request     pid  client     tid   wall\n"
			       "      1      30  wget        41  20 ns\n"
			       "\n"
			       "         client          server\n"
			       "request     pid  client     tid  asleep\n"
			       "      1      30  wget        41   10 ns\n");
	free(text);
}
END_TEST

static void write_unknown(struct record_writer *writer, const void *ctx,
			  uint64_t index)
{
	(void)ctx;
	record_signed(writer, "client_pid", index ? 7 : -1);
	record_signed(writer, "change", -1);
}

START_TEST(an_unknown_process_is_a_dash)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, RECORD_TABLE);

	setenv("COLUMNS", "40", 1);
	record_writer_table(&writer, write_unknown, NULL, 2);
	fclose(out);
	ck_assert_str_eq(text, "client\n"
			       "   pid  change\n"
			       "     -      -1\n"
			       "     7      -1\n");
	free(text);
}
END_TEST

SUITE("record_table")
{
	TEST(an_unknown_process_is_a_dash);
	TEST_EACH(tables_are_laid_out, cases);
	TEST(each_block_repeats_all_keys);
	TEST_EACH(columns_are_chosen_by_name_and_heading, choices);
}
