/* SPDX-License-Identifier: MIT */
#include "report/text/record_table.h"

#include "report/text/name_text.h"

#include <stdlib.h>
#include <string.h>

/* Returns the length of the first line of @name, with its underscore. */
static int part_length(const char *name)
{
	const char *end = strchr(name, '_');

	return end ? (int)(end - name) + 1 : (int)strlen(name);
}

static int count_parts(const char *name)
{
	int count = 0;

	for (; *name; name += part_length(name))
		count++;
	return count;
}

static int name_width(const struct record_writer *writer, const char *name)
{
	int width = 0;

	if (!writer->is_compact)
		return (int)strlen(name);
	for (; *name; name += part_length(name))
		if (width < part_length(name))
			width = part_length(name);
	return width;
}

static void measure(const struct record_writer *writer,
		    struct record_column *column, const char *name,
		    const char *value)
{
	bool is_zero = !strcmp(value, "0");

	column->name = name;
	if (column->width < name_width(writer, name))
		column->width = name_width(writer, name);
	if (column->width < (int)strlen(value))
		column->width = (int)strlen(value);
	column->has_zero |= is_zero;
	column->has_value |= !is_zero && *value && strcmp(value, "-");
}

/* All names end in the last line. */
static void write_part(const struct record_writer *writer, const char *name,
		       int width)
{
	int line = record_table_header_lines(writer) - count_parts(name);

	for (; *name && line < writer->header_line; line++)
		name += part_length(name);
	fprintf(writer->out, "%*.*s", width,
		line > writer->header_line ? 0 : part_length(name), name);
}

static void put_field(struct record_writer *writer, const char *name,
		      const char *value, bool is_text)
{
	struct record_column unmeasured = { .width = 1, .has_value = true };
	int number = writer->column++;
	struct record_column *column = number < RECORD_MAX_COLUMNS ?
					       &writer->columns[number] :
					       &unmeasured;

	if (writer->is_measuring) {
		measure(writer, column, name, value);
		return;
	}
	if (writer->is_compact && !column->has_value)
		return;
	fputs(number ? (writer->is_compact ? " " : "  ") : "", writer->out);
	if (writer->is_header && writer->is_compact)
		write_part(writer, name,
			   is_text ? -column->width : column->width);
	else
		fprintf(writer->out, "%*s",
			is_text ? -column->width : column->width,
			writer->is_header ? name : value);
}

void record_table_field(struct record_writer *writer, const char *name,
			const char *value, bool is_text)
{
	char *text = is_text ? name_made(NAME_TEXT, value) : NULL;

	put_field(writer, name, text ? text : value, is_text);
	free(text);
}

int record_table_header_lines(const struct record_writer *writer)
{
	int lines = 1;

	for (int i = 0; writer->is_compact && i < RECORD_MAX_COLUMNS; i++) {
		const struct record_column *column = &writer->columns[i];

		if (column->has_value && lines < count_parts(column->name))
			lines = count_parts(column->name);
	}
	return lines;
}

void record_table_end(const struct record_writer *writer)
{
	const char *separator = "All 0: ";

	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		const struct record_column *column = &writer->columns[i];

		if (!column->has_zero || column->has_value)
			continue;
		fprintf(writer->out, "%s%s", separator, column->name);
		separator = ", ";
	}
	if (*separator == ',')
		fputs("\n", writer->out);
}
