/* SPDX-License-Identifier: MIT */
#include "tables/lanes/wakings.h"

#include "attribution/events/known_events.h"
#include "decoder/recording/sideband.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "tables/table.h"

#include <stdbool.h>

/* The kernel's struct trace_entry starts with the type, 2 bytes, and flags. */
enum { ENTRY_FLAGS = 2, ENTRY_BYTES = 8 };

static bool wants_thread(const struct attribution_input *input, int32_t tid)
{
	const struct task task = {
		.tid = tid,
		.pid = task_names_process(input->names, tid),
	};

	return step_filter_task(input->filter, &task);
}

/* A wake-up has two threads; the filter may select either. */
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

void wakings_event(const struct wakings *wakings,
		   const struct event_record *event)
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
	if (is_wanted(wakings, event))
		wakings->callback->waking(wakings->callback, &waking);
}
