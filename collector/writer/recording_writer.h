/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_WRITER_H
#define KT_COLLECTOR_RECORDING_WRITER_H

#include "collector/rings/ring.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct byte_buffer;
struct event_list;
struct feature;
struct log;
struct output_folder;

/* The file `data` of a recording: perf.data's header, attrs, features and
 * records (tools/perf/Documentation/perf.data-file-format.txt).
 *
 * The table of features has to follow the records.  Each round ends with it
 * and with a header that says so, so that the file of a recorder that was
 * killed is whole up to there.  The next round begins behind the table, which
 * becomes the body of a record FINISHED_ROUND.
 *
 * When a write fails, the log is told once, what is whole is kept, and
 * nothing more is written.
 */
struct recording_writer;

/* Creates the file in @folder and writes all but the records: the attrs of @events and the
 * @count sections @features, in ascending order of their bits, all below
 * PERF_DATA_FEATURE_AUXTRACE.
 *
 * Returns 0 and *@writer, or a negative enum error with the reason in @log.
 */
int recording_writer_create(const struct output_folder *folder,
			    const struct event_list *events,
			    const struct feature *features, size_t count,
			    const struct log *log,
			    struct recording_writer **writer);

/* Closes the file as it is and frees @writer.  NULL is allowed. */
void recording_writer_free(struct recording_writer *writer);

/* Appends whole records.  Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY. */
int recording_writer_add(struct recording_writer *writer,
			 const struct byte_buffer *records);
int recording_writer_add_ring(struct recording_writer *writer,
			      const struct ring_bytes *records);

/* Says that the trace of ring number @index, of which none was added yet, begins
 * at byte @offset of those that went through the ring: records of AUX count from
 * there.  Returns 0 or -ERROR_MEMORY.
 */
int recording_writer_begin_trace(struct recording_writer *writer,
				 uint32_t index, uint64_t offset);

/* Appends @trace of @cpu, or if that is -1 of @thread, which else is -1, from
 * the ring number @index, behind a record AUXTRACE, which says where it is in all
 * that was ever traced: behind what was added, or further on by @trace->start,
 * where some was overwritten.  Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY.
 */
int recording_writer_add_trace(struct recording_writer *writer, uint32_t index,
			       int cpu, pid_t thread,
			       const struct ring_bytes *trace);

/* Ends a round of reading all rings, if it brought anything: whatever is
 * read later is younger than what was read in the round before.
 *
 * Returns 0 or -ERROR_SYSTEM.
 */
int recording_writer_end_round(struct recording_writer *writer);

/* Ends the last round, and adds the index of the trace to the features.
 * Nothing can be added afterwards.
 *
 * Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY.
 */
int recording_writer_finish(struct recording_writer *writer);

/* Returns how many bytes of trace, and bytes in all, are in the file. */
uint64_t recording_writer_trace_bytes(const struct recording_writer *writer);
uint64_t recording_writer_bytes(const struct recording_writer *writer);

#endif
