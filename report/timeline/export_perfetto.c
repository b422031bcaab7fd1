/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/timeline/perfetto_out.h"
#include "report/timeline/perfetto_tracks_internal.h"
#include "report/timeline/span_export.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Writes spans as TrackEvents. Each track is a packet sequence of its own, so
 * that values common to its packets, such as the track and the previous time,
 * are written once.
 */
struct perfetto_slices {
	struct perfetto_out *out;	  /* borrowed */
	const struct span_writer *writer; /* borrowed; resolves names */
	struct array sequences;		  /* struct sequence by track number */
	uint64_t count;			  /* of slices */
	int status;			  /* 0, or -ERROR_MEMORY */
};

struct sequence {
	uint64_t last_ns;
	struct array named; /* bool by number: the name is written */
	/* bits by enum span_note_name: the note's name is written */
	uint32_t notes;
	struct perfetto_tail tail;
};

static struct perfetto_slices
perfetto_slices_of(struct perfetto_out *out, const struct span_writer *writer)
{
	return (struct perfetto_slices){
		.out = out,
		.writer = writer,
		.sequences = ARRAY_OF(struct sequence),
	};
}

/* Frees all.  Returns the status. */
static int perfetto_slices_free(struct perfetto_slices *slices)
{
	for (size_t i = 0; i < slices->sequences.count; i++) {
		struct sequence *sequence = array_at(&slices->sequences, i);

		array_free(&sequence->named);
	}
	array_free(&slices->sequences);
	return slices->status;
}

/* Returns the track's sequence; NULL if memory had run out when it was added.
 */
static struct sequence *sequence_of(const struct perfetto_slices *slices,
				    const struct span_track *track)
{
	struct sequence *sequences = slices->sequences.items;

	return track->number < slices->sequences.count &&
			       sequences[track->number].tail.size ?
		       sequences + track->number :
		       NULL;
}

/* Starts a track's sequence, with a clock set to @time_ns. */
static void perfetto_slices_add(struct perfetto_slices *slices,
				const struct span_track *track,
				uint64_t time_ns)
{
	struct sequence *sequence =
		array_reach(&slices->sequences, track->number);

	if (sequence)
		*sequence = (struct sequence){
			.last_ns = time_ns,
			.named = ARRAY_OF(bool),
			.tail = perfetto_tail_of(track->number),
		};
	else
		slices->status = -ERROR_MEMORY;
}

/* Returns whether name @number is already defined in the sequence. */
static bool is_named(const struct sequence *sequence, uint32_t number)
{
	const bool *named = sequence->named.items;

	return number < sequence->named.count && named[number];
}

static void set_named(struct perfetto_slices *slices, struct sequence *sequence,
		      uint32_t number)
{
	bool *named = array_reach(&sequence->named, number);

	if (named)
		*named = true;
	else
		slices->status = -ERROR_MEMORY;
}

static void intern(struct protobuf *interned, uint32_t field, uint64_t iid,
		   const char *name)
{
	struct protobuf entry;

	protobuf_start(&entry);
	protobuf_number(&entry, NAME_IID, iid);
	perfetto_put_name(&entry, NAME_STRING, name);
	protobuf_message(interned, field, &entry);
}

/* Writes the name of @span: in full once per sequence, then as its number. */
static void put_name(struct perfetto_slices *slices, struct sequence *sequence,
		     struct protobuf *event, struct protobuf *interned,
		     const struct span *span)
{
	if (span->number == SPAN_NUMBER_NONE) {
		perfetto_put_name(event, EVENT_NAME, span->name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)span->number + 1);
	if (is_named(sequence, span->number))
		return;
	set_named(slices, sequence, span->number);
	intern(interned, INTERNED_NAMES, (uint64_t)span->number + 1,
	       span->name ? span->name :
			    span_name(slices->writer, span->number));
}

static void put_note(struct sequence *sequence, struct protobuf *event,
		     struct protobuf *interned, const struct span_note *note)
{
	uint64_t iid = (uint64_t)note->name + 1;
	struct protobuf annotation;

	protobuf_start(&annotation);
	protobuf_number(&annotation, ANNOTATION_NAME_IID, iid);
	if (note->text)
		perfetto_put_name(&annotation, ANNOTATION_STRING, note->text);
	else
		protobuf_number(&annotation, ANNOTATION_UINT, note->number);
	protobuf_message(event, EVENT_ANNOTATIONS, &annotation);
	if (sequence->notes & 1u << note->name)
		return;
	sequence->notes |= 1u << note->name;
	intern(interned, INTERNED_ANNOTATIONS, iid, span_note_text(note->name));
}

/* Writes a time relative to the previous packet; a time before that packet in
 * the trace's own clock instead.
 */
static void put_time(struct sequence *sequence, struct protobuf *packet,
		     uint64_t time_ns)
{
	if (time_ns >= sequence->last_ns) {
		protobuf_number(packet, PACKET_TIMESTAMP,
				time_ns - sequence->last_ns);
		sequence->last_ns = time_ns;
		return;
	}
	protobuf_number(packet, PACKET_TIMESTAMP, time_ns);
	protobuf_number(packet, PACKET_CLOCK_ID, CLOCK_ID_BOOTTIME);
}

/* Writes an event with a span. */
static void put_event(struct perfetto_slices *slices, struct sequence *sequence,
		      const struct span_track *track, const struct span *span,
		      enum event_type type)
{
	struct protobuf event;
	struct protobuf interned;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&interned);
	protobuf_start(&packet);
	put_time(sequence, &packet, span->time_ns);
	protobuf_number(&event, EVENT_TYPE, type);
	put_name(slices, sequence, &event, &interned, span);
	for (size_t i = 0; i < span->note_count; i++)
		put_note(sequence, &event, &interned, &span->notes[i]);
	if (span->flow)
		protobuf_fixed64(&event,
				 type == EVENT_INSTANT ? EVENT_FLOWS :
							 EVENT_LAST_FLOWS,
				 span->flow);
	if (interned.size)
		protobuf_message(&packet, PACKET_INTERNED_DATA, &interned);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	perfetto_write(slices->out, &packet, track, SEQUENCE_NEEDS_STATE);
}

/* Writes an end that is earlier than the previous packet. */
static void put_early_end(struct perfetto_slices *slices,
			  struct sequence *sequence,
			  const struct span_track *track, uint64_t time_ns)
{
	struct protobuf event;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&packet);
	put_time(sequence, &packet, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_END);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	perfetto_write(slices->out, &packet, track, SEQUENCE_NEEDS_STATE);
}

/* Writes an event by the fast path of perfetto_out.h. @time_ns must not be
 * before the sequence's last time.
 */
static void put_plain(struct perfetto_slices *slices, struct sequence *sequence,
		      uint64_t time_ns, enum event_type type, uint64_t name)
{
	uint8_t *at = perfetto_out_room(slices->out, PERFETTO_EVENT_MOST);

	if (!at)
		return;
	perfetto_out_took(slices->out,
			  perfetto_event_write(at, time_ns - sequence->last_ns,
					       type, name, &sequence->tail));
	sequence->last_ns = time_ns;
}

static bool is_plain(const struct sequence *sequence, const struct span *span)
{
	return span->time_ns >= sequence->last_ns && !span->note_count &&
	       !span->flow && is_named(sequence, span->number);
}

static void perfetto_slices_begin(struct perfetto_slices *slices,
				  const struct span_track *track,
				  const struct span *span)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	if (is_plain(sequence, span))
		put_plain(slices, sequence, span->time_ns, EVENT_BEGIN,
			  (uint64_t)span->number + 1);
	else
		put_event(slices, sequence, track, span, EVENT_BEGIN);
	slices->count++;
}

static void perfetto_slices_mark(struct perfetto_slices *slices,
				 const struct span_track *track,
				 const struct span *span)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	put_event(slices, sequence, track, span, EVENT_INSTANT);
	slices->count++;
}

static void perfetto_slices_end(struct perfetto_slices *slices,
				const struct span_track *track,
				uint64_t time_ns)
{
	struct sequence *sequence = sequence_of(slices, track);

	if (!sequence)
		return;
	if (time_ns >= sequence->last_ns)
		put_plain(slices, sequence, time_ns, EVENT_END, 0);
	else
		put_early_end(slices, sequence, track, time_ns);
}

struct perfetto_writer {
	struct span_writer writer;
	struct timeline_context context;
	struct perfetto_out out;
	struct perfetto_wakeups wakeups;
	struct perfetto_slices slices;
	struct perfetto_tracks tracks;
	struct perfetto_counters counters;
};

static struct perfetto_writer *of_writer(struct span_writer *writer)
{
	return (struct perfetto_writer *)writer;
}

/* Returns whether spans of @track are written: running tasks are ftrace's task
 * switches instead.
 */
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

static void switched(struct span_writer *writer,
		     const struct span_switch *event)
{
	struct perfetto_writer *perfetto = of_writer(writer);

	perfetto_sched_switch(&perfetto->out, perfetto->context.names, event);
}

static void waking(struct span_writer *writer, const struct track_waking *event)
{
	perfetto_wakeups_consume(&of_writer(writer)->wakeups, event);
}

static void blocked(struct span_writer *writer,
		    const struct track_blocked *event)
{
	perfetto_wakeups_blocked(&of_writer(writer)->wakeups, event,
				 span_name(writer, event->function));
}

static void count(struct span_writer *writer, const struct track_count *value)
{
	perfetto_counters_consume(&of_writer(writer)->counters, value);
}

static int finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = of_writer(writer);
	int status;
	int next;

	perfetto_write_processes(&perfetto->out, perfetto->context.names);
	perfetto_out_end(&perfetto->out);
	if (perfetto->context.summary)
		*perfetto->context.summary = (struct timeline_summary){
			.slices = perfetto->slices.count,
			.bytes = perfetto->out.bytes,
		};
	status = perfetto->out.status;
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
		.switched = switched,
		.waking = waking,
		.blocked = blocked,
		.count = count,
		.finish = finish,
	};
	perfetto->context = *context;
	perfetto->out =
		perfetto_out_of(context->out, context->may_start_thread);
	perfetto->wakeups = perfetto_wakeups_of(&perfetto->out, context->names);
	perfetto->slices =
		perfetto_slices_of(&perfetto->out, &perfetto->writer);
	perfetto->counters.out = &perfetto->out;
	perfetto->tracks = perfetto_tracks_of(&perfetto->out, context->names);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
	.side_tracks = span_export_side_tracks,
};
