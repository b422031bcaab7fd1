/* SPDX-License-Identifier: MIT */
#include "report/text/record_line.h"

#include "report/text/name_text.h"
#include "report/text/time_unit.h"

#include <string.h>

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

char *record_line_new_field(struct record_writer *writer, const char *name,
			    size_t room)
{
	bool is_json = writer->format == RECORD_JSON;

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

void record_line_string(struct record_writer *writer, const char *text)
{
	bool is_json = writer->format == RECORD_JSON;
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
