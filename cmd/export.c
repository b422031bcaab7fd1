/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/query_session.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/timeline_command.h"
#include "cmd/sql/sql_shell.h"
#include "common/error.h"
#include "report/profile/profile_report.h"
#include "report/timeline/timeline.h"
#include "sql/sqlite/sqlite_export.h"
#include "tables/profile/profile_table.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* `ktrace-hw export`: its formats are timelines (report/timeline/), profiles
 * (report/profile/), or an SQLite database.
 */

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

static const char formats[] =
	"perfetto, firefox, chrome, ctf, trace.dat, csv, json, ndjson, sqlite, gmon, "
	"pprof, speedscope or callgrind";

struct choice {
	struct timeline_options timeline;
	const struct attribution_table *table; /* NULL: time on CPUs */
	bool wants_lines;
};

/* Returns false, after a message, if an option does not apply to a profile. */
static bool fits_profile(const struct report_options *options,
			 const struct choice *choice)
{
	if (choice->timeline.min_ns)
		say_of("export",
		       "--min-duration does not apply to %s, which "
		       "contains everything",
		       options->format);
	else if (options->top != UINT64_MAX)
		say_of("export",
		       "--top does not apply to %s, which has no rows",
		       options->format);
	else if (choice->table && !strcmp(options->format, "gmon"))
		say_of("export",
		       "gmon only has time on CPUs: leave out --wall and "
		       "--off-cpu");
	else
		return true;
	return false;
}

static int export_profile(const struct report_options *options,
			  const struct choice *choice,
			  const struct profile_renderer *renderer)
{
	if (!fits_profile(options, choice))
		return EXIT_USAGE;
	return run_profile(options, choice->table, renderer);
}

/* Returns false, after a message, if an option applies only to profiles. */
static bool fits_events(const struct report_options *options,
			const struct choice *choice)
{
	if (options->by != GROUP_BY_NOTHING)
		say_of("export",
		       "--by needs --format=gmon, pprof, speedscope or "
		       "callgrind");
	else if (choice->table)
		say_of("export", "--wall and --off-cpu need --format=pprof, "
				 "speedscope or callgrind");
	else if (!strcmp(options->format, "sqlite") && choice->timeline.min_ns)
		say_of("export",
		       "--min-duration does not apply to sqlite, which "
		       "contains everything");
	else
		return true;
	return false;
}

/* Returns false, after a message, if binary output would go to a terminal. */
static bool may_write(const struct report_options *options)
{
	static const char *const binary[] = { "perfetto", "pprof", "gmon" };

	for (size_t i = 0; i < sizeof(binary) / sizeof(*binary); i++)
		if (!strcmp(options->format, binary[i]) && !options->output &&
		    isatty(STDOUT_FILENO)) {
			say("--format=%s is binary, which a terminal cannot "
			    "show: name a file with -o FILE",
			    options->format);
			return false;
		}
	return true;
}

static int export_recording(const struct report_options *options,
			    const struct choice *choice)
{
	const struct timeline_renderer *timeline;
	const struct profile_renderer *profile;

	if (!options->format) {
		say_of("export", "needs --format=%s", formats);
		return EXIT_USAGE;
	}
	if (!may_write(options))
		return EXIT_USAGE;
	profile = profile_renderer_find("export", options->format);
	if (profile)
		return export_profile(options, choice, profile);
	timeline = timeline_renderer_find("export", options->format);
	if (!timeline && strcmp(options->format, "sqlite") != 0)
		return report_format_refuse("export", options->format, formats);
	if (!fits_events(options, choice))
		return EXIT_USAGE;
	if (timeline && timeline->is_folder && !options->output) {
		say_of("export",
		       "--format=%s writes a folder: name it with -o FOLDER",
		       options->format);
		return EXIT_USAGE;
	}
	return timeline ? run_timeline_command(options, &choice->timeline,
					       timeline) :
			  export_sqlite(options);
}

static int run_export(int argc, char **argv)
{
	static const struct own_option own[] = {
		{ "min-duration", "TIME",
		  "only slices of TIME (1us) or longer; 0: all; chrome, firefox, "
		  "trace.dat: 1us",
		  0, READS(struct choice, timeline, timeline_read_min) },
		{ "functions-only", NULL,
		  "perfetto, firefox, chrome, ctf, trace.dat: only functions, "
		  "running threads, gaps",
		  0, FLAG(struct choice, timeline.functions_only) },
		{ "wall", NULL,
		  "profiles: all time of threads, including asleep and "
		  "runnable",
		  0, SETS(struct choice, table, &wall_profile_table) },
		{ "off-cpu", NULL,
		  "profiles: where threads slept or waited for a CPU", 0,
		  SETS(struct choice, table, &off_cpu_profile_table) },
		{ "lines", NULL, "profiles: each function's file and line", 0,
		  FLAG(struct choice, wants_lines) },
	};
	static const char *const contradictions[][2] = {
		{ "wall", "off-cpu" },
		{ NULL },
	};
	struct choice choice = { .timeline = TIMELINE_OPTIONS_ALL };
	const struct option_set set = {
		.command = "export",
		.adds_up = true,
		.takes_input = true,
		.purpose = "Exports a recording to other tools.",
		.formats =
			"perfetto, firefox, chrome, csv, json, ndjson, sqlite,\n"
			"                         ctf (a folder: -o FOLDER), trace.dat;\n"
			"                         or a profile: pprof, speedscope, "
			"callgrind, gmon (a gmon.out; -o FILE\n"
			"                         also gets FILE.elf, for gprof "
			"FILE.elf FILE)",
		OWN_OPTIONS(own),
		.contradictions = contradictions,
		.ctx = &choice,
	};
	struct report_options options;
	int status = report_options_read(&options, &set, argc, argv) - 1;

	options.wants_lines = choice.wants_lines;
	if (status < 0)
		status = export_recording(&options, &choice);
	report_options_free(&options);
	return status;
}

const struct command export_command = {
	.name = "export",
	.summary = "export to other tools (perfetto, pprof, speedscope, "
		   "callgrind, sqlite, …)",
	.run = run_export,
};
