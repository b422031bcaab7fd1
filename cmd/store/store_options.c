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

static const char *read_tables(void *wanted, char *list)
{
	bool *is_wanted = wanted;
	char *rest = list;
	char *name;

	memset(is_wanted, 0, SQL_TABLES * sizeof(*is_wanted));
	while ((name = strsep(&rest, ","))) {
		const struct sql_table *table = sql_table_find(name);

		if (!table)
			return "names of tables in docs/schema.md, separated "
			       "by commas";
		is_wanted[table->id] = true;
	}
	return NULL;
}

/* Chooses the tables of sums, which are those without a row per occurrence. */
static const char *choose_sums(void *wanted, char *argument)
{
	static const enum sql_table_id sums[] = {
		TABLE_RECORDING, TABLE_CPU,    TABLE_PROCESS, TABLE_THREAD,
		TABLE_INTERRUPT, TABLE_SERVER, TABLE_PROFILE, TABLE_GAP,
	};
	bool *is_wanted = wanted;

	(void)argument;
	memset(is_wanted, 0, SQL_TABLES * sizeof(*is_wanted));
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		is_wanted[sums[i]] = true;
	return NULL;
}

static const char *read_label(void *labels_, char *text)
{
	struct array *labels = labels_;
	char *equal = strchr(text, '=');
	struct store_label *label;

	if (!equal || equal == text)
		return "NAME=VALUE";
	*equal = '\0';
	if (recording_filter_is_column(text) || !strcmp(text, "item") ||
	    !strcmp(text, "comm"))
		return "a NAME that is not a column of recordings";
	for (size_t i = 0; i < labels->count; i++) {
		label = array_at(labels, i);
		if (!strcmp(label->name, text))
			return "another NAME: a recording can have each label "
			       "only once";
	}
	label = array_add(labels);
	if (!label)
		return "fewer: out of memory";
	*label = (struct store_label){ text, equal + 1 };
	return NULL;
}

static const char *read_condition(void *list, char *text)
{
	char **added = recording_filter_is(text) ? array_add(list) : NULL;

	if (!added)
		return "KEY=VALUE, such as kernel=6.12, or a label";
	*added = text;
	return NULL;
}

static const char *read_format(void *format, char *name)
{
	return record_format_find(name, format) ? NULL : "text, csv or json";
}

static const char *read_measure(void *measure, char *name)
{
	const struct measure *found = measure_find(name);

	*(const struct measure **)measure = found;
	return found ? NULL :
		       "syscall, sleep, runqueue, fault, request or call";
}

static const char *read_statistic(void *statistic, char *name)
{
	const struct diff_statistic *found = diff_statistic_find(name);

	*(const struct diff_statistic **)statistic = found;
	return found ? NULL : "p50, p90, p99, mean, max, total or count";
}

/* Stores a name, which becomes part of SQL statements. */
static const char *read_name(void *taken, char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return "a name of letters, digits and _";
	*(const char **)taken = name;
	return *name ? NULL : "a name";
}

static const char *read_number(void *number, char *text)
{
	return option_number(text, UINT32_MAX, number) ? NULL : "a number";
}

enum { DEFAULT_TIMES = 10 };

#define OF(kind, member) kind(struct store_options, member)
#define READ_TO(member, read) READS(struct store_options, member, read)

const struct own_option store_option_list[STORE_OPTIONS] = {
	[STORE_TO] = { "to", "TARGET", "the store: see below", 0,
		       OF(TEXT, to) },
	[STORE_LABEL] = { "label", "NAME=VALUE",
			  "label these recordings; once for each NAME", 0,
			  READ_TO(labels, read_label) },
	[STORE_TABLES] = { "tables", "LIST",
			   "only these tables (all except function)", 0,
			   READ_TO(wanted, read_tables) },
	[STORE_MIN_DURATION] = { "min-duration", "TIME",
				 "leave out shorter rows (10us)", 0,
				 READ_TO(min_duration_ns,
					 option_read_duration) },
	[STORE_SUMS] = { "sums", NULL, "only tables of sums and gaps: a few KB",
			 0, READ_TO(wanted, choose_sums) },
	[STORE_SYMFS] = { "symfs", "DIR",
			  "directory with the traced machine's files", 0,
			  OF(TEXT, symfs) },
	[STORE_JOBS] = { "jobs", "N", "decode on N CPUs in parallel (all)", 0,
			 READ_TO(jobs, read_number) },
	[STORE_OF] = { "of", "WHAT",
		       "syscall (default), sleep, runqueue, fault, request, "
		       "call",
		       0, READ_TO(measure, read_measure) },
	[STORE_BY] = { "by", "KEYS",
		       "item (default), host, kernel, command, comm, day … or "
		       "labels, separated by commas",
		       0, OF(TEXT, by) },
	[STORE_WHERE] = { "where", "KEY=VALUE",
			  "only such recordings; may be repeated", 0,
			  READ_TO(where, read_condition) },
	[STORE_ONLY] = { "only", "ITEM", "only this call, function …", 0,
			 OF(TEXT, only) },
	[STORE_A] = { "a", "KEY=VALUE", "one side; may be repeated", 0,
		      READ_TO(a, read_condition) },
	[STORE_B] = { "b", "KEY=VALUE", "the other; may be repeated", 0,
		      READ_TO(b, read_condition) },
	[STORE_STATISTIC] = { "statistic", "NAME",
			      "value per recording: p50 (default), p90, p99, "
			      "mean, max, total, count",
			      0, READ_TO(statistic, read_statistic) },
	[STORE_TIMES] = { "times", "N",
			  "at least N times the item's median (10)", 0,
			  READ_TO(times, read_number) },
	[STORE_TOP] = { "top", "N", "the first N rows", 0,
			READ_TO(top, read_number) },
	[STORE_FORMAT] = { "format", "NAME", "text (default), csv or json", 0,
			   READ_TO(format, read_format) },
	[STORE_CLUSTER] = { "cluster", "NAME",
			    "for the cluster NAME instead of one server", 0,
			    READ_TO(cluster, read_name) },
	[STORE_DATABASE] = { "database", "NAME",
			     "the cluster's database (ktrace)", 0,
			     READ_TO(database, read_name) },
	[STORE_TTL] = { "ttl", NULL,
			"only the statements that limit how long rows are kept",
			0, OF(FLAG, wants_ttl) },
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

/* Lists the options of @command. Returns their number. */
static int list_options(const struct store_command *command,
			struct own_option list[STORE_OPTIONS])
{
	int count = 0;

	for (int i = 0; i < STORE_OPTIONS; i++)
		if (has_option(command, i))
			list[count++] = store_option_list[i];
	return count;
}

static int take(struct store_options *options, const struct own_option *option)
{
	const char *wanted = own_option_apply(option, options, optarg);

	if (!wanted)
		return 0;
	say_of("store", "--%s: '%s' is not %s", option->name,
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
	struct own_option list[STORE_OPTIONS];
	int count = list_options(command, list);
	int index;
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
	optind = 1;
	while (!status && (index = own_option_next(list, count, false, argc,
						   argv)) != OPTIONS_END) {
		if (index == OPTIONS_HELP)
			print_usage(command, stdout);
		if (index < 0)
			return index == OPTIONS_HELP ? EXIT_OK + 1 :
						       EXIT_USAGE + 1;
		status = take(options, &list[index]);
	}
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
