/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PERFETTO_SLICES_H
#define KT_REPORT_PERFETTO_SLICES_H

#include "common/array.h"
#include "report/timeline/span_export.h"

#include <stdint.h>

struct perfetto_out;

/* Writes spans as TrackEvents. Each track is a packet sequence of its own, so
 * that values common to its packets, such as the track and the previous time,
 * are written once.
 */
struct perfetto_slices {
	struct perfetto_out *out;	  /* borrowed */
	const struct span_writer *writer; /* borrowed; resolves names */
	struct array sequences;		  /* struct sequence by track number */
	uint64_t count;			  /* of slices */
	int status;			  /* 0, or -ERROR_MEMORY */
};

struct perfetto_slices perfetto_slices_of(struct perfetto_out *out,
					  const struct span_writer *writer);

/* Starts a track's sequence, with a clock set to @time_ns. */
void perfetto_slices_add(struct perfetto_slices *slices,
			 const struct span_track *track, uint64_t time_ns);

void perfetto_slices_begin(struct perfetto_slices *slices,
			   const struct span_track *track,
			   const struct span *span);
void perfetto_slices_end(struct perfetto_slices *slices,
			 const struct span_track *track, uint64_t time_ns);
void perfetto_slices_mark(struct perfetto_slices *slices,
			  const struct span_track *track,
			  const struct span *span);

/* Frees all.  Returns the status. */
int perfetto_slices_free(struct perfetto_slices *slices);

#endif
