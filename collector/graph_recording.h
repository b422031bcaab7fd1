/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GRAPH_RECORDING_H
#define KT_COLLECTOR_GRAPH_RECORDING_H

#include <stdint.h>

struct collector_options;
struct function_graph;
struct log;
struct target;

/* Sets up the kernel's function_graph tracer for @target. Returns 0 and
 * *@graph, or a negative enum error with the reason in the log.
 */
int graph_recording_open(const struct collector_options *options,
			 const struct target *target, const struct log *log,
			 struct function_graph **graph);

/* Ends the tracing, reads the remaining trace, and writes trace.dat; sets
 * *@overruns to the number of lost events. Returns 0 or a negative enum error
 * with the reason in the log.
 */
int graph_recording_finish(struct function_graph *graph, uint64_t *overruns);

#endif
