/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline.h"

#include "cmd/choice_check.h"
#include "cmd/command.h"
#include "cmd/cpu_pipeline.h"
#include "cmd/pager.h"
#include "cmd/progress.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_stacks.h"

#include <stdio.h>
#include <stdlib.h>

static int open_cpu(const struct session *session, size_t index,
		    struct cpu_pipeline *cpu, struct task_stacks *stacks,
		    struct event_merge *merge)
{
	int status = cpu_pipeline_open(cpu, session, index);

	if (status < 0)
		return status;
	status = task_stacks_add_cpu(stacks, cpu->cpu, cpu->pid, cpu->tid);
	return status < 0 ? status :
			    event_merge_add(merge, cpu_pipeline_next, cpu);
}

static bool must_wait(void *ctx, uint32_t index,
		      const struct function_event *event, uint32_t *where)
{
	return task_stacks_runs_elsewhere(ctx, index, function_event_tid(event),
					  where);
}

/* Recording -> flow -> function events -> steps -> sink, all CPUs merged. */
static int run_cpus(const struct session *session, struct cpu_pipeline *cpus,
		    struct task_stacks *stacks)
{
	const struct recording_info *info = recording_info(session->recording);
	bool has_times = recording_time(session->recording) ==
			 RECORDING_TIME_NANOSECONDS;
	struct progress progress = progress_of(
		info->first_time_ns, has_times ? info->last_time_ns : 0);
	struct event_merge *merge = event_merge_new(must_wait, stacks);
	const struct function_event *events;
	uint32_t index;
	int status = merge ? 0 : -ERROR_MEMORY;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = open_cpu(session, i, &cpus[i], stacks, merge);
	while (!status &&
	       (status = event_merge_next(merge, &index, &events)) > 0) {
		if (!pager_has_begun(session->pager))
			progress_at(&progress, events->time_ns);
		status = task_stacks_take(stacks, index, events,
					  (uint32_t)status);
	}
	if (!status)
		task_stacks_close(stacks);
	progress_end(&progress);
	event_merge_free(merge);
	return status;
}

int run_pipeline(const struct session *session, struct step_sink *sink,
		 struct task_stacks **stacks)
{
	size_t count = recording_stream_count(session->recording);
	struct cpu_pipeline *cpus = calloc(count + 1, sizeof(*cpus));
	struct choice_check check;
	int status = -ERROR_MEMORY;

	*stacks = NULL;
	if (!count) {
		fprintf(stderr,
			"ktrace-hw: %s: holds no hardware trace; make a "
			"recording that does with ktrace-hw record\n",
			recording_path(session->recording));
		free(cpus);
		return EXIT_FAILED;
	}
	*stacks = task_stacks_new(session->window,
				  choice_check_begin(&check, session, sink));
	if (*stacks && cpus)
		status = run_cpus(session, cpus, *stacks);
	for (size_t i = 0; cpus && i < count; i++)
		cpu_pipeline_close(&cpus[i]);
	free(cpus);
	if (status < 0) {
		fprintf(stderr, "ktrace-hw: %s: not decoded: %s\n",
			recording_path(session->recording),
			error_text(status));
		task_stacks_free(*stacks);
		*stacks = NULL;
	}
	return status < 0 ? EXIT_FAILED : choice_check_end(&check);
}
