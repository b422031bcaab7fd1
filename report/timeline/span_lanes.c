/* SPDX-License-Identifier: MIT */
#include "report/timeline/span_lanes.h"

#include "report/timeline/span_tracks.h"

const char *span_note_text(uint8_t name)
{
	static const char *const texts[SPAN_NOTES] = {
		[NOTE_ARGUMENTS] = "arguments",
		[NOTE_RESULT] = "result",
		[NOTE_END] = "end",
		[NOTE_INNER] = "inner",
		[NOTE_WAKER] = "waker",
		[NOTE_IS_CUT] = "is_cut",
		[NOTE_WOKEN] = "woken",
		[NOTE_WOKEN_TID] = "woken_tid",
		[NOTE_KIND] = "kind",
		[NOTE_IRQ] = "irq",
		[NOTE_ON_PID] = "on_pid",
		[NOTE_ON_TID] = "on_tid",
		[NOTE_LOST_BYTES] = "lost_bytes",
		[NOTE_OFFSET] = "offset",
	};

	return texts[name];
}

static struct span_tracks *tracks_of(struct lane_callback *callback)
{
	return ((struct span_lanes *)callback)->tracks;
}

/* Returns the track of @lane; NULL when out of memory. */
static const struct span_track *
track_of(struct span_tracks *tracks, const struct lane *lane, uint64_t time_ns)
{
	const struct kept_track *kept =
		lane->task ?
			span_tracks_task(tracks, lane->kind, lane->task,
					 time_ns) :
			span_tracks_cpu(tracks, lane->kind, lane->cpu, time_ns);

	return kept ? &kept->track : NULL;
}

static void begin(struct lane_callback *callback, const struct lane *lane,
		  const struct span *span)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track = track_of(tracks, lane, span->time_ns);

	if (track)
		tracks->writer->begin(tracks->writer, track, span);
}

static void end(struct lane_callback *callback, const struct lane *lane,
		uint64_t time_ns)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track = track_of(tracks, lane, time_ns);

	if (track)
		tracks->writer->end(tracks->writer, track, time_ns);
}

static void mark(struct lane_callback *callback, const struct lane *lane,
		 const struct span *span)
{
	struct span_tracks *tracks = tracks_of(callback);
	const struct span_track *track;

	if (!tracks->writer->mark)
		return;
	track = track_of(tracks, lane, span->time_ns);
	if (track)
		tracks->writer->mark(tracks->writer, track, span);
}

static void waking(struct lane_callback *callback,
		   const struct lane_waking *event)
{
	struct span_writer *writer = tracks_of(callback)->writer;

	if (writer->waking)
		writer->waking(writer, event);
}

static void blocked(struct lane_callback *callback,
		    const struct lane_blocked *event)
{
	struct span_writer *writer = tracks_of(callback)->writer;

	if (writer->blocked)
		writer->blocked(writer, event);
}

struct span_lanes span_lanes_of(struct span_tracks *tracks)
{
	return (struct span_lanes){
		.callback = { begin, end, mark, waking, blocked },
		.tracks = tracks,
	};
}
