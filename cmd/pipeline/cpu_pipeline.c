/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/cpu_pipeline.h"

#include "cmd/console/console.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "report/steps/task_choice.h"
#include "symbolize/events/function_events.h"
#include "symbolize/events/graph_events.h"
#include "symbolize/events/graph_tasks.h"

static bool is_function_graph(const struct session *session)
{
	return recording_trace(session->recording) ==
	       RECORDING_TRACE_FUNCTION_GRAPH;
}

static int open_graph(struct cpu_pipeline *pipeline,
		      const struct session *session,
		      const struct flow_input *input)
{
	if (!pipeline->tasks)
		pipeline->tasks = pipeline->own_tasks =
			graph_tasks_new(session->recording, session->symbols);
	if (!pipeline->tasks)
		return -ERROR_MEMORY;
	return graph_events_open(session->recording, input->stream,
				 session->symbols, pipeline->tasks,
				 &pipeline->graph);
}

static int open_engine(struct cpu_pipeline *pipeline,
		       const struct session *session,
		       const struct flow_input *input,
		       const struct stream_checkpoint *from)
{
	int status;

	if (is_function_graph(session))
		return open_graph(pipeline, session, input);
	if (session->engine == ENGINE_GRAPH)
		return execution_stream_open(input, session->symbols,
					     pipeline->pid, pipeline->tid,
					     session->jobs, from,
					     &pipeline->execution);
	status = flow_source_open(input, &pipeline->source);
	if (status < 0)
		return status;
	pipeline->events = function_events_new(pipeline->source,
					       session->symbols, pipeline->pid,
					       pipeline->tid);
	if (!pipeline->events)
		return -ERROR_MEMORY;
	if (input->stream->cpu < 0)
		function_events_of_thread(pipeline->events);
	return function_events_order_by_trace(pipeline->events, input);
}

int cpu_pipeline_find_task(struct cpu_pipeline *pipeline,
			   const struct session *session, size_t index)
{
	const struct aux_stream *stream =
		recording_stream(session->recording, index);

	pipeline->cpu = stream->cpu;
	if (is_function_graph(session)) {
		pipeline->tid =
			graph_events_first_tid(session->recording, stream);
		pipeline->pid = pipeline->tid ? -1 : 0;
		return 0;
	}
	return first_task(session->recording, stream, &pipeline->pid,
			  &pipeline->tid);
}

int cpu_pipeline_open(struct cpu_pipeline *pipeline,
		      const struct session *session, size_t index,
		      const struct stream_checkpoint *from)
{
	const struct flow_input input = {
		.recording = session->recording,
		.stream = recording_stream(session->recording, index),
		.image = session->image,
		.log = &console_log,
		.without_bounds = pipeline->without_bounds,
	};

	return open_engine(pipeline, session, &input, from);
}

int cpu_pipeline_next(void *ctx, const struct function_event **batch)
{
	struct cpu_pipeline *pipeline = ctx;

	if (pipeline->graph)
		return graph_events_next(pipeline->graph, batch);
	if (pipeline->execution)
		return execution_stream_next(pipeline->execution, batch);
	return function_events_next(pipeline->events, batch);
}

void cpu_pipeline_close(struct cpu_pipeline *pipeline)
{
	execution_stream_close(pipeline->execution);
	function_events_free(pipeline->events);
	flow_source_close(pipeline->source);
	graph_events_close(pipeline->graph);
	graph_tasks_free(pipeline->own_tasks);
}
