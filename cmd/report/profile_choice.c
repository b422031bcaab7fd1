/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_choice_internal.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/session.h"
#include "common/closest_word.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/regular_file.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "rows/column.h"
#include "tables/processes/time_account.h"
#include "tables/profile/profile_table.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sort_refuse(const char *sort, const struct column *columns)
{
	struct closest_word closest = closest_word_to(sort);
	char similar[CLOSEST_WORD_TEXT];
	char text[COLUMN_NAMES_BYTES];
	const char *names = columns_names(columns, text);

	closest_word_offer_list(&closest, names);
	say("--sort: no column '%s' here%s%s%s", sort,
	    closest_word_text(&closest, "", similar),
	    columns ? "; there are " : "", names);
	return EXIT_USAGE;
}

int render_failure(int status, const char *sort, const struct column *columns)
{
	if (status == -ERROR_NOT_FOUND)
		return sort_refuse(sort, columns);
	say("%s", error_text(status));
	return EXIT_FAILED;
}

/* Returns whether the beneficiaries of interrupt work are known. */
static bool knows_beneficiaries(const struct session *session,
				const struct known_events *events)
{
	return time_unit_of(session->recording)->is_time &&
	       time_accounts_follow(events);
}

/* Reports which event is missing. Beneficiaries need both
 * (time_accounts_follow()).
 */
static int refuse_beneficiary(const struct session *session,
			      const struct known_events *events)
{
	static const struct table_need needs[] = {
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_WORK_BEGIN },
	};
	struct recorded recorded = recorded_of(session->recording, events);
	char *text = recorded_missing_text(
		&recorded, &needs[recorded_has(&recorded, &needs[0])]);

	say("--bill: %s", text ? text : error_text(-ERROR_MEMORY));
	free(text);
	return EXIT_FAILED;
}

/* Chooses whether interrupt work is charged to its beneficiaries. */
static int choose_bill(struct profile_choice *choice,
		       const struct report_options *options,
		       const struct session *session,
		       const struct known_events *events)
{
	bool is_known = knows_beneficiaries(session, events);
	enum bill_choice bill = options->bill;
	enum group_by by = options->by;

	if (bill == BILL_BENEFICIARY && !is_known)
		return refuse_beneficiary(session, events);
	/* Beneficiaries of interrupt work are processes. */
	if (by == GROUP_BY_THREAD && bill == BILL_BENEFICIARY) {
		say("--bill=beneficiary cannot be combined with --by=thread: "
		    "interrupt work is charged to processes");
		return EXIT_USAGE;
	}
	if (by == GROUP_BY_THREAD)
		bill = BILL_VICTIM;
	if (bill == BILL_BENEFICIARY)
		choice->by_process = true;
	/* A sum over all processes is the same for any beneficiary. */
	choice->by_beneficiary = bill != BILL_VICTIM && choice->by_process &&
				 is_known;
	return EXIT_OK;
}

/* Renders @report to @out. Returns an exit code, after a message on standard
 * error if it failed.
 */
static int render_to(const struct profile_report *report,
		     render_profile *render, FILE *out)
{
	int status = render(report, out);

	return status ? render_failure(status, report->sort, flat_columns) :
			EXIT_OK;
}

static int render_file(const struct profile_report *report,
		       render_profile *render, const char *path,
		       const char *suffix)
{
	char name[PATH_MAX];
	struct output_file *file;
	int status;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	file = output_file_open(name);
	if (!file) {
		say("%s: cannot be written: %s", name,
		    regular_file_error(errno));
		return EXIT_FAILED;
	}
	status = render_to(report, render, output_file_stream(file));
	if (!output_file_close(file, !status) && !status) {
		say("%s: not written: %s", name, strerror(errno));
		status = EXIT_FAILED;
	}
	return status;
}

/* Writes the file name for the group @label to @name, which has @size bytes.
 * Different groups get different names.
 */
static void name_file(char *name, size_t size, const char *path,
		      const char *label)
{
	size_t used = (size_t)snprintf(name, size, "%s.", path);

	for (; *label && used + 4 < size; label++) {
		unsigned char byte = (unsigned char)*label;

		if (byte == '/')
			name[used++] = ',';
		else if (isalnum(byte) || strchr("._+@:-", byte))
			name[used++] = (char)byte;
		else
			used += (size_t)snprintf(name + used, size - used,
						 "%%%02X", byte);
		name[used] = '\0';
	}
}

static int render_group(const struct profile_report *report,
			const struct profile_renderer *renderer,
			const char *path, uint32_t root)
{
	struct group_label label =
		tree_label(report, call_tree_pid(report->tree, root));
	struct call_tree *tree = call_tree_part(report->tree, root);
	struct profile_report part = *report;
	char name[PATH_MAX];
	int status;

	if (!tree) {
		say("%s", error_text(-ERROR_MEMORY));
		return EXIT_FAILED;
	}
	part.tree = tree;
	part.groups = NULL;
	part.by_process = false;
	name_file(name, sizeof(name), path, label.text);
	status = render_file(&part, renderer->render, name, "");
	if (!status)
		status = render_file(&part, renderer->render_second, name,
				     ".elf");
	call_tree_free(tree);
	return status;
}

/* Writes @renderer's files beside the file @path: its second file and, if
 * @report has groups, both files of each group, named <path>.<group>. In a
 * group's name "/" becomes "," and other characters unusual in file names
 * become %XX.
 *
 * Returns like render_to().
 */
static int render_beside(const struct profile_report *report,
			 const struct profile_renderer *renderer,
			 const char *path)
{
	uint32_t root = call_tree_first_root(report->tree);
	int status = render_file(report, renderer->render_second, path, ".elf");

	for (; report->groups && !status && root != CALL_NODE_NONE;
	     root = call_tree_next_sibling(report->tree, root))
		status = render_group(report, renderer, path, root);
	return status;
}

int profile_choose(struct profile_choice *choice,
		   const struct report_options *options,
		   const struct session *session,
		   const struct known_events *events)
{
	const struct profile_renderer *renderer = choice->renderer;
	int status = EXIT_OK;

	choice->lines = session->lines;
	choice->colors = session->colors;
	choice->only_tracer = options->only_tracer;
	choice->with_tracer = options->with_tracer;
	choice->with_idle = options->with_idle;
	choice->notes = options->capture || !notes_are_shown() ? NULL : stderr;
	choice->render_beside = render_beside;
	choice->output = options->output;
	choice->by_process = choice->is_of_wall || renderer->by_process ||
			     session->groups ||
			     step_filter_has_tasks(&session->choice);
	if (renderer->needs_time)
		status = session_needs_time(session, "--format",
					    renderer->format);
	if (status || choice->is_of_wall)
		return status;
	return choose_bill(choice, options, session, events);
}
