/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_WRITER_H
#define KT_COLLECTOR_RECORDING_WRITER_H

#include "collector/ring.h"

#include <stdint.h>

struct byte_buffer;
struct event_list;
struct feature;
struct log;

/* The file `data` of a recording: perf.data's header, attrs, records and
 * feature sections (tools/perf/Documentation/perf.data-file-format.txt).
 *
 * After each round the header states what is whole so far, so that the file
 * of a recorder that was killed can be read up to there.  When a write fails,
 * the log is told once, the file goes back to the last whole record, and
 * nothing more is written to it.
 */
struct recording_writer;

/* Creates @path and writes the header and the attrs of @events.
 *
 * Returns 0 and *@writer, or a negative enum error with the reason in @log.
 */
int recording_writer_create(const char *path, const struct event_list *events,
			    const struct log *log,
			    struct recording_writer **writer);

/* Closes the file as it is and frees @writer.  NULL is allowed. */
void recording_writer_free(struct recording_writer *writer);

/* Appends whole records.  Returns 0 or -ERROR_SYSTEM. */
int recording_writer_add(struct recording_writer *writer,
			 const struct byte_buffer *records);
int recording_writer_add_ring(struct recording_writer *writer,
			      const struct ring_bytes *records);

/* Appends @trace of @cpu, the ring number @index, behind a record AUXTRACE.
 * Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY.
 */
int recording_writer_add_trace(struct recording_writer *writer, uint32_t index,
			       int cpu, const struct ring_bytes *trace);

/* Ends a round of reading all rings, if it brought anything: whatever is
 * read later is younger than what was read in the round before.
 */
int recording_writer_end_round(struct recording_writer *writer);

/* Writes the @count sections @features and the index of the trace behind the
 * records.  Nothing can be added afterwards.
 *
 * Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY.
 */
int recording_writer_finish(struct recording_writer *writer,
			    const struct feature *features, size_t count);

/* Returns how many bytes of trace, and bytes in all, are in the file. */
uint64_t recording_writer_trace_bytes(const struct recording_writer *writer);
uint64_t recording_writer_bytes(const struct recording_writer *writer);

#endif
