/* SPDX-License-Identifier: MIT */
#include "cmd/store/store_options.h"

#include "cmd/command.h"
#include "cmd/console/next_option.h"
#include "cmd/console/say.h"
#include "cmd/store/store_option_values.h"
#include "store/entry/store_entry.h"

#include <getopt.h>
#include <stdio.h>

enum { FIRST_OPTION = 256, DEFAULT_TIMES = 10 };

const struct own_option store_option_list[STORE_OPTIONS] = {
	[STORE_TO] = { "to", "TARGET", "the store: see below" },
	[STORE_LABEL] = { "label", "NAME=VALUE",
			  "label these recordings; once for each NAME" },
	[STORE_TABLES] = { "tables", "LIST",
			   "only these tables (all except "
			   "function)" },
	[STORE_MIN_DURATION] = { "min-duration", "TIME",
				 "leave out shorter rows (10us)" },
	[STORE_SUMS] = { "sums", NULL,
			 "only tables of sums and gaps: a few KB" },
	[STORE_SYMFS] = { "symfs", "DIR",
			  "directory with the traced machine's files" },
	[STORE_JOBS] = { "jobs", "N", "decode on N CPUs in parallel (all)" },
	[STORE_OF] = { "of", "WHAT",
		       "syscall (default), sleep, runqueue, fault, request, "
		       "call" },
	[STORE_BY] = { "by", "KEYS",
		       "item (default), host, kernel, command, comm, day … or "
		       "labels, separated by commas" },
	[STORE_WHERE] = { "where", "KEY=VALUE",
			  "only such recordings; may be repeated" },
	[STORE_ONLY] = { "only", "ITEM", "only this call, function …" },
	[STORE_A] = { "a", "KEY=VALUE", "one side; may be repeated" },
	[STORE_B] = { "b", "KEY=VALUE", "the other; may be repeated" },
	[STORE_STATISTIC] = { "statistic", "NAME",
			      "value per recording: p50 (default), p90, p99, "
			      "mean, max, total, count" },
	[STORE_TIMES] = { "times", "N",
			  "at least N times the item's median (10)" },
	[STORE_TOP] = { "top", "N", "the first N rows" },
	[STORE_FORMAT] = { "format", "NAME", "text (default), csv or json" },
	[STORE_CLUSTER] = { "cluster", "NAME",
			    "for the cluster NAME instead of one server" },
	[STORE_DATABASE] = { "database", "NAME",
			     "the cluster's database (ktrace)" },
	[STORE_TTL] = { "ttl", NULL,
			"only the statements that limit how long "
			"rows are kept" },
};

static bool has_option(const struct store_command *command, int option)
{
	return command->options >> option & 1;
}

static void print_usage(const struct store_command *command, FILE *out)
{
	fprintf(out, "usage: ktrace-hw store %s %s\n\n%s\n\n", command->name,
		command->words, command->summary);
	for (int i = 0; i < STORE_OPTIONS; i++)
		if (has_option(command, i))
			own_option_print(out, &store_option_list[i], 1);
	fputs("  --help                 this text\n\n"
	      "TARGET is an SQLite file, or "
	      "clickhouse://USER:PASSWORD@HOST:PORT/DATABASE\n"
	      "(the port of its HTTP interface; the password may be in "
	      "CLICKHOUSE_PASSWORD)\n",
	      out);
}

static void fill(const struct store_command *command,
		 struct option list[STORE_OPTIONS + 2])
{
	int count = 0;

	for (int i = 0; i < STORE_OPTIONS; i++)
		if (has_option(command, i))
			list[count++] = (struct option){
				.name = store_option_list[i].name,
				.has_arg = store_option_list[i].argument ?
						   required_argument :
						   no_argument,
				.val = FIRST_OPTION + i,
			};
	list[count++] = (struct option){ "help", no_argument, NULL, 'h' };
	list[count] = (struct option){ 0 };
}

static int take(struct store_options *options,
		const struct store_command *command, int option)
{
	const char *wanted;

	if (option == 'h')
		print_usage(command, stdout);
	if (option < FIRST_OPTION)
		return option == 'h' ? EXIT_OK + 1 : EXIT_USAGE + 1;
	option -= FIRST_OPTION;
	wanted = store_option_take(options, (enum store_option)option, optarg);
	if (!wanted)
		return 0;
	say("store: --%s: '%s' is not %s", store_option_list[option].name,
	    optarg ? optarg : "", wanted);
	return EXIT_USAGE + 1;
}

static int take_words(struct store_options *options, int argc, char **argv)
{
	for (int i = optind; i < argc; i++) {
		const char **word = array_add(&options->words);

		if (!word)
			return EXIT_FAILED + 1;
		*word = argv[i];
	}
	return 0;
}

int store_options_read(struct store_options *options,
		       const struct store_command *command, int argc,
		       char **argv)
{
	struct option list[STORE_OPTIONS + 2];
	int option;
	int status = 0;

	*options = (struct store_options){
		.words = ARRAY_OF(const char *),
		.labels = ARRAY_OF(struct store_label),
		.where = ARRAY_OF(char *),
		.a = ARRAY_OF(char *),
		.b = ARRAY_OF(char *),
		.measure = measure_at(0),
		.statistic = diff_statistic_at(0),
		.times = DEFAULT_TIMES,
		.top = UINT64_MAX,
		.format = RECORD_TABLE,
		.database = "ktrace",
	};
	store_tables_default(options->wanted);
	fill(command, list);
	optind = 1;
	while (!status && (option = next_option(argc, argv, "h", list)) != -1)
		status = take(options, command, option);
	return status ? status : take_words(options, argc, argv);
}

void store_options_free(struct store_options *options)
{
	array_free(&options->words);
	array_free(&options->labels);
	array_free(&options->where);
	array_free(&options->a);
	array_free(&options->b);
}
