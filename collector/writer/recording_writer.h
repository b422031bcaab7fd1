/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_WRITER_RECORDING_WRITER_H
#define KT_COLLECTOR_WRITER_RECORDING_WRITER_H

#include "collector/rings/cpu_rings.h"
#include "common/formats/perf_data.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct byte_buffer;
struct event_list;
struct feature;
struct log;
struct output_folder;

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

/* Returns the record for @size bytes of trace, with offset 0, to be set by the
 * caller. The trace must be padded with zeros to the record's size. One of @cpu
 * and @thread is -1.
 */
static inline struct trace_record trace_record_of(uint32_t index, int32_t cpu,
						  int32_t thread, size_t size)
{
	return (struct trace_record){
		.header = { PERF_DATA_AUXTRACE, 0,
			    sizeof(struct trace_record) },
		.size = size + (8 - size % 8) % 8,
		.index = index,
		.thread = (uint32_t)thread,
		.cpu = (uint32_t)cpu,
	};
}

/* Returns the reference of AUXTRACE record @number, in the format of perf
 * record: on x86 the TSC, with which perf completes the 56 bits of TSC packets
 * (intel_pt_reference() in tools/perf/arch/x86/util/intel-pt.c); elsewhere any
 * number that differs between records (cs_etm_reference() in
 * tools/perf/arch/arm/util/cs-etm.c).
 */
static inline uint64_t trace_reference(uint64_t number)
{
#if defined(__x86_64__) || defined(__i386__)
	(void)number;
	return __rdtsc();
#else
	return number;
#endif
}

/* The file `data` of a recording: perf.data's header, attrs, features and
 * records (tools/perf/Documentation/perf.data-file-format.txt).
 *
 * The table of features must follow the records. Each round ends with the table
 * and a matching header, so that the file of a killed recorder is valid up to
 * there. The next round starts after the table, which becomes the body of a
 * record FINISHED_ROUND.
 *
 * When a write fails, this is logged once, the valid part of the file is left
 * unchanged, and nothing more is written.
 */
struct recording_writer;

/* Creates the file in @folder and writes everything except the records: the
 * attrs of @events and the @count sections @features, in ascending order of
 * their bits, all below PERF_DATA_FEATURE_AUXTRACE.
 *
 * Returns 0 and *@writer, or a negative enum error with the reason in @log.
 */
int recording_writer_create(const struct output_folder *folder,
			    const struct event_list *events,
			    const struct feature *features, size_t count,
			    const struct log *log,
			    struct recording_writer **writer);

/* Closes the file in its present state and frees @writer. NULL is allowed. */
void recording_writer_free(struct recording_writer *writer);

/* Appends whole records.  Returns 0, -ERROR_SYSTEM or -ERROR_MEMORY. */
int recording_writer_add(struct recording_writer *writer,
			 const struct byte_buffer *records);

/* Like recording_writer_add(), for records in a ring. */
int recording_writer_add_ring(struct recording_writer *writer,
			      const struct ring_bytes *records);

/* Writes the attrs and ids of @events again, after more events were opened.
 * They become bodies of records that readers skip, and the header refers to
 * them from the end of this round on. Returns 0, -ERROR_SYSTEM, -ERROR_MEMORY,
 * or -ERROR_UNSUPPORTED if there are too many.
 */
int recording_writer_add_events(struct recording_writer *writer,
				const struct event_list *events);

/* Sets the position of the first trace of ring number @index to @offset,
 * counted like the offsets in AUX records. Must be called before trace of this
 * ring is added. Returns 0 or -ERROR_MEMORY.
 */
int recording_writer_begin_trace(struct recording_writer *writer,
				 uint32_t index, uint64_t offset);

/* Appends an AUXTRACE record, then @trace, which is from ring number @index.
 * The position in the record is the end of the trace that was added before, or
 * @trace->start if trace between them was overwritten. The trace is of @cpu,
 * with @thread -1; or of @thread, with @cpu -1. Returns 0, -ERROR_SYSTEM or
 * -ERROR_MEMORY.
 */
int recording_writer_add_trace(struct recording_writer *writer, uint32_t index,
			       int cpu, pid_t thread,
			       const struct ring_bytes *trace);

/* Ends a round of reading all rings, if anything was added in it. All data read
 * later is younger than the data read in the previous round.
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

/* Return the size of the trace, and of everything, in the file, in bytes. */
uint64_t recording_writer_trace_bytes(const struct recording_writer *writer);

uint64_t recording_writer_bytes(const struct recording_writer *writer);

#endif
