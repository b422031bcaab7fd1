/* SPDX-License-Identifier: MIT */
#include "cmd/report/profile_choice.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/options/report_options.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "tables/processes/time_account.h"
#include "tables/text/recorded.h"

#include <stdlib.h>

/* Returns whether the beneficiaries of interrupt work are known. */
static bool knows_beneficiaries(const struct session *session,
				const struct known_events *events)
{
	return time_unit_of(session->recording)->is_time &&
	       time_accounts_follow(events);
}

/* Beneficiaries need both events (time_accounts_follow()). */
static int refuse_beneficiary(const struct profile_choice *choice,
			      const struct known_events *events)
{
	static const struct table_need needs[] = {
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_HRTIMER_EXPIRE },
		{ .columns = "beneficiaries of interrupt work",
		  .event = EVENT_WORK_BEGIN },
	};
	struct recorded recorded =
		recorded_of(choice->session->recording, events);
	char *text = recorded_missing_text(
		&recorded, &needs[recorded_has(&recorded, &needs[0])]);

	say("--bill: %s", text ? text : error_text(-ERROR_MEMORY));
	free(text);
	return EXIT_FAILED;
}

/* Chooses the process that interrupt work is charged to. */
static int choose_bill(struct profile_choice *choice, bool is_known,
		       const struct known_events *events)
{
	enum bill_choice bill = choice->options->bill;
	enum group_by by = choice->options->by;

	if (bill == BILL_BENEFICIARY && !is_known)
		return refuse_beneficiary(choice, events);
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

int profile_choose(struct profile_choice *choice, const struct session *session,
		   const struct known_events *events)
{
	const struct profile_renderer *renderer = choice->renderer;
	int status = EXIT_OK;

	choice->session = session;
	choice->by_process = choice->is_of_wall || renderer->by_process ||
			     session->groups ||
			     step_filter_has_tasks(&session->choice);
	if (renderer->needs_time)
		status = session_needs_time(session, "--format",
					    renderer->format);
	if (status || choice->is_of_wall)
		return status;
	return choose_bill(choice, knows_beneficiaries(session, events),
			   events);
}
