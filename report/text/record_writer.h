/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_RECORD_WRITER_H
#define KT_REPORT_RECORD_WRITER_H

#include "report/text/line_buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct time_unit;

enum record_format {
	RECORD_CSV,  /* RFC 4180: a header line, then a line a record */
	RECORD_JSON, /* one array of flat objects, one a line */
	/* For people: aligned columns under their names, as wide as the text
	 * may be, the rest below; times in the unit that suits them, those
	 * fields' "_ns" left out; columns without any value but 0 listed
	 * below.
	 */
	RECORD_TABLE,
};

enum { RECORD_MAX_COLUMNS = 64 };

/* The value of one column in one record, for record_order(). */
struct record_pick {
	const char *column;
	bool is_found;
	bool is_text;
	char *text; /* is_text: to be freed */
	long double number;
};

/* A column of a table of text; there are no more than RECORD_MAX_COLUMNS. */
struct record_column {
	const char *name;
	int width;
	int block; /* in which it stands */
	bool is_text;
	bool is_key;	/* in each block */
	bool has_value; /* one that is not 0 and not absent */
	bool has_zero;
};

enum { RECORD_PREFIX_BYTES = 48 };

/* This is what stands before the value of a field in JSON: a comma and its
 * name.
 */
struct record_prefix {
	const char *name; /* that it was made of; NULL: none yet */
	size_t size;
	char text[1 + RECORD_PREFIX_BYTES];
};

/* Writes equal records as CSV, JSON or a table of text.  Each record has the
 * same fields in the same order; the first one sets the header.
 *
 * What is written waits in a buffer: of a table of text until the next field,
 * else until record_writer_end().
 */
struct record_writer {
	FILE *out;		 /* borrowed */
	struct line_buffer line; /* CSV, JSON */
	enum record_format format;
	/* CSV, JSON: of the fields "…_ns"; NULL: just that */
	const struct time_unit *unit;
	bool has_records;
	bool has_fields;	  /* in this record */
	bool is_header;		  /* CSV: this pass writes names */
	bool is_measuring;	  /* table: this pass finds the widths */
	int blocks;		  /* table: how many */
	int block;		  /* which one is written */
	int owed;		  /* spaces before the row's next field */
	struct record_pick *pick; /* not NULL: nothing is written */
	int column;		  /* of the field that comes */
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

/* Writes the records of a table. @write_record must write the fields of record
 * @index with the functions below, in the same order for each record. It is
 * called more than once per record.
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

/* The fields of a record. @name must be valid until the last record, @value
 * until the function returns.
 */
void record_text(struct record_writer *writer, const char *name,
		 const char *value);
/* Formatted as a time in a text table if @name is the name of a time
 * ("wall_ns").
 */
void record_number(struct record_writer *writer, const char *name,
		   uint64_t value);
void record_signed(struct record_writer *writer, const char *name,
		   int64_t value);
/* A number of ns; in a text table with a suitable unit (duration_text.h). */
void record_duration(struct record_writer *writer, const char *name,
		     uint64_t value_ns);
/* With @digits decimals. */
void record_real(struct record_writer *writer, const char *name, double value,
		 int digits);
/* With as many digits as are needed to read the same number again (at most 15
 * in a text table). NaN is absent.
 */
void record_float(struct record_writer *writer, const char *name, double value);
/* A missing or unknown field: empty in CSV, null in JSON, "-" in a text table.
 */
void record_absent(struct record_writer *writer, const char *name);
/* The text that @write writes to @out with @ctx; empty if it returns false or
 * when out of memory.
 */
void record_written(struct record_writer *writer, const char *name,
		    bool (*write)(FILE *out, const void *ctx), const void *ctx);
/* A 0x… text, because JSON numbers lose bits of an address. */
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

#endif
