/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_streams.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "decoder/recording/coresight_cut.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"

#include <stdlib.h>

struct coresight_streams {
	struct array parts; /* struct coresight_part */
	struct aux_piece *pieces;
	struct aux_loss *losses;
};

static int compare_parts(const void *a, const void *b)
{
	const struct coresight_part *x = a;
	const struct coresight_part *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

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

/* IDs are assigned when tracing starts: AUXTRACE_INFO may be older than these
 * records (linux/coresight-pmu.h: CS_AUX_HW_ID_TRACE_ID_MASK).
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
				unit->trace_id = record.hw_id.id & 0xff;
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
	array_sort(&streams->parts, compare_parts);
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

/* Adds what @lost, a loss of the trace itself, says about its CPU. */
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

/* In a trace that only counts instructions or cycles, from 1 on, a gap has no
 * length.
 */
static void drop_times(struct array *streams)
{
	struct aux_stream *stream = streams->items;

	for (size_t i = 0; i < streams->count; i++)
		if (stream[i].untraced_from_ns)
			stream[i].untraced_from_ns =
				stream[i].untraced_until_ns = 1;
}

/* Adds a stream for each CPU that came online while recording, and has no unit in
 * AUXTRACE_INFO: the recorder writes records of losses, with the trace's event, at
 * the start and the end of its gap (collector/late_cpus.h).
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
