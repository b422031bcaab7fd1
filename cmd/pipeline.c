/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline.h"

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

/* Decoding goes on to the window's end, if to no earlier one. */
static struct progress progress_of_window(const struct session *session)
{
	const struct recording_info *info = recording_info(session->recording);
	uint64_t last_ns = info->last_time_ns;

	if (recording_time(session->recording) != RECORDING_TIME_NANOSECONDS)
		last_ns = 0;
	else if (last_ns > session->window.until_ns)
		last_ns = session->window.until_ns;
	return progress_of(info->first_time_ns, last_ns);
}

/* Whether what comes behind an event of @time_ns would change nothing. */
static bool is_done(const struct session *session,
		    const struct step_sink *sink,
		    const struct event_merge *merge, uint64_t time_ns)
{
	if (!sink->is_done || session->decodes_all)
		return false;
	return sink->is_done(sink, time_ns < session->window.until_ns ?
					   0 :
					   event_merge_time(merge));
}

/* Sends all that @merge has through @stacks to @sink. */
static int take_all(const struct session *session, struct step_sink *sink,
		    struct task_stacks *stacks, struct event_merge *merge)
{
	struct progress progress = progress_of_window(session);
	const struct function_event *events;
	uint32_t index;
	int count;
	int status = 0;

	while ((count = event_merge_next(merge, &index, &events)) > 0) {
		if (!pager_has_begun(session->pager))
			progress_at(&progress, events->time_ns);
		status = task_stacks_take(stacks, index, events,
					  (uint32_t)count);
		if (status < 0)
			break;
		if (is_done(session, sink, merge, events[count - 1].time_ns)) {
			task_stacks_stop(stacks);
			break;
		}
	}
	progress_end(&progress);
	return status < 0 ? status : count < 0 ? count : 0;
}

/* Recording -> flow -> function events -> steps -> sink, all CPUs merged. */
static int run_cpus(const struct session *session, struct cpu_pipeline *cpus,
		    struct step_sink *sink, struct task_stacks *stacks)
{
	struct event_merge *merge = event_merge_new(must_wait, stacks);
	int status = merge ? 0 : -ERROR_MEMORY;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = open_cpu(session, i, &cpus[i], stacks, merge);
	if (!status)
		status = take_all(session, sink, stacks, merge);
	if (!status)
		task_stacks_close(stacks);
	event_merge_free(merge);
	return status;
}

int run_pipeline(const struct session *session, struct step_sink *sink,
		 struct task_stacks **stacks)
{
	size_t count = recording_stream_count(session->recording);
	struct cpu_pipeline *cpus = calloc(count + 1, sizeof(*cpus));
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
	*stacks = task_stacks_new(session->window, sink);
	if (*stacks && cpus)
		status = run_cpus(session, cpus, sink, *stacks);
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
	return status < 0 ? EXIT_FAILED : 0;
}
