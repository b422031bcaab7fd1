/* SPDX-License-Identifier: MIT */
#include "decoder/recording/stream_list.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/perf_data.h"
#include "decoder/recording/event_table.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/stream_window.h"

#include <string.h>

/* A stream while its parts are being collected. */
struct stream_builder {
	struct aux_stream stream;
	struct array pieces; /* struct aux_piece: in the order of the file */
	struct array losses; /* struct aux_loss */
	struct array spans;  /* struct aux_span */
};

/* The time packet after a PSB makes these bytes unique. */
enum { KEY_SIZE = 48 };

size_t snapshot_overlap(const uint8_t *before, size_t before_size,
			const uint8_t *next, size_t next_size)
{
	const uint8_t *key = memmem(next, next_size, intel_psb, INTEL_PSB_SIZE);

	if (!key)
		return 0;

	size_t lead = (size_t)(key - next);
	size_t key_size = next_size - lead < KEY_SIZE ? next_size - lead :
							KEY_SIZE;
	const uint8_t *found = memmem(before, before_size, key, key_size);

	if (!found)
		return 0;

	/* Everything from there to the end of @before must also be in @next. */
	size_t shared = before_size - (size_t)(found - before);

	if (shared > next_size - lead || memcmp(found, key, shared))
		return 0;
	return lead + shared;
}

/* Returns a stream for @cpu or, if that is -1, for thread @tid; with perf's
 * @index.
 */
static struct stream_builder stream_builder_new(uint32_t index, int32_t cpu,
						int32_t tid)
{
	return (struct stream_builder){
		.stream = { .index = index,
			    .cpu = cpu,
			    .pid = -1,
			    .tid = cpu >= 0 ? -1 : tid },
		.pieces = ARRAY_OF(struct aux_piece),
		.losses = ARRAY_OF(struct aux_loss),
		.spans = ARRAY_OF(struct aux_span),
	};
}

static void stream_builder_free(struct stream_builder *builder)
{
	array_free(&builder->pieces);
	array_free(&builder->losses);
	array_free(&builder->spans);
}

/* Returns 0 or -ERROR_MEMORY. */
static int stream_builder_add_loss(struct stream_builder *builder,
				   struct aux_loss loss)
{
	return array_append(&builder->losses, &loss);
}

static void trim_front(struct aux_piece *piece, uint64_t count)
{
	if (count > piece->size_bytes)
		count = piece->size_bytes;
	piece->offset += count;
	piece->file_offset += count;
	piece->bytes += count;
	piece->size_bytes -= count;
}

/* perf pads a slice to 8 bytes; the start of the next shows the true size. */
static void cut_padding(struct aux_stream *stream, struct aux_piece *before,
			uint64_t count)
{
	if (count > 7 || count > before->size_bytes)
		return;
	before->size_bytes -= count;
	stream->size_bytes -= count;
}

/* Trims @piece to follow the previous slices. Offsets of snapshots are not
 * positions in a longer stream: they are counted from the previous slice.
 */
static int fit_piece(struct stream_builder *builder, struct aux_piece *before,
		     struct aux_piece *piece, bool is_snapshot)
{
	uint64_t end = before->offset + before->size_bytes;

	if (is_snapshot) {
		uint64_t shared =
			snapshot_overlap(before->bytes, before->size_bytes,
					 piece->bytes, piece->size_bytes);

		trim_front(piece, shared);
		piece->offset = end;
		if (shared)
			return 0;
	} else if (piece->offset <= end) {
		cut_padding(&builder->stream, before, end - piece->offset);
		end = before->offset + before->size_bytes;
		trim_front(piece, end - piece->offset);
		return 0;
	}
	return stream_builder_add_loss(builder,
				       (struct aux_loss){ .offset = end });
}

/* Trims overlapping slices, and adds a loss where there is a hole between two.
 * @is_snapshot: they are copies of a ring, and only their bytes show where two
 * overlap.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int stream_builder_fit(struct stream_builder *builder, bool is_snapshot)
{
	struct array *pieces = &builder->pieces;
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < pieces->count && !error; i++) {
		struct aux_piece *piece = array_at(pieces, i);
		struct aux_piece *place = array_at(pieces, kept);

		if (kept)
			error = fit_piece(builder, place - 1, piece,
					  is_snapshot);
		if (!piece->size_bytes)
			continue;
		*place = *piece;
		kept++;
		builder->stream.size_bytes += piece->size_bytes;
	}
	pieces->count = kept;
	return error;
}

static int compare_losses(const void *a, const void *b)
{
	const struct aux_loss *left = a;
	const struct aux_loss *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Returns the stream, which borrows the arrays of @builder. */
static struct aux_stream stream_builder_stream(struct stream_builder *builder)
{
	struct aux_stream stream = builder->stream;

	array_sort(&builder->losses, compare_losses);
	stream.pieces = builder->pieces.items;
	stream.piece_count = builder->pieces.count;
	stream.losses = builder->losses.items;
	stream.loss_count = builder->losses.count;
	return stream;
}

struct aux_report {
	struct aux_span span;
	int32_t cpu;
	int32_t tid;
	uint64_t id;
	const struct event_id *event; /* of @id, once finished; or NULL */
};

struct stream_list stream_list_new(void)
{
	return (struct stream_list){
		.builders = ARRAY_OF(struct stream_builder),
		.streams = ARRAY_OF(struct aux_stream),
		.reports = ARRAY_OF(struct aux_report),
	};
}

void stream_list_free(struct stream_list *list)
{
	for (size_t i = 0; i < list->builders.count; i++)
		stream_builder_free(array_at(&list->builders, i));
	array_free(&list->builders);
	array_free(&list->streams);
	array_free(&list->reports);
}

static int no_piece(const struct stream_list *list,
		    const struct stream_builder *builder)
{
	return builder || !list->is_full ? -ERROR_MEMORY : -ERROR_UNSUPPORTED;
}

static struct stream_builder *
find_builder(struct stream_list *list, uint32_t index, int32_t cpu, int32_t tid)
{
	for (size_t i = 0; i < list->builders.count; i++) {
		struct stream_builder *builder = array_at(&list->builders, i);
		const struct aux_stream *stream = &builder->stream;

		if (stream->index == index && stream->cpu == cpu &&
		    (cpu >= 0 || stream->tid == tid))
			return builder;
	}
	if (list->builders.count == BUDGET_STREAMS) {
		list->is_full = true;
		return NULL;
	}

	struct stream_builder *added = array_add(&list->builders);

	if (added)
		*added = stream_builder_new(index, cpu, tid);
	return added;
}

int stream_list_add(struct stream_list *list, const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE + 8);

	uint64_t offset = byte_reader_u64(&reader);

	byte_reader_u64(&reader);

	uint32_t index = byte_reader_u32(&reader);
	int32_t tid = (int32_t)byte_reader_u32(&reader);
	int32_t cpu = (int32_t)byte_reader_u32(&reader);

	if (reader.failed || cpu < -1 || cpu >= BUDGET_CPUS)
		return -ERROR_FORMAT;

	struct stream_builder *builder = find_builder(list, index, cpu, tid);
	struct aux_piece *piece = builder ? array_add(&builder->pieces) : NULL;

	list->has_records = true;
	if (!piece)
		return no_piece(list, builder);
	piece->offset = offset;
	piece->size_bytes = record->trailer_size;
	piece->file_offset = record->file_offset + record->size;
	piece->bytes = record->trailer;
	builder->stream.cut |= record->trailer_cut;
	return 0;
}

int stream_list_add_sample(struct stream_list *list, int32_t cpu, int32_t tid,
			   const uint8_t *bytes, size_t size,
			   uint64_t file_offset)
{
	struct stream_builder *builder;
	struct aux_piece *piece;

	if (list->has_records || cpu < -1 || cpu >= BUDGET_CPUS)
		return 0;
	builder = find_builder(list, 0, cpu, tid);
	piece = builder ? array_add(&builder->pieces) : NULL;
	if (!piece)
		return no_piece(list, builder);
	list->has_samples = true;
	piece->size_bytes = size;
	piece->file_offset = file_offset;
	piece->bytes = bytes;
	return 0;
}

int stream_list_add_buffer(struct stream_list *list, uint32_t index,
			   int32_t cpu, const uint8_t *bytes, size_t size,
			   uint64_t flags)
{
	struct stream_builder *builder = find_builder(list, index, cpu, -1);
	struct aux_piece *piece = builder ? array_add(&builder->pieces) : NULL;
	struct aux_span *span = piece ? array_add(&builder->spans) : NULL;

	if (!span)
		return -ERROR_MEMORY;
	piece->size_bytes = size;
	piece->bytes = bytes;
	span->size_bytes = size;
	span->flags = flags;
	span->cpu = cpu;
	return 0;
}

/* In a ring that is overwritten, the kernel records the end of a span
 * (perf_aux_output_end() in kernel/events/ring_buffer.c).
 */
static uint64_t span_start(const struct sideband_record *record)
{
	bool is_end = record->aux.flags & SIDEBAND_AUX_OVERWRITE &&
		      record->aux.offset >= record->aux.size_bytes;

	return is_end ? record->aux.offset - record->aux.size_bytes :
			record->aux.offset;
}

int stream_list_report(struct stream_list *list,
		       const struct sideband_record *aux, uint64_t id)
{
	struct aux_report *report = array_add(&list->reports);

	if (!report)
		return -ERROR_MEMORY;
	report->span = (struct aux_span){
		.offset = span_start(aux),
		.size_bytes = aux->aux.size_bytes,
		.flags = aux->aux.flags,
		.time_ns = aux->time_ns,
		.cpu = aux->cpu,
	};
	report->cpu = aux->cpu;
	report->tid = aux->tid;
	report->id = id;
	return 0;
}

static bool concerns(const struct aux_report *report,
		     const struct aux_stream *stream)
{
	const struct event_id *id = report->event;

	if (stream->cpu >= 0)
		return report->cpu == stream->cpu;
	if (id && id->has_index)
		return id->aux_index == stream->index;
	return report->tid == stream->tid;
}

static int place_report(struct stream_builder *builder,
			const struct aux_span *span)
{
	if (array_append(&builder->spans, span) < 0)
		return -ERROR_MEMORY;
	if (!(span->flags & (SIDEBAND_AUX_TRUNCATED | SIDEBAND_AUX_PARTIAL)))
		return 0;
	return stream_builder_add_loss(
		builder, (struct aux_loss){
				 .offset = span->offset + span->size_bytes,
				 .time_ns = span->time_ns,
				 .flags = span->flags,
			 });
}

static int place_reports(const struct stream_list *list,
			 struct stream_builder *builder)
{
	int error = 0;

	for (size_t i = 0; i < list->reports.count && !error; i++) {
		const struct aux_report *report = array_at(&list->reports, i);

		if (concerns(report, &builder->stream))
			error = place_report(builder, &report->span);
	}
	return error;
}

static void find_events(struct stream_list *list,
			const struct event_table *events)
{
	for (size_t i = 0; i < list->reports.count; i++) {
		struct aux_report *report = array_at(&list->reports, i);

		report->event = event_table_find(events, report->id);
	}
}

static int publish(struct stream_list *list, struct stream_builder *builder)
{
	struct aux_stream *stream = array_add(&list->streams);

	if (!stream)
		return -ERROR_MEMORY;
	*stream = stream_builder_stream(builder);
	return 0;
}

int stream_list_finish(struct stream_list *list,
		       const struct event_table *events, bool is_snapshot)
{
	int error = 0;

	find_events(list, events);
	for (size_t i = 0; i < list->builders.count && !error; i++) {
		struct stream_builder *builder = array_at(&list->builders, i);

		error = stream_builder_fit(builder, is_snapshot);
		if (!error && !is_snapshot)
			error = place_reports(list, builder);
		if (!error)
			error = publish(list, builder);
	}
	return error;
}

const struct array *stream_list_spans(const struct stream_list *list,
				      size_t index)
{
	const struct stream_builder *builder = array_at(&list->builders, index);

	return &builder->spans;
}
