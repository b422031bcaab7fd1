/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACEPOINT_FORMAT_H
#define KT_DECODER_TRACEPOINT_FORMAT_H

#include "decoder/recording/tracepoint.h"

struct arena;
struct array;
struct byte_reader;

/* Parses the text of a tracepoint's format file.
 *
 * Returns 1 with @tracepoint (except its system), 0 if the text is not such a
 * file, -ERROR_MEMORY. Names and fields are owned by @arena.
 */
int tracepoint_format_read(const char *text, size_t size, struct arena *arena,
			   struct tracepoint *tracepoint);

/* Parses all formats in a recording's HEADER_TRACING_DATA and appends them to
 * @tracepoints (struct tracepoint). Its layout is that of trace-cmd's
 * trace.dat(5) up to the event formats; malformed data ends the parsing.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int tracing_data_read(const uint8_t *bytes, size_t size, struct arena *arena,
		      struct array *tracepoints);

/* Parse parts of that layout one by one from the position of @reader: the
 * 32-bit count and the formats of one system, @system; or the count and all
 * systems. @reader fails if it ends too early.
 *
 * Return 0 or -ERROR_MEMORY.
 */
int tracing_formats_read(struct byte_reader *reader, const char *system,
			 struct arena *arena, struct array *tracepoints);
int tracing_systems_read(struct byte_reader *reader, struct arena *arena,
			 struct array *tracepoints);

#endif
