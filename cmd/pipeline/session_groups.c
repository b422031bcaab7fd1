/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/session_groups.h"

#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/task_names.h"

static int open_cgroups(struct session *session)
{
	int status = task_cgroups_open(session->recording, &console_log,
				       &session->cgroups);

	if (status == -ERROR_NOT_FOUND)
		log_message(&console_log, LOG_ERROR,
			    recording_path(session->recording), LOG_NO_OFFSET,
			    "--by=cgroup: the recording does not contain the "
			    "cgroups of tasks: it was not made by ktrace-hw "
			    "record, or without cgroups v2");
	else if (status < 0)
		log_message(&console_log, LOG_ERROR,
			    recording_path(session->recording), LOG_NO_OFFSET,
			    "%s", error_text(status));
	return status < 0 ? EXIT_FAILED : 0;
}

int session_open_groups(struct session *session,
			const struct report_options *options)
{
	const struct step_filter *choice = &session->choice;
	int status = 0;

	if (options->by == GROUP_BY_NOTHING)
		return 0;
	if (options->by == GROUP_BY_CHOICE && !step_filter_has_tasks(choice)) {
		say("--by=choice needs --comm, --pid or --tree");
		return EXIT_USAGE;
	}
	if (options->by == GROUP_BY_CGROUP)
		status = open_cgroups(session);
	if (status)
		return status;
	session->filter =
		(struct step_filter){ .names = choice->names,
				      .cpus = choice->cpus,
				      .cpu_count = choice->cpu_count };
	session->groups = task_groups_new(options->by, session->names,
					  session->cgroups, choice);
	return session->groups ? 0 : EXIT_FAILED;
}
