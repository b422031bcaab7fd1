/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/kernel_code/kernel_symbols.h"
#include "common/error.h"

/* A trace that is kept some time behind its hit is not paused at it.  Kernels
 * before 6.13, and drivers that cannot, refuse: the recorder stops the trace.
 */
static int open_resume(struct collector *collector)
{
	int error;

	if (collector->options->after_ns)
		return 0;
	error = event_list_add(&collector->events,
			       event_spec_resume(collector->trace_spec));
	collector->resume_spec = (size_t)error;
	error = collector_open_if_possible(collector, error);
	collector->can_pause = !error;
	return error == -ERROR_MEMORY ? error : 0;
}

static int open_event(void *context, size_t spec)
{
	return collector_open_if_possible(context, (int)spec);
}

struct trigger_setup collector_arming(struct collector *collector,
				      struct kernel_symbols *symbols)
{
	const struct collector_options *options = collector->options;
	const bool has_command = collector->workload.pid > 0;
	struct trigger_setup setup = {
		.events = &collector->events,
		.open = open_event,
		.context = collector,
		.trace_spec = collector->trace_spec,
		.can_pause = collector->can_pause,
		.cpus = collector->target.cpus.items,
		.cpu_count = collector->target.cpus.count,
		.processes = has_command ? &collector->workload.pid :
					   options->processes,
		.process_count = has_command ? 1 : options->process_count,
		.symbols = symbols,
		.log = collector->log,
	};

	if (options->hits_of_all)
		setup.process_count = 0;
	return setup;
}

static int arm(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	struct kernel_symbols symbols = { 0 };
	struct trigger_setup setup = collector_arming(collector, &symbols);
	int error;

	setup.option = "--trigger";
	setup.sequel = "; recording goes on without it";
	error = trigger_set_arm(&collector->triggers, &setup, options->triggers,
				options->trigger_count);
	kernel_symbols_free(&symbols);
	return error;
}

/* Whole CPUs are traced: their events do not end with the processes. */
static int watch_processes(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	int error = 0;

	for (size_t i = 0; i < options->process_count && !error; i++)
		error = process_watch_add(&collector->processes,
					  options->processes[i]);
	return error;
}

int collector_arm(struct collector *collector)
{
	int error;

	if (!collector->options->trigger_count)
		return 0;
	error = watch_processes(collector);
	if (!error)
		error = open_resume(collector);
	if (!error)
		error = collector_open_notes(collector, TRIGGER_HIT_EVENT,
					     &collector->hits.record_spec);
	return error ? error : arm(collector);
}
