/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_PROFILE_CHOICE_INTERNAL_H
#define KT_CMD_REPORT_PROFILE_CHOICE_INTERNAL_H

struct column;
struct known_events;
struct profile_choice;
struct report_options;
struct session;

/* Reports that a table or a profile has no column @sort; @columns lists the
 * existing ones, and may be NULL. Returns EXIT_USAGE.
 */
int sort_refuse(const char *sort, const struct column *columns);

/* Reports that a table or a profile cannot be rendered because of @status, a
 * negative enum error; -ERROR_NOT_FOUND is reported as by sort_refuse().
 * Returns the exit code.
 */
int render_failure(int status, const char *sort, const struct column *columns);

/* Completes @choice, which has its renderer and is_of_wall, by @options for the
 * recording of @session, which contains @events. Borrows all.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
int profile_choose(struct profile_choice *choice,
		   const struct report_options *options,
		   const struct session *session,
		   const struct known_events *events);

#endif
