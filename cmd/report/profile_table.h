/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PROFILE_TABLE_H
#define KT_CMD_PROFILE_TABLE_H

#include "tables/table.h"

struct event_handler;
struct step_callback;

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
