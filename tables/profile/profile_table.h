/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROFILE_PROFILE_TABLE_H
#define KT_TABLES_PROFILE_PROFILE_TABLE_H

/* A profile as a table, so that other tables can be filled in the same pass.
 *
 *	call events ─► report/profile/profile.h ┐
 *	  with events ─► beneficiary_profile_internal.h ─┼─► call tree ─► profile_renderer
 *	  with spans  ─► wall_tree_internal.h ───────────┘
 *
 * The command chooses one of the three with struct profile_choice, before the
 * pass; nothing changes the choice afterwards. A profile of time on CPUs alone
 * needs call events only, and profile_table_callback() lets a pass feed it
 * directly.
 *
 * Rendering writes the profile to the output's file and the notes to
 * profile_choice.notes, and then calls render_beside() for the files that are
 * named like the output.
 */

#include "report/profile/profile_report.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stdio.h>

struct event_handler;
struct lines;
struct colors;
struct step_callback;

/* Selects a profile; all pointers are borrowed. */
struct profile_choice {
	const struct profile_renderer *renderer;
	struct lines *lines; /* NULL: no files and lines */
	const struct colors *colors;
	bool by_process;
	/* charge interrupt work to its beneficiary; else to the interrupted
	 * task
	 */
	bool by_beneficiary;
	/* the profile is a wall-time table, not profile_table */
	bool is_of_wall;
	bool only_tracer; /* only the recorder's own work */
	bool with_tracer; /* include the recorder's own work */
	bool with_idle;	  /* include the idle loop */
	FILE *notes; /* for notes on omitted and unknown time; NULL: none */
	/* Writes the additional files beside the output file. Called if the
	 * renderer has a render_second(). Returns 0, or an exit code after a
	 * message.
	 */
	int (*render_beside)(const struct profile_report *report,
			     const struct profile_renderer *renderer,
			     const char *output);
	const char *output; /* path of the output, for render_beside */
};

/* The profile of input->profile. */
extern const struct attribution_table profile_table;

/* Like profile_table, but of wall time and of time off CPUs
 * (tables/profile/wall_tree_internal.h).
 */
extern const struct attribution_table wall_profile_table;
extern const struct attribution_table off_cpu_profile_table;

/* Returns the callback for call events of @handler, which must belong to an
 * open profile_table, if it needs nothing else: a pass with this callback alone
 * is faster. Returns NULL if the handler needs other events, too.
 */
struct step_callback *profile_table_callback(struct event_handler *handler);

#endif
