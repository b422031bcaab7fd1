/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORD_PARSE_INTERNAL_H
#define KT_DECODER_RECORDING_RECORD_PARSE_INTERNAL_H

#include "common/array.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

struct arena;
struct data_file;
struct record;
struct recording;

/* The events of a recording and the IDs by which records refer to them. */
struct event_table {
	struct array events; /* struct recording_event */
	struct array ids;    /* struct event_id, sorted once complete */
	struct arena *arena; /* borrowed: names */
};

struct event_id {
	uint64_t id;
	uint32_t event; /* index */
	int32_t cpu;	/* from ID_INDEX, else -1 */
	int32_t tid;
	uint32_t aux_index; /* perf's idx, from ID_INDEX */
	bool has_index;
};

struct event_table event_table_new(struct arena *arena);
void event_table_free(struct event_table *table);

/* Reads the attributes in the file's header. Returns 0 or a negative enum
 * error, which was logged to the file's log.
 */
int event_table_read_header(struct event_table *table,
			    const struct data_file *file);

/* Add the contents of a record: HEADER_ATTR of pipe mode; ID_INDEX, after
 * event_table_finish(); the payload of the EVENT_DESC feature. Return 0 or
 * -ERROR_MEMORY; skip malformed entries.
 */
int event_table_add_attr(struct event_table *table,
			 const struct record *record);
int event_table_add_index(struct event_table *table,
			  const struct record *record);
int event_table_add_names(struct event_table *table, const uint8_t *bytes,
			  size_t size);

/* Must be called once, after the last attribute and before the first look-up.
 */
void event_table_finish(struct event_table *table);

/* Returns the entry of @id, or NULL. */
const struct event_id *event_table_find(const struct event_table *table,
					uint64_t id);

/* Returns the table of @recording. */
const struct event_table *
recording_event_table(const struct recording *recording);

/* Parses a SAMPLE record up to and including the registers of the interrupted
 * code. @sideband->event determines its layout (perf_event_open(2),
 * PERF_RECORD_SAMPLE).
 *
 * Returns 1, 0 if the event is unknown, -ERROR_FORMAT if it is too short.
 */
int sample_parse(const struct record *record, struct sideband_record *sideband);

/* The fields that most records end with and samples start with: task, time and
 * CPU. Unknown pid, tid and cpu are -1, unknown time is 0.
 */
struct record_origin {
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t time_ns;
	uint64_t id;
	const struct recording_event *event; /* NULL if unknown */
	size_t size_bytes;		     /* at the record's end */
};

/* Reads the origin of @record, which may be a sample. Records that perf
 * synthesized have none: all fields are unknown.
 */
void record_parse_origin(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin);

/* Parses one kernel record.
 *
 * Returns 1 with @sideband, 0 if its kind is not in enum sideband_kind,
 * -ERROR_FORMAT if it is shorter than its kind needs.
 */
int record_parse(const struct event_table *events, const struct record *record,
		 struct sideband_record *sideband);

#endif
