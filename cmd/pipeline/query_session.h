/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_QUERY_SESSION_H
#define KT_CMD_QUERY_SESSION_H

#include "cmd/pipeline/session.h"
#include "report/steps/task_choice.h"
#include "sql/rows/sql_table.h"
#include "sql/scan/table_scan.h"

/* Adapts an open session to the SQL tables (sql/): provides the recording, and
 * the functions that run a pass and that find the key of cached rows.
 */
struct query_session {
	struct sql_recording recording; /* must be the first member */
	const struct session *session;	/* borrowed */
	struct known_events *events;
	struct context_kinds *kinds;
	struct step_filter all;
};

/* Prepares the open @session for queries.
 *
 * Returns 0 or -ERROR_MEMORY. The caller closes @query even after an error, and
 * before the session.
 */
int query_session_open(struct query_session *query,
		       const struct session *session);
void query_session_close(struct query_session *query);

#endif
