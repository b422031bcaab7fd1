/* SPDX-License-Identifier: MIT */
#include "collector/graph_recording.h"
#include "collector/bytes/recording_files.h"
#include "collector/collector.h"
#include "collector/function_graph/function_graph.h"
#include "collector/target/target.h"

#include <unistd.h>

/* A recording whose recorder was killed early is recognized by this folder. */
static int make_folder(const struct output_folder *recording,
		       const struct log *log)
{
	struct output_folder folder;
	int error = kcore_folder_open(&folder, recording, log);

	output_folder_close(&folder);
	return error;
}

int graph_recording_open(const struct collector_options *options,
			 const struct target *target, const struct log *log,
			 struct function_graph **graph)
{
	struct graph_choice choice = {
		.buffer_bytes = options->buffer_bytes,
		.cpus = target->cpus.items,
		.cpu_count = target->cpus.count,
		.all_cpus = !target->others.count,
		.threads = target->threads.items,
		.thread_count = target->threads.count,
		.recorder = getpid(),
		.filter = options->filter,
	};
	int error = make_folder(options->folder, log);

	return error ? error :
		       function_graph_open(options->folder, &choice, log,
					   graph);
}

int graph_recording_finish(struct function_graph *graph, uint64_t *overruns)
{
	int error = function_graph_stop(graph);

	if (!error)
		error = function_graph_drain(graph, true);
	*overruns = function_graph_overruns(graph);
	return error ? error : function_graph_finish(graph);
}
