/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_TRACEPOINT_H
#define KT_DECODER_RECORDING_TRACEPOINT_H

/* Layouts of tracepoints' records. The kernel describes them in format files,
 * which a recording has copies of: no layout is built into this program.
 *
 *	HEADER_TRACING_DATA, trace.dat ─► tracing_formats_read() ─► struct tracepoint
 *	sample's raw bytes ─► tracepoint_number(), tracepoint_text()
 *
 * 1. A field that a kernel does not have is NULL and reads as 0 or "": readers
 *    need not know which kernels have it.
 * 2. Format files are untrusted: a field outside of a record reads as 0 or "".
 *
 * Layouts are constant once read, so threads may share them. Names are owned by
 * the caller's arena.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct array;
struct byte_reader;
struct recording;

/* The layout of a tracepoint's records, from its format file as stored in the
 * recording (/sys/kernel/tracing/events/<system>/<name>/format).
 */
struct tracepoint_field {
	const char *name;
	uint32_t offset;
	uint32_t size;
	bool is_signed;
	bool is_dynamic; /* __data_loc: its bytes are elsewhere */
};

struct tracepoint {
	const char *system;
	const char *name;
	uint32_t id;
	const struct tracepoint_field *fields;
	size_t field_count;
};

/* Returns the field called @name, or NULL. Call it once, not for every record.
 */
const struct tracepoint_field *
tracepoint_field(const struct tracepoint *tracepoint, const char *name);

/* Reads an integer field of a sample's @raw bytes, sign-extended if signed.
 *
 * Returns 0 if the field is NULL or not in @raw.
 */
int64_t tracepoint_number(const struct tracepoint_field *field,
			  const uint8_t *raw, size_t raw_size);

/* Copies a text field (char array or __data_loc) into @text, cut to @size
 * with its NUL. Returns @text, "" if the field is NULL or not in @raw.
 */
const char *tracepoint_text(const struct tracepoint_field *field,
			    const uint8_t *raw, size_t raw_size, char *text,
			    size_t size);

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

/* The events that the kernel's function_graph tracer writes into the ring
 * buffer, and the scheduler events needed with them:
 * kernel/trace/trace_entries.h and include/trace/events/sched.h of Linux. Their
 * fields are located by the format files of the recording: Linux 6.1, 6.12 and
 * 7.3 differ.
 */
enum graph_event {
	GRAPH_ENTRY,
	GRAPH_ENTRY_FROM, /* funcgraph_retaddr_entry: with its caller */
	GRAPH_EXIT,
	GRAPH_SWITCH,
	GRAPH_EVENTS,
};

/* The layout of a ring buffer's page and of the events above. Fields that a
 * kernel does not have are zeroed, missing events have id 0.
 */
struct graph_trace {
	uint32_t page_bytes;  /* of each page; 0: no such trace */
	uint32_t data_offset; /* offset of the first event in a page */
	/* any stream has an entry or an exit: trace-cmd describes them even if
	 * it recorded none
	 */
	bool has_functions;
	struct tracepoint_field type;
	struct tracepoint_field pid;
	uint32_t ids[GRAPH_EVENTS];
	struct tracepoint_field function[GRAPH_EVENTS];
	struct tracepoint_field depth[GRAPH_EVENTS];
	struct tracepoint_field previous_pid; /* GRAPH_SWITCH */
	struct tracepoint_field previous_state;
	struct tracepoint_field next_pid;
};

const struct graph_trace *
recording_graph_trace(const struct recording *recording);

#endif
