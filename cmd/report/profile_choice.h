/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_CHOICE_H
#define KT_CMD_PROFILE_CHOICE_H

#include <stdbool.h>

struct known_events;
struct profile_renderer;
struct report_options;
struct session;

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

#endif
