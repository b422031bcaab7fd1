/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_cut.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/coresight_frame.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/sideband.h"

#include <stdio.h>

/* One buffer, being cut up. */
struct cutter {
	const struct recording *recording;
	const struct aux_stream *buffer;
	struct array *parts;	/* struct coresight_part */
	bool is_unknown[CORESIGHT_ID_COUNT];
};

static const struct coresight_unit *
unit_at(const struct recording *recording, size_t index)
{
	return array_at(&recording->coresight_units, index);
}

static int add_part(struct cutter *cutter, const struct aux_piece *piece,
		    const struct aux_span *span, size_t unit)
{
	const struct aux_stream *buffer = cutter->buffer;
	struct coresight_part *part = array_add(cutter->parts);
	uint64_t end = piece->offset + piece->size_bytes;

	if (!part)
		return -ERROR_MEMORY;
	part->piece = *piece;
	part->piece.unit = (uint32_t)unit;
	part->cpu = buffer->cpu < 0 ? -1 :
				      unit_at(cutter->recording, unit)->cpu;
	part->tid = buffer->cpu < 0 ? buffer->tid : -1;
	part->time_ns = span->time_ns;
	part->order = cutter->parts->count;
	part->cut = buffer->cut;
	for (size_t i = 0; i < buffer->loss_count; i++)
		if (buffer->losses[i].offset == end) {
			part->is_lost = true;
			part->flags |= buffer->losses[i].flags;
		}
	return 0;
}

/* Says which sources are no CPU's: an STM's, or what damage made of ids. */
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
		log_message(cutter->recording->log, LOG_NOTE,
			    cutter->recording->data_path,
			    cutter->buffer->pieces->file_offset,
			    "trace of %zu sources that are no CPU's is left "
			    "out: ids%s%s", count, text,
			    count > SHOWN ? " …" : "");
}

/* Returns the count of units, which no index of one is. */
static size_t find_unit(const struct recording *recording, uint32_t id)
{
	size_t i = 0;

	while (i < recording->coresight_units.count &&
	       unit_at(recording, i)->trace_id != id)
		i++;
	return i;
}

static int add_formatted(struct cutter *cutter, const struct aux_piece *piece,
			 const struct aux_span *span)
{
	bool has_bytes[CORESIGHT_ID_COUNT] = { false };
	int error = 0;

	coresight_frame_find_ids(piece->bytes, piece->size_bytes, has_bytes);
	for (size_t id = 1; id < CORESIGHT_ID_COUNT && !error; id++) {
		size_t unit = find_unit(cutter->recording, (uint32_t)id);

		if (!has_bytes[id])
			continue;
		if (unit == cutter->recording->coresight_units.count)
			cutter->is_unknown[id] = true;
		else
			error = add_part(cutter, piece, span, unit);
	}
	return error;
}

/* A bare trace is that of the CPU whose sink it was written to. */
static int add_raw(struct cutter *cutter, const struct aux_piece *piece,
		   const struct aux_span *span)
{
	int32_t cpu = cutter->buffer->cpu < 0 ? span->cpu :
						cutter->buffer->cpu;

	for (size_t i = 0; i < cutter->recording->coresight_units.count; i++)
		if (unit_at(cutter->recording, i)->cpu == cpu)
			return add_part(cutter, piece, span, i);
	log_message(cutter->recording->log, LOG_WARNING,
		    cutter->recording->data_path, piece->file_offset,
		    "trace of CPU %d is left out: the recording does not say "
		    "how it was made (AUXTRACE_INFO)", cpu);
	return 0;
}

/* Adds what @whole and @span have in common. */
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

	struct aux_piece piece = {
		.offset = first,
		.size_bytes = end - first,
		.file_offset = whole->file_offset + (first - whole->offset),
		.bytes = whole->bytes + (first - whole->offset),
		.is_formatted = !is_raw,
		.begins_anew = first == span->offset,
	};

	return is_raw ? add_raw(cutter, &piece, span) :
			add_formatted(cutter, &piece, span);
}

static bool overlap(const struct aux_piece *piece, const struct aux_span *span)
{
	return span->offset < piece->offset + piece->size_bytes &&
	       (piece->offset <= span->offset ||
		piece->offset - span->offset < span->size_bytes);
}

/* Snapshots, and recordings without AUX records: a piece is a span. */
static struct aux_span whole_span(const struct aux_stream *buffer,
				  const struct aux_piece *piece)
{
	return (struct aux_span){
		.offset = piece->offset,
		.size_bytes = piece->size_bytes,
		.cpu = buffer->cpu,
	};
}

/* Both are in order: returns the first of @spans, from @from on, that does not
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

int coresight_cut(const struct recording *recording,
		  const struct aux_stream *buffer, const struct array *spans,
		  struct array *parts)
{
	struct cutter cutter = {
		.recording = recording,
		.buffer = buffer,
		.parts = parts,
	};
	size_t first = 0;
	int error = 0;

	for (size_t i = 0; i < buffer->piece_count && !error; i++) {
		const struct aux_piece *piece = &buffer->pieces[i];
		const struct aux_span whole = whole_span(buffer, piece);

		first = skip_spans(spans, first, piece);
		error = spans->count ?
				cut_piece(&cutter, piece, spans, first) :
				add_common(&cutter, piece, &whole);
	}
	note_unknown(&cutter);
	return error;
}
