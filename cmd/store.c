/* SPDX-License-Identifier: MIT */
#include "store/store.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/pipeline/query_session.h"
#include "common/array.h"
#include "common/closest_word.h"
#include "common/error.h"
#include "report/text/record_writer.h"
#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"
#include "store/answer/answer.h"
#include "store/ask/measure_query.h"
#include "store/ask/store_diff.h"
#include "store/ask/store_requests.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/entry/store_entry.h"
#include "store/target/store_target.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `ktrace-hw store` and its subcommands. They share one table of options
 * (store_option_list), of which each accepts a part. "add" decodes recordings
 * and uploads their rows (store/store.h); "ddl" prints statements; the others
 * query a store (store/ask/) and write the answer.
 */

/* The options of all subcommands of `ktrace-hw store`. */
enum store_option {
	STORE_TO,
	STORE_LABEL,
	STORE_TABLES,
	STORE_MIN_DURATION,
	STORE_SUMS,
	STORE_SYMFS,
	STORE_JOBS,
	STORE_OF,
	STORE_BY,
	STORE_WHERE,
	STORE_ONLY,
	STORE_A,
	STORE_B,
	STORE_STATISTIC,
	STORE_TIMES,
	STORE_TOP,
	STORE_FORMAT,
	STORE_CLUSTER,
	STORE_DATABASE,
	STORE_TTL,
	STORE_OPTIONS,
};

/* The command line of a subcommand. Strings point into argv. */
struct store_options {
	struct array words;  /* const char *: the operands */
	const char *to;	     /* NULL: not given */
	struct array labels; /* struct store_label */
	bool wanted[SQL_TABLES];
	uint64_t min_duration_ns;
	const char *symfs;
	uint64_t jobs;
	const struct measure *measure;
	const char *by;	    /* NULL: by item */
	struct array where; /* char * */
	const char *only;   /* NULL: all */
	struct array a;	    /* char * */
	struct array b;	    /* char * */
	const struct diff_statistic *statistic;
	uint64_t times;
	uint64_t top; /* UINT64_MAX: all */
	enum record_format format;
	const char *cluster;  /* NULL: one server */
	const char *database; /* of the cluster */
	bool wants_ttl;
};

/* A subcommand. */
struct store_command {
	const char *name;
	const char *summary;  /* one line, for the list */
	const char *words;    /* its operands, for the usage text */
	unsigned int options; /* accepted ones: 1 << enum store_option */
	int (*run)(const struct store_options *options);
};

struct store_command;

/* Selects all tables except "function": its rows are the most, and the other
 * tables contain the names of functions.
 */
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

static const struct own_option store_option_list[STORE_OPTIONS] = {
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

static int consume(struct store_options *options,
		   const struct own_option *option)
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

/* Parses the arguments after argv[0].
 *
 * Returns 0, or the exit code plus 1; wrong usage is reported on standard error
 * first. The caller frees @options even after an error.
 */
static int store_options_read(struct store_options *options,
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
		status = consume(options, &list[index]);
	}
	return status ? status : consume_words(options, argc, argv);
}

static void store_options_free(struct store_options *options)
{
	array_free(&options->words);
	array_free(&options->labels);
	array_free(&options->where);
	array_free(&options->a);
	array_free(&options->b);
}

static int write_answer(const struct store_options *options,
			const struct answer *answer)
{
	if (answer->columns.count > RECORD_MAX_COLUMNS) {
		say_of("store",
		       "the result has %zu columns, but at most %d can be "
		       "written: select fewer",
		       answer->columns.count, RECORD_MAX_COLUMNS);
		return EXIT_FAILED;
	}
	answer_write(answer, options->format, stdout);
	return written_stdout();
}

/* Opens the store named by the only operand, queries it with @ask and writes
 * the answer.
 *
 * Returns the program's exit code.
 */
static int store_answer(const struct store_options *options,
			int (*ask)(const struct store_options *options,
				   struct store_target *target,
				   struct answer *answer))
{
	const char *name = *(const char **)array_at(&options->words, 0);
	struct store_target *target =
		store_open(name, STORE_OPEN_READ, &console_log);
	struct answer answer = { 0 };
	int status = EXIT_FAILED;

	if (!target)
		return EXIT_FAILED;
	if (!target->class->check(target) && !ask(options, target, &answer))
		status = write_answer(options, &answer);
	answer_free(&answer);
	target->class->close(target);
	return status;
}

static int send_recording(const struct query_session *query,
			  struct store_target *target,
			  struct store_entry *entry)
{
	bool is_there = false;
	uint64_t rows = 0;
	int error = upload_recording(target, &query->recording, entry,
				     &console_log, &is_there, &rows);

	if (error)
		say_of("store", "%s: not added: %s", entry->path,
		       error_text(error));
	else if (is_there)
		say_of("store",
		       "%s: was added before (id %s) and keeps the labels "
		       "of that time",
		       entry->path, entry->id);
	else
		note_of("store", "%s: added, %" PRIu64 " rows (id %s)",
			entry->path, rows, entry->id);
	return error ? EXIT_FAILED : EXIT_OK;
}

static int add_session(const struct store_options *options,
		       const struct session *session, const char *path,
		       struct store_target *target)
{
	struct store_entry entry = {
		.path = path,
		.min_duration_ns = options->min_duration_ns,
		.labels = &options->labels,
	};
	struct query_session query;
	int status = EXIT_FAILED;

	memcpy(entry.wanted, options->wanted, sizeof(entry.wanted));
	if (query_session_open(&query, session) < 0)
		say("%s", error_text(-ERROR_MEMORY));
	else
		status = send_recording(&query, target, &entry);
	query_session_close(&query);
	return status;
}

static int add_one(const struct store_options *options, const char *name,
		   struct store_target *target)
{
	const struct report_options input = {
		.input = name,
		.symfs = options->symfs,
		.jobs = options->jobs,
	};
	char *path = realpath(name, NULL);
	struct session session;
	int status;
	int close_status;

	if (!path) {
		say_of("store", "%s: %s", name, strerror(errno));
		return EXIT_FAILED;
	}
	status = session_open_input(&session, &input);
	if (!status)
		status = add_session(options, &session, path, target);
	close_status = session_close(&session);
	free(path);
	return status ? status : close_status;
}

/* Adds all recordings. If one fails, the others are still added. */
static int add_all(const struct store_options *options,
		   struct store_target *target)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < options->words.count; i++) {
		const char *name = *(const char **)array_at(&options->words, i);

		if (add_one(options, name, target) != EXIT_OK)
			status = EXIT_FAILED;
	}
	return status;
}

static int run_add(const struct store_options *options)
{
	struct store_target *target;
	int status = EXIT_FAILED;

	if (!options->to) {
		say_of("store", "name the store with --to TARGET");
		return EXIT_USAGE;
	}
	/* Treat the file size limit as a write error, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	target = store_open(options->to, STORE_OPEN_WRITE, &console_log);
	if (!target)
		return EXIT_FAILED;
	if (!target->class->prepare(target))
		status = add_all(options, target);
	target->class->close(target);
	return status;
}

/* The subcommands of `ktrace-hw store`. run_store() finds one by its name and
 * passes it the following arguments.
 */
static const struct store_command store_add_command = {
	.name = "add",
	.summary = "Adds recordings to a store, each only once.",
	.words = "[OPTION]... --to TARGET DIR...",
	.options = 1 << STORE_TO | 1 << STORE_LABEL | 1 << STORE_TABLES |
		   1 << STORE_MIN_DURATION | 1 << STORE_SUMS |
		   1 << STORE_SYMFS | 1 << STORE_JOBS,
	.run = run_add,
};

static int run_ddl(const struct store_options *options)
{
	const struct clickhouse_ddl_names names = {
		.cluster = options->cluster,
		.database = options->database,
	};
	enum clickhouse_ddl which =
		options->wants_ttl ?
			(options->cluster ? DDL_CLUSTER_TTL : DDL_SERVER_TTL) :
			(options->cluster ? DDL_CLUSTER : DDL_SERVER);

	if (clickhouse_ddl_write(which, &names, stdout) < 0) {
		say("%s", error_text(-ERROR_MEMORY));
		return EXIT_FAILED;
	}
	return written_stdout();
}

static const struct store_command store_ddl_command = {
	.name = "ddl",
	.summary = "Prints the statements that create a store in ClickHouse.",
	.words = "[OPTION]...",
	.options = 1 << STORE_CLUSTER | 1 << STORE_DATABASE | 1 << STORE_TTL,
	.run = run_ddl,
};

static int ask_diff(const struct store_options *options,
		    struct store_target *target, struct answer *answer)
{
	const struct store_diff diff = {
		.measure = options->measure,
		.statistic = options->statistic,
		.item = options->only,
		.sides = { options->a, options->b },
		.top = options->top,
	};

	return store_diff_ask(&diff, target, answer);
}

static int run_diff(const struct store_options *options)
{
	if (options->a.count && options->b.count)
		return store_answer(options, ask_diff);
	say_of("store", "diff needs two sides: --a kernel=6.1 --b kernel=6.12");
	return EXIT_USAGE;
}

static const struct store_command store_diff_command = {
	.name = "diff",
	.summary = "Shows what changed between two sets of recordings, and how "
		   "certain that is.",
	.words = "[OPTION]... --a KEY=VALUE --b KEY=VALUE TARGET",
	.options = 1 << STORE_OF | 1 << STORE_A | 1 << STORE_B |
		   1 << STORE_STATISTIC | 1 << STORE_ONLY | 1 << STORE_TOP |
		   1 << STORE_FORMAT,
	.run = run_diff,
};

/* Returns whether @text, such as "host,item", is a list of keys; splits it in
 * place.
 */
static bool read_keys(struct store_report *report, char *text)
{
	char *key;

	while ((key = strsep(&text, ","))) {
		if (!*key || report->key_count == STORE_MOST_KEYS)
			return false;
		report->keys[report->key_count++] = key;
	}
	return true;
}

static int ask_report(const struct store_options *options,
		      struct store_target *target, struct answer *answer)
{
	char text[512];
	int64_t recordings;
	struct store_report report = {
		.choice = {
			.measure = options->measure,
			.recordings = options->where,
			.item = options->only,
		},
		.top = options->top,
	};

	snprintf(text, sizeof(text), "%s", options->by ? options->by : "item");
	if (!read_keys(&report, text)) {
		say_of("store", "--by: '%s' is not a list of up to %d keys",
		       options->by, STORE_MOST_KEYS);
		return -1;
	}
	if (measure_query_count(&report.choice, target, &recordings) < 0)
		return -1;
	return store_report_ask(&report, target, answer);
}

static int run_report(const struct store_options *options)
{
	return store_answer(options, ask_report);
}

static const struct store_command store_report_command = {
	.name = "report",
	.summary = "Shows percentiles of durations, grouped by any keys.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_OF | 1 << STORE_BY | 1 << STORE_WHERE |
		   1 << STORE_ONLY | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run_report,
};

enum { DEFAULT_ROWS = 10 };

static int ask_requests(const struct store_options *options,
			struct store_target *target, struct answer *answer)
{
	const struct measure_choice choice = {
		.measure = measure_find("request"),
		.recordings = options->where,
	};
	const struct store_requests requests = {
		.recordings = options->where,
		.top = options->top == UINT64_MAX ? DEFAULT_ROWS : options->top,
	};
	int64_t recordings;

	if (measure_query_count(&choice, target, &recordings) < 0)
		return -1;
	return store_requests_ask(&requests, target, answer);
}

static int run_requests(const struct store_options *options)
{
	return store_answer(options, ask_requests);
}

static const struct store_command store_requests_command = {
	.name = "requests",
	.summary = "Shows requests between machines, and where their time went "
		   "on both.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_WHERE | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run_requests,
};

static int ask_slow(const struct store_options *options,
		    struct store_target *target, struct answer *answer)
{
	int64_t recordings;
	const struct store_slow slow = {
		.choice = {
			.measure = options->measure,
			.recordings = options->where,
			.item = options->only,
		},
		.times = options->times,
		.top = options->top == UINT64_MAX ? DEFAULT_ROWS : options->top,
	};

	if (measure_query_count(&slow.choice, target, &recordings) < 0)
		return -1;
	return store_slow_ask(&slow, target, answer);
}

static int run_slow(const struct store_options *options)
{
	return store_answer(options, ask_slow);
}

static const struct store_command store_slow_command = {
	.name = "slow",
	.summary = "Shows outliers, and the commands that show them in their "
		   "recordings.",
	.words = "[OPTION]... TARGET",
	.options = 1 << STORE_OF | 1 << STORE_WHERE | 1 << STORE_ONLY |
		   1 << STORE_TIMES | 1 << STORE_TOP | 1 << STORE_FORMAT,
	.run = run_slow,
};

static int ask_sql(const struct store_options *options,
		   struct store_target *target, struct answer *answer)
{
	return store_target_query(
		target, *(const char **)array_at(&options->words, 1), answer);
}

static int run_sql(const struct store_options *options)
{
	return store_answer(options, ask_sql);
}

static const struct store_command store_sql_command = {
	.name = "sql",
	.summary = "Queries the store's database in its own SQL, with "
		   "percentile(P, X) in any.",
	.words = "[OPTION]... TARGET 'SELECT …'",
	.options = 1 << STORE_FORMAT,
	.run = run_sql,
};

/* The subcommands, with the least and the greatest number of their operands. */
static const struct {
	const struct store_command *command;
	size_t least_words;
	size_t most_words;
} subcommands[] = {
	{ &store_add_command, 1, SIZE_MAX }, { &store_report_command, 1, 1 },
	{ &store_diff_command, 1, 1 },	     { &store_slow_command, 1, 1 },
	{ &store_requests_command, 1, 1 },   { &store_sql_command, 2, 2 },
	{ &store_ddl_command, 0, 0 },
};

enum { SUBCOMMANDS = sizeof(subcommands) / sizeof(*subcommands) };

static void print_commands(FILE *out)
{
	fputs("usage: ktrace-hw store COMMAND [OPTION]...\n\nKeeps recordings "
	      "of many machines in one database.\n\n",
	      out);
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		fprintf(out, "  %-8s %s\n", subcommands[i].command->name,
			subcommands[i].command->summary);
	fputs("\nktrace-hw store COMMAND --help lists a command's options:\n\n",
	      out);
	own_option_print(out, store_option_list, STORE_OPTIONS);
}

static int run_subcommand(size_t index, int argc, char **argv)
{
	const struct store_command *command = subcommands[index].command;
	struct store_options options;
	char name[64];
	int status;

	snprintf(name, sizeof(name), "%s %s", argv[0], command->name);
	argv[1] = name;
	status = store_options_read(&options, command, argc - 1, argv + 1) - 1;
	if (status < 0 &&
	    (options.words.count < subcommands[index].least_words ||
	     options.words.count > subcommands[index].most_words)) {
		fprintf(stderr, "usage: ktrace-hw store %s %s\n", command->name,
			command->words);
		status = EXIT_USAGE;
	}
	if (status < 0)
		status = command->run(&options);
	store_options_free(&options);
	return status;
}

static int run_store(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	struct closest_word closest = closest_word_to(name);
	char similar[CLOSEST_WORD_TEXT];

	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_commands(stdout);
		return EXIT_OK;
	}
	for (size_t i = 0; i < SUBCOMMANDS; i++) {
		if (!strcmp(subcommands[i].command->name, name))
			return run_subcommand(i, argc, argv);
		closest_word_offer(&closest, subcommands[i].command->name);
	}
	if (*name)
		say_of("store", "no command '%s'%s", name,
		       closest_word_text(&closest, "", similar));
	print_commands(stderr);
	return EXIT_USAGE;
}

const struct command store_command = {
	.name = "store",
	.summary = "keep a fleet's recordings in one database, and query it",
	.run = run_store,
};
