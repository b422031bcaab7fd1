/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"
#include "report/text/record_writer.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

static const struct time_unit instructions = {
	.name = "instructions",
	.suffix = "_instructions",
	.kind = "instructions",
	.note = "",
};

static const struct {
	const char *name;
	const char *field;
} fields[] = {
	{ "self_ns", "self_instructions" },
	{ "self_ns_per_call", "self_instructions_per_call" },
	{ "calls", "calls" },
	{ "lost_bytes", "lost_bytes" },
};

START_TEST(fields_are_named_after_their_unit)
{
	ck_assert_str_eq(time_unit_field(&instructions, fields[_i].name).name,
			 fields[_i].field);
}
END_TEST

START_TEST(amounts_have_their_unit)
{
	static const struct time_unit ns = { .is_time = true, .name = "ns" };

	ck_assert_str_eq(time_unit_amount(&ns, 441222).text, "441 us");
	ck_assert_str_eq(time_unit_amount(&instructions, UINT64_MAX).text,
			 "18446744073709551615 instructions");
}
END_TEST

static void write_fields(struct record_writer *writer, const void *ctx,
			 uint64_t index)
{
	(void)ctx;
	(void)index;
	record_text(writer, "function", "ktime_get_ns");
	record_number(writer, "total_ns", 7);
}

static const struct {
	enum record_format format;
	const struct time_unit *unit;
	const char *text;
} outputs[] = {
	{ RECORD_CSV, NULL, "function,total_ns\nktime_get_ns,7\n" },
	{ RECORD_CSV, &instructions,
	  "function,total_instructions\nktime_get_ns,7\n" },
	{ RECORD_JSON, &instructions,
	  "[\n{\"function\":\"ktime_get_ns\",\"total_instructions\":7}\n]\n" },
};

START_TEST(records_bear_the_fields_names)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct record_writer writer;

	ck_assert_ptr_nonnull(out);
	writer = record_writer_of(out, outputs[_i].format);
	writer.unit = outputs[_i].unit;
	record_writer_table(&writer, write_fields, NULL, 1);
	fclose(out);
	ck_assert_str_eq(text, outputs[_i].text);
	free(text);
}
END_TEST

SUITE("time_unit")
{
	TEST(amounts_have_their_unit);
	TEST_EACH(fields_are_named_after_their_unit, fields);
	TEST_EACH(records_bear_the_fields_names, outputs);
}
