/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_FUNCTION_GRAPH_FUNCTION_GRAPH_H
#define KT_COLLECTOR_FUNCTION_GRAPH_FUNCTION_GRAPH_H

#include "collector/function_graph/graph_instance.h"
#include "collector/trace_unit/tracer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;
struct output_folder;

/* The kernel's function_graph tracer as the replacement of a trace unit: its
 * ring buffers are read as they fill, and become the file trace.dat of the
 * recording.
 *
 *	tracefs instance ─ per_cpu/cpuN/trace_pipe_raw ─ splice(2) ─► trace.cpuN
 *	graph_instance	                                 graph_pages       │
 *	                                       trace_dat_file_write() ◄────┘
 *
 * The tracer slows the whole machine down while it is set, so if the recorder
 * is killed, a guard process appends the unread trace to the files trace.cpuN,
 * to which a first trace.dat refers, and releases the instance.
 */
struct function_graph;

/* The struct tracer for function_graph: its perf event is a dummy that only
 * provides a ring for sideband records.
 */
extern const struct tracer function_graph_tracer;

/* Sets up the tracer for the recording @folder, which is borrowed; does not
 * start tracing.
 *
 * Returns 0 and *@graph, or a negative enum error with the reason in @log.
 */
int function_graph_open(const struct output_folder *folder,
			const struct graph_choice *choice,
			const struct log *log, struct function_graph **graph);

/* Frees @graph and releases the kernel's tracer. NULL is allowed. */
void function_graph_close(struct function_graph *graph);

/* Adds the ring of @cpu, which came online, to a @graph of all CPUs. The kernel
 * fills the ring since then. Returns 0 or a negative enum error, logged.
 */
int function_graph_add_cpu(struct function_graph *graph, int cpu);

/* Start and stop the tracing. Return 0 or -ERROR_SYSTEM, logged. */
int function_graph_start(const struct function_graph *graph);

int function_graph_stop(const struct function_graph *graph);

/* Return the number of rings to poll, and the descriptor of ring @index. */
size_t function_graph_ring_count(const struct function_graph *graph);

int function_graph_ring(const struct function_graph *graph, size_t index);

/* Reads all full pages of all rings; @is_last: also partly filled pages.
 * Returns 0 or a negative enum error, logged.
 */
int function_graph_drain(struct function_graph *graph, bool is_last);

/* Removes the tracer, writes trace.dat from the pages read so far, and then
 * removes the files trace.cpuN. Must be called after the last
 * function_graph_drain(). Returns like it.
 */
int function_graph_finish(struct function_graph *graph);

/* Return the number of bytes of trace that were read, and the number of events
 * that the kernel overwrote before they were read.
 */
uint64_t function_graph_bytes(const struct function_graph *graph);

uint64_t function_graph_overruns(const struct function_graph *graph);

#endif
