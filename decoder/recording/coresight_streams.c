/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_streams.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From AUX buffers to a stream for each CPU, in this order:
 *
 * 1. The formatter's frames (coresight_frame_read()).
 * 2. The trace units, from the words of AUXTRACE_INFO (coresight_units_read()).
 * 3. Cutting: coresight_cut() divides a buffer where AUX records (spans) start
 *    and end, and at the kernel's barriers, and adds a part for each unit with
 *    bytes in such a slice. All parts of a slice share its bytes, frames
 *    included. A part begins anew if the unit was restarted before it.
 * 4. coresight_streams_split() sorts the parts by CPU and time, and publishes
 *    those of one CPU, or of one thread, as a stream.
 * 5. CPUs that came online during the recording have no unit: add_untraced()
 *    adds a stream that is only a gap.
 *
 * Sizes and offsets are from the file, hence untrusted: a frame is read only
 * where all of its bytes are.
 */

/* A slice of a buffer for one stream. A stream without trace has one part, of
 * no bytes.
 */
struct coresight_part {
	struct aux_piece piece;
	int32_t cpu;
	int32_t tid;
	uint64_t time_ns;
	size_t order;
	bool cut;
	bool is_lost; /* bytes are missing after it */
	uint64_t flags;
};

enum { LAST = CORESIGHT_FRAME_SIZE - 1 };

static void add(struct coresight_frame *frame, uint8_t id, unsigned int place,
		uint8_t byte)
{
	frame->ids[frame->count] = id;
	frame->places[frame->count] = (uint8_t)place;
	frame->bytes[frame->count] = byte;
	frame->count++;
}

/* A byte at an even position with bit 0 set is a new ID; its bit in the last
 * byte is set if the following byte still belongs to the previous source. Every
 * other byte at an even position is data, whose bit 0 is stored in the last
 * byte.
 */
void coresight_frame_read(const uint8_t *from, uint8_t *id,
			  struct coresight_frame *frame)
{
	frame->count = 0;
	for (unsigned int i = 0; i < LAST; i += 2) {
		uint8_t bit = from[LAST] >> (i / 2) & 1;
		uint8_t old = *id;

		if (from[i] & 1)
			*id = from[i] >> 1;
		else
			add(frame, old, i, from[i] | bit);
		if (i + 1 < LAST)
			add(frame, from[i] & 1 && bit ? old : *id, i + 1,
			    from[i + 1]);
	}
}

/* Returns whether the whole frame at @from is a barrier of the kernel, four
 * synchronization words: the trace before it was overwritten
 * (linux/coresight.h: CORESIGHT_BARRIER_PKT_SIZE).
 */
static bool frame_is_barrier(const uint8_t *from)
{
	static const uint8_t word[] = { 0xff, 0xff, 0xff, 0x7f };

	for (size_t i = 0; i < CORESIGHT_FRAME_SIZE; i += sizeof(word))
		if (memcmp(from + i, word, sizeof(word)))
			return false;
	return true;
}

void coresight_frame_find_ids(const uint8_t *bytes, size_t size, uint8_t *id,
			      bool has_bytes[CORESIGHT_ID_COUNT])
{
	struct coresight_frame frame;

	for (size_t at = 0; size - at >= CORESIGHT_FRAME_SIZE;
	     at += CORESIGHT_FRAME_SIZE) {
		coresight_frame_read(bytes + at, id, &frame);
		for (size_t i = 0; i < frame.count; i++)
			has_bytes[frame.ids[i]] = true;
	}
}

/* The field of struct coresight_unit that a word of AUXTRACE_INFO is stored in:
 * its offset + 1.
 */
#define FIELD(name) (offsetof(struct coresight_unit, name) + 1)
#define SKIPPED 0

enum { PARAMETERS = 9 };

/* Newer versions of perf append parameters: missing ones stay 0. */
static const struct block_layout {
	uint64_t magic;
	size_t old_count; /* in version 0, which has no count */
	enum coresight_protocol protocol;
	size_t fields[PARAMETERS];
	size_t time_source; /* index of the parameter TS_SOURCE, or 0 */
} layouts[] = {
	{ CORESIGHT_MAGIC_ETMV3,
	  4,
	  CORESIGHT_ETMV3,
	  { FIELD(config), FIELD(trace_id), FIELD(ccer), FIELD(idr) },
	  0 },
	{ CORESIGHT_MAGIC_ETMV4,
	  7,
	  CORESIGHT_ETMV4,
	  { FIELD(config), FIELD(trace_id), FIELD(idr0), FIELD(idr1),
	    FIELD(idr2), FIELD(idr8), SKIPPED },
	  7 },
	{ CORESIGHT_MAGIC_ETE,
	  8,
	  CORESIGHT_ETE,
	  { FIELD(config), FIELD(trace_id), FIELD(idr0), FIELD(idr1),
	    FIELD(idr2), FIELD(idr8), SKIPPED, FIELD(devarch) },
	  8 },
};

struct word_reader {
	const uint64_t *words;
	size_t left;
};

static bool consume_word(struct word_reader *reader, uint64_t *word)
{
	if (!reader->left)
		return false;
	*word = *reader->words++;
	reader->left--;
	return true;
}

static const struct block_layout *find_layout(uint64_t magic)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].magic == magic)
			return &layouts[i];
	return NULL;
}

/* Distinguishes ETMv3 and PTM by ETMIDR. */
static enum coresight_protocol old_protocol(uint32_t idr)
{
	return (idr >> 8 & 0xf) == 3 ? CORESIGHT_PTM : CORESIGHT_ETMV3;
}

static void set_parameter(struct coresight_unit *unit,
			  const struct block_layout *layout, size_t index,
			  uint64_t word)
{
	uint32_t value = (uint32_t)word;

	if (layout->time_source && index == layout->time_source)
		unit->has_cpu_time = word == 1;
	else if (index < PARAMETERS && layout->fields[index])
		memcpy((char *)unit + layout->fields[index] - 1, &value,
		       sizeof(value));
}

static int read_block(struct word_reader *reader, uint64_t version,
		      struct array *units)
{
	uint64_t magic = 0;
	uint64_t cpu = 0;
	const struct block_layout *layout =
		consume_word(reader, &magic) ? find_layout(magic) : NULL;
	uint64_t count = layout ? layout->old_count : 0;
	struct coresight_unit *unit;

	if (!layout || !consume_word(reader, &cpu) || cpu >= BUDGET_CPUS ||
	    (version && !consume_word(reader, &count)) || count > reader->left)
		return -ERROR_FORMAT;
	unit = array_add(units);
	if (!unit)
		return -ERROR_MEMORY;
	unit->protocol = layout->protocol;
	unit->cpu = (int32_t)cpu;
	for (size_t i = 0; i < count; i++) {
		uint64_t word = 0;

		consume_word(reader, &word);
		set_parameter(unit, layout, i, word);
	}
	/* Bit 31: AUX_OUTPUT_HW_ID records, if there are any, contain the real
	 * ID.
	 */
	unit->trace_id &= CORESIGHT_ID_MASK;
	if (unit->protocol == CORESIGHT_ETMV3)
		unit->protocol = old_protocol(unit->idr);
	return 0;
}

int coresight_units_read(const uint64_t *words, size_t count,
			 struct array *units)
{
	struct word_reader reader = { words, count };
	uint64_t header[CORESIGHT_HEADER_WORDS] = { 0 };
	int error = 0;

	for (size_t i = 0; i < CORESIGHT_HEADER_WORDS; i++)
		if (!consume_word(&reader, &header[i]))
			return -ERROR_FORMAT;

	uint32_t cpus = (uint32_t)header[CORESIGHT_HEADER_PMU_CPUS];

	for (uint32_t i = 0; i < cpus && !error; i++)
		error = read_block(&reader, header[CORESIGHT_HEADER_VERSION],
				   units);
	return error;
}

bool coresight_unit_is_old(const struct coresight_unit *unit)
{
	return unit->protocol == CORESIGHT_ETMV3 ||
	       unit->protocol == CORESIGHT_PTM;
}

/* ETMCR.TimestampEnable, TRCCONFIGR.TS. */
bool coresight_unit_has_time(const struct coresight_unit *unit)
{
	return unit->config >> (coresight_unit_is_old(unit) ? 28 : 11) & 1;
}

/* ETMCR.CycleAccurate, TRCCONFIGR.CCI. */
bool coresight_unit_counts_cycles(const struct coresight_unit *unit)
{
	return unit->config >> (coresight_unit_is_old(unit) ? 12 : 4) & 1;
}

/* ETMCR.ContextIDsize; TRCCONFIGR.CID, VMID and VMIDOPT. */
enum coresight_task_field
coresight_unit_task_field(const struct coresight_unit *unit)
{
	const uint32_t vmid_is_context = 1u << 7 | 1u << 15;

	if (coresight_unit_is_old(unit))
		return unit->config >> 14 & 3 ? CORESIGHT_TASK_CONTEXT :
						CORESIGHT_TASK_NONE;
	if ((unit->config & vmid_is_context) == vmid_is_context)
		return CORESIGHT_TASK_VMID;
	return unit->config >> 6 & 1 ? CORESIGHT_TASK_CONTEXT :
				       CORESIGHT_TASK_NONE;
}

/* State while one buffer is cut. */
struct cutter {
	const struct recording *recording;
	const struct array *units; /* the recording's */
	const struct aux_stream *buffer;
	struct array *parts; /* struct coresight_part */
	size_t first_part;   /* index of the buffer's first part */
	/* end of the consumed bytes of the buffer */
	uint64_t taken;
	size_t next_loss; /* index of the buffer's first loss after them */
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

/* Logs trace IDs of no CPU: of an STM, or from damaged trace. */
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

/* Returns the index of the unit of @cpu, or the number of units if there is
 * none.
 */
static size_t find_unit_of_cpu(const struct cutter *cutter, int32_t cpu)
{
	size_t i = 0;

	while (i < cutter->units->count && unit_at(cutter, i)->cpu != cpu)
		i++;
	return i;
}

/* Returns whether two units write to the same sink, as far as that is known. */
static bool share_sink(const struct coresight_unit *a,
		       const struct coresight_unit *b)
{
	return !a->has_sink || !b->has_sink || a->sink == b->sink;
}

/* Returns the index of the unit with trace ID @id that writes to the same sink
 * as unit number @reader, the unit of the CPU whose buffer is read; the number
 * of units if there is none.
 */
static size_t find_unit(const struct cutter *cutter, size_t reader, uint32_t id)
{
	size_t count = cutter->units->count;
	size_t i = 0;

	while (i < count &&
	       (unit_at(cutter, i)->trace_id != id ||
		(reader < count &&
		 !share_sink(unit_at(cutter, i), unit_at(cutter, reader)))))
		i++;
	return i;
}

static void begin_anew(struct cutter *cutter)
{
	cutter->id = 0;
	for (size_t id = 0; id < CORESIGHT_ID_COUNT; id++)
		cutter->is_anew[id] = true;
}

/* Returns the CPU that read @span from its sink. */
static int32_t cpu_of(const struct cutter *cutter, const struct aux_span *span)
{
	return cutter->buffer->cpu < 0 ? span->cpu : cutter->buffer->cpu;
}

/* Adds a part for each unit with bytes in the frames of @piece. */
static int add_frames(struct cutter *cutter, struct aux_piece piece,
		      const struct aux_span *span)
{
	bool has_bytes[CORESIGHT_ID_COUNT] = { false };
	size_t reader = find_unit_of_cpu(cutter, cpu_of(cutter, span));
	int error = 0;

	piece.first_id = cutter->id;
	coresight_frame_find_ids(piece.bytes, piece.size_bytes, &cutter->id,
				 has_bytes);
	for (size_t id = 1; id < CORESIGHT_ID_COUNT && !error; id++) {
		size_t unit = find_unit(cutter, reader, (uint32_t)id);

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
 * units that share it, whichever wrote last. Without frames there is one unit.
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
		if (part->tid >= 0 || !part->piece.is_formatted)
			return;
	}
}

/* Returns the number of bytes before the next barrier. */
static size_t find_barrier(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (size - at >= CORESIGHT_FRAME_SIZE &&
	       !frame_is_barrier(bytes + at))
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

/* Adds a part of trace without frames, which belongs to the CPU of the sink. */
static int add_raw(struct cutter *cutter, const struct aux_piece *piece,
		   const struct aux_span *span)
{
	int32_t cpu = cpu_of(cutter, span);
	size_t unit = find_unit_of_cpu(cutter, cpu);

	if (unit < cutter->units->count)
		return add_part(cutter, piece, span, unit);
	log_message(recording_log(cutter->recording), LOG_WARNING,
		    recording_data_path(cutter->recording), piece->file_offset,
		    "trace of CPU %d is left out: the recording does not say "
		    "how it was made (AUXTRACE_INFO)",
		    cpu);
	return 0;
}

/* Applies the losses up to @end to the parts before it. A sink counts as full
 * when only a few bytes of room are left. These are skipped, so that the offset
 * of the loss includes them.
 */
static void note_losses(struct cutter *cutter, uint64_t end)
{
	const struct aux_stream *buffer = cutter->buffer;

	for (; cutter->next_loss < buffer->loss_count &&
	       buffer->losses[cutter->next_loss].offset <= end;
	     cutter->next_loss++)
		lose(cutter, buffer->losses[cutter->next_loss].flags);
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
	note_losses(cutter, first);
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

/* Returns a span for all of @piece, in snapshots and in recordings without AUX
 * records.
 */
static struct aux_span whole_span(const struct aux_stream *buffer,
				  const struct aux_piece *piece)
{
	return (struct aux_span){
		.offset = piece->offset,
		.size_bytes = piece->size_bytes,
		.cpu = buffer->cpu,
	};
}

/* Returns the index of the first of @spans, from @from on, that ends after the
 * start of @piece. Pieces and spans are both in the order of their offsets.
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

/* Adds a part without bytes, so that a CPU with an empty AUX record still gets
 * a stream.
 */
static int add_nothing(struct cutter *cutter)
{
	const struct aux_piece nothing = { 0 };
	const struct aux_span span = { .cpu = cutter->buffer->cpu };

	return add_raw(cutter, &nothing, &span);
}

/* Cuts a buffer into the slices that a trace unit wrote from start to stop,
 * once for each CPU with bytes in it.
 *
 * @spans: struct aux_span, the buffer's in order. The slices are appended to
 * @parts (struct coresight_part); trace of no unit is logged. Returns 0 or
 * -ERROR_MEMORY.
 */
static int coresight_cut(const struct recording *recording,
			 const struct aux_stream *buffer,
			 const struct array *spans, struct array *parts)
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
	note_losses(&cutter, UINT64_MAX);
	note_unknown(&cutter);
	return error;
}

struct coresight_streams {
	struct array parts; /* struct coresight_part */
	struct aux_piece *pieces;
	struct aux_loss *losses;
};

static bool is_same_stream(const struct coresight_part *part,
			   const struct aux_stream *stream)
{
	return part->cpu == stream->cpu && part->tid == stream->tid;
}

static void append(struct aux_stream *stream, struct aux_piece *piece,
		   struct aux_loss *loss, const struct coresight_part *part)
{
	if (!part->piece.size_bytes)
		return;
	*piece = part->piece;
	piece->offset = stream->size_bytes;
	stream->piece_count++;
	stream->size_bytes += piece->size_bytes;
	stream->cut |= part->cut;
	stream->end_ns = part->time_ns;
	if (!part->is_lost)
		return;
	*loss = (struct aux_loss){
		.offset = stream->size_bytes,
		.time_ns = part->time_ns,
		.flags = part->flags,
	};
	stream->loss_count++;
}

/* Makes streams from the sorted parts. */
static int publish(struct coresight_streams *streams, struct array *published)
{
	size_t count = streams->parts.count;
	struct aux_stream *stream = NULL;
	size_t pieces = 0;
	size_t losses = 0;

	streams->pieces = calloc(count + 1, sizeof(*streams->pieces));
	streams->losses = calloc(count + 1, sizeof(*streams->losses));
	if (!streams->pieces || !streams->losses)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct coresight_part *part =
			array_at(&streams->parts, i);

		if (!stream || !is_same_stream(part, stream)) {
			stream = array_add(published);
			if (!stream)
				return -ERROR_MEMORY;
			stream->index = (uint32_t)published->count - 1;
			stream->cpu = part->cpu;
			stream->pid = -1;
			stream->tid = part->tid;
			stream->pieces = streams->pieces + pieces;
			stream->losses = streams->losses + losses;
		}
		append(stream, streams->pieces + pieces,
		       streams->losses + losses, part);
		pieces += part->piece.size_bytes > 0;
		losses += part->is_lost;
	}
	return 0;
}

/* Applies the content of an AUX_OUTPUT_HW_ID record (linux/coresight-pmu.h,
 * CS_AUX_HW_ID_*): the trace ID in bits 0 to 7, since minor version 1 (bits 56
 * to 59) the sink's ID in bits 8 to 39. Another major version (bits 60 to 63)
 * than 0 may have other fields.
 */
static void set_ids(struct coresight_unit *unit, uint64_t hw_id)
{
	if (hw_id >> 60)
		return;
	unit->trace_id = hw_id & 0xff;
	unit->has_sink = hw_id >> 56 & 0xf;
	unit->sink = (uint32_t)(hw_id >> 8);
}

/* Sets the units' IDs from AUX_OUTPUT_HW_ID records. IDs are assigned when
 * tracing starts: AUXTRACE_INFO may be older.
 */
static int read_ids(const struct recording *recording)
{
	const struct array *units = recording_coresight_units(recording);
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_AUX_HW_ID));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) > 0)
		for (size_t i = 0; i < units->count; i++) {
			struct coresight_unit *unit = array_at(units, i);

			if (unit->cpu == record.cpu)
				set_ids(unit, record.hw_id.id);
		}
	sideband_close(sideband);
	return status;
}

static int read_units(struct recording *recording)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	int error = coresight_units_read(facts->trace.words,
					 facts->trace.word_count,
					 &facts->coresight_units);

	if (error == -ERROR_FORMAT) {
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    LOG_NO_OFFSET,
			    "what it says about the trace units "
			    "(AUXTRACE_INFO) is not whole: only %zu of them "
			    "are known",
			    facts->coresight_units.count);
		error = 0;
	}
	return error ? error : read_ids(recording);
}

int coresight_streams_split(struct recording *recording)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct stream_list *list = &facts->streams;
	struct coresight_streams *streams = calloc(1, sizeof(*streams));
	struct array published = ARRAY_OF(struct aux_stream);
	int error = 0;

	if (!streams)
		return -ERROR_MEMORY;
	facts->coresight_streams = streams;
	streams->parts = ARRAY_OF(struct coresight_part);
	for (size_t i = 0; i < list->streams.count && !error; i++)
		error = coresight_cut(recording, array_at(&list->streams, i),
				      stream_list_spans(list, i),
				      &streams->parts);
	array_sort_by(&streams->parts,
		      KEYS(RISING(struct coresight_part, cpu),
			   RISING(struct coresight_part, tid),
			   RISING(struct coresight_part, time_ns),
			   RISING(struct coresight_part, order)));
	if (!error)
		error = publish(streams, &published);
	array_free(&list->streams);
	list->streams = published;
	return error;
}

static struct aux_stream *stream_of(const struct array *streams, int32_t cpu)
{
	struct aux_stream *stream = streams->items;

	for (size_t i = 0; i < streams->count; i++)
		if (stream[i].cpu == cpu)
			return &stream[i];
	return NULL;
}

/* Adds @lost, a record of lost trace, to the gap of its CPU's stream. Ignores a
 * CPU that has a stream with trace.
 */
static int add_loss(struct array *streams, const struct sideband_record *lost)
{
	struct aux_stream *stream = stream_of(streams, lost->cpu);

	if (!stream) {
		if (streams->count >= BUDGET_STREAMS)
			return 0;
		stream = array_add(streams);
		if (!stream)
			return -ERROR_MEMORY;
		*stream = (struct aux_stream){
			.index = (uint32_t)streams->count - 1,
			.cpu = lost->cpu,
			.pid = -1,
			.tid = -1,
			.untraced_from_ns = lost->time_ns,
		};
	}
	if (stream->untraced_from_ns &&
	    lost->time_ns > stream->untraced_until_ns)
		stream->untraced_until_ns = lost->time_ns;
	return 0;
}

/* Sets the gaps of CPUs without a unit to length 0 at time 1: a trace without
 * time stamps counts instructions or cycles instead, from 1 on.
 */
static void drop_times(struct array *streams)
{
	struct aux_stream *stream = streams->items;

	for (size_t i = 0; i < streams->count; i++)
		if (stream[i].untraced_from_ns)
			stream[i].untraced_from_ns =
				stream[i].untraced_until_ns = 1;
}

/* Returns whether time stamps can be converted to nanoseconds: they are the
 * CPU's counter, and the recording has the conversion.
 */
static bool has_time(const struct recording *recording)
{
	const struct array *units = recording_coresight_units(recording);

	for (size_t i = 0; i < units->count; i++) {
		const struct coresight_unit *unit = array_at(units, i);

		if (!coresight_unit_has_time(unit) || !unit->has_cpu_time)
			return false;
	}
	return recording_time_conversion(recording)->known;
}

static bool has_cycles(const struct recording *recording)
{
	const struct array *units = recording_coresight_units(recording);

	for (size_t i = 0; i < units->count; i++)
		if (!coresight_unit_counts_cycles(array_at(units, i)))
			return false;
	return units->count;
}

enum recording_time recording_time(const struct recording *recording)
{
	if (recording_trace(recording) != RECORDING_TRACE_CORESIGHT ||
	    has_time(recording))
		return RECORDING_TIME_NANOSECONDS;
	return has_cycles(recording) ? RECORDING_TIME_CYCLES :
				       RECORDING_TIME_INSTRUCTIONS;
}

/* Adds a stream for each CPU that came online during the recording. It has no
 * unit in AUXTRACE_INFO; the recorder writes a record of lost trace at the
 * start and at the end of its gap (collector/late_cpus_internal.h).
 */
static int add_untraced(struct recording *recording)
{
	struct array *streams =
		&recording_facts_to_fill(recording)->streams.streams;
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_LOST));
	struct sideband_record record;
	int status = sideband ? 0 : -ERROR_MEMORY;

	while (!status && (status = sideband_next(sideband, &record)) > 0)
		status = record.event && record.event->is_trace &&
					 record.cpu >= 0 && record.time_ns ?
				 add_loss(streams, &record) :
				 0;
	sideband_close(sideband);
	if (recording_time(recording) != RECORDING_TIME_NANOSECONDS)
		drop_times(streams);
	return status;
}

int coresight_streams_make(struct recording *recording)
{
	int error;

	if (recording_trace_info(recording)->type !=
	    PERF_DATA_AUXTRACE_CORESIGHT)
		return 0;
	error = read_units(recording);
	if (!error)
		error = coresight_streams_split(recording);
	return error ? error : add_untraced(recording);
}

void coresight_streams_free(struct coresight_streams *streams)
{
	if (!streams)
		return;
	array_free(&streams->parts);
	free(streams->pieces);
	free(streams->losses);
	free(streams);
}

const struct array *recording_coresight_units(const struct recording *recording)
{
	return &recording_facts(recording)->coresight_units;
}
