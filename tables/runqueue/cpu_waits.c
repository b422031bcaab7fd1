/* SPDX-License-Identifier: MIT */
#include "tables/runqueue/cpu_waits.h"

#include "common/error.h"
#include "report/steps/call_step.h"

struct cpu_waits cpu_waits_of(take_cpu_wait *take, void *ctx)
{
	return (struct cpu_waits){
		.threads = ARRAY_OF(struct cpu_wait_state),
		.take = take,
		.ctx = ctx,
	};
}

void cpu_waits_free(struct cpu_waits *waits)
{
	array_free(&waits->threads);
}

static int end_wait(struct cpu_waits *waits, struct cpu_wait_state *state,
		    int32_t cpu)
{
	if (!state->is_waiting)
		return 0;
	state->is_waiting = false;
	state->wait.cpu = cpu;
	return waits->take(waits->ctx, &state->wait);
}

static void begin_wait(struct cpu_wait_state *state,
		       const struct time_span *span)
{
	state->is_waiting = true;
	state->wait = (struct cpu_wait){
		.task = span->task,
		.begin_ns = span->begin_ns,
		.was_running = state->has_run,
	};
}

int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span)
{
	struct cpu_wait_state *state =
		array_reach(&waits->threads, span->task->index);

	if (!state)
		return -ERROR_MEMORY;
	if (span->time_class != TIME_RUNNABLE) {
		state->has_run = span->time_class < TIME_RUNNABLE;
		return end_wait(waits, state, span->cpu);
	}
	if (!state->is_waiting)
		begin_wait(state, span);
	state->wait.end_ns = span->end_ns;
	if (span->is_behind_recorder)
		state->wait.recorder_ns += span->end_ns - span->begin_ns;
	state->wait.cpu = span->cpu;
	return 0;
}

int cpu_waits_end(struct cpu_waits *waits)
{
	int status = 0;

	for (size_t i = 0; i < waits->threads.count && !status; i++) {
		struct cpu_wait_state *state = array_at(&waits->threads, i);

		status = end_wait(waits, state, state->wait.cpu);
	}
	return status;
}
