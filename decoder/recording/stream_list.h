/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_STREAM_LIST_H
#define KT_DECODER_STREAM_LIST_H

#include "common/array.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>

struct event_table;
struct record;
struct sideband_record;

/* Collects the trace bytes of a recording into streams: one a CPU, or one a
 * thread.
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

/* Takes an AUXTRACE record.  Returns 0, -ERROR_MEMORY, -ERROR_FORMAT if it is
 * too short for its kind or of a CPU that no kernel has, or -ERROR_UNSUPPORTED
 * if there are BUDGET_STREAMS already and it is of none of them.
 */
int stream_list_add(struct stream_list *list, const struct record *record);

/* Adds a buffer that one CPU's sink was read from whole, borrowed; @flags as an
 * AUX record has them.  Returns 0 or -ERROR_MEMORY.
 */
int stream_list_add_buffer(struct stream_list *list, uint32_t index,
			   int32_t cpu, const uint8_t *bytes, size_t size,
			   uint64_t flags);

/* Takes the @size bytes of trace in a sample, @file_offset in the file: the
 * newest ones of @cpu's buffer then, or of thread @tid's if @cpu is -1.  Of a
 * recording with such samples, pieces are copies of a ring; of one with
 * AUXTRACE records as well, the samples are not taken.  Returns 0,
 * -ERROR_MEMORY or -ERROR_UNSUPPORTED, as for AUXTRACE.
 */
int stream_list_add_sample(struct stream_list *list, int32_t cpu, int32_t tid,
			   const uint8_t *bytes, size_t size,
			   uint64_t file_offset);

/* Takes an AUX record, parsed.  @id is the event's, for ID_INDEX.  Only those
 * of trace units that start anew with each need to be taken if they tell of no
 * loss.
 */
int stream_list_report(struct stream_list *list,
		       const struct sideband_record *aux, uint64_t id);

/* Trims what overlaps, finds holes and puts the losses in their places.
 * @is_snapshot: pieces are copies of a ring, and only their bytes tell where
 * two of them overlap.
 */
int stream_list_finish(struct stream_list *list,
		       const struct event_table *events, bool is_snapshot);

/* The AUX records of stream @index, in order, if all were taken. */
const struct array *stream_list_spans(const struct stream_list *list,
				      size_t index);

#endif
