/* SPDX-License-Identifier: MIT */
#include "attribution/lanes/wakings.h"

#include "attribution/events/known_events.h"
#include "attribution/table.h"
#include "common/error.h"
#include "common/number_map.h"
#include "decoder/recording/sideband.h"
#include "report/steps/step_filter.h"
#include "report/text/task_names.h"
#include "report/timeline/lane_callback.h"

#include <stdbool.h>

/* Thread ids are smaller. */
#define IDLE_TASKS (UINT64_C(1) << 32)

/* struct trace_entry of the kernel begins with the type, 2 bytes, and flags. */
enum { ENTRY_FLAGS = 2, ENTRY_BYTES = 8 };

int wakings_open(struct wakings *wakings, const struct lanes_options *options,
		 struct lane_callback *callback)
{
	*wakings = (struct wakings){
		.options = *options,
		.callback = callback,
		.seen = ARRAY_OF(bool),
		.tasks = number_map_new(),
		.last = number_map_new(),
		.all = ARRAY_OF(struct waking),
	};
	return wakings->tasks && wakings->last ? 0 : -ERROR_MEMORY;
}

void wakings_free(struct wakings *wakings)
{
	array_free(&wakings->seen);
	array_free(&wakings->all);
	number_map_free(wakings->tasks);
	number_map_free(wakings->last);
}

static uint64_t key_of(int32_t tid, uint32_t cpu)
{
	return tid ? (uint64_t)(uint32_t)tid : IDLE_TASKS + cpu;
}

static void learn(struct wakings *wakings, const struct task *task)
{
	bool *seen = array_reach(&wakings->seen, task->index);
	uint64_t *known = number_map_add(
		wakings->tasks, key_of(task->tid, (uint32_t)task->cpu));

	if (!seen || !known) {
		wakings->status = -ERROR_MEMORY;
		return;
	}
	*seen = true;
	*known = (uint64_t)(uintptr_t)task;
}

void wakings_step(struct wakings *wakings, const struct call_step *step)
{
	const struct task *task = step->task;
	const bool *seen = wakings->seen.items;

	if (task->index >= wakings->seen.count || !seen[task->index])
		learn(wakings, task);
}

static const struct task *waker_of(const struct wakings *wakings,
				   const struct event_record *event)
{
	const uint64_t *known = number_map_find(
		wakings->tasks, key_of(event->tid, (uint32_t)event->cpu));

	return known ? (const struct task *)(uintptr_t)*known : NULL;
}

static void remember(struct wakings *wakings, const struct event_record *event)
{
	uint64_t *place = number_map_add(wakings->last,
					 (uint32_t)event->values[WAKING_TID]);
	struct waking *waking = NULL;

	if (place && *place)
		waking = array_at(&wakings->all, *place - 1);
	else if (place)
		waking = array_add(&wakings->all);
	if (!waking) {
		wakings->status = -ERROR_MEMORY;
		return;
	}
	if (!*place)
		*place = wakings->all.count;
	*waking = (struct waking){
		.time_ns = event->time_ns,
		.waker = waker_of(wakings, event),
	};
}

static bool wants_thread(const struct attribution_input *input, int32_t tid)
{
	const struct task task = {
		.tid = tid,
		.pid = task_names_process(input->names, tid),
	};

	return step_filter_task(input->filter, &task);
}

/* A wake-up is about two threads, either of which may be asked for. */
static bool is_wanted(const struct wakings *wakings,
		      const struct event_record *event)
{
	const struct attribution_input *input = wakings->options.input;

	return time_window_has(input->window, event->time_ns) &&
	       step_filter_cpu(input->filter, (uint32_t)event->cpu) &&
	       (wants_thread(input, event->tid) ||
		wants_thread(input, (int32_t)event->values[WAKING_TID]));
}

static uint32_t flags_of(const struct event_record *event)
{
	const struct sideband_record *record = event->sideband;

	return record && record->kind == SIDEBAND_SAMPLE &&
			       record->sample.raw_size >= ENTRY_BYTES ?
		       record->sample.raw[ENTRY_FLAGS] :
		       0;
}

void wakings_event(struct wakings *wakings, const struct event_record *event)
{
	const struct lane_waking waking = {
		.time_ns = event->time_ns,
		.cpu = (uint32_t)event->cpu,
		.waker_tid = event->tid,
		.tid = (int32_t)event->values[WAKING_TID],
		.flags = flags_of(event),
		.is_new = event->event == EVENT_SCHED_WAKEUP_NEW,
	};

	if (event->event != EVENT_SCHED_WAKING && !waking.is_new)
		return;
	remember(wakings, event);
	if (is_wanted(wakings, event))
		wakings->callback->waking(wakings->callback, &waking);
}

const struct waking *wakings_last(const struct wakings *wakings, int32_t tid)
{
	const uint64_t *place = number_map_find(wakings->last, (uint32_t)tid);

	return place ? array_at(&wakings->all, *place - 1) : NULL;
}
