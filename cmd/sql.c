/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/query_session.h"
#include "cmd/sql/sql_shell.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_step.h"
#include "sql/rows/sql_table.h"
#include "sql/sqlite/chosen_views.h"
#include "sql/sqlite/query_rows.h"
#include "sql/sqlite/table_schema.h"

#include <sqlite3.h>

#include <stdio.h>
#include <string.h>

struct choice {
	bool wants_schema;
};

static const struct own_option own_options[] = {
	{ "schema", NULL,
	  "only print the documentation of all tables and columns", 0,
	  FLAG(struct choice, wants_schema) },
};

static bool read_format(const char *name, enum record_format *format)
{
	if (record_format_find(name, format))
		return true;
	*format = RECORD_NDJSON;
	if (!strcmp(name, "ndjson"))
		return true;
	report_format_refuse("sql", name, "text, csv, json or ndjson");
	return false;
}

static int run_query(const struct sql_recording *recording, sqlite3 *db,
		     const char *query, enum record_format format, FILE *out)
{
	struct sql_reads reads;

	if (query_rows_write(db, query, format, &reads, out) < 0) {
		sql_failure_report(db);
		return EXIT_FAILED;
	}
	sql_missing_report(recording, &reads);
	return EXIT_OK;
}

static int choose_rows(sqlite3 *db, const struct report_options *options,
		       const struct time_window *window, char **message)
{
	if (time_window_is_all(*window) && !options->cpus.count)
		return 0;
	return chosen_views_create(db, window, options->cpus.items,
				   options->cpus.count, message);
}

static int ask_database(const struct sql_recording *recording,
			const struct report_options *options,
			const struct time_window *window, FILE *out)
{
	enum record_format format;
	sqlite3 *db = NULL;
	char *message;
	int status;

	if (!read_format(options->format, &format))
		return EXIT_USAGE;
	if (query_database_open(recording, &db, &message) < 0 ||
	    choose_rows(db, options, window, &message) < 0) {
		say_of("sql", "%s", message);
		status = EXIT_FAILED;
	} else if (options->query) {
		status = run_query(recording, db, options->query, format, out);
	} else {
		status = sql_shell(recording, db, format, out) < 0 ?
				 EXIT_FAILED :
				 EXIT_OK;
	}
	sqlite3_free(message);
	sqlite3_close(db);
	return status;
}

/* Sets @window as --since and --until require. Returns the exit code. */
static int choose_window(const struct session *session,
			 const struct report_options *options,
			 struct time_window *window)
{
	int status = EXIT_OK;

	if (options->since || options->until)
		status = session_needs_time(
			session, options->since ? "--since" : "--until", "");
	if (!status &&
	    report_options_window(
		    options, recording_info(session->recording)->first_time_ns,
		    window) < 0)
		status = EXIT_USAGE;
	return status;
}

static int ask(const struct report_options *options)
{
	/* The trackers of a query need all CPUs and times, so views select
	 * them.
	 */
	struct report_options all = *options;
	struct time_window window = TIME_WINDOW_ALL;
	struct query_session query = { 0 };
	struct session session;
	int status;

	all.since = all.until = NULL;
	all.cpus = ARRAY_OF(uint32_t);
	status = session_open(&session, &all);
	if (!status)
		status = choose_window(&session, options, &window);

	if (!status && query_session_open(&query, &session) < 0) {
		say("%s", error_text(-ERROR_MEMORY));
		status = EXIT_FAILED;
	}
	if (!status)
		status = ask_database(&query.recording, options, &window,
				      session.out);
	query_session_close(&query);
	return session_finish(&session, status);
}

static int run_sql(int argc, char **argv)
{
	struct choice choice = { 0 };
	const struct option_set set = {
		.command = "sql",
		.purpose = "Queries a recording: ktrace-hw sql [DIR] ['SELECT "
			   "…']; without a query,\nstarts a shell.",
		.formats = "text, csv, json or ndjson",
		.has_no_tasks = true,
		.has_no_rows = true,
		.takes_input = true,
		.takes_query = true,
		OWN_OPTIONS(own_options),
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0 && choice.wants_schema) {
		table_schema_document(stdout);
		status = EXIT_OK;
	} else if (status < 0) {
		status = ask(&options);
	}
	report_options_free(&options);
	return status;
}

const struct command sql_command = {
	.name = "sql",
	.summary = "query a recording with SQL, or in a shell",
	.run = run_sql,
};
