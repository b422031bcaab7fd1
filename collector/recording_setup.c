/* SPDX-License-Identifier: MIT */
#include "collector/recording_setup.h"
#include "collector/events/event_refusal.h"
#include "collector/events/tracepoint_set.h"
#include "collector/graph_recording.h"
#include "collector/kernel_code/bpf_text_breakpoints.h"
#include "collector/kernel_code/text_poke_breakpoints.h"
#include "collector/trace_spec.h"
#include "common/bpf_text_breakpoint.h"
#include "common/error.h"
#include "common/log.h"
#include "common/text_poke_breakpoint.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The product of threads, CPUs and events exceeds a shell's soft limit. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opened before any other event, because other events patch the kernel: static
 * keys, tracepoints. If not permitted, the recording continues without.
 */
static int open_text_poke(struct recording_setup *setup)
{
	const struct event_spec wanted = event_spec_text_poke();
	int error = event_rings_open_if_possible(
		&setup->events, event_list_add(&setup->events.list, wanted));

	setup->wide = !error;
	if (!error)
		return 0;
	if (error != -ERROR_SYSTEM || (errno != EACCES && errno != EPERM))
		return event_refusal_say(&wanted, setup->options->buffer_bytes,
					 error, setup->log);
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "changes of the kernel's code cannot be recorded without "
		    "privileges: record as root");
	return 0;
}

/* Must also be opened before any event that patches the kernel. */
static int open_text_poke_breakpoints(struct recording_setup *setup)
{
	const char *const *functions = setup->tracer->patch_functions;
	int error;

	if (!functions)
		return 0;
	error = event_rings_open_if_possible(
		&setup->events,
		text_poke_breakpoints_add(&setup->events.list, functions));
	if (!error || error == -ERROR_MEMORY)
		return error;
	log_message(setup->log, LOG_NOTE, TEXT_POKE_BREAKPOINT_EVENT,
		    LOG_NO_OFFSET,
		    "patches of the kernel's code cannot be recorded: %s; code "
		    "that differs at the end will be a gap",
		    text_poke_breakpoints_refusal(error));
	return 0;
}

/* Without these events, the code of new modules is unknown, and the code of
 * removed modules is mistaken for later code at the same addresses.
 */
static int open_modules(struct recording_setup *setup)
{
	static const char *const names[] = { EVENT_MODULE_LOAD,
					     EVENT_MODULE_FREE };
	int error = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !error; i++)
		error = event_rings_open_if_possible(
			&setup->events,
			tracepoint_add_module(&setup->events.list, names[i]));
	if (!error || error == -ERROR_MEMORY)
		return error;
	log_message(setup->log, LOG_NOTE, NULL, LOG_NO_OFFSET,
		    "modules that are loaded or removed during the recording "
		    "cannot be recorded: %s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     "tracefs is not mounted");
	return 0;
}

/* If a debugger uses the CPUs' breakpoints, classic BPF filters that are loaded
 * during the recording are gaps.
 */
static int open_bpf_text(struct recording_setup *setup)
{
	int error = 0;

	for (int i = 0; i < BPF_TEXT_EVENTS && !error; i++)
		error = event_rings_open_if_possible(
			&setup->events,
			bpf_text_breakpoints_add(&setup->events.list,
						 (enum bpf_text_event)i));
	if (!error || error == -ERROR_MEMORY)
		return error;
	if (error == -ERROR_SYSTEM)
		log_message(setup->log, LOG_NOTE, BPF_TEXT_COPY_EVENT,
			    LOG_NO_OFFSET,
			    "seccomp and socket filters that are loaded during "
			    "the recording will be gaps: no breakpoint of the "
			    "CPUs can be used: %s",
			    strerror(errno));
	return 0;
}

/* Returns the tracepoints to record; none if they are only a default and
 * tracefs cannot be read.
 */
static unsigned int tracepoints_of(const struct recording_setup *setup)
{
	const struct collector_options *options = setup->options;

	if (!options->tracepoints_may_miss ||
	    tracepoint_set_can_be_read(TRACEPOINTS_SCHED))
		return options->tracepoints;
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "tracefs cannot be read, so sleeps and wake-ups are not "
		    "recorded: mount it and record as root, or use "
		    "--events=none");
	return 0;
}

static int open_sideband(struct recording_setup *setup)
{
	struct event_list *events = &setup->events.list;
	size_t first;
	int error;

	if (setup->wide) {
		error = open_text_poke_breakpoints(setup);
		if (!error)
			error = open_modules(setup);
		if (error)
			return error;
	}
	first = events->specs.count;
	setup->switch_spec = first;
	if (event_list_add(events, event_spec_switches(setup->wide)) < 0 ||
	    event_list_add(events, event_spec_tasks()) < 0 ||
	    event_list_add(events, event_spec_maps(setup->options->user)) < 0)
		return -ERROR_MEMORY;
	error = tracepoint_set_add(tracepoints_of(setup),
				   setup->options->user_stack_bytes, events,
				   setup->log);
	for (size_t i = first; i < events->specs.count && !error; i++)
		error = event_rings_open_or_explain(&setup->events, i);
	return !error && setup->wide ? open_bpf_text(setup) : error;
}

static int refuse_only(const struct recording_setup *setup, const char *why)
{
	log_message(setup->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "--only: %s; otherwise use --filter, which traces only "
		    "selected functions, or --trigger, which keeps the slow "
		    "calls",
		    why);
	return -ERROR_UNSUPPORTED;
}

/* Logs an error if no kernel can pause the trace of this unit. */
static int check_pause(const struct recording_setup *setup)
{
	const struct tracer *tracer = setup->tracer;
	const char *refusal = NULL;

	if (!tracer->pauses_from)
		refusal = "no kernel can pause the trace of this unit";
	else if (tracer->pause_refusal)
		refusal = tracer->pause_refusal(&setup->pmu);
	return refusal ? refuse_only(setup, refusal) : 0;
}

/* Drivers that cannot pause a trace, and older kernels, refuse a trace that
 * starts paused.
 */
static int open_paused_trace(struct recording_setup *setup)
{
	int error = check_pause(setup);
	char why[128];

	if (error)
		return error;
	error = event_rings_open(&setup->events, setup->trace_spec);
	if (!error)
		return 0;
	if (error == -ERROR_SYSTEM &&
	    (errno == EINVAL || errno == EOPNOTSUPP)) {
		snprintf(why, sizeof(why),
			 "this kernel cannot pause a trace: %s",
			 setup->tracer->pauses_from);
		return refuse_only(setup, why);
	}
	return event_refusal_say(
		array_at(&setup->events.list.specs, setup->trace_spec),
		setup->options->buffer_bytes, error, setup->log);
}

static int open_trace(struct recording_setup *setup)
{
	return setup->options->only ?
		       open_paused_trace(setup) :
		       event_rings_open_or_explain(&setup->events,
						   setup->trace_spec);
}

static int add_trace(struct recording_setup *setup)
{
	struct event_spec spec;
	int error = trace_spec_make(setup->options, setup->tracer, &setup->pmu,
				    setup->log, &spec);

	if (!error)
		error = event_list_add(&setup->events.list, spec);
	if (error < 0)
		return error;
	setup->trace_spec = (size_t)error;
	return 0;
}

/* Each CPU has rings, independent of the events that write to them. */
static int add_rings(struct recording_setup *setup)
{
	const struct collector_options *options = setup->options;
	size_t bytes = recording_setup_has_graph(setup) ? 0 :
							  options->buffer_bytes;

	return event_rings_add_cpus(&setup->events, bytes, options->snapshot);
}

int recording_setup_open(struct recording_setup *setup)
{
	int error = add_rings(setup);

	raise_file_limit();
	if (!error)
		error = add_trace(setup);
	/* The tracer may patch all functions, which takes seconds. It is set up
	 * after the steps that may fail, and before the patches would be
	 * recorded.
	 */
	if (!error && recording_setup_has_graph(setup))
		error = graph_recording_open(setup->options, &setup->target,
					     setup->log, &setup->graph);
	if (!error)
		error = open_text_poke(setup);
	if (!error)
		error = open_sideband(setup);
	return error ? error : open_trace(setup);
}

struct trace_clock recording_setup_clock(const struct recording_setup *setup)
{
	return (struct trace_clock){ setup->tracer,
				     event_rings_page(&setup->events) };
}

static int open_event(void *context, size_t spec)
{
	return event_rings_open_if_possible(context, (int)spec);
}

struct trigger_setup recording_setup_triggers(struct recording_setup *setup,
					      struct kernel_symbols *symbols)
{
	const struct collector_options *options = setup->options;
	const bool has_command = setup->command > 0;
	struct trigger_setup triggers = {
		.events = &setup->events.list,
		.open = open_event,
		.context = &setup->events,
		.trace_spec = setup->trace_spec,
		.cpus = setup->target.cpus.items,
		.cpu_count = setup->target.cpus.count,
		.processes = has_command ? &setup->command : options->processes,
		.process_count = has_command ? 1 : options->process_count,
		.symbols = symbols,
		.log = setup->log,
	};

	if (options->hits_of_all)
		triggers.process_count = 0;
	return triggers;
}
