/* SPDX-License-Identifier: MIT */
#include "report/timeline/span_tracks.h"

#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"

#include <stdio.h>

static const char *const lane_names[SPAN_TRACK_KINDS] = {
	[SPAN_CALLS] = "system calls",	      [SPAN_SLEEPS] = "sleeps",
	[SPAN_WORK] = "kernel work",	      [SPAN_CPU_TRACE] = "trace",
	[SPAN_CPU_INTERRUPTS] = "interrupts",
};

struct span_tracks span_tracks_of(struct span_writer *writer,
				  const struct task_names *names)
{
	struct span_tracks tracks = { .names = names, .writer = writer };

	for (int i = 0; i < SPAN_TRACK_KINDS; i++)
		tracks.lists[i] = ARRAY_OF(struct kept_track);
	return tracks;
}

void span_tracks_free(struct span_tracks *tracks)
{
	for (int i = 0; i < SPAN_TRACK_KINDS; i++)
		array_free(&tracks->lists[i]);
}

static void name_cpu(struct span_track *track)
{
	const char *what = track->lane ? track->lane : "";
	const char *space = *what ? " " : "";

	if (track->cpu == UINT32_MAX)
		snprintf(track->name, sizeof(track->name), "unknown CPU%s%s",
			 space, what);
	else
		snprintf(track->name, sizeof(track->name), "CPU %u%s%s",
			 track->cpu, space, what);
}

static void name_task(const struct span_tracks *tracks,
		      struct span_track *track, uint64_t time_ns)
{
	const struct task *task = track->task;

	if (task->tid > 0)
		snprintf(track->name, sizeof(track->name), "%s",
			 task_names_comm(tracks->names, task->tid, time_ns));
	else
		snprintf(track->name, sizeof(track->name), "%s/%d",
			 task->tid ? "unknown" : "swapper", task->cpu);
}

static void announce(struct span_tracks *tracks, struct kept_track *kept,
		     const struct span_track *like, uint64_t time_ns)
{
	kept->is_known = true;
	kept->track = *like;
	kept->track.number = ++tracks->count;
	kept->track.lane = lane_names[like->kind];
	if (like->task)
		name_task(tracks, &kept->track, time_ns);
	else
		name_cpu(&kept->track);
	tracks->writer->announce(tracks->writer, &kept->track, time_ns);
}

/* Returns a track that was already announced, or NULL. */
static struct kept_track *find_known(const struct span_tracks *tracks,
				     enum span_track_kind kind, size_t index)
{
	const struct array *list = &tracks->lists[kind];
	struct kept_track *kept;

	if (index >= list->count)
		return NULL;
	kept = array_at(list, index);
	return kept->is_known ? kept : NULL;
}

static struct kept_track *add(struct span_tracks *tracks, size_t index,
			      const struct span_track *like, uint64_t time_ns)
{
	struct kept_track *kept =
		array_reach(&tracks->lists[like->kind], index);

	if (kept)
		announce(tracks, kept, like, time_ns);
	else
		tracks->status = -ERROR_MEMORY;
	return kept;
}

/* A track beside a thread's functions has the functions' track as its parent.
 */
struct kept_track *span_tracks_task(struct span_tracks *tracks,
				    enum span_track_kind kind,
				    const struct task *task, uint64_t time_ns)
{
	struct kept_track *known = find_known(tracks, kind, task->index);
	struct span_track track = { .kind = kind, .task = task };
	const struct kept_track *parent;

	if (known)
		return known;
	if (kind != SPAN_TASK) {
		parent = span_tracks_task(tracks, SPAN_TASK, task, time_ns);
		track.parent = parent ? parent->track.number : 0;
	}
	return add(tracks, task->index, &track, time_ns);
}

struct kept_track *span_tracks_cpu(struct span_tracks *tracks,
				   enum span_track_kind kind, uint32_t cpu,
				   uint64_t time_ns)
{
	const struct span_track track = { .kind = kind, .cpu = cpu };
	struct kept_track *known = find_known(tracks, kind, cpu_slot(cpu));

	return known ? known : add(tracks, cpu_slot(cpu), &track, time_ns);
}
