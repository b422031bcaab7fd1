/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/writer/recording_writer.h"

#include <unistd.h>

int collector_open_graph(struct collector *collector)
{
	const struct target *target = &collector->target;
	struct graph_choice choice = {
		.buffer_bytes = collector->options->buffer_bytes,
		.cpus = target->cpus.items,
		.cpu_count = target->cpus.count,
		.all_cpus = !target->others.count,
		.threads = target->threads.items,
		.thread_count = target->threads.count,
		.recorder = getpid(),
		.filter = collector->options->filter,
	};

	return function_graph_open(collector->options->folder, &choice,
				   collector->log, &collector->graph);
}

int collector_finish_graph(struct collector *collector)
{
	struct function_graph *graph = collector->graph;
	int error = function_graph_stop(graph);

	if (!error)
		error = function_graph_drain(graph, true);
	collector->counts.truncated = function_graph_overruns(graph);
	return error ? error : function_graph_finish(graph);
}
