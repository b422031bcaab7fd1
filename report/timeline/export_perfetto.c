/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"
#include "report/timeline/perfetto_sched.h"
#include "report/timeline/perfetto_slices.h"
#include "report/timeline/perfetto_tracks.h"
#include "report/timeline/perfetto_wakeups.h"
#include "report/timeline/span_export.h"

#include <stdlib.h>

struct perfetto_writer {
	struct span_writer writer;
	struct timeline_context context;
	struct perfetto_out out;
	struct perfetto_sched sched;
	struct perfetto_wakeups wakeups;
	struct perfetto_slices slices;
	struct perfetto_tracks tracks;
};

static struct perfetto_writer *of_writer(struct span_writer *writer)
{
	return (struct perfetto_writer *)writer;
}

/* Running tasks are written as ftrace's task switches, not as spans. */
static bool is_written(const struct span_track *track)
{
	return track->kind != SPAN_CPU_TASKS;
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	struct perfetto_writer *perfetto = of_writer(writer);

	if (!is_written(track))
		return;
	perfetto_slices_add(&perfetto->slices, track, time_ns);
	perfetto_tracks_add(&perfetto->tracks, track, time_ns);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  const struct span *span)
{
	if (is_written(track))
		perfetto_slices_begin(&of_writer(writer)->slices, track, span);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	if (is_written(track))
		perfetto_slices_end(&of_writer(writer)->slices, track, time_ns);
}

static void mark(struct span_writer *writer, const struct span_track *track,
		 const struct span *span)
{
	perfetto_slices_mark(&of_writer(writer)->slices, track, span);
}

static void run(struct span_writer *writer, const struct call_step *step)
{
	perfetto_sched_take(&of_writer(writer)->sched, step);
}

static void waking(struct span_writer *writer, const struct lane_waking *event)
{
	perfetto_wakeups_take(&of_writer(writer)->wakeups, event);
}

static void blocked(struct span_writer *writer,
		    const struct lane_blocked *event)
{
	perfetto_wakeups_blocked(&of_writer(writer)->wakeups, event,
				 span_name(writer, event->function));
}

static int finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = of_writer(writer);
	int status;
	int next;

	perfetto_out_end(&perfetto->out);
	if (perfetto->context.summary)
		*perfetto->context.summary = (struct timeline_summary){
			.slices = perfetto->slices.count,
			.bytes = perfetto->out.bytes,
		};
	status = perfetto->out.status;
	next = perfetto_sched_end(&perfetto->sched);
	status = status ? status : next;
	next = perfetto_wakeups_end(&perfetto->wakeups);
	status = status ? status : next;
	next = perfetto_slices_free(&perfetto->slices);
	status = status ? status : next;
	next = perfetto_tracks_end(&perfetto->tracks);
	free(perfetto);
	return status ? status : next;
}

static struct step_callback *
open_perfetto(const struct timeline_context *context)
{
	struct perfetto_writer *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.mark = mark,
		.run = run,
		.waking = waking,
		.blocked = blocked,
		.finish = finish,
	};
	perfetto->context = *context;
	perfetto->out = perfetto_out_of(context->out);
	perfetto->sched = perfetto_sched_of(&perfetto->out, context->names);
	perfetto->wakeups = perfetto_wakeups_of(&perfetto->out, context->names);
	perfetto->slices =
		perfetto_slices_of(&perfetto->out, &perfetto->writer);
	perfetto->tracks = perfetto_tracks_of(&perfetto->out, context->names);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
	.lanes = span_export_lanes,
};
