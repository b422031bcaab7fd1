/* SPDX-License-Identifier: MIT */
#include "collector/recording_setup_internal.h"

#include "collector/bytes/recording_files.h"
#include "collector/collector_options_internal.h"
#include "collector/events/event_list.h"
#include "collector/events/event_spec.h"
#include "collector/events/tracefs.h"
#include "collector/function_graph/function_graph.h"
#include "collector/kernel_code/code_breakpoints.h"
#include "collector/rings/cpu_rings.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "collector/trigger/argument_probes.h"
#include "collector/trigger/goroutine_probes.h"
#include "collector/writer/trace_writer.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/formats/recording_events.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

/* Opens everything that a recording needs, in an order that matters. The
 * trace's spec is added first, as number 0, but opened last:
 *
 *	1. function_graph, if it is used, whose patches need no records
 *	2. the event of code changes, then the breakpoints on patches: all
 *	   events opened after them may patch the kernel
 *	3. all other specs except the trace's
 *	4. the trace, on each CPU or thread
 *
 * A spec that is optional leaves no trace if it cannot be opened
 * (consume_back()). CPUs that come online later get the same specs
 * (event_rings_open_late()). Nothing is enabled here.
 */

enum { US_NS = 1000 };

uint64_t trace_clock_ns(const struct trace_clock *clock)
{
	return clock->tracer->now_ns(clock->page);
}

/* Adds the kernel's estimate of the error of CLOCK_REALTIME. This needs no
 * rights, and modes 0 changes nothing.
 */
static void ask_kernel(struct clock_reading *reading)
{
	struct timex state = { .modes = 0 };

	if (adjtimex(&state) < 0)
		return;
	reading->status = (uint32_t)state.status;
	reading->esterror_ns = (uint64_t)state.esterror * US_NS;
	reading->maxerror_ns = (uint64_t)state.maxerror * US_NS;
}

/* Uses the closest of several pairs of readings, as an interrupt between two
 * readings makes them less precise.
 */
void trace_clock_read(const struct trace_clock *clock,
		      struct clock_reading *reading)
{
	enum { TRIES = 16 };

	*reading = (struct clock_reading){ .bracket_ns = UINT64_MAX };
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = trace_clock_ns(clock);
		int64_t between = realtime_ns();
		uint64_t after = trace_clock_ns(clock);

		/* function_graph's tracer cannot read its clock. */
		if (!before || after < before ||
		    after - before >= reading->bracket_ns)
			continue;
		reading->is_known = true;
		reading->clock_ns = before + (after - before) / 2;
		reading->realtime_ns = between;
		reading->bracket_ns = after - before;
	}
	ask_kernel(reading);
}

static void write_readings(FILE *out, const void *readings)
{
	clock_readings_write(readings, out);
}

int trace_clock_save(const struct output_folder *recording,
		     const struct clock_readings *readings,
		     const struct log *log)
{
	return kcore_folder_write(recording, "clock", write_readings, readings,
				  log);
}

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

/* Creates the spec of the trace's own event from @options and the trace unit.
 * Returns 0 or a negative enum error with the reason in @log.
 */
static int make_trace_spec(const struct collector_options *options,
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

struct event_rings event_rings_new(const struct target *target,
				   size_t buffer_bytes, const struct log *log)
{
	return (struct event_rings){
		.list = event_list_new(),
		.cpus = ARRAY_OF(struct cpu_rings),
		.target = target,
		.buffer_bytes = buffer_bytes,
		.log = log,
	};
}

void event_rings_free(struct event_rings *events)
{
	struct cpu_rings *rings = events->cpus.items;

	for (size_t i = 0; i < events->cpus.count; i++) {
		trace_writer_free(rings[i].writer);
		cpu_rings_free(&rings[i]);
	}
	array_free(&events->cpus);
	event_list_free(&events->list);
}

static int add_cpus(struct event_rings *events, const struct array *cpus,
		    size_t trace_bytes, bool overwrite)
{
	const int *cpu = cpus->items;

	for (size_t i = 0; i < cpus->count; i++) {
		struct cpu_rings *rings = array_add(&events->cpus);

		if (!rings)
			return -ERROR_MEMORY;
		cpu_rings_init(rings, cpu[i], trace_bytes, overwrite);
	}
	return 0;
}

int event_rings_add_cpus(struct event_rings *events, size_t trace_bytes,
			 bool overwrite)
{
	int error =
		add_cpus(events, &events->target->cpus, trace_bytes, overwrite);

	return error ? error :
		       add_cpus(events, &events->target->others, trace_bytes,
				overwrite);
}

struct cpu_rings *event_rings_of(const struct event_rings *events, int cpu)
{
	struct cpu_rings *rings = events->cpus.items;

	while (rings->cpu != cpu)
		rings++;
	return rings;
}

static int attach_from(struct event_rings *events, size_t first)
{
	const struct event *opened = events->list.events.items;

	for (size_t i = first; i < events->list.events.count; i++) {
		const struct event_spec *spec =
			array_at(&events->list.specs, opened[i].spec);
		int error =
			cpu_rings_attach(event_rings_of(events, opened[i].cpu),
					 &opened[i], spec);

		if (error)
			return error;
	}
	return 0;
}

int event_rings_open(struct event_rings *events, size_t spec)
{
	size_t first = events->list.events.count;
	int error = event_list_open(&events->list, spec, events->target);

	if (!error)
		error = attach_from(events, first);
	return error;
}

static int open_late(struct event_rings *events, size_t spec, int cpu)
{
	size_t first = events->list.events.count;
	int error = event_list_open_cpu(&events->list, spec, cpu);

	return error ? error : attach_from(events, first);
}

/* Opens all specs on @cpu, @trace last. */
static int open_all_late(struct event_rings *events, int cpu, size_t trace)
{
	int error = 0;

	for (size_t i = 0; i < events->list.specs.count && !error; i++)
		if (i != trace)
			error = open_late(events, i, cpu);
	return error ? error : open_late(events, trace, cpu);
}

int event_rings_open_late(struct event_rings *events, int cpu, size_t trace,
			  size_t trace_bytes)
{
	size_t first = events->list.events.count;
	struct cpu_rings *rings = array_add(&events->cpus);
	int error;
	int cause;

	if (!rings)
		return -ERROR_MEMORY;
	cpu_rings_init(rings, cpu, trace_bytes, false);
	error = open_all_late(events, cpu, trace);
	if (!error)
		return 0;
	cause = errno;
	cpu_rings_free(event_rings_of(events, cpu));
	event_list_close_from(&events->list, first);
	events->cpus.count--;
	errno = cause;
	return error;
}

/* Undoes event_rings_reopen(): closes the events from number @count on, and
 * marks the events of @cpu that they replaced as not replaced.
 */
static void bring_back(struct event_rings *events, int cpu, size_t count)
{
	struct event *opened = events->list.events.items;

	for (size_t i = count; i < events->list.events.count; i++)
		for (size_t j = count; j-- > 0;)
			if (opened[j].spec == opened[i].spec &&
			    opened[j].cpu == cpu) {
				opened[j].is_replaced = false;
				break;
			}
	event_list_close_from(&events->list, count);
}

/* Closes @old if it is a breakpoint, so that its replacement can use one of the
 * CPU's few. An event through which a ring is mapped stays open.
 */
static void close_breakpoint(const struct event_rings *events,
			     struct event *old)
{
	const struct event_spec *spec =
		array_at(&events->list.specs, old->spec);

	if (spec->attr.type != PERF_TYPE_BREAKPOINT || old->fd < 0 ||
	    event_rings_of(events, old->cpu)->fd[spec->ring] == old->fd)
		return;
	close(old->fd);
	old->fd = -1;
}

int event_rings_reopen(struct event_rings *events, int cpu)
{
	size_t count = events->list.events.count;
	int error = 0;
	int cause;

	for (size_t i = 0; i < count && !error; i++) {
		struct event *old = array_at(&events->list.events, i);

		if (old->cpu != cpu || old->thread != -1 || old->is_replaced)
			continue;
		close_breakpoint(events, old);
		error = open_late(events, old->spec, cpu);
		old = array_at(&events->list.events, i);
		old->is_replaced = !error;
	}
	if (!error)
		return 0;
	cause = errno;
	bring_back(events, cpu, count);
	errno = cause;
	return error;
}

/* Like event_rings_open(), but also logs the reason of an error. */
static int open_or_explain(struct event_rings *events, size_t spec)
{
	int error = event_rings_open(events, spec);

	if (!error)
		return 0;
	return event_refusal_log(array_at(&events->list.specs, spec),
				 events->buffer_bytes, error, events->log);
}

/* Closes the open events of spec number @spec, which must be the last one, and
 * removes the spec.
 */
static void consume_back(struct event_rings *events, size_t spec)
{
	const struct event_spec *what = array_at(&events->list.specs, spec);
	const struct event *opened = events->list.events.items;

	for (size_t i = 0; i < events->list.events.count; i++)
		if (opened[i].spec == spec)
			cpu_rings_detach(event_rings_of(events, opened[i].cpu),
					 &opened[i], what);
	event_list_remove_last(&events->list);
}

int event_rings_open_if_possible(struct event_rings *events, int spec)
{
	int error = spec < 0 ? spec : event_rings_open(events, (size_t)spec);
	int cause = errno;

	if (spec >= 0 && error == -ERROR_SYSTEM)
		consume_back(events, (size_t)spec);
	errno = cause;
	return error;
}

int event_rings_open_notes(struct event_rings *events, const char *name,
			   size_t *spec)
{
	int added = event_list_add(&events->list,
				   event_spec_bpf_output(name, RING_NONE));
	int error = event_rings_open_if_possible(events, added);

	*spec = (size_t)added;
	if (error == -ERROR_SYSTEM)
		log_message(events->log, LOG_ERROR, name, LOG_NO_OFFSET,
			    "the kernel refuses: %s", strerror(errno));
	return error;
}

const struct perf_event_mmap_page *
event_rings_page(const struct event_rings *events)
{
	const struct cpu_rings *rings = events->cpus.items;

	return rings->ring[RING_TRACE].page;
}

/* Creates the folder kcore_dir in @recording, which shows that @recording is a
 * recording even if the recorder is killed early.
 */
static int make_folder(const struct output_folder *recording,
		       const struct log *log)
{
	struct output_folder folder;
	int error = kcore_folder_open(&folder, recording, log);

	output_folder_close(&folder);
	return error;
}

/* Sets up the kernel's function_graph tracer for @target. Returns 0 and
 * *@graph, or a negative enum error with the reason in the log.
 */
static int open_graph(const struct collector_options *options,
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

/* Raises the limit of open files: the product of threads, CPUs and events
 * exceeds a shell's soft limit.
 */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opens the event of code changes, before any other event, because other events
 * patch the kernel: static keys, tracepoints. If it is not permitted, the
 * recording continues without it.
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
		return event_refusal_log(&wanted, setup->options->buffer_bytes,
					 error, setup->log);
	log_message(setup->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "changes of the kernel's code cannot be recorded without "
		    "privileges: record as root");
	return 0;
}

/* Opens the breakpoints on patches, also before any event that patches the
 * kernel.
 */
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

/* Opens the events of modules. Without them, the code of new modules is
 * unknown, and readers use the code of removed modules for code that is loaded
 * at their addresses later.
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

/* Opens the breakpoints of the BPF compiler. If a debugger uses the CPUs'
 * breakpoints, classic BPF filters that are loaded during the recording are
 * gaps.
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

/* Opens the breakpoint on mremap(). Without it, readers use the old code for
 * addresses to which a program moved other code.
 */
static int open_mremap(struct recording_setup *setup)
{
	int error = event_rings_open_if_possible(
		&setup->events, mremap_breakpoint_add(&setup->events.list));

	if (!error || error == -ERROR_MEMORY)
		return error;
	log_message(setup->log, LOG_NOTE, MREMAP_EVENT, LOG_NO_OFFSET,
		    "moves of programs' code cannot be recorded: %s",
		    text_poke_breakpoints_refusal(error));
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
	    event_list_add(events, event_spec_tasks(setup->options->user)) < 0)
		return -ERROR_MEMORY;
	error = tracepoint_set_add(tracepoints_of(setup),
				   setup->options->user_stack_bytes, events,
				   setup->log);
	if (!error && setup->options->arguments)
		error = argument_probes_add(setup->options->arguments, events,
					    setup->log);
	if (!error && setup->options->goroutines)
		error = goroutine_probes_add(setup->options->goroutines, events,
					     setup->log);
	for (size_t i = first; i < events->specs.count && !error; i++)
		error = open_or_explain(&setup->events, i);
	if (!error && setup->wide)
		error = open_bpf_text(setup);
	if (!error && setup->wide && setup->options->user)
		error = open_mremap(setup);
	return error;
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

/* Opens a trace that starts paused. Drivers that cannot pause a trace, and
 * older kernels, refuse it.
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
	return event_refusal_log(
		array_at(&setup->events.list.specs, setup->trace_spec),
		setup->options->buffer_bytes, error, setup->log);
}

static int open_trace(struct recording_setup *setup)
{
	return setup->options->only ?
		       open_paused_trace(setup) :
		       open_or_explain(&setup->events, setup->trace_spec);
}

static int add_trace(struct recording_setup *setup)
{
	struct event_spec spec;
	int error = make_trace_spec(setup->options, setup->tracer, &setup->pmu,
				    setup->log, &spec);

	if (!error)
		error = event_list_add(&setup->events.list, spec);
	if (error < 0)
		return error;
	setup->trace_spec = (size_t)error;
	return 0;
}

/* Adds the rings of each CPU, which do not depend on the events that write to
 * them.
 */
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
		error = open_graph(setup->options, &setup->target, setup->log,
				   &setup->graph);
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
