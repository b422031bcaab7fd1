/* SPDX-License-Identifier: MIT */
#ifndef KT_ANALYSIS_CPU_PIPELINE_H
#define KT_ANALYSIS_CPU_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execution_stream;
struct flow_source;
struct function_event;
struct function_events;
struct graph_events;
struct graph_tasks;
struct pass_input;
struct stream_checkpoint;

/* Decodes one stream of a recording from trace bytes to function events. */
struct cpu_pipeline {
	struct execution_stream *execution; /* NULL: the next two */
	struct flow_source *source;
	struct function_events *events;
	struct graph_events *graph; /* or this, for function_graph */
	/* Shared by all CPUs, for function_graph; NULL: this CPU uses
	 * own_tasks.
	 */
	struct graph_tasks *tasks;
	struct graph_tasks *own_tasks;
	int32_t cpu;
	int32_t pid; /* running task when the stream starts; -1: unknown */
	int32_t tid;
	/* To be set before opening: */
	bool without_bounds; /* see flow_input */
	bool is_short;	     /* so little is decoded that it needs no threads */
};

/* Finds the CPU of stream @index of @pass's recording and the first task
 * that runs on it. Returns 0 or a negative enum error.
 */
int cpu_pipeline_find_task(struct cpu_pipeline *pipeline,
			   const struct pass_input *pass, size_t index);

/* Opens stream @index of @pass's recording and resumes at @from (Intel PT
 * only); NULL: its start. The caller closes the pipeline even after an error.
 *
 * Returns 0 or a negative enum error.
 */
int cpu_pipeline_open(struct cpu_pipeline *pipeline,
		      const struct pass_input *pass, size_t index,
		      const struct stream_checkpoint *from);

/* Provides the next events of the struct cpu_pipeline at @pipeline, valid
 * until the next call: an event_batch_next.
 *
 * Returns their count, 0 after FUNCTION_END was delivered, or a negative enum
 * error.
 */
int cpu_pipeline_next(void *pipeline, const struct function_event **batch);

/* A zeroed pipeline may be closed. */
void cpu_pipeline_close(struct cpu_pipeline *pipeline);

#endif
