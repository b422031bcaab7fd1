/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_tracks.h"

#include "common/error.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/span_export.h"

#include <string.h>

/* Numbers of processes' own tracks; threads' tracks are numbered from 1. */
#define PROCESS_TRACKS (UINT64_C(1) << 32)

struct perfetto_tracks perfetto_tracks_of(struct perfetto_out *out,
					  const struct task_names *names)
{
	return (struct perfetto_tracks){
		.out = out,
		.names = names,
		.processes = ARRAY_OF(int32_t),
	};
}

int perfetto_tracks_end(struct perfetto_tracks *tracks)
{
	array_free(&tracks->processes);
	return tracks->status;
}

void perfetto_write(struct perfetto_out *out, struct protobuf *packet,
		    const struct span_track *track, uint64_t flags)
{
	protobuf_number(packet, PACKET_SEQUENCE_ID, track->number);
	if (flags)
		protobuf_number(packet, PACKET_SEQUENCE_FLAGS, flags);
	perfetto_out_packet(out, packet);
}

void perfetto_put_name(struct protobuf *message, uint32_t field,
		       const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];

	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name,
				 strnlen(name, SPAN_NAME_BYTES)));
}

static void put_clock(struct protobuf *snapshot, uint64_t id, uint64_t time_ns)
{
	struct protobuf clock;

	protobuf_start(&clock);
	protobuf_number(&clock, CLOCK_ID, id);
	protobuf_number(&clock, CLOCK_TIMESTAMP, time_ns);
	if (id == CLOCK_ID_OWN)
		protobuf_number(&clock, CLOCK_IS_INCREMENTAL, 1);
	protobuf_message(snapshot, SNAPSHOT_CLOCKS, &clock);
}

/* Starts the sequence: times are relative to the previous packet, the first one
 * to @time_ns, and events are on @track.
 */
static void begin_sequence(struct perfetto_tracks *tracks,
			   const struct span_track *track, uint64_t time_ns)
{
	struct protobuf snapshot;
	struct protobuf event;
	struct protobuf defaults;
	struct protobuf packet;

	protobuf_start(&snapshot);
	protobuf_start(&event);
	protobuf_start(&defaults);
	protobuf_start(&packet);
	put_clock(&snapshot, CLOCK_ID_BOOTTIME, time_ns);
	put_clock(&snapshot, CLOCK_ID_OWN, time_ns);
	protobuf_message(&packet, PACKET_CLOCK_SNAPSHOT, &snapshot);
	protobuf_number(&event, EVENT_DEFAULTS_TRACK, track->number);
	protobuf_message(&defaults, DEFAULTS_TRACK_EVENT, &event);
	protobuf_number(&defaults, DEFAULTS_CLOCK_ID, CLOCK_ID_OWN);
	protobuf_message(&packet, PACKET_DEFAULTS, &defaults);
	perfetto_write(tracks->out, &packet, track, SEQUENCE_CLEARED);
}

static bool is_described(struct perfetto_tracks *tracks, int32_t pid)
{
	for (size_t i = 0; i < tracks->processes.count; i++)
		if (*(int32_t *)array_at(&tracks->processes, i) == pid)
			return true;
	if (array_append(&tracks->processes, &pid) < 0)
		tracks->status = -ERROR_MEMORY;
	return false;
}

static void describe_process(struct perfetto_tracks *tracks,
			     const struct span_track *track, int32_t pid)
{
	struct protobuf process;
	struct protobuf descriptor;
	struct protobuf packet;

	if (is_described(tracks, pid))
		return;
	protobuf_start(&process);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&process, PROCESS_PID, (uint64_t)pid);
	perfetto_put_name(&process, PROCESS_NAME,
			  task_names_last(tracks->names, pid));
	protobuf_number(&descriptor, TRACK_UUID,
			PROCESS_TRACKS + (uint64_t)pid);
	protobuf_message(&descriptor, TRACK_PROCESS, &process);
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	perfetto_write(tracks->out, &packet, track, 0);
}

static void describe_track(struct perfetto_tracks *tracks,
			   const struct span_track *track)
{
	const struct task *task = track->task;
	struct protobuf thread;
	struct protobuf descriptor;
	struct protobuf packet;

	protobuf_start(&thread);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&descriptor, TRACK_UUID, track->number);
	perfetto_put_name(&descriptor, TRACK_NAME,
			  track->parent ? track->lane : track->name);
	if (track->parent) {
		protobuf_number(&descriptor, TRACK_PARENT, track->parent);
	} else if (task && task->tid > 0) {
		int32_t pid = task->pid > 0 ? task->pid : task->tid;

		describe_process(tracks, track, pid);
		protobuf_number(&thread, THREAD_PID, (uint64_t)pid);
		protobuf_number(&thread, THREAD_TID, (uint64_t)task->tid);
		perfetto_put_name(&thread, THREAD_NAME, track->name);
		protobuf_message(&descriptor, TRACK_THREAD, &thread);
	}
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	perfetto_write(tracks->out, &packet, track, 0);
}

void perfetto_tracks_add(struct perfetto_tracks *tracks,
			 const struct span_track *track, uint64_t time_ns)
{
	begin_sequence(tracks, track, time_ns);
	describe_track(tracks, track);
}
