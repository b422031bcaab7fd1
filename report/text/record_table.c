/* SPDX-License-Identifier: MIT */
#include "report/text/record_table.h"

#include "report/text/name_text.h"
#include "report/text/record_head.h"
#include "report/text/text_width.h"

#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 2 }; /* columns between fields */

/* The width in characters. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static bool is_number_of_row(const char *name)
{
	return !strcmp(name, "pid") || !strcmp(name, "tid");
}

static void measure(struct record_writer *writer, int number, const char *name,
		    const char *value, bool is_text)
{
	struct record_column *column = &writer->columns[number];
	bool is_zero = !is_text && !value[strspn(value, "0.")];

	column->name = name;
	column->is_text = is_text;
	if (column->width < width_of(value))
		column->width = width_of(value);
	column->has_zero |= is_zero;
	column->has_value |= !is_zero && *value && strcmp(value, "-");
}

static bool is_shown(const struct record_writer *writer,
		     const struct record_column *column)
{
	return column->has_value &&
	       (column->is_key || column->block == writer->block);
}

static void put_spaces(FILE *out, int count)
{
	fprintf(out, "%*s", count, "");
}

/* Padding of a text column is deferred to the next field, so that no line ends
 * with spaces.
 */
static void put(struct record_writer *writer,
		const struct record_column *column, const char *value)
{
	int rest = column->width - width_of(value);

	if (!*value) {
		writer->owed += column->width + BETWEEN;
		return;
	}
	put_spaces(writer->out, writer->owed);
	if (!column->is_text)
		put_spaces(writer->out, rest);
	fputs(value, writer->out);
	writer->owed = BETWEEN + (column->is_text ? rest : 0);
}

void record_table_field(struct record_writer *writer, const char *name,
			const char *value, bool is_text)
{
	char *made = is_text ? name_made(NAME_TEXT, value) : NULL;
	const char *text = made ? made : value;
	int number = writer->column++;

	if (number < RECORD_MAX_COLUMNS && writer->is_measuring)
		measure(writer, number, name, text, is_text);
	else if (number < RECORD_MAX_COLUMNS &&
		 is_shown(writer, &writer->columns[number]))
		put(writer, &writer->columns[number], text);
	free(made);
}

void record_table_end_row(struct record_writer *writer)
{
	fputs("\n", writer->out);
	writer->owed = 0;
}

/* Finds the key columns: those before the first column that counts something.
 */
static int find_keys(struct record_writer *writer)
{
	int width = 0;

	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		struct record_column *column = &writer->columns[i];

		if (!column->name ||
		    (!column->is_text && !is_number_of_row(column->name)))
			break;
		column->is_key = true;
		if (column->has_value)
			width += column->width + BETWEEN;
	}
	return width;
}

static void find_widths(struct record_writer *writer)
{
	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		struct record_column *column = &writer->columns[i];
		struct record_head head;

		if (!column->name)
			continue;
		head = record_head_of(column->name, column->width);
		if (column->width < record_head_width(&head))
			column->width = record_head_width(&head);
	}
}

void record_table_lay_out(struct record_writer *writer)
{
	int most = text_width_of(writer->out);
	int keys;
	int width;

	find_widths(writer);
	keys = find_keys(writer);
	width = keys;
	writer->blocks = 1;
	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		struct record_column *column = &writer->columns[i];

		if (column->is_key || !column->has_value)
			continue;
		if (width > keys && width + column->width > most) {
			writer->blocks++;
			width = keys;
		}
		width += column->width + BETWEEN;
		column->block = writer->blocks - 1;
	}
}

static struct record_head head_of(const struct record_column *column)
{
	return record_head_of(column->name, column->width);
}

static bool has_two_lines(const struct record_writer *writer)
{
	for (int i = 0; i < RECORD_MAX_COLUMNS; i++)
		if (is_shown(writer, &writer->columns[i]) &&
		    *head_of(&writer->columns[i]).lines[0])
			return true;
	return false;
}

void record_table_heads(const struct record_writer *writer)
{
	struct record_writer row = *writer;

	for (int line = !has_two_lines(writer); line < 2; line++) {
		for (int i = 0; i < RECORD_MAX_COLUMNS; i++)
			if (is_shown(&row, &row.columns[i]))
				put(&row, &row.columns[i],
				    head_of(&row.columns[i]).lines[line]);
		record_table_end_row(&row);
	}
}

void record_table_end(const struct record_writer *writer)
{
	const char *separator = "All 0: ";

	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		const struct record_column *column = &writer->columns[i];

		if (!column->has_zero || column->has_value)
			continue;
		fprintf(writer->out, "%s%s", separator,
			record_head_of(column->name, INT16_MAX).lines[1]);
		separator = ", ";
	}
	if (*separator == ',')
		fputs("\n", writer->out);
}
