/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_RECORD_WRITER_H
#define KT_REPORT_TEXT_RECORD_WRITER_H

/* Rows of fields as CSV, JSON or a table for people. Every table of report, the
 * shell of sql and top are written by it, so a column has one name: RECORD_CSV
 * and RECORD_JSON use it as it is, RECORD_TABLE makes a heading of it.
 *
 * A table is a callback (record_fields) that writes the fields of a record:
 *
 *  record_writer_table() --index--> record_fields --record_text(), ...--+
 *           ^                                                           |
 *           +-- a line of CSV or JSON, or the widths, then the cells <--+
 *
 * Invariants:
 * 1. A record_fields writes the same names in the same order for each record.
 * 2. It may be called several times for a record: to measure, once per block of
 *    columns, for a header and for sorting. It must not change anything.
 * 3. RECORD_TABLE needs all records to be available by index; only CSV and JSON
 *    can be written as a stream.
 * 4. Texts from the traced machine are escaped by the format's rules
 *    (name_text.h): any bytes are valid as values, not as names.
 *
 * Errors of writing are recorded in the FILE; the caller checks ferror().
 */

#include "report/text/line_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct record_pick;

/* The heading of a column in a table for people. */
struct record_head {
	char lines[2][64]; /* the first line is empty if one is enough */
};

/* Returns the heading of field @name: "context_switches" becomes "context
 * switches", "wall_ns", whose values have units, "wall", and "exact_percent"
 * "exact %"; a few names have other words. It has two lines if one would be
 * wider than @width and two are narrower.
 */
struct record_head record_head_of(const char *name, int width);

/* Returns whether @wanted, from a command line, is the name or the heading of
 * field @name.
 */
bool record_head_is(const char *name, const char *wanted);

/* Returns whether an item of @list, separated by commas, is the name or the
 * heading of field @name, or has @name as its heading.
 */
bool record_list_has(const char *list, const char *name);

enum record_format {
	RECORD_CSV,  /* RFC 4180: a header line, then a line per record */
	RECORD_JSON, /* one array of flat objects, one per line */
	/* For people: aligned columns below headings; columns beyond the text
	 * width follow in further blocks; times have a suitable unit and their
	 * fields no "_ns"; columns with only zeros are listed at the end.
	 */
	RECORD_TABLE,
	RECORD_NDJSON, /* one flat object per line, and nothing else */
};

/* Returns whether records are objects of JSON. */
static inline bool record_format_is_json(enum record_format format)
{
	return format == RECORD_JSON || format == RECORD_NDJSON;
}

enum { RECORD_MAX_COLUMNS = 64 };

/* A column of a text table, of which there are at most RECORD_MAX_COLUMNS. */
struct record_column {
	const char *name;
	int width;
	int block; /* the block that contains it */
	bool is_text;
	bool is_key;	/* repeated in each block */
	bool has_value; /* it has a value other than 0 and absent */
	bool has_zero;
	bool is_hidden; /* not one of record_writer.shown */
};

enum { RECORD_PREFIX_BYTES = 48 };

/* The text before a field's value in JSON: a comma and the name. */
struct record_prefix {
	const char *name; /* the field's name; NULL: no prefix yet */
	size_t size;
	char text[1 + RECORD_PREFIX_BYTES];
};

/* Writes records of the same shape as CSV, JSON or a text table. Each record
 * has the same fields in the same order; the first record defines the header.
 *
 * Output is buffered: in a text table until the next field, otherwise until
 * record_writer_end().
 */
struct record_writer {
	FILE *out;		 /* borrowed */
	struct line_buffer line; /* CSV, JSON */
	enum record_format format;
	/* CSV, JSON: unit of fields "…_ns"; NULL: nanoseconds */
	const struct time_unit *unit;
	/* table: the columns to show, names or headings separated by commas;
	 * NULL: all
	 */
	const char *shown;
	bool is_brief; /* "shown" is a default: list the other columns below */
	bool hides_zeros; /* table: does not list the columns that are all 0 */
	bool has_records;
	bool has_fields;	  /* in this record */
	bool is_header;		  /* CSV: this pass writes the names */
	bool is_measuring;	  /* table: this pass measures widths */
	int blocks;		  /* table: number of blocks */
	int block;		  /* the current block */
	int owed;		  /* spaces before the next field of the row */
	struct record_pick *pick; /* not NULL: only extracts a value */
	int column;		  /* index of the next field */
	union {
		struct record_prefix prefixes[RECORD_MAX_COLUMNS]; /* JSON */
		struct record_column columns[RECORD_MAX_COLUMNS];  /* table */
	};
};

/* Sets *@format to the format named @name: "csv", "json" or "text"; NULL means
 * "text". Returns whether the format exists.
 */
bool record_format_find(const char *name, enum record_format *format);

struct record_writer record_writer_of(FILE *out, enum record_format format);

/* record_writer_table() writes the records of a table. It calls @fields,
 * perhaps more than once per record, to write the fields of record @index with
 * the functions below, in the same order for each record.
 */
typedef void record_fields(struct record_writer *writer, const void *ctx,
			   uint64_t index);
void record_writer_table(struct record_writer *writer, record_fields *fields,
			 const void *ctx, uint64_t count);

/* Like record_writer_table(), for a stream of records. Not for text tables,
 * whose column widths depend on all records.
 */
void record_writer_begin(struct record_writer *writer);
void record_writer_record(struct record_writer *writer, record_fields *fields,
			  const void *ctx, uint64_t index);
void record_writer_end(struct record_writer *writer);

/* Writes the header of a CSV without records, for readers that require one;
 * nothing in other formats, or after a record. @fields is called with index 0,
 * and only the names that it writes are used. Call it before
 * record_writer_end().
 */
void record_writer_names(struct record_writer *writer, record_fields *fields,
			 const void *ctx);

/* The fields of a record. @name must be valid until the last record, @value
 * until the function returns.
 */
void record_text(struct record_writer *writer, const char *name,
		 const char *value);

/* Writes a number; in a text table as a time if @name is the name of a time
 * ("wall_ns"), and a negative id of a process or thread ("client_pid") like
 * record_absent().
 */
void record_number(struct record_writer *writer, const char *name,
		   uint64_t value);
void record_signed(struct record_writer *writer, const char *name,
		   int64_t value);

/* Writes a number of ns; in a text table with a suitable unit
 * (duration_text.h).
 */
void record_duration(struct record_writer *writer, const char *name,
		     uint64_t value_ns);

/* Writes a number with @digits decimals. */
void record_real(struct record_writer *writer, const char *name, double value,
		 int digits);

/* Writes a number with as many digits as are needed to read the same number
 * again (at most 15 in a text table). NaN is absent.
 */
void record_float(struct record_writer *writer, const char *name, double value);

/* Writes a missing or unknown field: empty in CSV, null in JSON, "-" in a text
 * table.
 */
void record_absent(struct record_writer *writer, const char *name);

/* Writes the text that @write writes to @out with @ctx; empty if it returns
 * false or when out of memory.
 */
void record_written(struct record_writer *writer, const char *name,
		    bool (*write)(FILE *out, const void *ctx), const void *ctx);

/* Writes an address as text, 0x…, because JSON numbers lose bits of it. */
void record_address(struct record_writer *writer, const char *name,
		    uint64_t value);

/* Returns the text of the fields that @fields writes, in the format of @writer
 * (CSV or JSON), as it appears after other fields, or at the start if
 * @is_first. Its length is in *@size. The caller frees it and passes it to
 * record_made(). Returns NULL when out of memory.
 */
char *record_make(const struct record_writer *writer, bool is_first,
		  record_fields *fields, const void *ctx, uint64_t index,
		  size_t *size);

/* Writes fields that record_make() made and that occur in many records. Must
 * not be called while the header is written (is_header), which consists of
 * names only.
 */
static inline void record_made(struct record_writer *writer, const char *text,
			       size_t size)
{
	writer->has_fields = true;
	line_buffer_put(&writer->line, text, size);
}

/* Writes @text as a JSON string with its quotes. */
void json_string(FILE *out, const char *text);

/* Sorts the @count records of a table, written by @fields, by @column: numbers
 * falling, texts alphabetically, equal ones in their original order.
 *
 * Returns 0 and *@order (record indices in the new order), which the caller
 * frees; -ERROR_NOT_FOUND if the column does not exist; or -ERROR_MEMORY.
 */
int record_order(record_fields *fields, const void *ctx, uint64_t count,
		 const char *column, uint64_t **order);

#endif
