/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FUNCTION_GRAPH_H
#define KT_COLLECTOR_FUNCTION_GRAPH_H

#include "collector/function_graph/graph_instance.h"
#include "collector/trace_unit/tracer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct output_folder;

/* The kernel's function_graph tracer in place of a trace unit: its ring buffers
 * are read as they fill, and become the file trace.dat of the recording.
 */
struct function_graph;

/* As perf's events see it: nothing but a place for records. */
extern const struct tracer function_graph_tracer;

/* Sets the tracer up for the recording @folder, which is borrowed; it does not
 * trace yet.
 *
 * Returns 0 and *@graph, or a negative enum error with the reason in @log.
 */
int function_graph_open(const struct output_folder *folder,
			const struct graph_choice *choice,
			const struct log *log, struct function_graph **graph);

/* Frees all and gives the kernel's tracer back.  NULL is allowed. */
void function_graph_close(struct function_graph *graph);

/* Begins and ends the tracing.  Return 0 or -ERROR_SYSTEM, said. */
int function_graph_start(const struct function_graph *graph);
int function_graph_stop(const struct function_graph *graph);

/* Returns how many rings there are to wait for, and ring @index. */
size_t function_graph_ring_count(const struct function_graph *graph);
int function_graph_ring(const struct function_graph *graph, size_t index);

/* Takes what all rings have; @is_last: also what is not a whole page yet.
 * Returns 0 or a negative enum error, said.
 */
int function_graph_drain(struct function_graph *graph, bool is_last);

/* Writes trace.dat of what was taken.  Likewise. */
int function_graph_finish(struct function_graph *graph);

/* Returns how many bytes of trace were taken, and how often the kernel says
 * that it had to overwrite some that were not.
 */
uint64_t function_graph_bytes(const struct function_graph *graph);
uint64_t function_graph_overruns(const struct function_graph *graph);

#endif
