/* SPDX-License-Identifier: MIT */
#include "cmd/sql/export_sqlite.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/pipeline/query_session.h"
#include "cmd/sql/sql_missing.h"
#include "common/error.h"
#include "sql/sqlite/sqlite_export.h"

#include <sqlite3.h>

#include <stdio.h>

static bool can_do(const struct report_options *options)
{
	const char *name = options->since			? "since" :
			   options->until			? "until" :
			   options->cpus.count			? "cpu" :
			   options->pids.count			? "pid" :
			   options->trees.count			? "tree" :
			   name_choice_is_made(&options->comms) ? "comm" :
			   options->top != UINT64_MAX		? "top" :
								  NULL;

	if (!options->output) {
		say("--format=sqlite writes a database: name it with -o FILE");
		return false;
	}
	if (name)
		say("--format=sqlite does not take --%s: it contains "
		    "everything, and queries select",
		    name);
	return !name;
}

static int write_database(const struct session *session,
			  const struct report_options *options)
{
	struct query_session query;
	char *message = NULL;
	int status = query_session_open(&query, session);

	if (status < 0)
		say("%s", error_text(status));
	else
		status = sqlite_export(&query.recording, options->output,
				       &message);
	if (message)
		say("%s: %s", options->output, message);
	if (!status)
		sql_missing_say_all(&query.recording);
	sqlite3_free(message);
	query_session_close(&query);
	return status < 0 ? EXIT_FAILED : EXIT_OK;
}

int export_sqlite(const struct report_options *options)
{
	struct session session;
	int status;
	int close_status;

	if (!can_do(options))
		return EXIT_USAGE;
	status = session_open_input(&session, options);
	if (!status)
		status = write_database(&session, options);
	close_status = session_close(&session);
	return status ? status : close_status;
}
