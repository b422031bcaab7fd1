/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_STREAM_LIST_H
#define KT_DECODER_RECORDING_STREAM_LIST_H

#include "common/array.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_table;
struct record;
struct sideband_record;

/* Returns how many bytes at the start of @next also end @before, when both are
 * snapshots of one ring of Intel PT: the longest end of @before that @next
 * starts with, found by the sync points in @next; 0 if there is none.
 */
size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size);

/* Collects the trace bytes of a recording into streams: one for each CPU, or
 * one for each thread.
 */
struct stream_list {
	struct array builders; /* struct stream_builder */
	struct array streams;  /* struct aux_stream, once finished */
	struct array reports;  /* AUX records */
	bool has_records;      /* AUXTRACE */
	bool has_samples;      /* with trace */
	bool is_full;	       /* there were more than BUDGET_STREAMS */
};

struct stream_list stream_list_new(void);

void stream_list_free(struct stream_list *list);

/* Adds an AUXTRACE record. Returns 0, -ERROR_MEMORY, -ERROR_FORMAT if it is too
 * short for its kind or of an impossible CPU, or -ERROR_UNSUPPORTED if it needs
 * a new stream and there are BUDGET_STREAMS already.
 */
int stream_list_add(struct stream_list *list, const struct record *record);

/* Adds a buffer that was read whole from one CPU's sink. Borrows the bytes;
 * @flags as in an AUX record. Returns 0 or -ERROR_MEMORY.
 */
int stream_list_add_buffer(struct stream_list *list, uint32_t index,
			   int32_t cpu, const uint8_t *bytes, size_t size,
			   uint64_t flags);

/* Adds the @size bytes of trace in a sample, @file_offset in the file: the
 * newest bytes of the buffer of @cpu, or of thread @tid if @cpu is -1. In a
 * recording with such samples, slices are copies of a ring; if it has AUXTRACE
 * records as well, the samples are ignored. Returns 0, -ERROR_MEMORY or
 * -ERROR_UNSUPPORTED, as stream_list_add().
 */
int stream_list_add_sample(struct stream_list *list, int32_t cpu, int32_t tid,
			   const uint8_t *bytes, size_t size,
			   uint64_t file_offset);

/* Adds a parsed AUX record. @id is the event's, for ID_INDEX. Records without a
 * loss are only needed for trace units that restart with each record.
 */
int stream_list_report(struct stream_list *list,
		       const struct sideband_record *aux, uint64_t id);

/* Trims overlaps, finds holes and inserts the losses. @is_snapshot: slices are
 * copies of a ring, and only their bytes show where two of them overlap.
 */
int stream_list_finish(struct stream_list *list,
		       const struct event_table *events, bool is_snapshot);

/* Returns the AUX records of stream @index, in order, provided that all were
 * added.
 */
const struct array *stream_list_spans(const struct stream_list *list,
				      size_t index);

#endif
