/* SPDX-License-Identifier: MIT */
#include "cmd/options/report_options.h"

#include "cmd/command.h"
#include "cmd/console/next_option.h"
#include "cmd/console/say.h"
#include "cmd/options/common_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWN_BASE = 1000, MAX_OWN = 32 };

static void print_help(FILE *out, const struct option_set *set)
{
	fprintf(out, "usage: ktrace-hw %s [OPTIONS]\n\n%s\n\n", set->command,
		set->purpose);
	own_option_print(out, set->own, set->own_count);
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct own_option option = common_options[i];

		if (i == OPTION_FORMAT)
			option.help = set->formats;
		if (common_option_is_taken(set, (enum common_option)i))
			own_option_print(out, &option, 1);
	}
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
	for (int i = 0; i < OPTION_COUNT; i++)
		if (common_option_is_taken(set, (enum common_option)i))
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
	say("--%s: cannot use '%s'", name, argument);
	say("ktrace-hw %s --help lists the options", set->command);
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

	options->given_own |= UINT32_C(1) << own;
	if ((is_pair && !argument) || !set->take(set->ctx, own, argument))
		return refuse(set, set->own[own].name, optarg);
	return 0;
}

static int take_option(struct report_options *options,
		       const struct option_set *set, int value, char **argv)
{
	if (value == '?') {
		say("ktrace-hw %s --help lists the options", set->command);
		return EXIT_USAGE + 1;
	}
	if (value >= OWN_BASE && value < OWN_BASE + MAX_OWN)
		return take_own(options, set, value - OWN_BASE, argv);
	if (to_index(value) == OPTION_HELP) {
		print_help(stdout, set);
		return EXIT_OK + 1;
	}
	return common_option_is_taken(set,
				      (enum common_option)to_index(value)) &&
			       common_option_take(
				       options,
				       (enum common_option)to_index(value),
				       optarg) ?
		       0 :
		       refuse(set, common_options[to_index(value)].name,
			      optarg);
}

/* A single operand is the recording if such a file exists, else the query. */
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
	       (value = next_option(argc, argv, "i:o:h", list)) != -1)
		status = take_option(options, set, value, argv);
	if (!status)
		take_words(options, set, argc, argv);
	if (!status && optind < argc) {
		say("%s: does not take '%s'%s", set->command, argv[optind],
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
