/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACEPOINT_FORMAT_H
#define KT_DECODER_TRACEPOINT_FORMAT_H

#include "decoder/recording/tracepoint.h"

struct arena;
struct array;
struct byte_reader;

/* Reads the text of a tracepoint's format file.
 *
 * Returns 1 with @tracepoint (but its system), 0 if the text is not such a
 * file, -ERROR_MEMORY.  Owner of names and fields: @arena.
 */
int tracepoint_format_read(const char *text, size_t size, struct arena *arena,
			   struct tracepoint *tracepoint);

/* Reads all formats in a recording's HEADER_TRACING_DATA and appends them to
 * @tracepoints (struct tracepoint).  Its layout is that of trace-cmd's
 * trace.dat(5) up to the event formats; what is malformed ends the reading.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int tracing_data_read(const uint8_t *bytes, size_t size, struct arena *arena,
		      struct array *tracepoints);

/* Reads parts of that layout one by one, each from where @reader is: so many
 * formats of the system @system, behind their 32 bit count; and all systems
 * behind theirs.  @reader fails if it ends too early.
 *
 * Return 0 or -ERROR_MEMORY.
 */
int tracing_formats_read(struct byte_reader *reader, const char *system,
			 struct arena *arena, struct array *tracepoints);
int tracing_systems_read(struct byte_reader *reader, struct arena *arena,
			 struct array *tracepoints);

#endif
