/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_RECORD_PARSE_H
#define KT_DECODER_RECORDING_RECORD_PARSE_H

#include "decoder/recording/sideband.h"

struct event_table;
struct record;

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
