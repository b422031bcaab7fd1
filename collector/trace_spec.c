/* SPDX-License-Identifier: MIT */
#include "collector/trace_spec.h"
#include "collector/collector.h"
#include "collector/events/event_spec.h"
#include "collector/rings/aux_ring.h"
#include "collector/trace_unit/tracer.h"
#include "common/error.h"
#include "common/log.h"

/* The inputs of the trace's spec: the user's options and the trace unit. */
struct wish {
	const struct collector_options *options;
	const struct tracer *tracer;
	const struct pmu *pmu;
	const struct log *log;
};

static int set_sink(const struct wish *wish, struct event_spec *spec)
{
	const struct tracer *tracer = wish->tracer;
	const char *sink = wish->options->sink;

	if (!sink)
		return 0;
	if (tracer->set_sink)
		return tracer->set_sink(wish->pmu, sink, wish->log,
					&spec->attr);
	log_message(wish->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--sink: %s has no sinks to choose from", tracer->title);
	return -ERROR_UNSUPPORTED;
}

static int set_cycles(const struct wish *wish, struct event_spec *spec)
{
	const struct cycle_choice *choice = &wish->options->cycles;

	if (choice->kind == CYCLES_AS_USUAL)
		return 0;
	return wish->tracer->set_cycles(wish->pmu, choice, wish->log,
					&spec->attr, &spec->config3);
}

static int set_return_stack(const struct wish *wish, struct event_spec *spec)
{
	const struct tracer *tracer = wish->tracer;

	if (!wish->options->return_stack || !tracer->set_return_stack)
		return 0;
	return tracer->set_return_stack(wish->pmu, wish->log, &spec->attr);
}

static int set_often(const struct wish *wish, struct event_spec *spec)
{
	const struct tracer *tracer = wish->tracer;

	if (!wish->options->trigger_count || !tracer->set_often)
		return 0;
	return tracer->set_often(wish->pmu, wish->log, &spec->attr);
}

int trace_spec_make(const struct collector_options *options,
		    const struct tracer *tracer, const struct pmu *pmu,
		    const struct log *log, struct event_spec *spec)
{
	const struct wish wish = { options, tracer, pmu, log };
	int error;

	*spec = event_spec_trace(
		tracer->pmu_name, options->user,
		options->command && !options->whole_cpus && !options->cpus,
		(uint32_t)(options->buffer_bytes / AUX_RING_WATERMARKS));
	error = tracer->configure(pmu, log, &spec->attr);
	if (!error)
		error = set_cycles(&wish, spec);
	if (!error)
		error = set_often(&wish, spec);
	if (!error)
		error = set_return_stack(&wish, spec);
	if (!error)
		error = set_sink(&wish, spec);
	if (options->only)
		spec->aux_action = AUX_START_PAUSED;
	return error;
}
