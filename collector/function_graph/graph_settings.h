/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_SETTINGS_H
#define KT_COLLECTOR_GRAPH_SETTINGS_H

struct graph_choice;
struct graph_instance;

/* Configures function_graph in @instance according to @choice; it traces once
 * tracing is turned on. Sets the clock of perf's records. Uses a buffer that is
 * overwritten, because the kernel marks lost events only in such a buffer.
 *
 * Returns 0 or a negative enum error, which was logged.
 */
int graph_settings_apply(const struct graph_instance *instance,
			 const struct graph_choice *choice);

#endif
