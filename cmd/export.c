/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/query_session.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/timeline_command.h"
#include "cmd/sql/sql_shell.h"
#include "common/duration.h"
#include "common/error.h"
#include "report/profile/profile_report.h"
#include "report/timeline/timeline.h"
#include "sql/sqlite/sqlite_export.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

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
		sql_missing_report_all(&query.recording);
	sqlite3_free(message);
	query_session_close(&query);
	return status < 0 ? EXIT_FAILED : EXIT_OK;
}

/* Writes the whole recording to the SQLite database options->output.
 *
 * Returns the program's exit code.
 */
static int export_sqlite(const struct report_options *options)
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

static int export_recording(const struct report_options *options,
			    const struct timeline_options *timeline_options)
{
	const struct timeline_renderer *timeline;
	const struct profile_renderer *profile;

	if (!options->format) {
		say("export needs --format=perfetto, chrome, csv, json, gmon "
		    "or sqlite");
		return EXIT_USAGE;
	}
	if (options->by != GROUP_BY_NOTHING &&
	    strcmp(options->format, "gmon") != 0) {
		say("export: --by needs --format=gmon");
		return EXIT_USAGE;
	}
	if (!strcmp(options->format, "sqlite") && !timeline_options->min_ns)
		return export_sqlite(options);
	timeline = timeline_renderer_find("export", options->format);
	if (timeline)
		return run_timeline_command(options, timeline_options,
					    timeline);
	profile = profile_renderer_find("export", options->format);
	if ((profile || !strcmp(options->format, "sqlite")) &&
	    timeline_options->min_ns) {
		say("export: --min-duration does not apply to %s, which "
		    "contains everything",
		    options->format);
		return EXIT_USAGE;
	}
	if (profile && options->top != UINT64_MAX) {
		say("export: --top does not apply to %s, which has no rows",
		    options->format);
		return EXIT_USAGE;
	}
	if (profile)
		return run_profile(options, profile);
	say("--format: no export format '%s'; there are perfetto, chrome, csv, "
	    "json, gmon and sqlite",
	    options->format);
	return EXIT_USAGE;
}

static bool take_option(void *ctx, int index, const char *argument)
{
	struct timeline_options *options = ctx;

	if (index == 0)
		return duration_read(argument, &options->min_ns);
	options->functions_only = true;
	return true;
}

static int run_export(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "min-duration", "TIME",
		  "only slices of TIME (1us) or longer" },
		{ "functions-only", NULL,
		  "perfetto and chrome: only functions, running threads, "
		  "gaps" },
	};
	struct timeline_options timeline = TIMELINE_OPTIONS_ALL;
	const struct option_set set = {
		.command = "export",
		.adds_up = true,
		.purpose = "Exports a recording to other tools.",
		.formats =
			"perfetto, chrome, csv, json, sqlite or gmon (a "
			"gmon.out;\n                         -o FILE also gets "
			"FILE.elf, for gprof FILE.elf FILE)",
		.own = own,
		.own_count = 2,
		.take = take_option,
		.ctx = &timeline,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	if (status < 0)
		status = export_recording(&options, &timeline);
	report_options_free(&options);
	return status;
}

const struct command export_command = {
	.name = "export",
	.summary = "export to other tools (perfetto, chrome, csv, json, gmon, "
		   "sqlite)",
	.run = run_export,
};
