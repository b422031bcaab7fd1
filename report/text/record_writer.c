/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"

#include "report/text/duration_text.h"
#include "report/text/record_head.h"
#include "report/text/record_line.h"
#include "report/text/record_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool record_format_find(const char *name, enum record_format *format)
{
	static const char *const names[] = {
		[RECORD_CSV] = "csv",
		[RECORD_JSON] = "json",
		[RECORD_TABLE] = "text",
	};

	*format = RECORD_TABLE;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			*format = (enum record_format)i;
			return true;
		}
	return !name;
}

struct record_writer record_writer_of(FILE *out, enum record_format format)
{
	struct record_writer writer = { .out = out, .format = format };

	line_buffer_start(&writer.line, out);
	return writer;
}

void record_writer_begin(struct record_writer *writer)
{
	if (writer->format == RECORD_JSON)
		line_buffer_text(&writer->line, "[");
}

static void start_fields(struct record_writer *writer)
{
	writer->has_fields = false;
	writer->column = 0;
}

static void end_line(struct record_writer *writer)
{
	if (writer->format == RECORD_TABLE) {
		record_table_end_row(writer);
		return;
	}
	line_buffer_text(&writer->line, "\n");
	line_buffer_end(&writer->line);
}

static void write_header(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t index)
{
	if (writer->format == RECORD_TABLE) {
		record_table_heads(writer);
		return;
	}
	writer->is_header = true;
	start_fields(writer);
	fields(writer, ctx, index);
	end_line(writer);
	writer->is_header = false;
}

/* The comma is written with the next object. */
static void write_object(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t index)
{
	line_buffer_text(&writer->line, writer->has_records ? ",\n{" : "\n{");
	line_buffer_end(&writer->line);
	start_fields(writer);
	fields(writer, ctx, index);
	line_buffer_text(&writer->line, "}");
}

void record_writer_record(struct record_writer *writer, record_fields *fields,
			  const void *ctx, uint64_t index)
{
	if (writer->format == RECORD_JSON) {
		write_object(writer, fields, ctx, index);
	} else {
		if (!writer->has_records)
			write_header(writer, fields, ctx, index);
		start_fields(writer);
		fields(writer, ctx, index);
		end_line(writer);
	}
	writer->has_records = true;
}

void record_writer_end(struct record_writer *writer)
{
	if (writer->format == RECORD_JSON)
		line_buffer_text(&writer->line, "\n]\n");
	line_buffer_flush(&writer->line);
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

static void write_blocks(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t count)
{
	measure(writer, fields, ctx, count);
	record_table_lay_out(writer);
	for (writer->block = 0; writer->block < writer->blocks;
	     writer->block++) {
		if (writer->block && count)
			fputs("\n", writer->out);
		writer->has_records = false;
		for (uint64_t i = 0; i < count; i++)
			record_writer_record(writer, fields, ctx, i);
	}
	record_table_end(writer);
}

void record_writer_table(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t count)
{
	if (writer->format == RECORD_TABLE) {
		write_blocks(writer, fields, ctx, count);
		return;
	}
	record_writer_begin(writer);
	for (uint64_t i = 0; i < count; i++)
		record_writer_record(writer, fields, ctx, i);
	record_writer_end(writer);
}

/* Returns whether @writer only extracts a value, which may be this one. */
static bool pick_field(struct record_writer *writer, const char *name,
		       const char *value, bool is_text)
{
	struct record_pick *pick = writer->pick;

	if (!pick)
		return false;
	if (pick->is_found || !record_head_is(name, pick->column))
		return true;
	pick->is_found = true;
	pick->is_text = is_text;
	if (is_text)
		pick->text = strdup(value);
	else
		pick->number = strtold(value, NULL);
	return true;
}

/* Writes @value unquoted, or @text quoted. */
static void put_value(struct record_writer *writer, const char *name,
		      const char *value, const char *text)
{
	const char *at = record_line_field(writer, name, 0);

	if (!at)
		return;
	record_line_take(writer, at);
	if (value)
		line_buffer_text(&writer->line, value);
	else
		record_line_string(writer, text);
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
	put_value(writer, name, NULL, value);
}

/* Numbers are equal in all formats. */
static void write_number(struct record_writer *writer, const char *name,
			 const char *value)
{
	if (pick_field(writer, name, value, false))
		return;
	if (writer->format == RECORD_TABLE)
		record_table_field(writer, name, value, false);
	else
		put_value(writer, name, value, NULL);
}

/* Returns whether values are written directly to the buffer. */
static bool is_direct(const struct record_writer *writer)
{
	return writer->format != RECORD_TABLE && !writer->pick;
}

/* Names of times: "wall_ns", "mean_ns_per_call". */
static bool is_time(const char *name)
{
	const char *mark = strstr(name, "_ns");

	return mark && (!mark[3] || mark[3] == '_');
}

void record_number(struct record_writer *writer, const char *name,
		   uint64_t value)
{
	char text[DIGITS_MOST + 1];
	char *at;

	if (is_direct(writer)) {
		at = record_line_field(writer, name, DIGITS_MOST);
		if (at)
			record_line_take(writer,
					 at + digits_decimal(at, value));
		return;
	}
	if (is_time(name) && !writer->pick) {
		record_duration(writer, name, value);
		return;
	}
	text[digits_decimal(text, value)] = 0;
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
	char text[DIGITS_MOST + 1];
	char *at;

	if (is_direct(writer)) {
		at = record_line_field(writer, name, DIGITS_MOST);
		if (at)
			record_line_take(writer, at + digits_signed(at, value));
		return;
	}
	text[digits_signed(text, value)] = 0;
	write_number(writer, name, text);
}

void record_real(struct record_writer *writer, const char *name, double value,
		 int digits)
{
	char text[400];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	write_number(writer, name, text);
}

void record_float(struct record_writer *writer, const char *name, double value)
{
	/* 15 digits survive in every double; 17 distinguish any two. */
	int most = writer->format == RECORD_TABLE ? 15 : 17;
	char text[40];

	if (!isfinite(value)) {
		record_absent(writer, name);
		return;
	}
	for (int digits = 15; digits <= most; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	write_number(writer, name, text);
}

void record_absent(struct record_writer *writer, const char *name)
{
	if (pick_field(writer, name, "-1", false))
		return;
	if (writer->format == RECORD_TABLE)
		record_table_field(writer, name, "-", false);
	else
		put_value(writer, name,
			  writer->format == RECORD_JSON ? "null" : "", NULL);
}

void record_address(struct record_writer *writer, const char *name,
		    uint64_t value)
{
	char text[2 + DIGITS_MOST + 1] = "0x";

	text[2 + digits_hex(text + 2, value)] = 0;
	record_text(writer, name, text);
}

void record_written(struct record_writer *writer, const char *name,
		    bool (*write)(FILE *out, const void *ctx), const void *ctx)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool is_whole = out && write(out, ctx);

	if (out && fclose(out) == EOF)
		is_whole = false;
	record_text(writer, name, is_whole ? text : "");
	free(text);
}

char *record_make(const struct record_writer *writer, bool is_first,
		  record_fields *fields, const void *ctx, uint64_t index,
		  size_t *size)
{
	struct record_writer maker = record_writer_of(NULL, writer->format);

	maker.unit = writer->unit;
	maker.has_fields = !is_first;
	fields(&maker, ctx, index);
	return line_buffer_kept(&maker.line, size);
}
