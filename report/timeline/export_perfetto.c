/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/perfetto_sched.h"
#include "report/timeline/span_export.h"
#include "symbolize/function_table.h"

#include <stdlib.h>

/* A track is a sequence of packets of its own, so that what all of them would
 * say, which track it is and when the one before was, is said once.
 */
struct sequence {
	uint64_t last_ns;
	struct array named;	/* bool by function: its name was written */
};

struct perfetto_writer {
	struct span_writer writer;
	struct timeline_context context;
	struct perfetto_out out;
	struct perfetto_sched sched;
	struct array sequences;	/* struct sequence by track number */
	struct array processes;	/* int32_t: described already */
	uint64_t slices;
	int status;
};

/* A process's own track; threads have numbers from 1. */
#define PROCESS_TRACKS (UINT64_C(1) << 32)

static struct sequence *sequence_of(struct perfetto_writer *perfetto,
				    const struct span_track *track)
{
	struct sequence *sequence =
		array_reach(&perfetto->sequences, track->number);

	if (!sequence)
		perfetto->status = -ERROR_MEMORY;
	else if (!sequence->named.item_size)
		sequence->named = ARRAY_OF(bool);
	return sequence;
}

static void write_packet(struct perfetto_writer *perfetto,
			 struct protobuf *packet,
			 const struct span_track *track, uint64_t flags)
{
	protobuf_number(packet, PACKET_SEQUENCE_ID, track->number);
	if (flags)
		protobuf_number(packet, PACKET_SEQUENCE_FLAGS, flags);
	perfetto_out_packet(&perfetto->out, packet);
}

/* Names must be UTF-8. */
static void put_name(struct protobuf *message, uint32_t field,
		     const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];

	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name,
				 strnlen(name, SPAN_NAME_BYTES)));
}

static void put_clock(struct protobuf *snapshot, uint64_t id,
		      uint64_t time_ns)
{
	struct protobuf clock;

	protobuf_start(&clock);
	protobuf_number(&clock, CLOCK_ID, id);
	protobuf_number(&clock, CLOCK_TIMESTAMP, time_ns);
	if (id == CLOCK_ID_OWN)
		protobuf_number(&clock, CLOCK_IS_INCREMENTAL, 1);
	protobuf_message(snapshot, SNAPSHOT_CLOCKS, &clock);
}

/* From @time_ns on, times are written as what has passed since the packet
 * before, and events are on @track.
 */
static void begin_sequence(struct perfetto_writer *perfetto,
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
	write_packet(perfetto, &packet, track, SEQUENCE_CLEARED);
}

static bool is_described(struct perfetto_writer *perfetto, int32_t pid)
{
	int32_t *added;

	for (size_t i = 0; i < perfetto->processes.count; i++)
		if (*(int32_t *)array_at(&perfetto->processes, i) == pid)
			return true;
	added = array_add(&perfetto->processes);
	if (added)
		*added = pid;
	else
		perfetto->status = -ERROR_MEMORY;
	return false;
}

static void describe_process(struct perfetto_writer *perfetto,
			     const struct span_track *track, int32_t pid)
{
	struct protobuf process;
	struct protobuf descriptor;
	struct protobuf packet;

	if (is_described(perfetto, pid))
		return;
	protobuf_start(&process);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&process, PROCESS_PID, (uint64_t)pid);
	put_name(&process, PROCESS_NAME,
		 task_names_last(perfetto->context.names, pid));
	protobuf_number(&descriptor, TRACK_UUID,
			PROCESS_TRACKS + (uint64_t)pid);
	protobuf_message(&descriptor, TRACK_PROCESS, &process);
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	write_packet(perfetto, &packet, track, 0);
}

static void describe_track(struct perfetto_writer *perfetto,
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
	put_name(&descriptor, TRACK_NAME, track->name);
	if (task && task->tid > 0) {
		int32_t pid = task->pid > 0 ? task->pid : task->tid;

		describe_process(perfetto, track, pid);
		protobuf_number(&thread, THREAD_PID, (uint64_t)pid);
		protobuf_number(&thread, THREAD_TID, (uint64_t)task->tid);
		put_name(&thread, THREAD_NAME, track->name);
		protobuf_message(&descriptor, TRACK_THREAD, &thread);
	}
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	write_packet(perfetto, &packet, track, 0);
}

/* Who runs on a CPU is told by task switches, as ftrace has them. */
static bool is_written(const struct span_track *track)
{
	return track->kind != SPAN_CPU_TASKS;
}

static void announce(struct span_writer *writer, const struct span_track *track,
		     uint64_t time_ns)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct sequence *sequence = sequence_of(perfetto, track);

	if (!sequence || !is_written(track))
		return;
	sequence->last_ns = time_ns;
	begin_sequence(perfetto, track, time_ns);
	describe_track(perfetto, track);
}

/* Returns whether @function's name is known to the reader of the sequence,
 * noting that it will be.
 */
static bool was_named(struct perfetto_writer *perfetto,
		      struct sequence *sequence, uint32_t function)
{
	bool *items = sequence->named.items;
	bool *named = function < sequence->named.count ?
			      items + function :
			      array_reach(&sequence->named, function);
	bool before;

	if (!named) {
		perfetto->status = -ERROR_MEMORY;
		return false;
	}
	before = *named;
	*named = true;
	return before;
}

/* A function's name is written once and then referred to by its number. */
static void add_name(struct perfetto_writer *perfetto,
		     struct sequence *sequence, struct protobuf *packet,
		     struct protobuf *event, uint32_t function,
		     const char *name)
{
	struct protobuf entry;
	struct protobuf interned;

	if (name) {
		put_name(event, EVENT_NAME, name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)function + 1);
	if (was_named(perfetto, sequence, function))
		return;
	protobuf_start(&entry);
	protobuf_start(&interned);
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	put_name(&entry, NAME_STRING, span_name(&perfetto->writer, function));
	protobuf_message(&interned, INTERNED_NAMES, &entry);
	protobuf_message(packet, PACKET_INTERNED_DATA, &interned);
}

static void put_time(struct sequence *sequence, struct protobuf *packet,
		     uint64_t time_ns)
{
	protobuf_number(packet, PACKET_TIMESTAMP, time_ns - sequence->last_ns);
	sequence->last_ns = time_ns;
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  uint64_t time_ns, uint32_t function, const char *name,
		  const char *category)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct sequence *sequence = sequence_of(perfetto, track);
	struct protobuf event;
	struct protobuf packet;

	(void)category;
	if (!sequence || !is_written(track))
		return;
	protobuf_start(&event);
	protobuf_start(&packet);
	put_time(sequence, &packet, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_BEGIN);
	add_name(perfetto, sequence, &packet, &event, function, name);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(perfetto, &packet, track, SEQUENCE_NEEDS_STATE);
	perfetto->slices++;
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct sequence *sequence = sequence_of(perfetto, track);
	struct protobuf event;
	struct protobuf packet;

	if (!sequence || !is_written(track))
		return;
	protobuf_start(&event);
	protobuf_start(&packet);
	put_time(sequence, &packet, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_END);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(perfetto, &packet, track, SEQUENCE_NEEDS_STATE);
}

static void run(struct span_writer *writer, const struct call_step *step)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;

	perfetto_sched_take(&perfetto->sched, step);
}

static int finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	int status = perfetto_sched_end(&perfetto->sched);

	perfetto_out_end(&perfetto->out);
	if (perfetto->context.summary)
		*perfetto->context.summary = (struct timeline_summary){
			.slices = perfetto->slices,
			.bytes = perfetto->out.bytes,
		};
	for (size_t i = 0; i < perfetto->sequences.count; i++) {
		struct sequence *sequence = array_at(&perfetto->sequences, i);

		array_free(&sequence->named);
	}
	array_free(&perfetto->sequences);
	array_free(&perfetto->processes);
	status = status ? status : perfetto->status;
	status = status ? status : perfetto->out.status;
	free(perfetto);
	return status;
}

static struct step_sink *open_perfetto(const struct timeline_context *context)
{
	struct perfetto_writer *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.run = run,
		.finish = finish,
	};
	perfetto->context = *context;
	perfetto->out = perfetto_out_of(context->out);
	perfetto->sched = perfetto_sched_of(&perfetto->out, context->names);
	perfetto->sequences = ARRAY_OF(struct sequence);
	perfetto->processes = ARRAY_OF(int32_t);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
};
