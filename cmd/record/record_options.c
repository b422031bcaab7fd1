/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_options.h"

#include "cmd/console/console.h"
#include "cmd/record/record_values.h"
#include "collector/collector.h"
#include "collector/events/tracefs.h"
#include "collector/gate/gate.h"
#include "collector/trigger/argument_probes.h"
#include "collector/trigger/trigger_spec.h"
#include "common/clocks.h"

#include <stdio.h>
#include <string.h>

static int refuse(const char *source, const char *refusal, const char *fix)
{
	say_of("record", "%s%s: %s", source, refusal, fix);
	return -1;
}

static int choose_machine(struct record_options *options, const char *unit,
			  const char *graph, const char *fix)
{
	if (!options->machine_may_be) {
		say_of("record",
		       "%s (see `ktrace-hw doctor`); function_graph cannot be "
		       "used either: %s: %s; to record in a virtual machine "
		       "with a trace unit: ktrace-hw record --machine -- "
		       "COMMAND",
		       unit, graph, fix);
		return -1;
	}
	say_of("record",
	       "%s; function_graph cannot be used either: %s (%s); the command "
	       "runs in a virtual machine with a trace unit, as with --machine",
	       unit, graph, fix);
	options->machine = true;
	return 0;
}

/* Returns the reason why function_graph cannot do the requested recording, or
 * NULL.
 */
static const char *graph_refusal(const struct record_options *options,
				 const char **fix)
{
	const struct collector_options *collector = &options->collector;

	*fix = "omit that option, or use a trace unit";
	if (collector->user && !options->is_everything)
		return "it does not see user space (--user)";
	if (options->triggers.count)
		return "it has no trace that a hit can stop (--trigger)";
	if (*options->only)
		return "it has no trace that can be paused (--only; --filter "
		       "selects functions)";
	if (collector->sink)
		return "it has no sinks (--sink)";
	if (collector->return_stack)
		return "it has no return stack (--return-stack)";
	if (collector->threads)
		return "it has no trace to write by --threads or --compress";
	return collector_refusal(SOURCE_FUNCTION_GRAPH, fix);
}

int record_source_choose(struct record_options *options)
{
	const char *fix;
	const char *graph_fix;
	const char *unit;
	const char *graph;

	/* The recorder in the machine chooses its own source. */
	if (options->machine)
		return 0;
	options->collector.source = SOURCE_TRACE_UNIT;
	unit = options->source == RECORD_BY_FUNCTION_GRAPH ?
		       NULL :
		       collector_refusal(SOURCE_TRACE_UNIT, &fix);
	if (unit && options->source == RECORD_BY_TRACE_UNIT)
		return refuse("", unit, fix);
	if (!unit && options->source != RECORD_BY_FUNCTION_GRAPH)
		return 0;
	options->collector.source = SOURCE_FUNCTION_GRAPH;
	graph = graph_refusal(options, &graph_fix);
	if (graph && !unit)
		return refuse("function_graph: ", graph, graph_fix);
	if (graph)
		return choose_machine(options, unit, graph, graph_fix);
	if (unit)
		say_of("record",
		       "%s: recording with the kernel's function_graph tracer, "
		       "which slows the kernel down and does not see all "
		       "functions (docs/function_graph.md)",
		       unit);
	return 0;
}

static bool is_gated(const struct record_options *options)
{
	return *options->only || options->only_line;
}

/* Returns a message that names options which exclude each other, or NULL. */
static const char *find_conflict(const struct record_options *options)
{
	const struct collector_options *collector = &options->collector;
	bool processes = options->processes.count > 0;

	if (processes && collector->whole_cpus)
		return "-a records all processes: leave out -p";
	if (processes && collector->command)
		return "give either -p or a command";
	if (!processes && !collector->command && !collector->whole_cpus &&
	    !collector->cpus)
		return "give a command, -p PID or -a";
	if ((collector->after_ns || collector->max_hits) &&
	    !options->triggers.count)
		return "--after and --hits need --trigger";
	if (is_gated(options) &&
	    (options->triggers.count || collector->snapshot))
		return "--only cannot be combined with --snapshot or --trigger";
	if (collector->threads &&
	    (is_gated(options) || options->triggers.count ||
	     collector->snapshot))
		return "--threads and --compress cannot be combined with "
		       "--only, --snapshot or --trigger";
	if (collector->goroutines && !collector->user)
		return "--goroutines is for programs: give --user too";
	if (collector->goroutines && !*collector->goroutines && !processes &&
	    !collector->command)
		return "--goroutines needs a list of programs with -a";
	if (collector->goroutines && !*collector->goroutines &&
	    options->processes.count > GOROUTINE_PROCESSES)
		return "--goroutines follows at most 200 processes of -p: give "
		       "a list of programs";
	if (is_gated(options) && collector->user)
		return "--only traces calls of the kernel: leave out --user";
	if (options->machine && processes)
		return "the virtual machine does not have the processes of "
		       "this machine: give a command";
	if (options->arch && !options->machine)
		return "--arch is for the virtual machine: give --machine too";
	if (options->discard && !options->machine)
		return "--discard is for the virtual machine: give --machine "
		       "too";
	if (options->machine && !collector->command)
		return "give the command to run in the virtual machine";
	return NULL;
}

/* Records whole CPUs if events need it. Any task may wake the command's tasks,
 * and any task's interrupts may be charged to them: to identify them, records
 * everything that runs while the command does.
 */
void record_options_widen_for_events(struct collector_options *collector)
{
	if (collector->tracepoints & TRACEPOINTS_OBJECTS &&
	    collector->command && !collector->cpus)
		collector->whole_cpus = true;
}

/* Records whole CPUs and all tasks if there are triggers. The cause of a slow
 * call is mostly another task, so recordings with triggers include everything
 * that runs. Also, tracing can be paused per CPU but not per thread, since
 * threads migrate. Hits and calls still count only for the processes that were
 * chosen.
 */
static void widen_for_probes(struct record_options *options)
{
	struct collector_options *collector = &options->collector;

	collector->triggers = options->triggers.items;
	collector->trigger_count = options->triggers.count;
	if (options->only_line && !*options->only)
		strcpy(options->only, GATE_NONE);
	collector->only = *options->only ? options->only : NULL;
	collector->only_line = options->only_line;
	collector->hits_of_all = collector->whole_cpus;
	if ((collector->trigger_count || collector->only) && !collector->cpus)
		collector->whole_cpus = true;
}

/* Widens the recording to the tasks and CPUs that the requested analyses need.
 */
static void widen_recording(struct record_options *options)
{
	widen_for_probes(options);
	record_options_widen_for_events(&options->collector);
}

void record_options_help(void)
{
	fputs("usage: ktrace-hw record [OPTION]... [--] COMMAND "
	      "[ARGUMENT]...\n"
	      "       ktrace-hw record [OPTION]... -a | -p PID\n"
	      "\n"
	      "  -a, --all-cpus     everything that runs\n"
	      "  -p, --pid PID,...  these processes, all their threads\n"
	      "  -C, --cpu LIST     only on these CPUs, such as 0-3,7;\n"
	      "                     without -p: everything that runs there\n"
	      "  -o, --output DIR   the recording (ktrace.data)\n"
	      "  --activate WHEN    prepare, then start to record at a given "
	      "time:\n"
	      "                     @TIME (seconds since 1970, or\n"
	      "                     2026-01-31T15:10:00Z), /10s (the next "
	      "multiple\n"
	      "                     of 10 s), +5s\n"
	      "  --after TIME       with --trigger: also keep this much after "
	      "a hit\n"
	      "  --arch ARCH        of the virtual machine: x86_64 or arm64\n"
	      "  --args LIST        arguments and results of these kernel "
	      "functions:\n"
	      "                     vfs_read, or "
	      "vfs_read(count),do_filp_open\n"
	      "  --buffer SIZE      trace buffer of each CPU (8M)\n"
	      "  --compress         like --threads, and compress these "
	      "files\n"
	      "  --cycles[=N]       record cycle counts (default: on for Intel "
	      "PT, off\n"
	      "                     for CoreSight, where they fill the sink); "
	      "N: the\n"
	      "                     smallest count that CoreSight records\n"
	      "  --discard          with --machine: do not copy back files "
	      "that the\n"
	      "                     command writes below the current folder\n"
	      "  --duration S       end after S seconds\n"
	      "  --events LIST      tracepoints: none, sched, switches, irq, syscalls, "
	      "faults,\n"
	      "                     locks, all, attribution (the default if "
	      "permitted,\n"
	      "                     otherwise sched); attribution also records "
	      "everything\n"
	      "                     else that runs during the command\n"
	      "  --everything       attribution, syscalls, locks, faults, "
	      "--user,\n"
	      "                     --syscall-data, and --user-stacks if the "
	      "trace\n"
	      "                     lacks them\n"
	      "  --filter LIST      only these kernel functions or ranges\n"
	      "  --goroutines[=LIST]\n"
	      "                     ids of goroutines of these Go programs, by "
	      "default\n"
	      "                     of the command or of the processes; needs "
	      "--user\n"
	      "  --hits N           with --trigger: end after N hits; the "
	      "command\n"
	      "                     continues\n"
	      "  --machine[=OPTION...]\n"
	      "                     in a virtual machine with a trace unit;\n"
	      "                     options as for ktrace-hw machine run\n"
	      "  --max-size SIZE    end when the recording has this size "
	      "(2G);\n"
	      "                     the command continues\n"
	      "  --only LIST        trace only inside these system calls or "
	      "kernel\n"
	      "                     functions, with everything they call\n"
	      "                     (openat,fsync); may be repeated; "
	      "line:FIFO: a\n"
	      "                     LIST written to FIFO changes the choice\n"
	      "  --return-stack     omit from CoreSight trace the returns that "
	      "lead\n"
	      "                     back to their callers\n"
	      "  --sink NAME        where CoreSight trace goes (tmc_etr0; see\n"
	      "                     the kernel's cs_etm/sinks)\n"
	      "  --snapshot         keep the newest trace, at the end and\n"
	      "                     at each SIGUSR2\n"
	      "  --source SOURCE    what records functions: trace-unit,\n"
	      "                     function_graph (the kernel's tracer), or "
	      "auto:\n"
	      "                     the first of these that is available, "
	      "otherwise\n"
	      "                     the virtual machine\n"
	      "  --syscall-data     paths, data and files of system calls' "
	      "arguments,\n"
	      "                     as strace -y prints them (also records "
	      "syscalls)\n"
	      "  --threads          write each CPU's trace to a file of its "
	      "own, by a\n"
	      "                     thread of its own\n"
	      "  --trigger SPEC     save a snapshot when SPEC hits: "
	      "read>10ms,\n"
	      "                     vfs_read>1ms, sleep@futex>100ms, "
	      "runnable>5ms,\n"
	      "                     sched:sched_process_exit, "
	      "uprobe:FILE:FUNCTION,\n"
	      "                     signal:SEGV, crash, exit!=0, line:FIFO; "
	      "may be\n"
	      "                     repeated; records everything that runs\n"
	      "  --user             user space as well as the kernel\n"
	      "  --user-stacks[=SIZE]\n"
	      "                     the caller's stack at each system call, "
	      "up\n"
	      "                     to SIZE (8K), for report --sleeps and\n"
	      "                     --user-sites\n"
	      "  -q, --quiet        no notes on standard error\n"
	      "  -v, --verbose      more notes\n"
	      "\n"
	      "Exit code: the command's, or 128+N if signal N ended it; 125 "
	      "if\n"
	      "recording failed, 126 or 127 if the command cannot run, 2 for\n"
	      "wrong usage.\n",
	      stdout);
}

static const char *read_source(void *source, char *value)
{
	static const char *const names[] = {
		[RECORD_BY_ANY] = "auto",
		[RECORD_BY_TRACE_UNIT] = "trace-unit",
		[RECORD_BY_FUNCTION_GRAPH] = "function_graph",
	};

	for (int i = RECORD_BY_ANY; i <= RECORD_BY_FUNCTION_GRAPH; i++)
		if (!strcmp(value, names[i])) {
			*(enum record_source *)source = (enum record_source)i;
			return NULL;
		}
	return "trace-unit, function_graph or auto";
}

static const char *read_events(void *collector_, char *value)
{
	struct collector_options *collector = collector_;
	int sets = tracepoint_set_parse(value);

	if (sets < 0)
		return "none, sched, switches, irq, syscalls, faults, locks, "
		       "all, attribution, or a list of them";
	collector->tracepoints = (unsigned int)sets;
	collector->tracepoints_may_miss = false;
	return NULL;
}

static const char *read_trigger(void *options_, char *value)
{
	struct record_options *options = options_;
	struct trigger_spec spec;
	const char *wanted = trigger_spec_parse(value, &spec);

	if (wanted)
		return wanted;
	if (array_append(&options->triggers, &value) < 0)
		return "fewer: out of memory";
	options->collector.snapshot = true;
	return NULL;
}

/* Joins the lists of repeated options. */
static const char *read_only(void *options_, char *value)
{
	static const char line[] = "line:";
	struct record_options *options = options_;
	size_t length = strlen(options->only);

	if (!strncmp(value, line, strlen(line))) {
		options->only_line = value + strlen(line);
		return *options->only_line ?
			       NULL :
			       "the path of a named pipe after line:";
	}
	if (length + strlen(value) + 2 > sizeof(options->only))
		return "fewer or shorter names";
	snprintf(options->only + length, sizeof(options->only) - length, "%s%s",
		 length ? "," : "", value);
	return gate_list_check(options->only);
}

static const char *read_activation(void *activation, char *value)
{
	return activation_parse(value, realtime_ns(), activation);
}

static const char *read_arguments(void *arguments, char *value)
{
	*(const char **)arguments = value;
	return argument_list_check(value);
}

static const char *read_goroutines(void *goroutines, char *value)
{
	*(const char **)goroutines = value ? value : "";
	return !value || *value ? NULL : "paths of Go programs";
}

static const char *read_time(void *ns, char *value)
{
	return trigger_time_parse(value, ns) ?
		       "a time such as 10ms (ns, us, ms, s)" :
		       NULL;
}

static const char *read_cycles(void *cycles_, char *value)
{
	struct cycle_choice *cycles = cycles_;

	cycles->kind = CYCLES_COUNTED;
	return value ? record_value_threshold(&cycles->threshold, value) : NULL;
}

static const char *read_machine(void *options_, char *value)
{
	struct record_options *options = options_;

	options->machine = true;
	options->machine_options = value;
	return NULL;
}

static const char *read_compress(void *collector_, char *value)
{
	struct collector_options *collector = collector_;

	(void)value;
	collector->compress = true;
	collector->threads = true;
	return NULL;
}

#define OF(kind, member) kind(struct record_options, member)
#define OF_TRACE(kind, member) kind(struct record_options, collector.member)
#define READ_TO(member, read) READS(struct record_options, member, read)

/* record_options_help() explains them. */
static const struct own_option own_options[] = {
	{ "all-cpus", NULL, NULL, 'a', OF_TRACE(FLAG, whole_cpus) },
	{ "pid", "LIST", NULL, 'p', READ_TO(processes, record_value_pids) },
	{ "cpu", "LIST", NULL, 'C', OF_TRACE(TEXT, cpus) },
	{ "output", "DIR", NULL, 'o', OF(TEXT, folder) },
	{ "activate", "TIME", NULL, 0,
	  READ_TO(collector.activation, read_activation) },
	{ "after", "TIME", NULL, 0, READ_TO(collector.after_ns, read_time) },
	{ "arch", "ARCH", NULL, 0, READ_TO(arch, record_value_arch) },
	{ "args", "LIST", NULL, 0,
	  READ_TO(collector.arguments, read_arguments) },
	{ "buffer", "SIZE", NULL, 0,
	  READ_TO(collector.buffer_bytes, record_value_size) },
	{ "compress", NULL, NULL, 0, READ_TO(collector, read_compress) },
	{ "cycles", "[N]", NULL, 0, READ_TO(collector.cycles, read_cycles) },
	{ "discard", NULL, NULL, 0, OF(FLAG, discard) },
	{ "duration", "S", NULL, 0,
	  READ_TO(collector.duration_ns, record_value_seconds) },
	{ "events", "LIST", NULL, 0, READ_TO(collector, read_events) },
	{ "everything", NULL, NULL, 0, OF(FLAG, is_everything) },
	{ "filter", "LIST", NULL, 0, OF_TRACE(TEXT, filter) },
	{ "goroutines", "[LIST]", NULL, 0,
	  READ_TO(collector.goroutines, read_goroutines) },
	{ "hits", "N", NULL, 0,
	  READ_TO(collector.max_hits, record_value_count) },
	{ "machine", "[OPTIONS]", NULL, 0, .effect = OPTION_READ,
	  .read = read_machine },
	{ "max-size", "SIZE", NULL, 0,
	  READ_TO(collector.max_bytes, record_value_max) },
	{ "no-cycles", NULL, NULL, 0,
	  CHOOSES(struct record_options, collector.cycles.kind,
		  CYCLES_LEFT_OUT) },
	{ "only", "LIST", NULL, 0, .effect = OPTION_READ, .read = read_only },
	{ "return-stack", NULL, NULL, 0, OF_TRACE(FLAG, return_stack) },
	{ "sink", "NAME", NULL, 0, OF_TRACE(TEXT, sink) },
	{ "snapshot", NULL, NULL, 0, OF_TRACE(FLAG, snapshot) },
	{ "source", "NAME", NULL, 0, READ_TO(source, read_source) },
	{ "syscall-data", NULL, NULL, 0, OF_TRACE(FLAG, call_data) },
	{ "threads", NULL, NULL, 0, OF_TRACE(FLAG, threads) },
	{ "trigger", "SPEC", NULL, 0, .effect = OPTION_READ,
	  .read = read_trigger },
	{ "user", NULL, NULL, 0, OF_TRACE(FLAG, user) },
	{ "user-stacks", "[SIZE]", NULL, 0,
	  READ_TO(collector.user_stack_bytes, record_value_stack) },
};

/* Applies --everything, which other options extend. With --only, user space is
 * not recorded.
 */
static void take_everything(struct record_options *options)
{
	struct collector_options *collector = &options->collector;

	if (!options->is_everything)
		return;
	if (collector->tracepoints_may_miss)
		collector->tracepoints = 0;
	collector->tracepoints |= TRACEPOINTS_ATTRIBUTION |
				  TRACEPOINTS_SYSCALLS | TRACEPOINTS_LOCKS |
				  TRACEPOINTS_FAULTS;
	collector->tracepoints_may_miss = false;
	collector->call_data_may_miss = !collector->call_data;
	collector->call_data = true;
	if (!*options->only && !options->only_line)
		collector->user = true;
}

int record_options_parse(struct record_options *options, int argc, char **argv)
{
	const char *problem;

	*options = (struct record_options){
		.collector = { .buffer_bytes = 8 << 20,
			       .tracepoints = TRACEPOINTS_SCHED,
			       .tracepoints_may_miss = true,
			       .argc = argc,
			       .argv = argv },
		.processes = ARRAY_OF(pid_t),
		.triggers = ARRAY_OF(const char *),
		.words = ARRAY_OF(const char *),
		.folder = RECORD_DEFAULT_FOLDER,
	};
	if (kept_options_read(OWN_LIST(own_options), "record", options,
			      &options->words, &options->help, argc, argv))
		return 2;
	if (optind < argc)
		options->collector.command = argv + optind;
	take_everything(options);
	options->collector.processes = options->processes.items;
	options->collector.process_count = options->processes.count;
	problem = options->help ? NULL : find_conflict(options);
	widen_recording(options);
	if (problem)
		say_of("record", "%s", problem);
	return problem ? 2 : 0;
}

void record_options_free(struct record_options *options)
{
	array_free(&options->processes);
	array_free(&options->triggers);
	array_free(&options->words);
}
