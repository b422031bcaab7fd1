/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_SETTINGS_H
#define KT_COLLECTOR_GRAPH_SETTINGS_H

struct graph_choice;
struct graph_instance;

/* Makes function_graph trace in @instance what @choice says, once tracing is on.
 * The clock is the one of perf's records.  Of a buffer that is overwritten the
 * kernel says where something is missing, of one that is not it does not.
 *
 * Returns 0 or a negative enum error, which it has said.
 */
int graph_settings_apply(const struct graph_instance *instance,
			 const struct graph_choice *choice);

#endif
