/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_TABLE_H
#define KT_CMD_PROFILE_TABLE_H

#include "tables/table.h"

struct event_handler;
struct step_callback;

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
