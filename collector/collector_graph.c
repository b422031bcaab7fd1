/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/writer/recording_writer.h"
#include "common/error.h"
#include "common/log.h"

#include <unistd.h>

/* What only a trace unit can do. */
static int check_options(const struct collector *collector)
{
	const struct collector_options *options = collector->options;
	const char *option = options->user	   ? "--user" :
			     options->sink	   ? "--sink" :
			     options->return_stack ? "--return-stack" :
						     NULL;

	if (!option)
		return 0;
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "%s: function_graph sees functions of the kernel, and "
		    "nothing else: this needs a trace unit",
		    option);
	return -ERROR_UNSUPPORTED;
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
	int error = check_options(collector);

	if (error)
		return error;
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
