/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SESSION_GROUPS_H
#define KT_CMD_SESSION_GROUPS_H

struct report_options;
struct session;

/* Creates @session's groups as --by requires. The session's choice then selects
 * groups, and its filter no longer selects tasks.
 *
 * Returns 0, or the exit code after a message on standard error.
 */
int session_open_groups(struct session *session,
			const struct report_options *options);

#endif
