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

static const char *read_color(void *color, char *when)
{
	static const char *const choices[] = {
		[COLORS_AUTO] = "auto",
		[COLORS_ALWAYS] = "always",
		[COLORS_NEVER] = "never",
	};

	for (int i = COLORS_AUTO; i <= COLORS_NEVER; i++)
		if (!strcmp(when, choices[i])) {
			*(enum color_choice *)color = (enum color_choice)i;
			return NULL;
		}
	return "auto, always or never";
}

static const char *read_bill(void *bill, char *whom)
{
	if (!strcmp(whom, "beneficiary"))
		*(enum bill_choice *)bill = BILL_BENEFICIARY;
	else if (!strcmp(whom, "victim"))
		*(enum bill_choice *)bill = BILL_VICTIM;
	else
		return "beneficiary or victim";
	return NULL;
}

static const char *read_by(void *by, char *name)
{
	*(enum group_by *)by = group_by_find(name);
	return *(enum group_by *)by != GROUP_BY_NOTHING ?
		       NULL :
		       "thread, process, comm, cgroup or choice";
}

static const char *read_engine(void *engine, char *name)
{
	return engine_read(name, engine) ? NULL : "graph, libipt or opencsd";
}

static const char *read_jobs(void *jobs, char *argument)
{
	/* More threads would only wait for each other. */
	enum { MOST_JOBS = 1024 };

	return option_number(argument, MOST_JOBS, jobs) && *(uint64_t *)jobs ?
		       NULL :
		       "a number";
}

/* The commands that have a common option: all, or those for which a condition
 * holds.
 */
enum option_group {
	FOR_ALL,
	FOR_TASKS,  /* rows or events belong to tasks */
	FOR_ROWS,   /* the output has rows */
	FOR_SUMS,   /* adds up the time of tasks */
	FOR_OUTPUT, /* the command writes text or files: no page of a browser */
	FOR_CALLS,  /* the command shows calls, not instructions */
};

/* An option shared by several commands that read recordings. */
struct common_option {
	enum option_group group;
	/* its values are few: a message about a wrong value lists them */
	bool has_values;
	struct own_option is;
};

#define OF(kind, member) kind(struct report_options, member)
#define READ_OF(member, read) READS(struct report_options, member, read)

static const struct common_option common_options[] = {
	{ FOR_ALL,
	  false,
	  { "input", "DIR", "the recording (-i); default: the last one here",
	    'i', OF(NAME, input) } },
	{ FOR_OUTPUT,
	  false,
	  { "output", "FILE", "write to FILE (-o)", 'o', OF(NAME, output) } },
	{ FOR_OUTPUT,
	  false,
	  { "format", "FORMAT", NULL /* see the command */, 0,
	    OF(TEXT, format) } },
	{ FOR_ROWS,
	  false,
	  { "top", "N", "the first N rows only", 0,
	    READ_OF(top, option_read_number) } },
	{ FOR_OUTPUT,
	  false,
	  { "since", "TIME",
	    "from TIME on: seconds since the recording's start, or @SECONDS of "
	    "its clock",
	    0, OF(TEXT, since) } },
	{ FOR_OUTPUT,
	  false,
	  { "until", "TIME", "up to TIME", 0, OF(TEXT, until) } },
	{ FOR_OUTPUT,
	  false,
	  { "absolute", NULL,
	    "times of text, --since and --until are of the recording's clock",
	    0, OF(FLAG, is_absolute) } },
	{ FOR_TASKS,
	  false,
	  { "pid", "LIST", "only these processes or threads", 0,
	    READ_OF(pids, option_read_numbers) } },
	{ FOR_TASKS,
	  false,
	  { "tree", "LIST", "only these processes and their descendants", 0,
	    READ_OF(trees, option_read_numbers) } },
	{ FOR_TASKS,
	  false,
	  { "comm", "LIST", "only tasks with these names", 0,
	    READ_OF(comms, option_read_names) } },
	{ FOR_OUTPUT,
	  false,
	  { "cpu", "LIST", "only these CPUs (0,2-3)", 0,
	    READ_OF(cpus, option_read_numbers) } },
	{ FOR_SUMS,
	  false,
	  { "with-idle", NULL, "include the idle loop and idle kernel threads",
	    0, OF(FLAG, with_idle) } },
	{ FOR_SUMS,
	  false,
	  { "with-tracer", NULL, "include the tracer's own work", 0,
	    OF(FLAG, with_tracer) } },
	{ FOR_SUMS,
	  true,
	  { "bill", "WHOM",
	    "charge interrupt work in profiles to its beneficiary, or to the "
	    "interrupted process (victim)",
	    0, READ_OF(bill, read_bill) } },
	{ FOR_SUMS,
	  true,
	  { "by", "WHAT",
	    "group tasks by thread, process, comm, cgroup or choice (those "
	    "that --comm, --pid, --tree select)",
	    0, READ_OF(by, read_by) } },
	{ FOR_OUTPUT,
	  false,
	  { "full-names", NULL, "show C++ functions with all parameters", 0,
	    CHOOSES(struct report_options, names, FUNCTION_NAMES_FULL) } },
	{ FOR_OUTPUT,
	  false,
	  { "mangled", NULL, "show C++, Rust and D functions by their symbols",
	    0,
	    CHOOSES(struct report_options, names, FUNCTION_NAMES_SYMBOLS) } },
	{ FOR_CALLS,
	  false,
	  { "inlined", NULL,
	    "show functions that the compiler inlined as calls, "
	    "by their debug information",
	    0, OF(FLAG, with_inlined) } },
	{ FOR_ALL,
	  false,
	  { "symfs", "DIR", "directory with the traced machine's files", 0,
	    OF(NAME, symfs) } },
	{ FOR_ALL,
	  false,
	  { "debuginfod", NULL,
	    "query the servers of DEBUGINFOD_URLS for names and lines", 0,
	    OF(FLAG, debuginfod) } },
	{ FOR_ALL,
	  false,
	  { "jobs", "N", "decode on N CPUs in parallel; default: all", 0,
	    READ_OF(jobs, read_jobs) } },
	{ FOR_ALL,
	  true,
	  { "engine", "NAME",
	    "decoder: graph (default for Intel PT), libipt or opencsd", 0,
	    READ_OF(engine, read_engine) } },
	{ FOR_OUTPUT,
	  true,
	  { "color", "WHEN", "auto (on a terminal), always or never", 0,
	    READ_OF(colors, read_color) } },
};

enum {
	COMMON_COUNT = sizeof(common_options) / sizeof(*common_options),
	MAX_OWN = 32,
};

/* Returns whether the command of @set has the options of @group. */
static bool is_for(const struct option_set *set, enum option_group group)
{
	switch (group) {
	case FOR_TASKS:
		return !set->has_no_tasks;
	case FOR_ROWS:
		return !set->has_no_rows;
	case FOR_SUMS:
		return set->adds_up;
	case FOR_OUTPUT:
		return !set->is_page;
	case FOR_CALLS:
		return !set->shows_code;
	case FOR_ALL:
		break;
	}
	return true;
}

/* Lists the command's own options, then the common ones that it has. Returns
 * their number. @list must have room for all.
 */
static int list_options(struct own_option *list, const struct option_set *set)
{
	int count = set->own_count;

	for (int i = 0; i < count; i++)
		list[i] = set->own[i];
	for (int i = 0; i < COMMON_COUNT; i++)
		if (is_for(set, common_options[i].group)) {
			list[count] = common_options[i].is;
			if (!list[count].help)
				list[count].help = set->formats;
			count++;
		}
	return count;
}

static void print_help(FILE *out, const struct option_set *set,
		       const struct own_option *list, int count)
{
	static const struct own_option help = { "help", NULL, "this text", 0,
						TAKEN };

	fprintf(out, "usage: ktrace-hw %s [OPTIONS]\n\n%s\n\n", set->command,
		set->purpose);
	own_option_print(out, list, count);
	own_option_print(out, &help, 1);
	fputs(console_options_help, out);
}

/* Reports an argument of an option that takes only @values. Returns the exit
 * code plus 1.
 */
static int refuse_value(const struct own_option *option, const char *argument,
			const char *values)
{
	struct closest_word closest = closest_word_to(argument);
	char similar[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, values);
	say("--%s: cannot use '%s'%s; it takes %s", option->name, argument,
	    closest_word_text(&closest, "", similar), values);
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

static int refuse(const struct option_set *set, const struct own_option *option,
		  const char *argument)
{
	say("--%s: cannot use '%s'; it takes %s: %s", option->name, argument,
	    option->argument, option->help);
	say_of(set->command, "--help lists the options");
	return EXIT_USAGE + 1;
}

/* Returns an option's two arguments as "A,B": either given so, or joined from
 * optarg and the next word of the command line. Returns NULL if there is no
 * second one, or when out of memory.
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
	const struct own_option *option = &set->own[own];
	bool is_pair = own_option_takes_two(option);
	const char *argument = is_pair ? join_pair(options, argv) : optarg;
	bool is_good = !is_pair || argument;

	options->given_own |= UINT32_C(1) << own;
	if (is_good)
		is_good = option->effect == OPTION_TAKEN ?
				  set->consume(set->ctx, own, argument) :
				  !own_option_apply(option, set->ctx, optarg);
	return is_good ? 0 : refuse(set, option, optarg);
}

static int consume_common(struct report_options *options,
			  const struct option_set *set,
			  const struct own_option *option)
{
	const char *wanted = own_option_apply(option, options, optarg);

	if (!wanted)
		return 0;
	for (int i = 0; i < COMMON_COUNT; i++)
		if (common_options[i].has_values &&
		    common_options[i].is.name == option->name)
			return refuse_value(option, optarg, wanted);
	return refuse(set, option, optarg);
}

/* Consumes the option that own_option_next() returned. */
static int consume_option(struct report_options *options,
			  const struct option_set *set,
			  const struct own_option *list, int index, char **argv)
{
	if (index == OPTIONS_WRONG) {
		say_of(set->command, "--help lists the options");
		return EXIT_USAGE + 1;
	}
	return index < set->own_count ?
		       consume_own(options, set, index, argv) :
		       consume_common(options, set, &list[index]);
}

static bool is_file(const char *path)
{
	return !access(path, F_OK);
}

/* A recording that was written after the query is moved before it. */
static void put_recording_first(char **pair)
{
	if (!is_file(pair[0]) && is_file(pair[1])) {
		char *query = pair[0];

		pair[0] = pair[1];
		pair[1] = query;
	}
}

/* Sets recording and query from the operands. A single operand is the recording
 * if such a file exists, else the query.
 */
static void consume_words(struct report_options *options,
			  const struct option_set *set, int argc, char **argv)
{
	int count = argc - optind;

	if (set->takes_query && count == 2)
		put_recording_first(argv + optind);
	if (set->takes_query && count && count <= 2 &&
	    (count == 2 || !is_file(argv[argc - 1])))
		options->query = argv[argc - 1];
	count -= options->query != NULL;
	if (count && options->input) /* a second recording: refused */
		return;
	if (set->takes_two && count == 2) {
		options->input = argv[optind++];
		options->second = argv[optind++];
	} else if (set->takes_input && count == 1) {
		options->input = argv[optind++];
	}
	optind += options->query != NULL;
}

/* Returns whether the command line has @option, which is written as in
 * set->contradictions.
 */
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
	struct own_option list[MAX_OWN + COMMON_COUNT];
	int count = list_options(list, set);
	int index;
	int status = 0;

	*options = (struct report_options){
		.is_paged = set->is_paged,
		.top = UINT64_MAX,
		.pids = ARRAY_OF(int32_t),
		.trees = ARRAY_OF(int32_t),
		.cpus = ARRAY_OF(uint32_t),
		.pairs = ARRAY_OF(char *),
	};
	optind = 1;
	while (!status && (index = own_option_next(list, count, false, argc,
						   argv)) != OPTIONS_END) {
		if (index == OPTIONS_HELP) {
			print_help(stdout, set, list, count);
			return EXIT_OK + 1;
		}
		status = consume_option(options, set, list, index, argv);
	}
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
