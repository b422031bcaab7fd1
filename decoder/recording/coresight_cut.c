/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_cut.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/coresight_frame.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/sideband.h"

#include <stdio.h>

/* State while one buffer is cut. */
struct cutter {
	const struct recording *recording;
	const struct array *units; /* the recording's */
	const struct aux_stream *buffer;
	struct array *parts; /* struct coresight_part */
	size_t first_part;   /* of the buffer's */
	/* end of the consumed bytes of the buffer */
	uint64_t taken;
	/* in frames: source of the next bytes */
	uint8_t id;
	/* the unit was restarted before its next part */
	bool is_anew[CORESIGHT_ID_COUNT];
	bool is_unknown[CORESIGHT_ID_COUNT];
};

static const struct coresight_unit *unit_at(const struct cutter *cutter,
					    size_t index)
{
	return array_at(cutter->units, index);
}

static int add_part(struct cutter *cutter, const struct aux_piece *piece,
		    const struct aux_span *span, size_t unit)
{
	const struct aux_stream *buffer = cutter->buffer;
	struct coresight_part *part = array_add(cutter->parts);

	if (!part)
		return -ERROR_MEMORY;
	part->piece = *piece;
	part->piece.unit = (uint32_t)unit;
	part->cpu = buffer->cpu < 0 ? -1 : unit_at(cutter, unit)->cpu;
	part->tid = buffer->cpu < 0 ? buffer->tid : -1;
	part->time_ns = span->time_ns;
	part->order = cutter->parts->count;
	part->cut = buffer->cut;
	return 0;
}

/* Logs sources that are not CPUs: an STM's, or IDs due to damage. */
static void note_unknown(const struct cutter *cutter)
{
	enum { SHOWN = 8 };
	char text[SHOWN * sizeof(" 0x6f")] = "";
	size_t length = 0;
	size_t count = 0;

	for (size_t id = CORESIGHT_FIRST_ID; id <= CORESIGHT_LAST_ID; id++)
		if (cutter->is_unknown[id] && count++ < SHOWN)
			length += (size_t)snprintf(text + length,
						   sizeof(text) - length,
						   " %#zx", id);
	if (count)
		log_message(recording_log(cutter->recording), LOG_NOTE,
			    recording_data_path(cutter->recording),
			    cutter->buffer->pieces->file_offset,
			    "trace of %zu sources that are no CPU's is left "
			    "out: ids%s%s",
			    count, text, count > SHOWN ? " …" : "");
}

/* Returns the index of the unit, or the number of units if not found. */
static size_t find_unit(const struct cutter *cutter, uint32_t id)
{
	size_t i = 0;

	while (i < cutter->units->count && unit_at(cutter, i)->trace_id != id)
		i++;
	return i;
}

static void begin_anew(struct cutter *cutter)
{
	cutter->id = 0;
	for (size_t id = 0; id < CORESIGHT_ID_COUNT; id++)
		cutter->is_anew[id] = true;
}

/* Adds a part for each unit with bytes in the frames of @piece. */
static int add_frames(struct cutter *cutter, struct aux_piece piece,
		      const struct aux_span *span)
{
	bool has_bytes[CORESIGHT_ID_COUNT] = { false };
	int error = 0;

	piece.first_id = cutter->id;
	coresight_frame_find_ids(piece.bytes, piece.size_bytes, &cutter->id,
				 has_bytes);
	for (size_t id = 1; id < CORESIGHT_ID_COUNT && !error; id++) {
		size_t unit = find_unit(cutter, (uint32_t)id);

		if (!has_bytes[id])
			continue;
		piece.begins_anew = cutter->is_anew[id];
		cutter->is_anew[id] = false;
		if (unit == cutter->units->count)
			cutter->is_unknown[id] = true;
		else
			error = add_part(cutter, &piece, span, unit);
	}
	return error;
}

/* Marks a loss after the last part of each unit: a sink's loss may affect all
 * units that share it, whichever wrote last.
 */
static void lose(struct cutter *cutter, uint64_t flags)
{
	bool is_done[CORESIGHT_ID_COUNT] = { false };

	for (size_t i = cutter->parts->count; i-- > cutter->first_part;) {
		struct coresight_part *part = array_at(cutter->parts, i);
		uint32_t id = unit_at(cutter, part->piece.unit)->trace_id &
			      CORESIGHT_ID_MASK;

		if (is_done[id])
			continue;
		is_done[id] = true;
		part->is_lost = true;
		part->flags |= flags;
		if (part->tid >= 0)
			return;
	}
}

/* Returns the number of bytes before the next barrier. */
static size_t find_barrier(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (size - at >= CORESIGHT_FRAME_SIZE &&
	       !coresight_frame_is_barrier(bytes + at))
		at += CORESIGHT_FRAME_SIZE;
	return size - at < CORESIGHT_FRAME_SIZE ? size : at;
}

static void skip_bytes(struct aux_piece *piece, size_t count)
{
	piece->offset += count;
	piece->file_offset += count;
	piece->bytes += count;
	piece->size_bytes -= count;
}

static int add_formatted(struct cutter *cutter, struct aux_piece piece,
			 const struct aux_span *span)
{
	int error = 0;

	if (piece.begins_anew)
		begin_anew(cutter);
	while (piece.size_bytes && !error) {
		struct aux_piece part = piece;

		part.size_bytes = find_barrier(piece.bytes, piece.size_bytes);
		error = add_frames(cutter, part, span);
		skip_bytes(&piece, part.size_bytes);
		if (!piece.size_bytes)
			break;
		skip_bytes(&piece, CORESIGHT_FRAME_SIZE);
		if (part.size_bytes)
			lose(cutter, 0);
		begin_anew(cutter);
	}
	return error;
}

/* Trace without frames belongs to the CPU of the sink. */
static int add_raw(struct cutter *cutter, const struct aux_piece *piece,
		   const struct aux_span *span)
{
	int32_t cpu = cutter->buffer->cpu < 0 ? span->cpu : cutter->buffer->cpu;

	for (size_t i = 0; i < cutter->units->count; i++)
		if (unit_at(cutter, i)->cpu == cpu)
			return add_part(cutter, piece, span, i);
	log_message(recording_log(cutter->recording), LOG_WARNING,
		    recording_data_path(cutter->recording), piece->file_offset,
		    "trace of CPU %d is left out: the recording does not say "
		    "how it was made (AUXTRACE_INFO)",
		    cpu);
	return 0;
}

static void note_losses(struct cutter *cutter, uint64_t end)
{
	const struct aux_stream *buffer = cutter->buffer;

	for (size_t i = 0; i < buffer->loss_count; i++)
		if (buffer->losses[i].offset == end)
			lose(cutter, buffer->losses[i].flags);
}

/* A sink counts as full when only a few bytes are left, which are skipped: the
 * loss is recorded after these.
 */
static void note_losses_behind(struct cutter *cutter)
{
	const struct aux_stream *buffer = cutter->buffer;

	for (size_t i = 0; i < buffer->loss_count; i++)
		if (buffer->losses[i].offset > cutter->taken)
			lose(cutter, buffer->losses[i].flags);
}

/* Adds the overlap of @whole and @span. */
static int add_common(struct cutter *cutter, const struct aux_piece *whole,
		      const struct aux_span *span)
{
	uint64_t end = whole->offset + whole->size_bytes;
	uint64_t first = span->offset > whole->offset ? span->offset :
							whole->offset;
	bool is_raw = (span->flags & SIDEBAND_AUX_FORMAT) ==
		      SIDEBAND_AUX_FORMAT_CORESIGHT_RAW;

	if (span->size_bytes < end - span->offset)
		end = span->offset + span->size_bytes;
	/* Bytes that several records cover are added once. */
	if (first < cutter->taken)
		first = cutter->taken;
	if (first >= end)
		return 0;
	cutter->taken = end;

	struct aux_piece piece = {
		.offset = first,
		.size_bytes = end - first,
		.file_offset = whole->file_offset + (first - whole->offset),
		.bytes = whole->bytes + (first - whole->offset),
		.is_formatted = !is_raw,
		.begins_anew = first == span->offset,
	};

	int error = is_raw ? add_raw(cutter, &piece, span) :
			     add_formatted(cutter, piece, span);

	if (!error)
		note_losses(cutter, end);
	return error;
}

static bool overlap(const struct aux_piece *piece, const struct aux_span *span)
{
	return span->offset < piece->offset + piece->size_bytes &&
	       (piece->offset <= span->offset ||
		piece->offset - span->offset < span->size_bytes);
}

/* For snapshots, and recordings without AUX records: each slice is a span. */
static struct aux_span whole_span(const struct aux_stream *buffer,
				  const struct aux_piece *piece)
{
	return (struct aux_span){
		.offset = piece->offset,
		.size_bytes = piece->size_bytes,
		.cpu = buffer->cpu,
	};
}

/* Both are ordered: returns the first of @spans, from @from on, that does not
 * end before @piece.
 */
static size_t skip_spans(const struct array *spans, size_t from,
			 const struct aux_piece *piece)
{
	for (; from < spans->count; from++) {
		const struct aux_span *span = array_at(spans, from);

		if (span->offset + span->size_bytes > piece->offset)
			break;
	}
	return from;
}

static int cut_piece(struct cutter *cutter, const struct aux_piece *piece,
		     const struct array *spans, size_t first)
{
	int error = 0;

	for (size_t i = first; i < spans->count && !error; i++) {
		const struct aux_span *span = array_at(spans, i);

		if (span->size_bytes && !overlap(piece, span))
			break;
		if (span->size_bytes)
			error = add_common(cutter, piece, span);
	}
	return error;
}

/* A CPU with an empty AUX record still gets a stream. */
static int add_nothing(struct cutter *cutter)
{
	const struct aux_piece nothing = { 0 };
	const struct aux_span span = { .cpu = cutter->buffer->cpu };

	return add_raw(cutter, &nothing, &span);
}

int coresight_cut(const struct recording *recording,
		  const struct aux_stream *buffer, const struct array *spans,
		  struct array *parts)
{
	struct cutter cutter = {
		.recording = recording,
		.units = recording_coresight_units(recording),
		.buffer = buffer,
		.parts = parts,
		.first_part = parts->count,
	};
	size_t first = 0;
	int error = 0;

	if (!buffer->piece_count && buffer->cpu >= 0)
		return add_nothing(&cutter);
	for (size_t i = 0; i < buffer->piece_count && !error; i++) {
		const struct aux_piece *piece = &buffer->pieces[i];
		const struct aux_span whole = whole_span(buffer, piece);

		first = skip_spans(spans, first, piece);
		error = spans->count ? cut_piece(&cutter, piece, spans, first) :
				       add_common(&cutter, piece, &whole);
	}
	note_losses_behind(&cutter);
	note_unknown(&cutter);
	return error;
}
