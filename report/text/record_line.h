/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_LINE_H
#define KT_REPORT_RECORD_LINE_H

#include "report/text/record_writer.h"

#include <stdbool.h>

/* The layout of CSV and JSON fields in a record_writer. */

/* For a field without a cached prefix; see record_line_field(). */
char *record_line_new_field(struct record_writer *writer, const char *name,
			    size_t room);

/* Writes the prefix of field @name's value; in a header this is everything.
 *
 * Returns the position of the value with @room bytes, for record_line_take();
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
	if (writer->format == RECORD_JSON && prefix->name != name)
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
static inline void record_line_take(struct record_writer *writer,
				    const char *at)
{
	writer->line.size = (size_t)(at - writer->line.bytes);
}

/* Writes a text as a value, quoted where the format requires it. */
void record_line_string(struct record_writer *writer, const char *text);

#endif
