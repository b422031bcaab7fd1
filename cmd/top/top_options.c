/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_options.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/record/record_values.h"
#include "serve/serve_message.h"

#include <stdio.h>
#include <string.h>

/* The default of --slice: this fraction of a round is traced. */
enum { SLICE_SHARE = 5 };

void top_options_help(void)
{
	fputs("usage: ktrace-hw top [OPTION]... [-a | -p PID | -- COMMAND "
	      "[ARGUMENT]...]\n"
	      "\n"
	      "Shows every second where processes sleep, their system calls, "
	      "and the\nbeneficiaries of interrupts.\n"
	      "\n"
	      "  -a, --all-cpus     everything that runs (the default)\n"
	      "  -p, --pid PID,...  these processes, all their threads\n"
	      "  -C, --cpu LIST     only on these CPUs, such as 0-3,7\n"
	      "  --arch ARCH        of the virtual machine: x86_64 or arm64\n"
	      "  --buffer SIZE      trace buffer of each CPU (8M)\n"
	      "  --delay S          seconds between rounds (1)\n"
	      "  --format FORMAT    text, or json: one object per round and "
	      "line\n"
	      "  --machine[=OPTION...]\n"
	      "                     in a virtual machine with a trace unit;\n"
	      "                     options as for ktrace-hw machine run\n"
	      "  --max-size SIZE    end a round's trace at this size (64M)\n"
	      "  --once             one round as text, then exit\n"
	      "  --rounds N         exit after N rounds\n"
	      "  --service[=SOCKET] write the sums of sleeps of ktrace-hw serve "
	      "--sums,\n"
	      "                     as JSON\n"
	      "  --slice S          how long each round is traced (a fifth of\n"
	      "                     the delay)\n"
	      "  --top N            only the first N rows of a table\n"
	      "  --user-stacks[=SIZE]\n"
	      "                     also show where programs sleep: from the "
	      "caller's\n"
	      "                     stack at each system call, up to SIZE "
	      "(8K)\n"
	      "  -q, --quiet        no notes on standard error\n"
	      "  -v, --verbose      more notes\n"
	      "\n"
	      "Keys: s sleeps, c system calls, i interrupts, p processes, "
	      "a all\nsleeps so far, arrows and pages scroll, space pauses, "
	      "q quits.\n",
	      stdout);
}

static const char *read_format(void *is_json, char *value)
{
	*(bool *)is_json = !strcmp(value, "json");
	return *(bool *)is_json || !strcmp(value, "text") ? NULL :
							    "text or json";
}

static const char *read_count(void *count, char *value)
{
	return option_number(value, UINT64_MAX - 1, count) &&
			       *(uint64_t *)count ?
		       NULL :
		       "a number above 0";
}

static const char *read_machine(void *options_, char *value)
{
	struct top_options *options = options_;

	options->machine = true;
	options->machine_options = value;
	return NULL;
}

static const char *read_service(void *options_, char *value)
{
	struct top_options *options = options_;

	options->service = value ? value : SERVE_SOCKET;
	return NULL;
}

#define OF_TRACE(kind, member) kind(struct top_options, collector.member)
#define READ_TO(member, read) READS(struct top_options, member, read)

/* top_options_help() explains them. */
static const struct own_option own_options[] = {
	{ "all-cpus", NULL, NULL, 'a', OF_TRACE(FLAG, whole_cpus) },
	{ "pid", "LIST", NULL, 'p', READ_TO(processes, record_value_pids) },
	{ "cpu", "LIST", NULL, 'C', OF_TRACE(TEXT, cpus) },
	{ "arch", "ARCH", NULL, 0, READ_TO(arch, record_value_arch) },
	{ "buffer", "SIZE", NULL, 0,
	  READ_TO(collector.buffer_bytes, record_value_size) },
	{ "delay", "S", NULL, 0, READ_TO(delay_ns, record_value_seconds) },
	{ "format", "FORMAT", NULL, 0, READ_TO(is_json, read_format) },
	{ "machine", "[OPTIONS]", NULL, 0, .effect = OPTION_READ,
	  .read = read_machine },
	{ "max-size", "SIZE", NULL, 0,
	  READ_TO(collector.max_bytes, record_value_max) },
	{ "once", NULL, NULL, 0, FLAG(struct top_options, is_once) },
	{ "rounds", "N", NULL, 0, READ_TO(rounds, read_count) },
	{ "service", "[SOCKET]", NULL, 0, .effect = OPTION_READ,
	  .read = read_service },
	{ "slice", "S", NULL, 0,
	  READ_TO(collector.duration_ns, record_value_seconds) },
	{ "top", "N", NULL, 0, READ_TO(top, read_count) },
	{ "user-stacks", "[SIZE]", NULL, 0,
	  READ_TO(collector.user_stack_bytes, record_value_stack) },
};

/* Returns a message about options that exclude each other, or NULL. */
static const char *conflict(const struct top_options *options)
{
	bool processes = options->processes.count > 0;

	if (processes && options->collector.whole_cpus)
		return "-a records all processes: leave out -p";
	if (processes && options->command)
		return "give either -p or a command";
	if (options->collector.duration_ns > options->delay_ns)
		return "--slice cannot be longer than --delay";
	if (options->machine && processes)
		return "the virtual machine does not have the processes of "
		       "this machine: give a command";
	if (options->arch && !options->machine)
		return "--arch is for the virtual machine: give --machine too";
	if (options->machine && !options->command)
		return "give the command to run in the virtual machine";
	return NULL;
}

/* Records everything that runs and filters by command: any task may wake the
 * command's tasks, and any task's interrupts may be charged to them.
 */
static void complete(struct top_options *options)
{
	struct collector_options *collector = &options->collector;

	collector->processes = options->processes.items;
	collector->process_count = options->processes.count;
	if (!options->processes.count && !collector->cpus)
		collector->whole_cpus = true;
	if (!collector->duration_ns)
		collector->duration_ns = options->delay_ns / SLICE_SHARE;
	if (!collector->duration_ns)
		collector->duration_ns = 1;
	if (options->is_once)
		options->rounds = 1;
}

int top_options_parse(struct top_options *options, int argc, char **argv)
{
	const char *problem;

	*options = (struct top_options){
		.collector = { .buffer_bytes = 8 << 20,
			       .max_bytes = 64 << 20,
			       .tracepoints_may_miss = true,
			       .argc = argc,
			       .argv = argv },
		.processes = ARRAY_OF(pid_t),
		.words = ARRAY_OF(const char *),
		.delay_ns = 1000000000,
		.rounds = UINT64_MAX,
		.top = UINT64_MAX,
	};
	options->collector.tracepoints =
		(unsigned int)tracepoint_set_parse("attribution");
	if (kept_options_read(OWN_LIST(own_options), "top", options,
			      &options->words, &options->help, argc, argv))
		return EXIT_USAGE;
	if (optind < argc)
		options->command = argv + optind;
	complete(options);
	problem = options->help ? NULL : conflict(options);
	if (problem)
		say_of("top", "%s", problem);
	return problem ? EXIT_USAGE : 0;
}

void top_options_free(struct top_options *options)
{
	array_free(&options->processes);
	array_free(&options->words);
}
