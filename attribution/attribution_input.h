/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INPUT_H
#define KT_ATTRIBUTION_INPUT_H

#include "report/steps/step_filter.h"
#include "report/steps/time_window.h"

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

/* This is what a table is made from and asked for.  All borrowed, all
 * read-only.
 */
struct attribution_input {
	const struct recording *recording;
	const struct symbols *symbols;
	struct lines *lines; /* of source code; not read-only: a cache */
	const struct task_names *names;
	const struct known_events *events;
	const struct context_kinds *kinds;
	struct trackers *trackers;	  /* of the pass; not read-only */
	const struct step_filter *filter; /* rows wanted */
	const struct task_groups *groups; /* of tables that have groups: what
					   * the rows are by; NULL: as ever */
	struct time_window window;
	bool with_idle;	      /* kernel threads that wait for work, too */
	const char *argument; /* of the table's option, or NULL */
	const struct call_records_choice *calls; /* call_records_table */
	const struct profile_choice *profile;	 /* a profile in the pass */
};

#endif
