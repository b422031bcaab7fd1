/* SPDX-License-Identifier: MIT */
#include "report/text/record_writer.h"

#include "common/error.h"
#include "report/text/duration_text.h"
#include "report/text/name_text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes records as text, CSV or JSON. A table describes a record by one
 * function that writes its fields (record_fields); it is called once for each
 * record and purpose, so that a table names its columns once:
 *
 *	to write a header, to write a line (CSV, JSON), to measure a text column,
 *	to write a block of text, or to pick one column for sorting
 *
 * CSV and JSON are written in one pass; the text before each value is cached
 * for the next record. Text takes two: all columns are measured and laid out in
 * blocks that fit the width, and rows are then written block by block.
 *
 * The owner of the FILE notices a failed write. Only record_make() and
 * record_order() can run out of memory, and return that.
 */

/* The value of one column in one record, for record_order(). */
struct record_pick {
	const char *column;
	bool is_found;
	bool is_text;
	char *text; /* if is_text; the caller frees it */
	long double number;
};

/* Words of names that are written differently in headings. */
static const struct {
	const char *word;
	const char *instead;
} words[] = {
	{ "ns", "" },
	{ "percent", "%" },
	{ "cpu", "CPU" },
	{ "irq", "IRQ" },
};

/* Headings that cannot be derived from the field's name. */
static const struct head {
	const char *name;
	const char *text;
	const char *note; /* an explanation below the table; or NULL */
} heads[] = {
	{ "interrupt_benefited_ns", "for it by interrupts",
	  "work of interrupts that interrupted it, for itself" },
	{ "interrupt_stolen_ns", "taken by interrupts",
	  "work of interrupts that interrupted it, for other processes" },
	{ "stolen_ns", "taken by interrupts", NULL },
	{ "typical_stolen_ns", "typical taken by interrupts", NULL },
	{ "not_asked_ns", "outside --only", NULL },
	{ "client_ns", "client on CPU", NULL },
	{ "cut_ns", "time cut", NULL },
	{ "device_ns", "device time", NULL },
};

static const struct head *head_find(const char *name)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (!strcmp(heads[i].name, name))
			return &heads[i];
	return NULL;
}

static const char *word_instead(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == length &&
		    !strncmp(words[i].word, word, length))
			return words[i].instead;
	return NULL;
}

static void write_words(char *text, size_t size, const char *name)
{
	const struct head *head = head_find(name);
	size_t used = 0;

	*text = '\0';
	if (head) {
		snprintf(text, size, "%s", head->text);
		return;
	}
	while (*name) {
		size_t length = strcspn(name, "_");
		const char *instead = word_instead(name, length);

		if (!instead || *instead)
			used += (size_t)snprintf(
				text + used, size - used, "%s%.*s",
				used ? " " : "",
				instead ? (int)strlen(instead) : (int)length,
				instead ? instead : name);
		if (used >= size)
			return;
		name += length + (name[length] == '_');
	}
}

static size_t wider_part(const char *text, size_t space)
{
	size_t rest = strlen(text) - space - 1;

	return space > rest ? space : rest;
}

/* Returns the position at which to break @text, which must contain a space. */
static size_t best_break(const char *text)
{
	size_t best = strcspn(text, " ");

	for (size_t i = best; text[i]; i++)
		if (text[i] == ' ' &&
		    wider_part(text, i) < wider_part(text, best))
			best = i;
	return best;
}

struct record_head record_head_of(const char *name, int width)
{
	struct record_head head = { { "", "" } };
	char *text = head.lines[1];
	size_t space;

	write_words(text, sizeof(head.lines[1]), name);
	if ((int)strlen(text) <= width || !strchr(text, ' '))
		return head;
	space = best_break(text);
	memcpy(head.lines[0], text, space);
	memmove(text, text + space + 1, strlen(text) - space);
	return head;
}

/* Returns the width of the heading in characters. */
static int record_head_width(const struct record_head *head)
{
	size_t first = strlen(head->lines[0]);
	size_t second = strlen(head->lines[1]);

	return (int)(first > second ? first : second);
}

static bool is_head(const char *name, const char *wanted)
{
	char words_of_name[sizeof(((struct record_head *)0)->lines[1])];
	char words_wanted[sizeof(words_of_name)];

	if (!strcmp(name, wanted))
		return true;
	write_words(words_of_name, sizeof(words_of_name), name);
	write_words(words_wanted, sizeof(words_wanted), wanted);
	for (char *c = words_wanted; *c; c++)
		if (*c == '_')
			*c = ' ';
	return *words_wanted && !strcasecmp(words_of_name, words_wanted);
}

/* Returns the name of the same field in other tables, or NULL: sums over
 * threads are called thread time in text.
 */
static const char *other_name(const char *name)
{
	if (!strcmp(name, "wall_ns"))
		return "thread_time_ns";
	return !strcmp(name, "thread_time_ns") ? "wall_ns" : NULL;
}

bool record_head_is(const char *name, const char *wanted)
{
	const char *other = other_name(name);

	return is_head(name, wanted) || (other && is_head(other, wanted));
}

bool record_list_has(const char *list, const char *name)
{
	while (*list) {
		const char *end = strchrnul(list, ',');
		char item[64];

		snprintf(item, sizeof(item), "%.*s", (int)(end - list), list);
		if (record_head_is(item, name) || record_head_is(name, item))
			return true;
		list = end + (*end != '\0');
	}
	return false;
}

static void write_name(struct record_writer *writer, const char *name)
{
	if (writer->unit)
		line_buffer_text(&writer->line,
				 time_unit_field(writer->unit, name).name);
	else
		line_buffer_text(&writer->line, name);
}

/* Caches the prefix, if it fits, for this field in the next record. */
static void keep_prefix(struct record_writer *writer, const char *name)
{
	struct record_prefix *prefix = &writer->prefixes[writer->column];
	struct time_field field;
	int size;

	if (writer->unit)
		field = time_unit_field(writer->unit, name);
	size = snprintf(prefix->text, sizeof(prefix->text),
			",\"%s\":", writer->unit ? field.name : name);
	prefix->name = size <= RECORD_PREFIX_BYTES ? name : NULL;
	prefix->size = (size_t)size;
}

/* Like record_line_field(), for a field whose prefix is not cached. */
static char *record_line_new_field(struct record_writer *writer,
				   const char *name, size_t room)
{
	bool is_json = record_format_is_json(writer->format);

	if (is_json && writer->column < RECORD_MAX_COLUMNS)
		keep_prefix(writer, name);
	writer->column++;
	if (writer->has_fields)
		line_buffer_put(&writer->line, ",", 1);
	writer->has_fields = true;
	if (is_json)
		line_buffer_put(&writer->line, "\"", 1);
	if (is_json || writer->is_header)
		write_name(writer, name);
	if (is_json)
		line_buffer_put(&writer->line, "\":", 2);
	return writer->is_header ? NULL : line_buffer_room(&writer->line, room);
}

/* Writes the prefix of field @name's value; in a header this is everything.
 *
 * Returns the position of the value with @room bytes, for record_line_consume();
 * NULL in a header.
 */
static inline char *record_line_field(struct record_writer *writer,
				      const char *name, size_t room)
{
	const struct record_prefix *prefix = writer->prefixes;
	size_t without_comma = !writer->has_fields;
	char *at;

	if (writer->is_header || writer->column >= RECORD_MAX_COLUMNS)
		return record_line_new_field(writer, name, room);
	prefix += writer->column;
	if (record_format_is_json(writer->format) && prefix->name != name)
		return record_line_new_field(writer, name, room);
	writer->has_fields = true;
	at = line_buffer_room(&writer->line, RECORD_PREFIX_BYTES + room);
	if (writer->format == RECORD_CSV) {
		*at = ',';
		return at + 1 - without_comma;
	}
	writer->column++;
	/* A constant size, so that the compiler can inline memcpy(). */
	memcpy(at, prefix->text + without_comma, RECORD_PREFIX_BYTES);
	return at + prefix->size - without_comma;
}

/* Ends the value before @at. */
static inline void record_line_consume(struct record_writer *writer,
				       const char *at)
{
	writer->line.size = (size_t)(at - writer->line.bytes);
}

/* Writes @text in pieces that fit the buffer. */
static void put_escaped(struct line_buffer *line, enum name_rules rules,
			const char *text)
{
	enum { MOST = LINE_BUFFER_BYTES / NAME_GROWTH - 4 };
	size_t length = strlen(text);

	while (length) {
		size_t part = length;

		/* Do not split a multi-byte character. */
		if (part > MOST)
			for (part = MOST;
			     part > MOST - 3 && (text[part] & 0xc0) == 0x80;)
				part--;
		line->size +=
			name_text(line_buffer_room(line, part * NAME_GROWTH),
				  rules, text, part);
		text += part;
		length -= part;
	}
}

/* Writes a text as a value, quoted where the format requires it. */
static void record_line_string(struct record_writer *writer, const char *text)
{
	bool is_json = record_format_is_json(writer->format);
	const char *quote = is_json || strpbrk(text, ",\"\r\n") ? "\"" : "";

	line_buffer_text(&writer->line, quote);
	put_escaped(&writer->line, is_json ? NAME_JSON : NAME_CSV, text);
	line_buffer_text(&writer->line, quote);
}

void json_string(FILE *out, const char *text)
{
	fputc('"', out);
	name_write(out, NAME_JSON, text);
	fputc('"', out);
}

/* Text tables.
 *
 * First all fields are measured. Then the columns are laid out in blocks of
 * columns that fit side by side; the key columns, which identify a row, are
 * repeated in each block. Then all rows are written once per block.
 */

enum { BETWEEN = 2 }; /* columns between fields */

/* Returns the width of @text in characters. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name);
	size_t rest = strlen(end);

	return length >= rest && !strcmp(name + length - rest, end);
}

/* Returns whether the column has ids of processes or threads, which are -1 where
 * there is none or it is unknown: "pid", "client_tid".
 */
static bool is_task_id(const char *name)
{
	return ends_with(name, "pid") || ends_with(name, "tid");
}

/* Returns whether the column's numbers identify rows: "pid", "begin_s". */
static bool is_number_of_row(const char *name)
{
	return is_task_id(name) || !strcmp(name, "request") ||
	       !strcmp(name, "hit") || !strcmp(name, "begin_s");
}

static void measure(struct record_writer *writer, int number, const char *name,
		    const char *value, bool is_text)
{
	struct record_column *column = &writer->columns[number];
	bool is_zero = !is_text && !value[strspn(value, "0.")];

	column->name = name;
	column->is_text = is_text;
	column->is_hidden = writer->shown &&
			    !record_list_has(writer->shown, name);
	if (column->width < width_of(value))
		column->width = width_of(value);
	column->has_zero |= is_zero;
	column->has_value |= !is_zero && *value && strcmp(value, "-");
}

static bool is_filled(const struct record_column *column)
{
	return column->has_value && !column->is_hidden;
}

static bool is_shown(const struct record_writer *writer,
		     const struct record_column *column)
{
	return is_filled(column) &&
	       (column->is_key || column->block == writer->block);
}

static void put_spaces(FILE *out, int count)
{
	fprintf(out, "%*s", count, "");
}

/* Writes a field of a table. The padding after a text column is written with
 * the next field, so that no line ends with spaces.
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

/* Measures or writes a field; numbers are right-aligned. */
static void record_table_field(struct record_writer *writer, const char *name,
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

/* Ends a row. */
static void record_table_end_row(struct record_writer *writer)
{
	fputs("\n", writer->out);
	writer->owed = 0;
}

/* Finds the key columns: those before the first column that counts something.
 * Returns their total width.
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
		if (is_filled(column))
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

/* Sets writer->blocks after all fields have been measured. */
static void record_table_lay_out(struct record_writer *writer)
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

		if (column->is_key || !is_filled(column))
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

/* Writes the headings of block writer->block. */
static void record_table_heads(const struct record_writer *writer)
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

/* Lists the columns that writer->shown leaves out. */
static void list_hidden(const struct record_writer *writer)
{
	const char *separator = "Not shown (--wide): ";

	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		const struct record_column *column = &writer->columns[i];

		if (!column->is_hidden || !column->has_value)
			continue;
		fprintf(writer->out, "%s%s", separator,
			record_head_of(column->name, INT16_MAX).lines[1]);
		separator = ", ";
	}
	if (*separator == ',')
		fputs("\n", writer->out);
}

/* Explains the headings whose words are not those of the names. */
static void explain_heads(const struct record_writer *writer)
{
	for (int i = 0; i < RECORD_MAX_COLUMNS; i++) {
		const struct record_column *column = &writer->columns[i];
		const struct head *head =
			column->name ? head_find(column->name) : NULL;

		if (head && head->note && is_filled(column))
			fprintf(writer->out, "%s: %s\n", head->text,
				head->note);
	}
}

/* Lists the columns that were left out, those whose values are all 0 first. */
static void record_table_end(const struct record_writer *writer)
{
	const char *separator = "All 0: ";

	for (int i = 0; i < RECORD_MAX_COLUMNS && !writer->hides_zeros; i++) {
		const struct record_column *column = &writer->columns[i];

		if (!column->has_zero || column->has_value || column->is_hidden)
			continue;
		fprintf(writer->out, "%s%s", separator,
			record_head_of(column->name, INT16_MAX).lines[1]);
		separator = ", ";
	}
	if (*separator == ',')
		fputs("\n", writer->out);
	if (writer->is_brief)
		list_hidden(writer);
	explain_heads(writer);
}

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

/* Writes an object. The comma after it is written with the next object. */
static void write_object(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t index)
{
	line_buffer_text(&writer->line, writer->has_records ? ",\n{" : "\n{");
	line_buffer_end(&writer->line);
	start_fields(writer);
	fields(writer, ctx, index);
	line_buffer_text(&writer->line, "}");
}

static void write_object_line(struct record_writer *writer,
			      record_fields *fields, const void *ctx,
			      uint64_t index)
{
	line_buffer_text(&writer->line, "{");
	start_fields(writer);
	fields(writer, ctx, index);
	line_buffer_text(&writer->line, "}");
	end_line(writer);
}

void record_writer_record(struct record_writer *writer, record_fields *fields,
			  const void *ctx, uint64_t index)
{
	if (writer->format == RECORD_JSON) {
		write_object(writer, fields, ctx, index);
	} else if (writer->format == RECORD_NDJSON) {
		write_object_line(writer, fields, ctx, index);
	} else {
		if (!writer->has_records)
			write_header(writer, fields, ctx, index);
		start_fields(writer);
		fields(writer, ctx, index);
		end_line(writer);
	}
	writer->has_records = true;
}

void record_writer_names(struct record_writer *writer, record_fields *fields,
			 const void *ctx)
{
	if (writer->format == RECORD_CSV && !writer->has_records)
		write_header(writer, fields, ctx, 0);
}

void record_writer_end(struct record_writer *writer)
{
	if (writer->format == RECORD_JSON)
		line_buffer_text(&writer->line, "\n]\n");
	line_buffer_flush(&writer->line);
}

static void measure_records(struct record_writer *writer, record_fields *fields,
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
	measure_records(writer, fields, ctx, count);
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

/* Returns whether @writer only extracts the value of one column; if so, stores
 * @value if @name is that column.
 */
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
	record_line_consume(writer, at);
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

/* Writes a field whose text is a number, which is the same in all formats. */
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

/* Returns whether @name is that of a time: "wall_ns", "mean_ns_per_call". */
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
			record_line_consume(writer,
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
			record_line_consume(writer,
					    at + digits_signed(at, value));
		return;
	}
	if (value < 0 && is_task_id(name) && !writer->pick) {
		record_absent(writer, name);
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
			  record_format_is_json(writer->format) ? "null" : "",
			  NULL);
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

struct key {
	uint64_t index;
	struct record_pick pick;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a;
	const struct key *y = b;
	int order = 0;

	if (x->pick.is_text && y->pick.is_text)
		order = strcmp(x->pick.text, y->pick.text);
	else if (x->pick.number != y->pick.number)
		order = x->pick.number > y->pick.number ? -1 : 1;
	if (order)
		return order;
	return x->index < y->index ? -1 : 1;
}

static int pick(struct record_writer *writer, record_fields *fields,
		const void *ctx, uint64_t index, const char *column,
		struct key *key)
{
	key->index = index;
	key->pick.column = column;
	writer->pick = &key->pick;
	fields(writer, ctx, index);
	if (!key->pick.is_found)
		return -ERROR_NOT_FOUND;
	return key->pick.is_text && !key->pick.text ? -ERROR_MEMORY : 0;
}

int record_order(record_fields *fields, const void *ctx, uint64_t count,
		 const char *column, uint64_t **order)
{
	struct record_writer writer = record_writer_of(NULL, RECORD_CSV);
	struct key *keys = calloc(count + 1, sizeof(*keys));
	int status = 0;

	*order = calloc(count + 1, sizeof(**order));
	if (!keys || !*order)
		status = -ERROR_MEMORY;
	for (uint64_t i = 0; i < count && !status; i++)
		status = pick(&writer, fields, ctx, i, column, &keys[i]);
	if (!status)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (uint64_t i = 0; keys && i < count; i++) {
		if (!status)
			(*order)[i] = keys[i].index;
		free(keys[i].pick.text);
	}
	free(keys);
	if (status < 0) {
		free(*order);
		*order = NULL;
	}
	return status;
}
