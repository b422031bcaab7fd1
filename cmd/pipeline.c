/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline.h"

#include "cmd/command.h"
#include "cmd/console_log.h"
#include "cmd/pager.h"
#include "cmd/progress.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "report/steps/event_merge.h"
#include "report/steps/first_task.h"
#include "symbolize/function_events.h"

#include <stdio.h>
#include <stdlib.h>

/* The stages of one CPU. */
struct lane {
	struct flow_source *source;
	struct function_events *events;
};

static int open_lane(const struct session *session, size_t index,
		     struct lane *lane, struct task_stacks *stacks,
		     struct event_merge *merge)
{
	const struct aux_stream *stream =
		recording_stream(session->recording, index);
	const struct flow_input input = {
		.recording = session->recording,
		.stream = stream,
		.image = session->image,
		.log = &console_log,
	};
	int32_t pid;
	int32_t tid;
	int status = flow_source_open(&input, &lane->source);

	if (!status)
		status = first_task(session->recording, stream, &pid, &tid);
	if (status < 0)
		return status;
	lane->events = function_events_new(lane->source, session->symbols, pid,
					   tid);
	if (!lane->events ||
	    task_stacks_add_cpu(stacks, stream->cpu, pid, tid) < 0)
		return -ERROR_MEMORY;
	return event_merge_add(merge, lane->events);
}

static bool must_wait(void *ctx, uint32_t index,
		      const struct function_event *event, uint32_t *where)
{
	return task_stacks_runs_elsewhere(ctx, index, function_event_tid(event),
					  where);
}

/* Recording -> flow -> function events -> steps -> sink, all CPUs merged. */
static int run_lanes(const struct session *session, struct lane *lanes,
		     struct task_stacks *stacks)
{
	const struct recording_info *info = recording_info(session->recording);
	bool has_times = recording_time(session->recording) ==
			 RECORDING_TIME_NANOSECONDS;
	struct progress progress = progress_of(
		info->first_time_ns, has_times ? info->last_time_ns : 0);
	struct event_merge *merge = event_merge_new(must_wait, stacks);
	const struct function_event *event;
	uint32_t index;
	int status = merge ? 0 : -ERROR_MEMORY;

	for (size_t i = 0;
	     !status && i < recording_stream_count(session->recording); i++)
		status = open_lane(session, i, &lanes[i], stacks, merge);
	while (!status && (status = event_merge_next(merge, &index, &event)) > 0) {
		status = task_stacks_take(stacks, index, event);
		if (!pager_has_begun(session->pager))
			progress_at(&progress, event->time_ns);
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
	struct lane *lanes = calloc(count + 1, sizeof(*lanes));
	int status = -ERROR_MEMORY;

	*stacks = NULL;
	if (!count) {
		fprintf(stderr,
			"ktrace-hw: %s: holds no hardware trace; make a "
			"recording that does with ktrace-hw record\n",
			recording_path(session->recording));
		free(lanes);
		return EXIT_FAILED;
	}
	*stacks = task_stacks_new(session->window, sink);
	if (*stacks && lanes)
		status = run_lanes(session, lanes, *stacks);
	for (size_t i = 0; lanes && i < count; i++) {
		function_events_free(lanes[i].events);
		flow_source_close(lanes[i].source);
	}
	free(lanes);
	if (status < 0) {
		fprintf(stderr, "ktrace-hw: %s: not decoded: %s\n",
			recording_path(session->recording),
			error_text(status));
		task_stacks_free(*stacks);
		*stacks = NULL;
	}
	return status < 0 ? EXIT_FAILED : 0;
}
