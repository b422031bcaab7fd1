/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_TABLE_H
#define KT_CMD_PROFILE_TABLE_H

#include "cmd/options/report_options.h"
#include "tables/table.h"

struct event_handler;
struct profile_renderer;
struct session;
struct step_callback;

/* Which profile is wanted. */
struct profile_choice {
	const struct report_options *options;
	const struct profile_renderer *renderer;
	/* What profile_choose() finds. */
	const struct session *session;
	bool by_process;
	bool by_beneficiary; /* of interrupt work; else by whom it stopped */
	bool is_of_wall;     /* not profile_table, but one of the others */
};

/* Completes @choice for the recording of @session, whose events @events are.
 *
 * Returns 0, or the exit code to end with; standard error knows why.
 */
int profile_choose(struct profile_choice *choice, const struct session *session,
		   const struct known_events *events);

/* A profile as a table of input->profile, which other tables can be filled in one
 * pass with.  It writes its notes itself.
 */
extern const struct attribution_table profile_table;

/* The same of wall time, and of time off CPUs (tables/profile/wall_tree.h). */
extern const struct attribution_table wall_profile_table;
extern const struct attribution_table off_cpu_profile_table;

/* Returns where @handler, that of an open profile_table, takes its steps if it
 * needs nothing else: then it may be alone in a pass, which is faster.  NULL: it
 * needs events, too.
 */
struct step_callback *profile_table_callback(struct event_handler *handler);

#endif
