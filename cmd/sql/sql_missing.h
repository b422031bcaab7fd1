/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SQL_MISSING_H
#define KT_CMD_SQL_MISSING_H

struct sql_reads;
struct sql_recording;

/* Writes to standard error which of @reads @recording has no data for, which
 * rows show as NULL, and the command that records them.
 */
void sql_missing_say(const struct sql_recording *recording,
		     const struct sql_reads *reads);

/* Like sql_missing_say(), of all columns of all tables. */
void sql_missing_say_all(const struct sql_recording *recording);

#endif
