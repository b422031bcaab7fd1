/* SPDX-License-Identifier: MIT */
#include "cmd/top/top_options.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/record/record_values.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum long_only {
	OPTION_ARCH = 256,
	OPTION_BUFFER,
	OPTION_DELAY,
	OPTION_FORMAT,
	OPTION_MACHINE,
	OPTION_MAX_SIZE,
	OPTION_ONCE,
	OPTION_ROUNDS,
	OPTION_SLICE,
	OPTION_TOP,
	OPTION_USER_STACKS,
};

/* The default of --slice: this fraction of a round is traced. */
enum { SLICE_SHARE = 5 };

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "arch", required_argument, NULL, OPTION_ARCH },
	{ "buffer", required_argument, NULL, OPTION_BUFFER },
	{ "delay", required_argument, NULL, OPTION_DELAY },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "machine", optional_argument, NULL, OPTION_MACHINE },
	{ "max-size", required_argument, NULL, OPTION_MAX_SIZE },
	{ "once", no_argument, NULL, OPTION_ONCE },
	{ "rounds", required_argument, NULL, OPTION_ROUNDS },
	{ "slice", required_argument, NULL, OPTION_SLICE },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "user-stacks", optional_argument, NULL, OPTION_USER_STACKS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

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

static int wrong(const char *option, const char *value, const char *form)
{
	say_of("top", "--%s '%s': give %s", option, value, form);
	return EXIT_USAGE;
}

static int set_format(struct top_options *options, const char *value)
{
	options->is_json = !strcmp(value, "json");
	return options->is_json || !strcmp(value, "text") ?
		       0 :
		       wrong("format", value, "text or json");
}

static int set_arch(struct top_options *options, const char *value)
{
	options->arch = value;
	return !strcmp(value, "x86_64") || !strcmp(value, "arm64") ?
		       0 :
		       wrong("arch", value, "x86_64 or arm64");
}

static bool read_count(const char *text, uint64_t *count)
{
	return option_number(text, UINT64_MAX - 1, count) && *count;
}

/* Handles the options for the recorder, which work as in record. */
static int set_recorder(struct top_options *options, int option,
			const char *value)
{
	struct collector_options *collector = &options->collector;

	switch (option) {
	case 'a':
		collector->whole_cpus = true;
		return 0;
	case 'p':
		return record_value_pids(value, &options->processes) ?
			       0 :
			       wrong("pid", value, "process numbers");
	case 'C':
		collector->cpus = value;
		return 0;
	case OPTION_BUFFER:
		return record_value_size(value, &collector->buffer_bytes) ?
			       0 :
			       wrong("buffer", value,
				     "a size from 64K to 1G, a power of two");
	case OPTION_MAX_SIZE:
		return record_value_max(value, &collector->max_bytes) ?
			       0 :
			       wrong("max-size", value,
				     "a size of at least "
				     "1M");
	case OPTION_SLICE:
		return record_value_seconds(value, &collector->duration_ns) ?
			       0 :
			       wrong("slice", value, "seconds above 0");
	case OPTION_USER_STACKS:
		return record_value_stack(value ? value : "8K",
					  &collector->user_stack_bytes) ?
			       0 :
			       wrong("user-stacks", value,
				     "a size from 64 to 60K, a multiple of 8");
	default:
		return EXIT_USAGE;
	}
}

static int set_option(struct top_options *options, int option,
		      const char *value)
{
	switch (option) {
	case 'h':
		options->help = true;
		return 0;
	case OPTION_ARCH:
		return set_arch(options, value);
	case OPTION_DELAY:
		return record_value_seconds(value, &options->delay_ns) ?
			       0 :
			       wrong("delay", value, "seconds above 0");
	case OPTION_FORMAT:
		return set_format(options, value);
	case OPTION_MACHINE:
		options->machine = true;
		options->machine_options = value;
		return 0;
	case OPTION_ONCE:
		options->is_once = true;
		return 0;
	case OPTION_ROUNDS:
		return read_count(value, &options->rounds) ?
			       0 :
			       wrong("rounds", value, "a number above 0");
	case OPTION_TOP:
		return read_count(value, &options->top) ?
			       0 :
			       wrong("top", value, "a number above 0");
	default:
		return set_recorder(options, option, value);
	}
}

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

/* Copies the words @first to @end of @argv for the machine. */
static int keep_words(struct top_options *options, char **argv, int first,
		      int end)
{
	for (int i = first; i < end; i++) {
		const char **word = array_add(&options->words);

		if (!word) {
			say_of("top", "out of memory");
			return EXIT_USAGE;
		}
		*word = argv[i];
	}
	return 0;
}

static int parse_options(struct top_options *options, int argc, char **argv)
{
	int first = optind = 1;
	int option;

	while ((option = next_option(argc, argv, "+ap:C:h", long_options)) !=
	       -1) {
		bool is_machines = option == OPTION_MACHINE ||
				   option == OPTION_ARCH;

		if (set_option(options, option, optarg) ||
		    (!is_machines && keep_words(options, argv, first, optind)))
			return EXIT_USAGE;
		first = optind;
	}
	return 0;
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
	if (parse_options(options, argc, argv))
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
