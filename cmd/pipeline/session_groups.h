/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SESSION_GROUPS_H
#define KT_CMD_SESSION_GROUPS_H

struct report_options;
struct session;

/* Makes @session's groups as --by says: its choice then chooses groups, and its
 * filter no tasks.
 *
 * Returns 0, or the exit code to end with; standard error knows why.
 */
int session_open_groups(struct session *session,
			const struct report_options *options);

#endif
