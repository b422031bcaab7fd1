/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CPU_PIPELINE_H
#define KT_CMD_CPU_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execution_stream;
struct flow_source;
struct function_event;
struct function_events;
struct graph_events;
struct graph_tasks;
struct session;
struct stream_checkpoint;

/* This is what decodes one stream of a recording: trace in, function events
 * out.
 */
struct cpu_pipeline {
	struct execution_stream *execution; /* NULL: these instead */
	struct flow_source *source;
	struct function_events *events;
	struct graph_events *graph; /* or these, of function_graph */
	/* Of all CPUs, for function_graph; NULL: of this one, its own. */
	struct graph_tasks *tasks;
	struct graph_tasks *own_tasks;
	int32_t cpu;
	int32_t pid; /* who runs when the stream begins; -1: unknown */
	int32_t tid;
	bool without_bounds; /* see flow_input: to be set before it is opened */
};

/* Finds out which CPU stream @index of @session's recording is of, and who runs
 * first there.  Returns 0 or a negative enum error.
 */
int cpu_pipeline_find_task(struct cpu_pipeline *pipeline,
			   const struct session *session, size_t index);

/* Opens stream @index of @session's recording, to go on from @from, which may
 * be NULL for its begin (Intel PT).  Close the pipeline either way.
 *
 * Returns 0 or a negative enum error.
 */
int cpu_pipeline_open(struct cpu_pipeline *pipeline,
		      const struct session *session, size_t index,
		      const struct stream_checkpoint *from);

/* Provides the next events of the struct cpu_pipeline at @pipeline, valid
 * until the next call: an event_batch_next.
 *
 * Returns their count, 0 after FUNCTION_END was delivered, or a negative enum
 * error.
 */
int cpu_pipeline_next(void *pipeline, const struct function_event **batch);

/* A zeroed pipeline is closed already. */
void cpu_pipeline_close(struct cpu_pipeline *pipeline);

#endif
