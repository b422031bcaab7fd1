/* SPDX-License-Identifier: MIT */
#include "analysis/cpu_pipeline.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "report/steps/task_choice.h"
#include "symbolize/events/function_events.h"
#include "symbolize/events/graph_events.h"
#include "symbolize/events/graph_tasks.h"

#include <assert.h>

static bool is_function_graph(const struct pass_input *pass)
{
	return recording_trace(pass->recording) ==
	       RECORDING_TRACE_FUNCTION_GRAPH;
}

static int open_graph(struct cpu_pipeline *pipeline,
		      const struct pass_input *pass,
		      const struct flow_input *input)
{
	if (!pipeline->tasks)
		pipeline->tasks = pipeline->own_tasks =
			graph_tasks_new(pass->recording, pass->symbols);
	if (!pipeline->tasks)
		return -ERROR_MEMORY;
	return graph_events_open(pass->recording, input->stream, pass->symbols,
				 pipeline->tasks, &pipeline->graph);
}

/* Opens the second engine: flow, converted to function events. */
static int open_flow(struct cpu_pipeline *pipeline,
		     const struct pass_input *pass,
		     const struct flow_input *input)
{
	int status = flow_source_open(input, &pipeline->source);

	if (status < 0)
		return status;
	pipeline->events = function_events_new(pipeline->source, pass->symbols,
					       pipeline->pid, pipeline->tid);
	if (!pipeline->events)
		return -ERROR_MEMORY;
	if (input->stream->cpu < 0)
		function_events_of_thread(pipeline->events);
	return function_events_order_by_trace(pipeline->events, input);
}

static int open_engine(struct cpu_pipeline *pipeline,
		       const struct pass_input *pass,
		       const struct flow_input *input,
		       const struct stream_checkpoint *from)
{
	if (is_function_graph(pass))
		return open_graph(pipeline, pass, input);
	if (pass->engine == ENGINE_GRAPH)
		return execution_stream_open(
			input, pass->symbols, pipeline->pid, pipeline->tid,
			pipeline->is_short ? NULL : pass->jobs, from,
			&pipeline->execution);
	return open_flow(pipeline, pass, input);
}

int cpu_pipeline_find_task(struct cpu_pipeline *pipeline,
			   const struct pass_input *pass, size_t index)
{
	const struct aux_stream *stream =
		recording_stream(pass->recording, index);

	pipeline->cpu = stream->cpu;
	if (is_function_graph(pass)) {
		pipeline->tid = graph_events_first_tid(pass->recording, stream);
		pipeline->pid = pipeline->tid ? -1 : 0;
		return 0;
	}
	return first_task(pass->recording, stream, &pipeline->pid,
			  &pipeline->tid);
}

static void set_next(struct cpu_pipeline *pipeline, event_batch_next *next,
		     void *ctx)
{
	pipeline->next = next;
	pipeline->next_ctx = ctx;
}

int cpu_pipeline_open(struct cpu_pipeline *pipeline,
		      const struct pass_input *pass, size_t index,
		      const struct stream_checkpoint *from)
{
	const struct flow_input input = {
		.recording = pass->recording,
		.stream = recording_stream(pass->recording, index),
		.image = pass->image,
		.log = pass->log,
		.without_bounds = pipeline->without_bounds,
		.with_interrupts = pipeline->with_interrupts,
		.preempt_counter = pipeline->preempt_counter,
		.blocks = pipeline->blocks,
	};

	int status = open_engine(pipeline, pass, &input, from);

	if (status < 0)
		return status;
	/* invariant 1 */
	assert(!!pipeline->graph + !!pipeline->execution + !!pipeline->events ==
	       1);
	if (pipeline->graph)
		set_next(pipeline, graph_events_next, pipeline->graph);
	else if (pipeline->execution)
		set_next(pipeline, execution_stream_next, pipeline->execution);
	else
		set_next(pipeline, function_events_next, pipeline->events);
	return status;
}

void cpu_pipeline_close(struct cpu_pipeline *pipeline)
{
	execution_stream_close(pipeline->execution);
	function_events_free(pipeline->events);
	flow_source_close(pipeline->source);
	graph_events_close(pipeline->graph);
	graph_tasks_free(pipeline->own_tasks);
}
