/* SPDX-License-Identifier: MIT */
#include "cmd/report/attribution_command.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/profile_table.h"
#include "cmd/report/render_failure.h"
#include "cmd/report/table_pass.h"
#include "cmd/report/untimed_overview.h"
#include "common/error.h"
#include "explain/explain.h"
#include "report/text/time_unit.h"
#include "tables/hits/hit_list.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <assert.h>
#include <stdio.h>

static void fill_choice(struct call_records_choice *choice,
			const struct attribution_output *output)
{
	choice->max_count = output->top;
	choice->format = output->format;
	choice->out = output->out;
}

static struct table_run run_of(const struct report_options *options,
			       const struct attribution_request *request,
			       enum record_format format, FILE *out)
{
	struct table_run run = {
		.request = request,
		.output = { .sort = request->sort,
			    .top = options->top,
			    .title = options->title,
			    .format = format,
			    .out = out },
		.profile = { .options = options,
			     .renderer = request->renderer,
			     .is_of_wall = request->renderer &&
					   request->table != &profile_table },
	};

	if (request->calls)
		fill_choice(request->calls, &run.output);
	return run;
}

/* The kernel's events have timestamps; they cannot be correlated with a trace
 * that has none. Profiles of executed code do not need them.
 */
static int pass_if_timed(const struct session *session, struct table_run *runs,
			 size_t count, bool has_heads)
{
	size_t timed = 0;
	char option[64];

	while (timed < count && runs[timed].request->table == &profile_table)
		timed++;
	if (timed == count || time_unit_of(session->recording)->is_time)
		return table_pass(session, runs, count, has_heads);
	if (count == 1 && runs->request->table == &processes_table &&
	    !session->groups && runs->output.format != RECORD_CSV)
		return untimed_overview(session, &runs->output);
	snprintf(option, sizeof(option), "--%s",
		 table_run_name(runs[timed].request));
	return session_needs_time(session, option, "");
}

/* Returns whether the triggers' hits are printed before the table. */
static bool begins_with_hits(const struct session *session,
			     const struct attribution_request *request,
			     enum record_format format)
{
	return request->after_hits && format == RECORD_TABLE &&
	       time_unit_of(session->recording)->is_time &&
	       hit_list_is_wanted(session->recording);
}

static int read_facts(const struct session *session, struct recorded *recorded)
{
	struct known_events *events = known_events_new(session->recording);

	if (!events)
		return render_failure(-ERROR_MEMORY, NULL);
	*recorded = recorded_of(session->recording, events);
	known_events_free(events);
	return EXIT_OK;
}

/* Returns whether the explanation is printed before the table. */
static bool begins_with_explanation(const struct session *session,
				    const struct attribution_request *request,
				    enum record_format format)
{
	struct recorded recorded;
	const struct table_need need = { .event = EVENT_HRTIMER_EXPIRE };

	return request->after_explanation && format == RECORD_TABLE &&
	       time_unit_of(session->recording)->is_time &&
	       time_window_is_all(session->window) && !session->groups &&
	       !read_facts(session, &recorded) &&
	       recorded_has(&recorded, &need);
}

static int refuse_format(const char *what, const char *format)
{
	say("--format: no %s format '%s'", what, format);
	return EXIT_USAGE;
}

/* Returns whether @options allow @request. Profiles have formats of their own,
 * represented by their renderers.
 */
static int check_request(const struct report_options *options,
			 const struct attribution_request *request)
{
	const char *name = table_run_name(request);
	enum record_format format;

	if (!request->renderer &&
	    (!record_format_find(options->format, &format) ||
	     (request->calls && format == RECORD_CSV)))
		return refuse_format(name, options->format);
	if (request->sort &&
	    !attribution_table_has_column(request->table, request->sort))
		return render_failure(-ERROR_NOT_FOUND, request->sort);
	if (options->by == GROUP_BY_NOTHING || request->table->has_groups)
		return EXIT_OK;
	say("--by cannot be combined with --%s", name);
	return EXIT_USAGE;
}

static int check_requests(const struct report_options *options,
			  const struct attribution_request *requests,
			  size_t count)
{
	int status = EXIT_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = check_request(options, &requests[i]);
	return status;
}

/* Adds the tables that are printed before that of @request to @runs. Returns
 * their number.
 */
static size_t add_first(const struct session *session,
			const struct report_options *options,
			const struct attribution_request *request,
			enum record_format format, struct table_run *runs)
{
	static const struct attribution_request hits = { .table = &hits_table,
							 .is_quiet = true };
	static const struct attribution_request explanation = {
		.table = &explain_table,
		.is_quiet = true,
	};
	size_t count = 0;

	if (begins_with_hits(session, request, format))
		runs[count++] = run_of(options, &hits, format, session->out);
	else if (begins_with_explanation(session, request, format))
		runs[count++] =
			run_of(options, &explanation, format, session->out);
	return count;
}

int run_attribution(const struct report_options *options,
		    const struct attribution_request *requests, size_t count)
{
	struct table_run runs[1 + MOST_TABLES];
	enum record_format format;
	struct session session;
	size_t first = 0;
	int status = check_requests(options, requests, count);

	assert(count > 0 && count <= MOST_TABLES);
	if (status)
		return status;
	record_format_find(options->format, &format);
	status = session_open(&session, options);
	if (!status && requests->recorded)
		status = read_facts(&session, requests->recorded);
	if (!status)
		first = add_first(&session, options, requests, format, runs);
	for (size_t i = 0; i < count; i++)
		runs[first + i] =
			run_of(options, &requests[i], format, session.out);
	if (!status)
		status = pass_if_timed(&session, runs, first + count,
				       !first && count > 1);
	return session_finish(&session, status);
}

int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count)
{
	struct table_run runs[MOST_TABLES];
	enum record_format format;
	struct session session;
	int status;

	assert(count > 0 && count <= MOST_TABLES);
	if (!record_format_find(options->format, &format))
		return EXIT_USAGE;
	for (size_t i = 0; i < count; i++)
		runs[i] = run_of(options, &requests[i], format, outs[i]);
	status = session_open_input(&session, options);
	if (!status)
		status = pass_if_timed(&session, runs, count, false);
	return session_finish(&session, status);
}
