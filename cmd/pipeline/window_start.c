/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/window_start.h"

#include "cmd/console/console_log.h"
#include "cmd/pipeline/cpu_pipeline.h"
#include "cmd/pipeline/session.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/stream_checkpoint.h"
#include "report/steps/call_step.h"

/* Bytes of trace to decode before the window, so that calls made there are
 * known to be open in it.
 */
#define RUN_UP ((uint64_t)2 << 20)
/* If fewer bytes could be skipped, decode all: exactness costs little more. */
#define SKIPPED_LEAST ((uint64_t)4 << 20)

static bool may_begin_late(const struct session *session,
			   const struct step_callback *callback)
{
	const struct recording *recording = session->recording;

	return session->window.since_ns && callback->is_done &&
	       !session->decodes_all && session->engine == ENGINE_GRAPH &&
	       !recording_is_gated(recording) &&
	       recording_time(recording) == RECORDING_TIME_NANOSECONDS;
}

/* Returns 1 with *@place for stream @index, 0 to decode from its start, or a
 * negative enum error.
 */
static int find_stream(const struct session *session, size_t index,
		       struct cpu_pipeline *cpu,
		       struct stream_checkpoint *place, uint64_t *at_ns)
{
	const struct flow_input input = {
		.recording = session->recording,
		.stream = recording_stream(session->recording, index),
		.image = session->image,
		.log = &console_log,
	};
	struct task_id task = { .pid = cpu->pid, .tid = cpu->tid };
	uint64_t least = session->uses_points ? 0 : SKIPPED_LEAST;
	int status = stream_start_find(&input, session->window.since_ns, RUN_UP,
				       place, &task, at_ns);

	if (status <= 0 || place->state.position < least) {
		*place = (struct stream_checkpoint){ 0 };
		return status < 0 ? status : 0;
	}
	cpu->pid = task.pid;
	cpu->tid = task.tid;
	return 1;
}

static void say(const struct session *session, uint64_t first_ns)
{
	log_message(
		&console_log, LOG_NOTE, recording_path(session->recording),
		LOG_NO_OFFSET,
		"decoded from %.3f ms before the window, not from its start: "
		"the functions open at that time are inferred; run report "
		"without --since once to determine them",
		(double)(session->window.since_ns - first_ns) / 1e6);
}

int window_start_find(const struct session *session,
		      const struct step_callback *callback,
		      struct cpu_pipeline *cpus,
		      struct stream_checkpoint *places)
{
	size_t count = recording_stream_count(session->recording);
	uint64_t first_ns = session->window.since_ns;
	bool has_found = false;

	if (!may_begin_late(session, callback))
		return 0;
	for (size_t i = 0; i < count; i++) {
		uint64_t at_ns;
		int status =
			find_stream(session, i, &cpus[i], &places[i], &at_ns);

		if (status < 0)
			return status;
		if (!status)
			continue;
		has_found = true;
		if (at_ns < first_ns)
			first_ns = at_ns;
	}
	if (has_found)
		say(session, first_ns);
	return has_found;
}
