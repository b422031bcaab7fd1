/* SPDX-License-Identifier: MIT */
#include "decoder/code/process_view.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/code/process_maps.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

/* A switch that was applied. */
struct past_switch {
	uint64_t time_ns;
	int32_t pid;
	int32_t pid_before;
};

enum { PAST_SWITCHES = 4096 };

struct process_view {
	struct process_maps *maps;
	struct switch_feed *switches;
	struct array current; /* struct process_map */
	int32_t pid;	      /* -1: unknown */
	uint64_t loaded_ns;   /* the time of @current */
	uint64_t next_map_ns;
	/* ring buffer of the last switches applied */
	struct past_switch past[PAST_SWITCHES];
	/* number of all switches applied */
	size_t past_count;
	size_t undone; /* number of the last of them that were reverted */
};

/* Returns the process that runs before the first switch: of the task that the
 * kernel reported when tracing started, or that the first switch takes off the
 * CPU.
 */
static int32_t first_process(const struct recording *recording,
			     const struct aux_stream *stream)
{
	struct sideband *sideband =
		sideband_open_stream(recording,
				     SIDEBAND_BIT(SIDEBAND_ITRACE_START) |
					     SIDEBAND_BIT(SIDEBAND_SWITCH),
				     stream);
	struct sideband_record record;
	int32_t pid = -1;

	while (sideband && sideband_next(sideband, &record) == 1) {
		if (stream->cpu >= 0 ? record.cpu != stream->cpu :
				       record.tid != stream->tid)
			continue;
		if (record.kind == SIDEBAND_SWITCH && !record.change.out)
			break;
		pid = record.pid;
		break;
	}
	sideband_close(sideband);
	return pid;
}

static struct past_switch *past_at(struct process_view *view, size_t index)
{
	return &view->past[index % PAST_SWITCHES];
}

static uint64_t next_switch_ns(const struct process_view *view)
{
	const struct flow_item *item = switch_feed_peek(view->switches);

	if (view->undone)
		return view
			->past[(view->past_count - view->undone) % PAST_SWITCHES]
			.time_ns;

	return item ? item->time_ns : UINT64_MAX;
}

static int load_maps(struct process_view *view, uint64_t time_ns)
{
	view->current.count = 0;
	view->loaded_ns = time_ns;
	view->next_map_ns =
		process_maps_at(view->maps, view->pid, time_ns, &view->current);
	return view->next_map_ns ? 0 : -ERROR_MEMORY;
}

struct process_view *process_view_new(const struct recording *recording,
				      const struct aux_stream *stream)
{
	struct process_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->current = ARRAY_OF(struct process_map);
	view->maps = process_maps_new(recording);
	view->switches = switch_feed_new(recording, stream);
	view->pid = first_process(recording, stream);
	if (!view->maps || !view->switches || load_maps(view, 0) < 0) {
		process_view_free(view);
		return NULL;
	}
	return view;
}

void process_view_free(struct process_view *view)
{
	if (!view)
		return;
	process_maps_free(view->maps);
	switch_feed_free(view->switches);
	array_free(&view->current);
	free(view);
}

uint64_t process_view_next_change_ns(const struct process_view *view)
{
	uint64_t switch_ns = next_switch_ns(view);

	return switch_ns < view->next_map_ns ? switch_ns : view->next_map_ns;
}

/* Returns whether there is a switch up to @time_ns. UINT64_MAX means all
 * switches, but as the time of a switch it means none.
 */
static bool has_switch_by(const struct process_view *view, uint64_t time_ns)
{
	uint64_t switch_ns = next_switch_ns(view);

	return switch_ns <= time_ns && switch_ns != UINT64_MAX;
}

static int pass_switch(struct process_view *view)
{
	const struct flow_item *item = switch_feed_peek(view->switches);
	struct past_switch *past;

	if (view->undone) {
		view->pid =
			past_at(view, view->past_count - view->undone--)->pid;
		return 0;
	}
	past = past_at(view, view->past_count++);
	past->time_ns = item->time_ns;
	past->pid_before = view->pid;
	if (flow_switch_pid(item) >= 0)
		view->pid = flow_switch_pid(item);
	past->pid = view->pid;
	return switch_feed_advance(view->switches);
}

/* After a switch to an unknown task no user code runs here, so the previous
 * mappings may stay.
 */
int process_view_advance(struct process_view *view, uint64_t time_ns)
{
	int32_t before = view->pid;

	while (has_switch_by(view, time_ns))
		if (pass_switch(view) < 0)
			return -ERROR_MEMORY;
	if (view->pid == before && time_ns >= view->loaded_ns &&
	    time_ns < view->next_map_ns)
		return 0;
	return load_maps(view, time_ns);
}

int process_view_go_back(struct process_view *view, uint64_t time_ns)
{
	size_t kept = view->past_count < PAST_SWITCHES ? view->past_count :
							 PAST_SWITCHES;

	while (view->undone < kept) {
		const struct past_switch *last =
			past_at(view, view->past_count - view->undone - 1);

		if (last->time_ns <= time_ns)
			break;
		view->pid = last->pid_before;
		view->undone++;
	}
	if (view->undone == kept && kept < view->past_count)
		return 0;
	return load_maps(view, time_ns) < 0 ? -ERROR_MEMORY : 1;
}

int process_view_go_to_end(struct process_view *view)
{
	return load_maps(view, UINT64_MAX);
}

int process_view_set_process(struct process_view *view, int32_t pid,
			     uint64_t time_ns)
{
	view->pid = pid;
	return load_maps(view, time_ns);
}

int32_t process_view_pid(const struct process_view *view)
{
	return view->pid;
}

const struct array *process_view_maps(const struct process_view *view)
{
	return &view->current;
}
