/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

#define LONG_NAME "a_name_that_is_longer_than_what_a_prefix_is_kept_of_x"

struct row {
	const char *text;
	uint64_t number;
	int64_t change;
};

static const struct row rows[] = {
	{ "", 0, 0 },
	{ "a,b\"c\nd\\", UINT64_MAX, INT64_MIN },
	{ "\033\xff", 10, -1 },
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct row *row = (const struct row *)ctx + index;

	record_text(writer, "text", row->text);
	record_number(writer, "number", row->number);
	record_signed(writer, LONG_NAME, row->change);
	record_address(writer, "address", row->number);
	record_real(writer, "real", (double)row->change / 4, 2);
	record_absent(writer, "absent");
}

static const struct {
	enum record_format format;
	const char *expected;
} cases[] = {
	{ RECORD_CSV,
	  "text,number," LONG_NAME ",address,real,absent\n"
	  ",0,0,0x0,0.00,\n"
	  "\"a,b\"\"c\nd\\\",18446744073709551615,-9223372036854775808,"
	  "0xffffffffffffffff,-2305843009213693952.00,\n"
	  "\\x1b\\xff,10,-1,0xa,-0.25,\n" },
	{ RECORD_JSON,
	  "[\n{\"text\":\"\",\"number\":0,\"" LONG_NAME "\":0,"
	  "\"address\":\"0x0\",\"real\":0.00,\"absent\":null},\n"
	  "{\"text\":\"a,b\\\"c\\u000ad\\\\\","
	  "\"number\":18446744073709551615,"
	  "\"" LONG_NAME "\":-9223372036854775808,"
	  "\"address\":\"0xffffffffffffffff\","
	  "\"real\":-2305843009213693952.00,\"absent\":null},\n"
	  "{\"text\":\"\\u001b\\\\xff\",\"number\":10,"
	  "\"" LONG_NAME "\":-1,\"address\":\"0xa\",\"real\":-0.25,"
	  "\"absent\":null}\n]\n" },
	{ RECORD_NDJSON,
	  "{\"text\":\"\",\"number\":0,\"" LONG_NAME "\":0,"
	  "\"address\":\"0x0\",\"real\":0.00,\"absent\":null}\n"
	  "{\"text\":\"a,b\\\"c\\u000ad\\\\\","
	  "\"number\":18446744073709551615,"
	  "\"" LONG_NAME "\":-9223372036854775808,"
	  "\"address\":\"0xffffffffffffffff\","
	  "\"real\":-2305843009213693952.00,\"absent\":null}\n"
	  "{\"text\":\"\\u001b\\\\xff\",\"number\":10,"
	  "\"" LONG_NAME "\":-1,\"address\":\"0xa\",\"real\":-0.25,"
	  "\"absent\":null}\n" },
	{ RECORD_TABLE,
	  "                                   a name that is longer than\n"
	  "text                       number  what a prefix is kept of x"
	  "  address\n"
	  "                                0                           0"
	  "  0x0\n"
	  "a,b\"c\\x0ad\\  18446744073709551615        "
	  "-9223372036854775808  0xffffffffffffffff\n"
	  "\\x1b\\xff                       10                          -1"
	  "  0xa\n"
	  "\n"
	  "text                            real\n"
	  "                                0.00\n"
	  "a,b\"c\\x0ad\\  -2305843009213693952.00\n"
	  "\\x1b\\xff                       -0.25\n" },
};

START_TEST(records_are_valid_in_each_format)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, cases[_i].format);

	record_writer_table(&writer, write_row, rows,
			    sizeof(rows) / sizeof(*rows));
	fclose(out);
	ck_assert_str_eq(text, cases[_i].expected);
	free(text);
}
END_TEST

/* Writes a row that was formatted beforehand; the output must be the same. */
static void write_made(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	char *text;
	size_t size;

	if (writer->is_header) {
		write_row(writer, ctx, index);
		return;
	}
	text = record_make(writer, true, write_row, ctx, index, &size);
	ck_assert_ptr_nonnull(text);
	record_made(writer, text, size);
	free(text);
}

START_TEST(made_fields_are_the_same)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer = record_writer_of(out, cases[_i].format);

	record_writer_table(&writer, write_made, rows,
			    sizeof(rows) / sizeof(*rows));
	fclose(out);
	ck_assert_str_eq(text, cases[_i].expected);
	free(text);
}
END_TEST

/* Columns beyond RECORD_MAX_COLUMNS, and a text longer than the buffer. */
enum { COLUMNS = RECORD_MAX_COLUMNS + 3, LONG = 3 * LINE_BUFFER_BYTES };

static void write_many(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	for (int i = 0; i < COLUMNS; i++)
		record_number(writer, "n", index);
	record_text(writer, "t", ctx);
}

START_TEST(no_record_is_too_large)
{
	static char long_text[LONG + 1];
	const char *field = _i ? "\"n\":" : "";
	size_t name = strlen(field);
	size_t own = _i ? strlen("{\"t\":\"\"},\n") : strlen("\n");
	size_t rest = _i ? strlen("[\n\n]\n") - strlen(",\n") :
			   2 * COLUMNS + strlen("t\n");
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer =
		record_writer_of(out, _i ? RECORD_JSON : RECORD_CSV);

	memset(long_text, 'a', LONG);
	record_writer_table(&writer, write_many, long_text, 3);
	fclose(out);
	ck_assert_uint_eq(size, rest + 3 * (own + LONG + COLUMNS * (name + 2)));
	ck_assert_ptr_nonnull(strstr(text, long_text));
	free(text);
}
END_TEST

static const struct {
	double value;
	const char *exact;
	const char *in_table;
} floats[] = {
	{ 0.25, "0.25", "0.25" },
	{ 0.1 + 0.2, "0.30000000000000004", "0.3" },
	{ 1 - 0x1p-53, "0.9999999999999999", "1" },
	{ 2.0 / 3, "0.6666666666666666", "0.666666666666667" },
	{ 1e300, "1e+300", "1e+300" },
};

static void write_float(struct record_writer *writer, const void *ctx,
			uint64_t index)
{
	(void)index;
	record_float(writer, "f", *(const double *)ctx);
}

static const char *last_word(char *text)
{
	const char *last = "";

	for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n"))
		last = word;
	return last;
}

START_TEST(fractions_are_the_same_when_they_are_read)
{
	static const enum record_format formats[] = { RECORD_CSV,
						      RECORD_TABLE };

	for (size_t i = 0; i < 2; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		struct record_writer writer = record_writer_of(out, formats[i]);

		record_writer_table(&writer, write_float, &floats[_i].value, 1);
		fclose(out);
		ck_assert_str_eq(last_word(text),
				 i ? floats[_i].in_table : floats[_i].exact);
		free(text);
	}
}
END_TEST

SUITE("record_writer")
{
	TEST_EACH(records_are_valid_in_each_format, cases);
	TEST_TIMES(made_fields_are_the_same, RECORD_JSON + 1);
	TEST_TIMES(no_record_is_too_large, 2);
	TEST_EACH(fractions_are_the_same_when_they_are_read, floats);
}
