/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_PARSE_H
#define KT_DECODER_RECORD_PARSE_H

#include "decoder/recording/sideband.h"

struct event_table;
struct record;

/* This is what most records end with, or samples begin with: which task, when,
 * where.  Unknown pid, tid and cpu are -1, unknown time 0.
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

/* Reads the origin of @record, sample or not.  Records that perf made up
 * itself have none: all unknown.
 */
void record_parse_origin(const struct event_table *events,
			 const struct record *record,
			 struct record_origin *origin);

/* Reads one kernel record.
 *
 * Returns 1 with @sideband, 0 if it is of a kind not in enum sideband_kind,
 * -ERROR_FORMAT if it is shorter than its kind needs.
 */
int record_parse(const struct event_table *events, const struct record *record,
		 struct sideband_record *sideband);

#endif
