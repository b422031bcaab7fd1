/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INPUT_H
#define KT_ATTRIBUTION_INPUT_H

#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <stdbool.h>

struct call_records_choice;
struct context_kinds;
struct known_events;
struct lines;
struct recording;
struct symbols;
struct task_groups;
struct task_names;
struct trackers;

/* The input of every attribution table. All pointers are borrowed; except where
 * noted, their targets are read-only.
 */
struct attribution_input {
	const struct recording *recording;
	const struct symbols *symbols;
	struct lines *lines; /* source lines; a cache, so not read-only */
	const struct task_names *names;
	const struct known_events *events;
	const struct context_kinds *kinds;
	/* trackers of the decoding pass; not read-only */
	struct trackers *trackers;
	const struct step_filter *filter; /* selects the rows */
	/* how to group the rows of tables that support groups; NULL: default */
	const struct task_groups *groups;
	struct time_window window;
	/* time that times in text output count from; 0: absolute times */
	uint64_t origin_ns;
	bool with_idle; /* include kernel threads that wait for work */
	/* argument of the table's command-line option, or NULL */
	const char *argument;
	const struct call_records_choice *calls; /* for call_records_table */
	/* for a table of a profile made in the pass */
	const struct profile_choice *profile;
};

/* Returns whether the recording lost records because the buffer was full. If
 * so, a conclusion from the absence of a record, or from an earlier record, is
 * not certain.
 */
static inline bool
attribution_input_has_losses(const struct attribution_input *input)
{
	return input->recording &&
	       recording_counts(input->recording)->lost_records > 0;
}

#endif
