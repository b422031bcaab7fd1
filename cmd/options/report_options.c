/* SPDX-License-Identifier: MIT */
#include "cmd/options/report_options.h"

#include "cmd/command.h"
#include "cmd/options/option_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWN_BASE = 1000, MAX_OWN = 32 };

enum common_option {
	OPTION_INPUT,
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_TOP,
	OPTION_SINCE,
	OPTION_UNTIL,
	OPTION_PID,
	OPTION_TREE,
	OPTION_COMM,
	OPTION_CPU,
	OPTION_WITH_IDLE,
	OPTION_WITH_TRACER,
	OPTION_BILL,
	OPTION_BY,
	OPTION_SYMFS,
	OPTION_JOBS,
	OPTION_ENGINE,
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_COUNT,
};

/* More would only wait for one another. */
#define MOST_JOBS 1024

static const struct own_option common_options[OPTION_COUNT] = {
	[OPTION_INPUT] = { "input", "DIR",
			   "the recording (-i); default: the last one here" },
	[OPTION_OUTPUT] = { "output", "FILE", "write there (-o)" },
	[OPTION_FORMAT] = { "format", "FORMAT", NULL /* the command's */ },
	[OPTION_TOP] = { "top", "N", "the first N rows only" },
	[OPTION_SINCE] = { "since", "TIME",
			   "from TIME on: seconds, or +SECONDS from the "
			   "start" },
	[OPTION_UNTIL] = { "until", "TIME", "up to TIME" },
	[OPTION_PID] = { "pid", "LIST", "these processes or threads" },
	[OPTION_TREE] = { "tree", "LIST", "these and their descendants" },
	[OPTION_COMM] = { "comm", "LIST", "tasks of these names" },
	[OPTION_CPU] = { "cpu", "LIST", "what ran on these CPUs (0,2-3)" },
	[OPTION_WITH_IDLE] = { "with-idle", NULL,
			       "the idle loop and idle kernel threads, too" },
	[OPTION_WITH_TRACER] = { "with-tracer", NULL,
				 "the tracer's own work, too" },
	[OPTION_BILL] = { "bill", "WHOM",
			  "profiles have interrupt work under whom it was for "
			  "(beneficiary) or whom it stopped (victim)" },
	[OPTION_BY] = { "by", "WHAT",
			"tasks together by thread, process, comm, cgroup or "
			"choice (all that --comm, --pid, --tree choose); "
			"others are kernel, other, nobody" },
	[OPTION_SYMFS] = { "symfs", "DIR",
			   "where the traced machine's files lie" },
	[OPTION_JOBS] = { "jobs", "N",
			  "decode on N CPUs at once; default: all" },
	[OPTION_ENGINE] = { "engine", "NAME",
			    "what decodes: graph (default for Intel PT), "
			    "libipt or opencsd" },
	[OPTION_COLOR] = { "color", "WHEN",
			   "auto (on a terminal), always or never" },
	[OPTION_HELP] = { "help", NULL, "this text" },
};

static bool takes(const struct option_set *set, enum common_option option)
{
	switch (option) {
	case OPTION_PID:
	case OPTION_TREE:
	case OPTION_COMM:
		return !set->has_no_tasks;
	case OPTION_TOP:
		return !set->has_no_rows;
	case OPTION_WITH_IDLE:
	case OPTION_WITH_TRACER:
	case OPTION_BILL:
	case OPTION_BY:
		return set->adds_up;
	case OPTION_OUTPUT:
	case OPTION_FORMAT:
	case OPTION_SINCE:
	case OPTION_UNTIL:
	case OPTION_CPU:
	case OPTION_COLOR:
		return !set->is_page;
	case OPTION_INPUT:
	case OPTION_SYMFS:
	case OPTION_JOBS:
	case OPTION_ENGINE:
	case OPTION_HELP:
	case OPTION_COUNT:
		break;
	}
	return true;
}

static void print_help(FILE *out, const struct option_set *set)
{
	fprintf(out, "usage: ktrace-hw %s [OPTIONS]\n\n%s\n\n", set->command,
		set->purpose);
	own_option_print(out, set->own, set->own_count);
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct own_option option = common_options[i];

		if (i == OPTION_FORMAT)
			option.help = set->formats;
		if (takes(set, (enum common_option)i))
			own_option_print(out, &option, 1);
	}
}

static bool take_color(struct report_options *options, const char *when)
{
	static const char *const choices[] = {
		[COLORS_AUTO] = "auto",
		[COLORS_ALWAYS] = "always",
		[COLORS_NEVER] = "never",
	};

	for (int i = COLORS_AUTO; i <= COLORS_NEVER; i++)
		if (!strcmp(when, choices[i])) {
			options->colors = (enum color_choice)i;
			return true;
		}
	return false;
}

static bool take_bill(struct report_options *options, const char *whom)
{
	if (!strcmp(whom, "beneficiary"))
		options->bill = BILL_BENEFICIARY;
	else if (!strcmp(whom, "victim"))
		options->bill = BILL_VICTIM;
	else
		return false;
	return true;
}

static bool take_common(struct report_options *options, int index,
			const char *argument)
{
	switch ((enum common_option)index) {
	case OPTION_INPUT:
		options->input = argument;
		return *argument;
	case OPTION_OUTPUT:
		options->output = argument;
		return *argument;
	case OPTION_FORMAT:
		options->format = argument;
		return true;
	case OPTION_TOP:
		return option_number(argument, UINT64_MAX, &options->top);
	case OPTION_SINCE:
		options->since = argument;
		return true;
	case OPTION_UNTIL:
		options->until = argument;
		return true;
	case OPTION_PID:
		return option_numbers(&options->pids, argument);
	case OPTION_TREE:
		return option_numbers(&options->trees, argument);
	case OPTION_COMM:
		return name_choice_add(&options->comms, argument);
	case OPTION_CPU:
		return option_numbers(&options->cpus, argument);
	case OPTION_WITH_IDLE:
		options->with_idle = true;
		return true;
	case OPTION_WITH_TRACER:
		options->with_tracer = true;
		return true;
	case OPTION_BILL:
		return take_bill(options, argument);
	case OPTION_BY:
		options->by = group_by_find(argument);
		return options->by != GROUP_BY_NOTHING;
	case OPTION_SYMFS:
		options->symfs = argument;
		return *argument;
	case OPTION_JOBS:
		return option_number(argument, MOST_JOBS, &options->jobs) &&
		       options->jobs;
	case OPTION_ENGINE:
		return engine_read(argument, &options->engine);
	case OPTION_COLOR:
		return take_color(options, argument);
	case OPTION_HELP:
	case OPTION_COUNT:
		break;
	}
	return true;
}

static int argument_rule(const struct own_option *option)
{
	if (own_option_takes_one_or_none(option))
		return optional_argument;
	return option->argument ? required_argument : no_argument;
}

static struct option long_option(const struct own_option *from, int value)
{
	return (struct option){
		.name = from->name,
		.has_arg = argument_rule(from),
		.val = value,
	};
}

/* @list: room for all and an end. */
static void list_long_options(struct option *list, const struct option_set *set)
{
	int count = 0;

	for (int i = 0; i < set->own_count; i++)
		list[count++] = long_option(&set->own[i], OWN_BASE + i);
	for (int i = 0; i < OPTION_COUNT; i++)
		if (takes(set, (enum common_option)i))
			list[count++] = long_option(&common_options[i],
						    OWN_BASE + MAX_OWN + i);
}

static int to_index(int value)
{
	if (value == 'i')
		return OPTION_INPUT;
	if (value == 'o')
		return OPTION_OUTPUT;
	if (value == 'h')
		return OPTION_HELP;
	return value - OWN_BASE - MAX_OWN;
}

static int refuse(const struct option_set *set, const char *name,
		  const char *argument)
{
	fprintf(stderr, "ktrace-hw: --%s: cannot use '%s'\n", name, argument);
	fprintf(stderr, "ktrace-hw: ktrace-hw %s --help lists the options\n",
		set->command);
	return EXIT_USAGE + 1;
}

/* Joins an option's first argument with the next word of the command line.
 *
 * Returns NULL if there is none, or no memory.
 */
static const char *join_pair(struct report_options *options, char **argv)
{
	const char *second = argv[optind];
	char **pair;

	if (strchr(optarg, ','))
		return optarg;
	if (!second || *second == '-')
		return NULL;
	pair = array_add(&options->pairs);
	if (!pair)
		return NULL;
	if (asprintf(pair, "%s,%s", optarg, second) < 0)
		*pair = NULL;
	optind++;
	return *pair;
}

static int take_own(struct report_options *options,
		    const struct option_set *set, int own, char **argv)
{
	bool is_pair = own_option_takes_two(&set->own[own]);
	const char *argument = is_pair ? join_pair(options, argv) : optarg;

	if ((is_pair && !argument) || !set->take(set->ctx, own, argument))
		return refuse(set, set->own[own].name, optarg);
	return 0;
}

static int take_option(struct report_options *options,
		       const struct option_set *set, int value, char **argv)
{
	if (value == '?') {
		fprintf(stderr,
			"ktrace-hw: ktrace-hw %s --help lists the options\n",
			set->command);
		return EXIT_USAGE + 1;
	}
	if (value >= OWN_BASE && value < OWN_BASE + MAX_OWN)
		return take_own(options, set, value - OWN_BASE, argv);
	if (to_index(value) == OPTION_HELP) {
		print_help(stdout, set);
		return EXIT_OK + 1;
	}
	return takes(set, (enum common_option)to_index(value)) &&
			       take_common(options, to_index(value), optarg) ?
		       0 :
		       refuse(set, common_options[to_index(value)].name,
			      optarg);
}

/* Of one word alone it is the question whether there is such a file. */
static void take_words(struct report_options *options,
		       const struct option_set *set, int argc, char **argv)
{
	int count = argc - optind;

	if (set->takes_query && count &&
	    (count == 2 || access(argv[argc - 1], F_OK)) && count <= 2)
		options->query = argv[argc - 1];
	count -= options->query != NULL;
	if (set->takes_two && count == 2) {
		options->input = argv[optind++];
		options->second = argv[optind++];
	} else if (set->takes_input && count == 1) {
		options->input = argv[optind++];
	}
	optind += options->query != NULL;
}

int report_options_read(struct report_options *options,
			const struct option_set *set, int argc, char **argv)
{
	struct option list[MAX_OWN + OPTION_COUNT + 1] = { 0 };
	int value;
	int status = 0;

	*options = (struct report_options){
		.is_paged = set->is_paged,
		.top = UINT64_MAX,
		.pids = ARRAY_OF(int32_t),
		.trees = ARRAY_OF(int32_t),
		.cpus = ARRAY_OF(uint32_t),
		.pairs = ARRAY_OF(char *),
	};
	list_long_options(list, set);
	optind = 1;
	while (!status &&
	       (value = getopt_long(argc, argv, "i:o:h", list, NULL)) != -1)
		status = take_option(options, set, value, argv);
	if (!status)
		take_words(options, set, argc, argv);
	if (!status && optind < argc) {
		fprintf(stderr, "ktrace-hw: %s: does not take '%s'\n",
			set->command, argv[optind]);
		status = EXIT_USAGE + 1;
	}
	return status;
}

void report_options_free(struct report_options *options)
{
	for (size_t i = 0; i < options->pairs.count; i++)
		free(*(char **)array_at(&options->pairs, i));
	array_free(&options->pairs);
	name_choice_free(&options->comms);
	array_free(&options->pids);
	array_free(&options->trees);
	array_free(&options->cpus);
}

struct step_filter report_options_filter(const struct report_options *options,
					 const struct task_names *names)
{
	return (struct step_filter){
		.names = names,
		.pids = options->pids.items,
		.pid_count = options->pids.count,
		.trees = options->trees.items,
		.tree_count = options->trees.count,
		.comms = name_choice_is_made(&options->comms) ?
				 &options->comms :
				 NULL,
		.cpus = options->cpus.items,
		.cpu_count = options->cpus.count,
	};
}
