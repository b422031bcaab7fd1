/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_PROFILE_TABLE_H
#define KT_CMD_REPORT_PROFILE_TABLE_H

#include "report/profile/profile_report.h"
#include "tables/table.h"

#include <stdbool.h>

struct event_handler;
struct known_events;
struct report_options;
struct session;
struct step_callback;

/* Reports that a table or a profile has no column @sort; @columns lists those it
 * has, separated by spaces, and may be NULL. Returns EXIT_USAGE.
 */
int sort_refuse(const char *sort, const char *columns);

/* Reports that a table or a profile cannot be rendered because of @status, a
 * negative enum error; -ERROR_NOT_FOUND is reported as by sort_refuse().
 * Returns the exit code.
 */
int render_failure(int status, const char *sort, const char *columns);

/* Selects a profile. */
struct profile_choice {
	const struct report_options *options;
	const struct profile_renderer *renderer;
	/* Set by profile_choose(). */
	const struct session *session;
	bool by_process;
	/* charge interrupt work to its beneficiary; else to the interrupted
	 * task
	 */
	bool by_beneficiary;
	bool is_of_wall; /* not profile_table, but a wall-time table */
};

/* Completes @choice for the recording of @session, which contains @events.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
int profile_choose(struct profile_choice *choice, const struct session *session,
		   const struct known_events *events);

/* A profile as a table of input->profile, so that other tables can be filled in
 * the same pass. It writes its notes itself.
 */
extern const struct attribution_table profile_table;

/* Like profile_table, but of wall time and of time off CPUs
 * (tables/profile/wall_tree.h).
 */
extern const struct attribution_table wall_profile_table;
extern const struct attribution_table off_cpu_profile_table;

/* Returns the step callback of @handler, which must belong to an open
 * profile_table, if it needs only steps: a pass with it alone is faster.
 * Returns NULL if it needs events, too.
 */
struct step_callback *profile_table_callback(struct event_handler *handler);

#endif
