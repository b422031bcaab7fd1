/* SPDX-License-Identifier: MIT */
#include "cmd/options/report_options.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "common/clocks.h"
#include "common/closest_word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options shared by several commands that read recordings. */
enum common_option {
	COMMON_INPUT,
	COMMON_OUTPUT,
	COMMON_FORMAT,
	COMMON_TOP,
	COMMON_SINCE,
	COMMON_UNTIL,
	COMMON_ABSOLUTE,
	COMMON_PID,
	COMMON_TREE,
	COMMON_COMM,
	COMMON_CPU,
	COMMON_WITH_IDLE,
	COMMON_WITH_TRACER,
	COMMON_BILL,
	COMMON_BY,
	COMMON_FULL_NAMES,
	COMMON_MANGLED,
	COMMON_INLINED,
	COMMON_SYMFS,
	COMMON_DEBUGINFOD,
	COMMON_JOBS,
	COMMON_ENGINE,
	COMMON_COLOR,
	COMMON_HELP,
	COMMON_COUNT,
};

static int read_time(const char *name, const char *text, uint64_t first_ns,
		     bool is_absolute, uint64_t *time_ns)
{
	bool is_marked = text && (*text == '+' || *text == '@');

	if (!text)
		return 0;
	if (!duration_read(text + is_marked, time_ns)) {
		say("--%s: '%s' is not a time; write seconds since the "
		    "recording's start (3.9357, 1.5ms), or @SECONDS of its "
		    "clock",
		    name, text);
		return -1;
	}
	if (is_marked)
		is_absolute = *text == '@';
	if (!is_absolute)
		*time_ns += first_ns;
	return 0;
}

int report_options_window(const struct report_options *options,
			  uint64_t first_ns, struct time_window *window)
{
	*window = TIME_WINDOW_ALL;
	if (read_time("since", options->since, first_ns, options->is_absolute,
		      &window->since_ns) < 0)
		return -1;
	if (read_time("until", options->until, first_ns, options->is_absolute,
		      &window->until_ns) < 0)
		return -1;
	if (window->since_ns < window->until_ns)
		return 0;
	say("--since=%s is not before --until=%s",
	    options->since ? options->since : "0", options->until);
	return -1;
}

/* More threads would only wait for each other. */
#define MOST_JOBS 1024

static const struct own_option common_options[COMMON_COUNT] = {
	[COMMON_INPUT] = { "input", "DIR",
			   "the recording (-i); default: the last one here" },
	[COMMON_OUTPUT] = { "output", "FILE", "write to FILE (-o)" },
	[COMMON_FORMAT] = { "format", "FORMAT", NULL /* see the command */ },
	[COMMON_TOP] = { "top", "N", "the first N rows only" },
	[COMMON_SINCE] = { "since", "TIME",
			   "from TIME on: seconds since the recording's "
			   "start, or @SECONDS of its clock" },
	[COMMON_UNTIL] = { "until", "TIME", "up to TIME" },
	[COMMON_ABSOLUTE] = { "absolute", NULL,
			      "times of text, --since and --until are of the "
			      "recording's clock" },
	[COMMON_PID] = { "pid", "LIST", "only these processes or threads" },
	[COMMON_TREE] = { "tree", "LIST",
			  "only these processes and their "
			  "descendants" },
	[COMMON_COMM] = { "comm", "LIST", "only tasks with these names" },
	[COMMON_CPU] = { "cpu", "LIST", "only these CPUs (0,2-3)" },
	[COMMON_WITH_IDLE] = { "with-idle", NULL,
			       "include the idle loop and idle kernel "
			       "threads" },
	[COMMON_WITH_TRACER] = { "with-tracer", NULL,
				 "include the tracer's own work" },
	[COMMON_BILL] = { "bill", "WHOM",
			  "charge interrupt work in profiles to its "
			  "beneficiary, or to the interrupted process "
			  "(victim)" },
	[COMMON_BY] = { "by", "WHAT",
			"group tasks by thread, process, comm, cgroup or "
			"choice (those that --comm, --pid, --tree select)" },
	[COMMON_FULL_NAMES] = { "full-names", NULL,
				"show C++ functions with all parameters" },
	[COMMON_MANGLED] = { "mangled", NULL,
			     "show C++, Rust and D functions by their "
			     "symbols" },
	[COMMON_INLINED] = { "inlined", NULL,
			     "show functions that the compiler inlined in "
			     "programs as calls, by their debug information" },
	[COMMON_SYMFS] = { "symfs", "DIR",
			   "directory with the traced machine's files" },
	[COMMON_DEBUGINFOD] = { "debuginfod", NULL,
				"query the servers of DEBUGINFOD_URLS for "
				"names and lines" },
	[COMMON_JOBS] = { "jobs", "N",
			  "decode on N CPUs in parallel; default: all" },
	[COMMON_ENGINE] = { "engine", "NAME",
			    "decoder: graph (default for Intel PT), libipt or "
			    "opencsd" },
	[COMMON_COLOR] = { "color", "WHEN",
			   "auto (on a terminal), always or never" },
	[COMMON_HELP] = { "help", NULL, "this text" },
};

/* Returns whether the command of @set accepts @option. */
static bool common_option_is_taken(const struct option_set *set,
				   enum common_option option)
{
	switch (option) {
	case COMMON_PID:
	case COMMON_TREE:
	case COMMON_COMM:
		return !set->has_no_tasks;
	case COMMON_TOP:
		return !set->has_no_rows;
	case COMMON_WITH_IDLE:
	case COMMON_WITH_TRACER:
	case COMMON_BILL:
	case COMMON_BY:
		return set->adds_up;
	case COMMON_OUTPUT:
	case COMMON_FORMAT:
	case COMMON_SINCE:
	case COMMON_UNTIL:
	case COMMON_ABSOLUTE:
	case COMMON_CPU:
	case COMMON_FULL_NAMES:
	case COMMON_MANGLED:
	case COMMON_COLOR:
		return !set->is_page;
	case COMMON_INLINED:
		return !set->shows_code;
	case COMMON_INPUT:
	case COMMON_SYMFS:
	case COMMON_DEBUGINFOD:
	case COMMON_JOBS:
	case COMMON_ENGINE:
	case COMMON_HELP:
	case COMMON_COUNT:
		break;
	}
	return true;
}

static bool consume_color(struct report_options *options, const char *when)
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

static bool consume_bill(struct report_options *options, const char *whom)
{
	if (!strcmp(whom, "beneficiary"))
		options->bill = BILL_BENEFICIARY;
	else if (!strcmp(whom, "victim"))
		options->bill = BILL_VICTIM;
	else
		return false;
	return true;
}

/* Stores @option in @options. Returns whether @argument is valid. */
static bool common_option_take(struct report_options *options,
			       enum common_option option, const char *argument)
{
	switch (option) {
	case COMMON_INPUT:
		options->input = argument;
		return *argument;
	case COMMON_OUTPUT:
		options->output = argument;
		return *argument;
	case COMMON_FORMAT:
		options->format = argument;
		return true;
	case COMMON_TOP:
		return option_number(argument, UINT64_MAX, &options->top);
	case COMMON_SINCE:
		options->since = argument;
		return true;
	case COMMON_UNTIL:
		options->until = argument;
		return true;
	case COMMON_ABSOLUTE:
		options->is_absolute = true;
		return true;
	case COMMON_PID:
		return option_numbers(&options->pids, argument);
	case COMMON_TREE:
		return option_numbers(&options->trees, argument);
	case COMMON_COMM:
		return name_choice_add(&options->comms, argument);
	case COMMON_CPU:
		return option_numbers(&options->cpus, argument);
	case COMMON_WITH_IDLE:
		options->with_idle = true;
		return true;
	case COMMON_WITH_TRACER:
		options->with_tracer = true;
		return true;
	case COMMON_BILL:
		return consume_bill(options, argument);
	case COMMON_BY:
		options->by = group_by_find(argument);
		return options->by != GROUP_BY_NOTHING;
	case COMMON_FULL_NAMES:
		options->names = FUNCTION_NAMES_FULL;
		return true;
	case COMMON_MANGLED:
		options->names = FUNCTION_NAMES_SYMBOLS;
		return true;
	case COMMON_INLINED:
		options->with_inlined = true;
		return true;
	case COMMON_SYMFS:
		options->symfs = argument;
		return *argument;
	case COMMON_DEBUGINFOD:
		options->debuginfod = true;
		return true;
	case COMMON_JOBS:
		return option_number(argument, MOST_JOBS, &options->jobs) &&
		       options->jobs;
	case COMMON_ENGINE:
		return engine_read(argument, &options->engine);
	case COMMON_COLOR:
		return consume_color(options, argument);
	case COMMON_HELP:
	case COMMON_COUNT:
		break;
	}
	return true;
}

enum { OWN_BASE = 1000, MAX_OWN = 32 };

static void print_help(FILE *out, const struct option_set *set)
{
	fprintf(out, "usage: ktrace-hw %s [OPTIONS]\n\n%s\n\n", set->command,
		set->purpose);
	own_option_print(out, set->own, set->own_count);
	for (int i = 0; i < COMMON_COUNT; i++) {
		struct own_option option = common_options[i];

		if (i == COMMON_FORMAT)
			option.help = set->formats;
		if (common_option_is_taken(set, (enum common_option)i))
			own_option_print(out, &option, 1);
	}
	fputs(console_options_help, out);
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

/* @list must have room for all options and an end marker. */
static void list_long_options(struct option *list, const struct option_set *set)
{
	int count = 0;

	for (int i = 0; i < set->own_count; i++)
		list[count++] = long_option(&set->own[i], OWN_BASE + i);
	for (int i = 0; i < COMMON_COUNT; i++)
		if (common_option_is_taken(set, (enum common_option)i))
			list[count++] = long_option(&common_options[i],
						    OWN_BASE + MAX_OWN + i);
}

static int to_index(int value)
{
	if (value == 'i')
		return COMMON_INPUT;
	if (value == 'o')
		return COMMON_OUTPUT;
	if (value == 'h')
		return COMMON_HELP;
	return value - OWN_BASE - MAX_OWN;
}

/* The values of the options that accept few. */
static const char *const common_values[COMMON_COUNT] = {
	[COMMON_BILL] = "beneficiary or victim",
	[COMMON_BY] = "thread, process, comm, cgroup or choice",
	[COMMON_ENGINE] = "graph, libipt or opencsd",
	[COMMON_COLOR] = "auto, always or never",
};

static int refuse_value(enum common_option option, const char *argument)
{
	struct closest_word closest = closest_word_to(argument);
	char similar[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, common_values[option]);
	say("--%s: cannot use '%s'%s; it takes %s", common_options[option].name,
	    argument, closest_word_text(&closest, "", similar),
	    common_values[option]);
	return EXIT_USAGE + 1;
}

int report_format_refuse(const char *kind, const char *format,
			 const char *formats)
{
	struct closest_word closest = closest_word_to(format);
	char similar[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, formats);
	say("--format: no %s format '%s'%s; there are %s", kind, format,
	    closest_word_text(&closest, "", similar), formats);
	return EXIT_USAGE;
}

static int refuse(const struct option_set *set, const char *name,
		  const char *argument)
{
	say("--%s: cannot use '%s'", name, argument);
	say_of(set->command, "--help lists the options");
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

static int consume_own(struct report_options *options,
		       const struct option_set *set, int own, char **argv)
{
	bool is_pair = own_option_takes_two(&set->own[own]);
	const char *argument = is_pair ? join_pair(options, argv) : optarg;

	options->given_own |= UINT32_C(1) << own;
	if ((is_pair && !argument) || !set->take(set->ctx, own, argument))
		return refuse(set, set->own[own].name, optarg);
	return 0;
}

static int consume_common(struct report_options *options,
			  const struct option_set *set,
			  enum common_option option)
{
	if (!common_option_is_taken(set, option))
		return refuse(set, common_options[option].name, optarg);
	if (common_option_take(options, option, optarg))
		return 0;
	return common_values[option] ?
		       refuse_value(option, optarg) :
		       refuse(set, common_options[option].name, optarg);
}

static int consume_option(struct report_options *options,
			  const struct option_set *set, int value, char **argv)
{
	if (value == '?') {
		say_of(set->command, "--help lists the options");
		return EXIT_USAGE + 1;
	}
	if (value >= OWN_BASE && value < OWN_BASE + MAX_OWN)
		return consume_own(options, set, value - OWN_BASE, argv);
	if (to_index(value) == COMMON_HELP) {
		print_help(stdout, set);
		return EXIT_OK + 1;
	}
	return consume_common(options, set,
			      (enum common_option)to_index(value));
}

/* Sets recording and query from the operands. A single operand is the recording
 * if such a file exists, else the query.
 */
static void consume_words(struct report_options *options,
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

/* @option has the form of set->contradictions. */
static bool is_given(const struct report_options *options,
		     const struct option_set *set, const char *option)
{
	const char *value = strchr(option, '=');

	if (value)
		return options->format && !strcmp(options->format, value + 1);
	for (int i = 0; i < set->own_count; i++)
		if (!strcmp(set->own[i].name, option))
			return options->given_own >> i & 1;
	return false;
}

static int refuse_contradictions(const struct report_options *options,
				 const struct option_set *set)
{
	const char *const(*pair)[2] = set->contradictions;

	for (; pair && **pair; pair++)
		if (is_given(options, set, (*pair)[0]) &&
		    is_given(options, set, (*pair)[1])) {
			say("--%s cannot be combined with --%s", (*pair)[0],
			    (*pair)[1]);
			return EXIT_USAGE + 1;
		}
	return 0;
}

int report_options_read(struct report_options *options,
			const struct option_set *set, int argc, char **argv)
{
	struct option list[MAX_OWN + COMMON_COUNT + 1] = { 0 };
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
	       (value = next_option(argc, argv, "i:o:h", list)) != -1)
		status = consume_option(options, set, value, argv);
	if (!status)
		consume_words(options, set, argc, argv);
	if (!status && optind < argc) {
		say_of(set->command, "does not take '%s'%s", argv[optind],
		       set->takes_two || options->input ?
			       "" :
			       "; -i names a recording");
		status = EXIT_USAGE + 1;
	}
	return status ? status : refuse_contradictions(options, set);
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
