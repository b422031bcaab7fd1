/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_TRACKS_H
#define KT_REPORT_SPAN_TRACKS_H

#include "common/array.h"
#include "report/timeline/span_export.h"

#include <stdbool.h>

struct kept_track {
	struct span_track track;
	bool is_known;
	bool is_open; /* of a CPU's track: a span is open */
};

/* The tracks of an export. Each is announced to the writer at its first use. */
struct span_tracks {
	const struct task_names *names;	      /* borrowed */
	struct span_writer *writer;	      /* borrowed */
	struct array lists[SPAN_TRACK_KINDS]; /* struct kept_track by task
						 * index or CPU */
	uint64_t count;
	int status; /* 0, or -ERROR_MEMORY */
};

struct span_tracks span_tracks_of(struct span_writer *writer,
				  const struct task_names *names);
void span_tracks_free(struct span_tracks *tracks);

/* Return a task's or a CPU's track, valid until the next call; NULL when out of
 * memory.
 */
struct kept_track *span_tracks_task(struct span_tracks *tracks,
				    enum span_track_kind kind,
				    const struct task *task, uint64_t time_ns);
struct kept_track *span_tracks_cpu(struct span_tracks *tracks,
				   enum span_track_kind kind, uint32_t cpu,
				   uint64_t time_ns);

#endif
