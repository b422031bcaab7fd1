/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_TIMELINE_COMMAND_H
#define KT_CMD_REPORT_TIMELINE_COMMAND_H

#include "cmd/options/report_options.h"
#include "common/name_choice.h"

#include <stdbool.h>
#include <stdint.h>

struct timeline_renderer;

/* The contents of a timeline, in addition to the common options. */
struct timeline_options {
	struct name_choice functions; /* only these and their callees */
	struct name_choice hidden;    /* without these and their callees */
	uint32_t max_depth;
	uint64_t min_ns;     /* shorter functions are left out */
	bool has_min;	     /* min_ns is set, else the format has a default */
	bool functions_only; /* no other tracks */
};

#define TIMELINE_OPTIONS_ALL \
	((struct timeline_options){ .max_depth = UINT32_MAX })

/* Reads min_ns of a struct timeline_options. */
option_reader timeline_read_min;

/* Renders the timeline of the recording that @options select.
 *
 * Returns the exit code.
 */
int run_timeline_command(const struct report_options *options,
			 const struct timeline_options *timeline,
			 const struct timeline_renderer *renderer);

#endif
