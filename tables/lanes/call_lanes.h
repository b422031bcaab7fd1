/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_LANES_H
#define KT_TABLES_CALL_LANES_H

#include "tables/lanes/lane_text.h"
#include "tables/lanes/lanes.h"

struct system_call;

/* Emits spans of system calls, with the recorded arguments and results. */
struct call_lanes {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct lane_text arguments;
	struct lane_text result;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int call_lanes_open(struct call_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback);
void call_lanes_free(struct call_lanes *lanes);

/* Emits the span of a call that has ended. */
void call_lanes_take(struct call_lanes *lanes, const struct system_call *call);

#endif
