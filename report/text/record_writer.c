/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"

#include "report/text/duration_text.h"
#include "report/text/record_table.h"
#include "report/text/time_unit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct record_writer record_writer_of(FILE *out, enum record_format format)
{
	return (struct record_writer){ .out = out, .format = format };
}

void record_writer_begin(struct record_writer *writer)
{
	if (writer->format == RECORD_JSON)
		fputs("[", writer->out);
}

static void start_fields(struct record_writer *writer)
{
	writer->has_fields = false;
	writer->column = 0;
}

static void write_header(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t index)
{
	int lines = record_table_header_lines(writer);

	writer->is_header = true;
	for (int line = 0; line < lines; line++) {
		writer->header_line = line;
		start_fields(writer);
		fields(writer, ctx, index);
		fputs("\n", writer->out);
	}
	writer->is_header = false;
}

void record_writer_record(struct record_writer *writer, record_fields *fields,
			  const void *ctx, uint64_t index)
{
	if (writer->format != RECORD_JSON && !writer->has_records)
		write_header(writer, fields, ctx, index);
	if (writer->format == RECORD_JSON)
		fputs(writer->has_records ? ",\n{" : "\n{", writer->out);
	start_fields(writer);
	fields(writer, ctx, index);
	fputs(writer->format == RECORD_JSON ? "}" : "\n", writer->out);
	writer->has_records = true;
}

void record_writer_end(struct record_writer *writer)
{
	if (writer->format == RECORD_JSON)
		fputs("\n]\n", writer->out);
}

static void measure(struct record_writer *writer, record_fields *fields,
		    const void *ctx, uint64_t count)
{
	writer->is_measuring = true;
	for (uint64_t i = 0; i < count; i++) {
		start_fields(writer);
		fields(writer, ctx, i);
	}
	writer->is_measuring = false;
}

void record_writer_table(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t count)
{
	if (writer->format == RECORD_TABLE)
		measure(writer, fields, ctx, count);
	record_writer_begin(writer);
	for (uint64_t i = 0; i < count; i++)
		record_writer_record(writer, fields, ctx, i);
	record_writer_end(writer);
	if (writer->format == RECORD_TABLE && writer->is_compact)
		record_table_end(writer);
}

/* Returns whether @writer only looks for a value, which may be this one. */
static bool pick_field(struct record_writer *writer, const char *name,
		       const char *value, bool is_text)
{
	struct record_pick *pick = writer->pick;

	if (!pick)
		return false;
	if (pick->is_found || strcmp(pick->column, name))
		return true;
	pick->is_found = true;
	pick->is_text = is_text;
	if (is_text)
		pick->text = strdup(value);
	else
		pick->number = strtold(value, NULL);
	return true;
}

static void write_name(const struct record_writer *writer, const char *name)
{
	if (writer->unit)
		fputs(time_unit_field(writer->unit, name).name, writer->out);
	else
		fputs(name, writer->out);
}

/* Returns whether the value is to follow. */
static bool begin_field(struct record_writer *writer, const char *name)
{
	if (writer->has_fields)
		fputs(",", writer->out);
	writer->has_fields = true;
	if (writer->is_header) {
		write_name(writer, name);
		return false;
	}
	if (writer->format != RECORD_JSON)
		return true;
	fputs("\"", writer->out);
	write_name(writer, name);
	fputs("\":", writer->out);
	return true;
}

void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void csv_string(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void record_text(struct record_writer *writer, const char *name,
		 const char *value)
{
	if (pick_field(writer, name, value, true))
		return;
	if (writer->format == RECORD_TABLE) {
		record_table_field(writer, name, value, true);
		return;
	}
	if (!begin_field(writer, name))
		return;
	if (writer->format == RECORD_JSON)
		json_string(writer->out, value);
	else
		csv_string(writer->out, value);
}

/* Numbers look the same in all formats. */
static void write_number(struct record_writer *writer, const char *name,
			 const char *value)
{
	if (pick_field(writer, name, value, false))
		return;
	if (writer->format == RECORD_TABLE)
		record_table_field(writer, name, value, false);
	else if (begin_field(writer, name))
		fputs(value, writer->out);
}

void record_number(struct record_writer *writer, const char *name,
		   uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	write_number(writer, name, text);
}

void record_duration(struct record_writer *writer, const char *name,
		     uint64_t value_ns)
{
	if (writer->format == RECORD_TABLE && !writer->pick)
		record_table_field(writer, name,
				   duration_text_of(value_ns).text, false);
	else
		record_number(writer, name, value_ns);
}

void record_signed(struct record_writer *writer, const char *name,
		   int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	write_number(writer, name, text);
}

void record_real(struct record_writer *writer, const char *name, double value,
		 int digits)
{
	char text[400];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	write_number(writer, name, text);
}

void record_absent(struct record_writer *writer, const char *name)
{
	if (pick_field(writer, name, "-1", false))
		return;
	if (writer->format == RECORD_TABLE)
		record_table_field(writer, name, "-", false);
	else if (begin_field(writer, name) && writer->format == RECORD_JSON)
		fputs("null", writer->out);
}

void record_address(struct record_writer *writer, const char *name,
		    uint64_t value)
{
	char text[20];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	record_text(writer, name, text);
}
