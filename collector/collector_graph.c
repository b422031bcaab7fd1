/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By this folder a recording is known whose recorder was killed early. */
static int make_folder(const struct collector *collector)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/kcore_dir",
		 collector->options->folder);
	if (!mkdir(path, 0700) || errno == EEXIST)
		return 0;
	log_message(collector->log, LOG_ERROR, path, LOG_NO_OFFSET, "%s",
		    strerror(errno));
	return -ERROR_SYSTEM;
}

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
	int error = make_folder(collector);

	return error ? error :
		       function_graph_open(collector->options->folder, &choice,
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
