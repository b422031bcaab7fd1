/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "common/error.h"
#include "common/log.h"

static int set_sink(const struct collector *collector, struct event_spec *spec)
{
	const struct tracer *tracer = collector->tracer;
	const char *sink = collector->options->sink;

	if (!sink)
		return 0;
	if (tracer->set_sink)
		return tracer->set_sink(&collector->pmu, sink, collector->log,
					&spec->attr);
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--sink: %s has no sinks to choose from", tracer->title);
	return -ERROR_UNSUPPORTED;
}

static int set_cycles(const struct collector *collector,
		      struct event_spec *spec)
{
	const struct cycle_choice *choice = &collector->options->cycles;

	if (choice->kind == CYCLES_AS_USUAL)
		return 0;
	return collector->tracer->set_cycles(&collector->pmu, choice,
					     collector->log, &spec->attr,
					     &spec->config3);
}

static int set_return_stack(const struct collector *collector,
			    struct event_spec *spec)
{
	const struct tracer *tracer = collector->tracer;

	if (!collector->options->return_stack || !tracer->set_return_stack)
		return 0;
	return tracer->set_return_stack(&collector->pmu, collector->log,
					&spec->attr);
}

static int set_often(const struct collector *collector, struct event_spec *spec)
{
	const struct tracer *tracer = collector->tracer;

	if (!collector->options->trigger_count || !tracer->set_often)
		return 0;
	return tracer->set_often(&collector->pmu, collector->log, &spec->attr);
}

int collector_add_trace(struct collector *collector)
{
	const struct collector_options *options = collector->options;
	struct event_spec spec = event_spec_trace(
		collector->tracer->pmu_name, options->user,
		options->command && !options->whole_cpus && !options->cpus,
		(uint32_t)(options->buffer_bytes / AUX_RING_WATERMARKS));
	int error = collector->tracer->configure(&collector->pmu,
						 collector->log, &spec.attr);

	if (!error)
		error = set_cycles(collector, &spec);
	if (!error)
		error = set_often(collector, &spec);
	if (!error)
		error = set_return_stack(collector, &spec);
	if (!error)
		error = set_sink(collector, &spec);
	if (options->only)
		spec.aux_action = AUX_START_PAUSED;
	if (!error)
		error = event_list_add(&collector->events, spec);
	if (error < 0)
		return error;
	collector->trace_spec = (size_t)error;
	return 0;
}
