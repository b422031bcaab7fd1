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

void cpu_wait_free(struct cpu_wait *wait)
{
	array_free(&wait->recorder);
	array_free(&wait->throttled);
}

void cpu_waits_free(struct cpu_waits *waits)
{
	struct cpu_wait_state *threads = waits->threads.items;

	for (size_t i = 0; i < waits->threads.count; i++)
		cpu_wait_free(&threads[i].wait);
	array_free(&waits->threads);
}

static struct time_window cut(struct time_window time,
			      struct time_window window)
{
	return (struct time_window){
		time_window_clip(window, time.since_ns),
		time_window_clip(window, time.until_ns),
	};
}

/* Returns the length of the intervals @parts in @window. */
static uint64_t sum_in(const struct array *parts, struct time_window window)
{
	const struct time_window *items = parts->items;
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < parts->count; i++) {
		const struct time_window part = cut(items[i], window);

		sum_ns += part.until_ns - part.since_ns;
	}
	return sum_ns;
}

bool cpu_wait_cut(struct cpu_wait *wait, struct time_window window)
{
	const struct time_window all = cut(
		(struct time_window){ wait->begin_ns, wait->end_ns }, window);

	wait->begin_ns = all.since_ns;
	wait->end_ns = all.until_ns;
	wait->recorder_ns = sum_in(&wait->recorder, window);
	wait->throttled_ns = sum_in(&wait->throttled, window);
	return wait->begin_ns < wait->end_ns;
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
	struct array recorder = state->wait.recorder;
	struct array throttled = state->wait.throttled;

	recorder.count = 0;
	throttled.count = 0;
	state->is_waiting = true;
	state->wait = (struct cpu_wait){
		.task = span->task,
		.begin_ns = span->begin_ns,
		.was_running = state->has_run,
		.recorder = recorder,
		.throttled = throttled,
	};
}

/* Adds @span to @parts, which have *@sum_ns in all. */
static int add_part(struct array *parts, uint64_t *sum_ns,
		    const struct time_span *span)
{
	if (array_append(parts, &(struct time_window){ span->begin_ns,
						       span->end_ns }) < 0)
		return -ERROR_MEMORY;
	*sum_ns += span->end_ns - span->begin_ns;
	return 0;
}

int cpu_waits_span(struct cpu_waits *waits, const struct time_span *span)
{
	struct cpu_wait_state *state = array_reach_like(
		&waits->threads, span->task->index,
		&(struct cpu_wait_state){
			.wait = { .recorder = ARRAY_OF(struct time_window),
				  .throttled = ARRAY_OF(struct time_window) } });

	if (!state)
		return -ERROR_MEMORY;
	if (span->time_class != TIME_RUNNABLE) {
		state->has_run = span->time_class < TIME_RUNNABLE;
		return end_wait(waits, state, span->cpu);
	}
	if (!state->is_waiting)
		begin_wait(state, span);
	state->wait.end_ns = span->end_ns;
	state->wait.cpu = span->cpu;
	if (span->is_throttled)
		return add_part(&state->wait.throttled,
				&state->wait.throttled_ns, span);
	return span->is_behind_recorder ?
		       add_part(&state->wait.recorder, &state->wait.recorder_ns,
				span) :
		       0;
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
