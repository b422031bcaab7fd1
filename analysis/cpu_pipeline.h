/* SPDX-License-Identifier: MIT */
#ifndef KT_ANALYSIS_CPU_PIPELINE_H
#define KT_ANALYSIS_CPU_PIPELINE_H

/* One stream of a recording, from trace bytes to function events.
 *
 *	trace ─► execution_stream ────────────► function events   (our engine)
 *	trace ─► flow_source ─► function_events ► function events (second engine)
 *	trace.dat ─► graph_events ────────────► function events   (function_graph)
 *
 * States: zeroed; with its first task, after cpu_pipeline_find_task(); open,
 * after cpu_pipeline_open(): next() then provides events up to FUNCTION_END;
 * closed. It may be closed in any state.
 *
 * 1. An open pipeline has exactly one of the three rows.
 * 2. The pipeline reads struct pass_input, which must outlive it, and changes
 *    nothing in it.
 * 3. A pipeline belongs to one thread at a time. Pipelines of different streams
 *    are independent, except for function_graph, where they share @tasks.
 */

#include "analysis/engine.h"
#include "report/steps/call_step.h"
#include "report/steps/event_merge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_image;
struct block_cache;
struct execution_stream;
struct flow_source;
struct function_event;
struct function_events;
struct graph_events;
struct graph_tasks;
struct jobs;
struct log;
struct recording;
struct stream_checkpoint;
struct symbols;

/* The input of a pass; all pointers are borrowed. */
struct pass_input {
	struct recording *recording;
	struct code_image *image;
	struct symbols *symbols;
	struct jobs *jobs; /* the threads that decode; NULL: the caller's */
	const struct log *log;
	enum engine engine; /* not ENGINE_DEFAULT */
	struct time_window window;
	uint64_t done_ns; /* the callback may end the pass after this time */
	bool decodes_all; /* decodes unneeded parts too, for tests */
	/* windows always start at a sync point, never at a checkpoint; for
	 * tests
	 */
	bool uses_points;
	/* Called after each run of events, with the time of its first one, in
	 * the recording's clock; NULL: not wanted.
	 */
	void (*progress)(void *ctx, uint64_t time_ns);
	void *progress_ctx;
};

/* Decodes one stream of a recording from trace bytes to function events. */
struct cpu_pipeline {
	/* our engine; NULL: a second engine or function_graph is used */
	struct execution_stream *execution;
	struct flow_source *source;
	struct function_events *events;
	struct graph_events *graph; /* for function_graph */
	/* For function_graph: the tasks that all CPUs share. NULL when opened:
	 * this CPU creates and uses own_tasks.
	 */
	struct graph_tasks *tasks;
	struct graph_tasks *own_tasks;
	int32_t cpu;
	int32_t pid; /* running task when the stream starts; -1: unknown */
	int32_t tid;
	/* To be set before opening: */
	bool without_bounds;	    /* see flow_input */
	bool with_interrupts;	    /* see flow_input */
	uint64_t preempt_counter;   /* see flow_input */
	struct block_cache *blocks; /* see flow_input */
	/* the pass decodes so little that other threads are not worth their
	 * cost
	 */
	bool is_short;
	/* set by opening: next(next_ctx, &batch) provides the next events,
	 * directly from the engine
	 */
	event_batch_next *next;
	void *next_ctx;
};

/* Sets the CPU of stream @index of @pass's recording and the first task that
 * runs on it. Returns 0 or a negative enum error.
 */
int cpu_pipeline_find_task(struct cpu_pipeline *pipeline,
			   const struct pass_input *pass, size_t index);

/* Opens stream @index of @pass's recording and resumes at @from (our engine
 * only); NULL: at its start. The caller closes the pipeline even after an
 * error.
 *
 * Returns 0 or a negative enum error.
 */
int cpu_pipeline_open(struct cpu_pipeline *pipeline,
		      const struct pass_input *pass, size_t index,
		      const struct stream_checkpoint *from);

/* Frees the pipeline's parts. A zeroed pipeline may be closed. */
void cpu_pipeline_close(struct cpu_pipeline *pipeline);

#endif
