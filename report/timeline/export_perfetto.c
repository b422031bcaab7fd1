/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/timeline/perfetto_fields.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/perfetto_sched.h"
#include "report/timeline/perfetto_tracks.h"
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
	struct perfetto_tracks tracks;
	uint64_t slices;
	int status;
};

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
	perfetto_tracks_add(&perfetto->tracks, track, time_ns);
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
		perfetto_put_name(event, EVENT_NAME, name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)function + 1);
	if (was_named(perfetto, sequence, function))
		return;
	protobuf_start(&entry);
	protobuf_start(&interned);
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	perfetto_put_name(&entry, NAME_STRING, span_name(&perfetto->writer, function));
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
	perfetto_write(&perfetto->out, &packet, track, SEQUENCE_NEEDS_STATE);
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
	perfetto_write(&perfetto->out, &packet, track, SEQUENCE_NEEDS_STATE);
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
	status = status ? status : perfetto_tracks_end(&perfetto->tracks);
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
	perfetto->tracks = perfetto_tracks_of(&perfetto->out, context->names);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
};
