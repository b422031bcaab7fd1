/* SPDX-License-Identifier: MIT */
#include "collector/collector_parts.h"
#include "collector/events/event_refusal.h"
#include "collector/graph_recording.h"
#include "collector/kernel_code/text_poke_breakpoints.h"
#include "collector/trace_spec.h"
#include "common/error.h"
#include "common/log.h"
#include "common/text_poke_breakpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Threads times CPUs times events: a shell's soft limit is too low. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int add_rings(struct collector *collector, const struct array *cpus)
{
	const struct collector_options *options = collector->options;
	const int *cpu = cpus->items;

	for (size_t i = 0; i < cpus->count; i++) {
		struct cpu_rings *rings = array_add(&collector->cpus);

		if (!rings)
			return -ERROR_MEMORY;
		cpu_rings_init(rings, cpu[i],
			       collector_has_graph(collector) ?
				       0 :
				       options->buffer_bytes,
			       options->snapshot);
	}
	return 0;
}

static int init_rings(struct collector *collector)
{
	int error = add_rings(collector, &collector->target.cpus);

	return error ? error : add_rings(collector, &collector->target.others);
}

/* Opened before any other event, since others patch the kernel: static keys,
 * tracepoints.  Not permitted: the recording is made without.
 */
static int open_text_poke(struct collector *collector)
{
	const struct event_spec wanted = event_spec_text_poke();
	int error = collector_open_if_possible(
		collector, event_list_add(&collector->events, wanted));

	collector->wide = !error;
	if (!error)
		return 0;
	if (error != -ERROR_SYSTEM || (errno != EACCES && errno != EPERM))
		return event_refusal_say(&wanted,
					 collector->options->buffer_bytes,
					 error, collector->log);
	log_message(collector->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "changes that the kernel makes to its code cannot be "
		    "recorded without rights: record as root");
	return 0;
}

/* Before any event that patches, too. */
static int open_text_poke_breakpoints(struct collector *collector)
{
	const char *const *functions = collector->tracer->patch_functions;
	int error;

	if (!functions)
		return 0;
	error = collector_open_if_possible(
		collector,
		text_poke_breakpoints_add(&collector->events, functions));
	if (!error || error == -ERROR_MEMORY)
		return error;
	log_message(collector->log, LOG_NOTE, TEXT_POKE_BREAKPOINT_EVENT,
		    LOG_NO_OFFSET,
		    "what the kernel patches cannot be followed: %s; what "
		    "differs at the end will be a gap where it ran",
		    text_poke_breakpoints_refusal(error));
	return 0;
}

/* Without it, new modules are missing, nothing else. */
static int open_module_load(struct collector *collector)
{
	int error = collector_open_if_possible(
		collector, tracepoint_add_module_load(&collector->events));

	if (!error || error == -ERROR_MEMORY)
		return error;
	log_message(collector->log, LOG_NOTE, NULL, LOG_NO_OFFSET,
		    "modules that are loaded meanwhile will be missing: %s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     "tracefs is not mounted");
	return 0;
}

/* Returns the tracepoints wanted, or where that is a default and tracefs
 * cannot be read, none.
 */
static unsigned int tracepoints_of(const struct collector *collector)
{
	const struct collector_options *options = collector->options;

	if (!options->tracepoints_may_miss || tracepoint_set_can_be_read())
		return options->tracepoints;
	log_message(collector->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "tracefs cannot be read, so who sleeps and who wakes whom "
		    "is not recorded: mount it and record as root, or say "
		    "--events=none");
	return 0;
}

static int open_sideband(struct collector *collector)
{
	struct event_list *events = &collector->events;
	size_t first;
	int error;

	if (collector->wide) {
		error = open_text_poke_breakpoints(collector);
		if (!error)
			error = open_module_load(collector);
		if (error)
			return error;
	}
	first = events->specs.count;
	collector->switch_spec = first;
	if (event_list_add(events, event_spec_switches(collector->wide)) < 0 ||
	    event_list_add(events, event_spec_tasks()) < 0)
		return -ERROR_MEMORY;
	error = tracepoint_set_add(tracepoints_of(collector),
				   collector->options->user_stack_bytes, events,
				   collector->log);
	for (size_t i = first; i < events->specs.count && !error; i++)
		error = collector_open_or_explain(collector, i);
	return error;
}

static int refuse_only(const struct collector *collector, const char *why)
{
	log_message(collector->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--only: %s; without that use --filter, which traces "
		    "chosen functions alone, or --trigger, which keeps the "
		    "slow calls",
		    why);
	return -ERROR_UNSUPPORTED;
}

/* Says so if no kernel can pause the trace of this unit. */
static int check_pause(const struct collector *collector)
{
	const struct tracer *tracer = collector->tracer;
	const char *refusal = NULL;

	if (!tracer->pauses_from)
		refusal = "no kernel can pause the trace of this unit";
	else if (tracer->pause_refusal)
		refusal = tracer->pause_refusal(&collector->pmu);
	return refusal ? refuse_only(collector, refusal) : 0;
}

/* Drivers that cannot pause a trace, and kernels before that, refuse one that
 * begins paused.
 */
static int open_paused_trace(struct collector *collector)
{
	int error = check_pause(collector);
	char why[128];

	if (error)
		return error;
	error = collector_open_spec(collector, collector->trace_spec);
	if (!error)
		return 0;
	if (error == -ERROR_SYSTEM &&
	    (errno == EINVAL || errno == EOPNOTSUPP)) {
		snprintf(why, sizeof(why),
			 "this kernel cannot pause a trace: %s",
			 collector->tracer->pauses_from);
		return refuse_only(collector, why);
	}
	return event_refusal_say(
		array_at(&collector->events.specs, collector->trace_spec),
		collector->options->buffer_bytes, error, collector->log);
}

static int open_trace(struct collector *collector)
{
	return collector->options->only ?
		       open_paused_trace(collector) :
		       collector_open_or_explain(collector,
						 collector->trace_spec);
}

static int add_trace(struct collector *collector)
{
	struct event_spec spec;
	int error = trace_spec_make(collector->options, collector->tracer,
				    &collector->pmu, collector->log, &spec);

	if (!error)
		error = event_list_add(&collector->events, spec);
	if (error < 0)
		return error;
	collector->trace_spec = (size_t)error;
	return 0;
}

int collector_open_events(struct collector *collector)
{
	int error = init_rings(collector);

	raise_file_limit();
	if (!error)
		error = add_trace(collector);
	/* It may patch all functions, which takes seconds: what is refused is so
	 * before, and the changes are no part of the recording.
	 */
	if (!error && collector_has_graph(collector))
		error = graph_recording_open(collector->options,
					     &collector->target, collector->log,
					     &collector->graph);
	if (!error)
		error = open_text_poke(collector);
	if (!error)
		error = open_sideband(collector);
	if (!error)
		error = open_trace(collector);
	if (!error)
		error = collector_open_gate(collector);
	return error ? error : collector_arm(collector);
}
