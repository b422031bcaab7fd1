/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SPAN_LANES_H
#define KT_REPORT_SPAN_LANES_H

#include "report/timeline/lane_callback.h"

struct span_tracks;

/* Writes lanes as tracks of an export. */
struct span_lanes {
	struct lane_callback callback;
	struct span_tracks *tracks; /* borrowed */
};

struct span_lanes span_lanes_of(struct span_tracks *tracks);

#endif
