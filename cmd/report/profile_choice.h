/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_CHOICE_H
#define KT_CMD_PROFILE_CHOICE_H

#include <stdbool.h>

struct known_events;
struct profile_renderer;
struct report_options;
struct session;

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

#endif
