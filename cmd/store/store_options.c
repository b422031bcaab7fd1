/* SPDX-License-Identifier: MIT */
#include "cmd/store/store_options_internal.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "common/clocks.h"
#include "sql/tables/sql_tables.h"
#include "store/ask/measure_query.h"
#include "store/entry/store_entry.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Selects all tables but "function": the other tables contain the names. */
static void store_tables_default(bool wanted[SQL_TABLES])
{
	for (int i = 0; i < SQL_TABLES; i++)
		wanted[i] = i != TABLE_FUNCTION;
}

static const char *consume_tables(struct store_options *options, char *list)
{
	char *rest = list;
	char *name;

	memset(options->wanted, 0, sizeof(options->wanted));
	while ((name = strsep(&rest, ","))) {
		const struct sql_table *table = sql_table_find(name);

		if (!table)
			return "names of tables in docs/schema.md, separated "
			       "by commas";
		options->wanted[table->id] = true;
	}
	return NULL;
}

/* Chooses the tables of sums, which are those without a row per occurrence. */
static void consume_sums(struct store_options *options)
{
	static const enum sql_table_id sums[] = {
		TABLE_RECORDING, TABLE_CPU,    TABLE_PROCESS, TABLE_THREAD,
		TABLE_INTERRUPT, TABLE_SERVER, TABLE_PROFILE, TABLE_GAP,
	};

	memset(options->wanted, 0, sizeof(options->wanted));
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		options->wanted[sums[i]] = true;
}

static const char *consume_label(struct store_options *options, char *text)
{
	char *equal = strchr(text, '=');
	struct store_label *label;

	if (!equal || equal == text)
		return "NAME=VALUE";
	*equal = '\0';
	if (recording_filter_is_column(text) || !strcmp(text, "item") ||
	    !strcmp(text, "comm"))
		return "a NAME that is not a column of recordings";
	for (size_t i = 0; i < options->labels.count; i++) {
		label = array_at(&options->labels, i);
		if (!strcmp(label->name, text))
			return "another NAME: a recording can have each label "
			       "only once";
	}
	label = array_add(&options->labels);
	if (!label)
		return "fewer: out of memory";
	*label = (struct store_label){ text, equal + 1 };
	return NULL;
}

static const char *consume_condition(struct array *list, char *text)
{
	char **added = recording_filter_is(text) ? array_add(list) : NULL;

	if (!added)
		return "KEY=VALUE, such as kernel=6.12, or a label";
	*added = text;
	return NULL;
}

static const char *consume_format(struct store_options *options,
				  const char *name)
{
	return record_format_find(name, &options->format) ? NULL :
							    "text, csv or json";
}

static const char *consume_measure(struct store_options *options,
				   const char *name)
{
	options->measure = measure_find(name);
	return options->measure ? NULL :
				  "syscall, sleep, runqueue, fault, request or "
				  "call";
}

static const char *consume_statistic(struct store_options *options,
				     const char *name)
{
	options->statistic = diff_statistic_find(name);
	return options->statistic ? NULL :
				    "p50, p90, p99, mean, max, total or count";
}

/* Stores a name, which becomes part of SQL statements. Returns NULL, or what is
 * expected instead.
 */
static const char *consume_name(const char **taken, const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return "a name of letters, digits and _";
	*taken = name;
	return *name ? NULL : "a name";
}

static const char *consume_number(const char *text, uint64_t *number)
{
	return option_number(text, UINT32_MAX, number) ? NULL : "a number";
}

/* Stores @argument of @option in @options. @argument points into argv and may
 * be split in place.
 *
 * Returns NULL, or a description of the expected argument.
 */
static const char *store_option_take(struct store_options *options,
				     enum store_option option, char *argument)
{
	switch (option) {
	case STORE_TO:
		options->to = argument;
		return NULL;
	case STORE_LABEL:
		return consume_label(options, argument);
	case STORE_TABLES:
		return consume_tables(options, argument);
	case STORE_MIN_DURATION:
		return duration_read(argument, &options->min_duration_ns) ?
			       NULL :
			       "a duration such as 10us";
	case STORE_SUMS:
		consume_sums(options);
		return NULL;
	case STORE_SYMFS:
		options->symfs = argument;
		return NULL;
	case STORE_JOBS:
		return consume_number(argument, &options->jobs);
	case STORE_OF:
		return consume_measure(options, argument);
	case STORE_BY:
		options->by = argument;
		return NULL;
	case STORE_WHERE:
		return consume_condition(&options->where, argument);
	case STORE_ONLY:
		options->only = argument;
		return NULL;
	case STORE_A:
		return consume_condition(&options->a, argument);
	case STORE_B:
		return consume_condition(&options->b, argument);
	case STORE_STATISTIC:
		return consume_statistic(options, argument);
	case STORE_TIMES:
		return consume_number(argument, &options->times);
	case STORE_TOP:
		return consume_number(argument, &options->top);
	case STORE_FORMAT:
		return consume_format(options, argument);
	case STORE_CLUSTER:
		return consume_name(&options->cluster, argument);
	case STORE_DATABASE:
		return consume_name(&options->database, argument);
	case STORE_TTL:
		options->wants_ttl = true;
		return NULL;
	case STORE_OPTIONS:
		break;
	}
	return "known";
}

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
	fputs("  --help                 this text\n", out);
	fputs(console_options_help, out);
	fputs("\nTARGET is an SQLite file, or "
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
	say_of("store", "--%s: '%s' is not %s", store_option_list[option].name,
	       optarg ? optarg : "", wanted);
	return EXIT_USAGE + 1;
}

static int consume_words(struct store_options *options, int argc, char **argv)
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
	return status ? status : consume_words(options, argc, argv);
}

void store_options_free(struct store_options *options)
{
	array_free(&options->words);
	array_free(&options->labels);
	array_free(&options->where);
	array_free(&options->a);
	array_free(&options->b);
}
