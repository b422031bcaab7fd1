/* SPDX-License-Identifier: MIT */
#include "cmd/store/store_commands.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/query_session.h"
#include "common/error.h"
#include "store/answer/answer.h"
#include "store/ask/measure_query.h"
#include "store/ask/store_report.h"
#include "store/ask/store_requests.h"
#include "store/ask/store_slow.h"
#include "store/clickhouse/clickhouse_ddl.h"
#include "store/store.h"
#include "store/target/store_target.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

const struct store_command store_add_command = {
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

const struct store_command store_ddl_command = {
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

const struct store_command store_diff_command = {
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

const struct store_command store_report_command = {
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

const struct store_command store_requests_command = {
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

const struct store_command store_slow_command = {
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

const struct store_command store_sql_command = {
	.name = "sql",
	.summary = "Queries the store's database in its own SQL, with "
		   "percentile(P, X) in any.",
	.words = "[OPTION]... TARGET 'SELECT …'",
	.options = 1 << STORE_FORMAT,
	.run = run_sql,
};
