/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_scan.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/memory.h"
#include "common/perf_data.h"
#include "decoder/recording/record_parse.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/tracepoint_format.h"

#include <linux/perf_event.h>

static struct byte_reader body_of(const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	return reader;
}

static int read_auxtrace_info(struct recording_facts *facts,
			      const struct record *record)
{
	struct byte_reader reader = body_of(record);

	facts->trace.type = byte_reader_u32(&reader);
	byte_reader_u32(&reader);

	size_t count = byte_reader_left(&reader) / 8;
	uint64_t *words = arena_alloc(facts->arena, count * 8);

	if (!words)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++)
		words[i] = byte_reader_u64(&reader);
	facts->trace.words = words;
	facts->trace.word_count = count;
	return 0;
}

static void read_time_conversion(struct recording_facts *facts,
				 const struct record *record)
{
	struct byte_reader reader = body_of(record);
	struct time_conversion conversion = {
		.shift = (uint32_t)byte_reader_u64(&reader),
		.mult = byte_reader_u64(&reader),
		.zero = byte_reader_u64(&reader),
		.known = true,
	};

	if (!reader.failed && conversion.shift < 64)
		facts->conversion = conversion;
}

static int read_feature(struct recording_facts *facts,
			const struct record *record)
{
	struct byte_reader reader = body_of(record);
	uint64_t bit = byte_reader_u64(&reader);
	size_t size = byte_reader_left(&reader);
	const uint8_t *bytes = byte_reader_bytes(&reader, size);

	if (!bytes || bit >= PERF_DATA_FEATURE_BITS)
		return 0;
	if (bit == PERF_DATA_FEATURE_EVENT_DESC)
		return event_table_add_names(&facts->events, bytes, size);
	return recording_feature_read(&facts->info, (unsigned int)bit, bytes,
				      size, facts->arena);
}

/* Logs only the first stream that exceeds the limit. */
static int leave_out(const struct recording_facts *facts,
		     const struct record *record, bool was_full)
{
	if (!was_full)
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    record->file_offset,
			    "trace of more than %u CPUs and threads: what is "
			    "of others is left out",
			    BUDGET_STREAMS);
	return 0;
}

static int scan_trace(struct recording_facts *facts,
		      const struct record *record)
{
	bool was_full = facts->streams.is_full;
	int error = stream_list_add(&facts->streams, record);

	if (error == -ERROR_UNSUPPORTED)
		return leave_out(facts, record, was_full);
	if (error != -ERROR_FORMAT)
		return error;
	log_message(facts->log, LOG_WARNING, facts->files.data,
		    record->file_offset,
		    "an AUXTRACE record is damaged: its trace is left out");
	return 0;
}

/* These records are from perf, about the recording, not from the kernel. */
static int scan_user_record(struct recording_facts *facts,
			    const struct record *record)
{
	switch (record->type) {
	case PERF_DATA_ID_INDEX:
		return event_table_add_index(&facts->events, record);
	case PERF_DATA_AUXTRACE_INFO:
		return read_auxtrace_info(facts, record);
	case PERF_DATA_AUXTRACE:
		return scan_trace(facts, record);
	case PERF_DATA_TIME_CONV:
		read_time_conversion(facts, record);
		return 0;
	case PERF_DATA_FEATURE:
		return read_feature(facts, record);
	case PERF_DATA_TRACING_DATA:
		return tracing_data_read(record->trailer, record->trailer_size,
					 facts->arena, &facts->tracepoints);
	default:
		return 0;
	}
}

static void note_time(struct recording_info *info, uint64_t time_ns)
{
	if (!time_ns)
		return;
	if (!info->first_time_ns || time_ns < info->first_time_ns)
		info->first_time_ns = time_ns;
	if (time_ns > info->last_time_ns)
		info->last_time_ns = time_ns;
}

/* The kernel's other events start when they are opened, long before the trace.
 */
static void note_start(struct recording_facts *facts, uint64_t time_ns)
{
	if (time_ns &&
	    (!facts->trace_begin_ns || time_ns < facts->trace_begin_ns))
		facts->trace_begin_ns = time_ns;
}

static int scan_aux(struct recording_facts *facts, const struct record *record,
		    uint64_t id)
{
	struct sideband_record aux;

	if (record_parse(&facts->events, record, &aux) != 1)
		return 0;

	bool is_loss = aux.aux.flags &
		       (SIDEBAND_AUX_TRUNCATED | SIDEBAND_AUX_PARTIAL);

	facts->counts.aux_truncated += is_loss;
	if (!is_loss && facts->trace.type != PERF_DATA_AUXTRACE_CORESIGHT)
		return 0;
	return stream_list_report(&facts->streams, &aux, id);
}

/* CoreSight's trace also needs the AUX records of whole buffers. */
static void refuse_sample(struct recording_facts *facts,
			  const struct record *record)
{
	if (!facts->streams.has_samples)
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    record->file_offset,
			    "trace in samples (perf record --aux-sample) can "
			    "be read of Intel PT only: record without that "
			    "option, or with --snapshot");
	facts->streams.has_samples = true;
}

/* perf record --aux-sample stores the trace in samples of other events. */
static int scan_sample(struct recording_facts *facts,
		       const struct record *record,
		       const struct record_origin *origin)
{
	bool was_full = facts->streams.is_full;
	struct sideband_record sample;
	int error;

	facts->counts.samples++;
	if (!origin->event || !(origin->event->sample_type & PERF_SAMPLE_AUX) ||
	    record_parse(&facts->events, record, &sample) != 1 ||
	    !sample.sample.trace_size)
		return 0;
	if (facts->trace.type != PERF_DATA_AUXTRACE_INTEL_PT) {
		refuse_sample(facts, record);
		return 0;
	}
	error = stream_list_add_sample(
		&facts->streams, origin->cpu, origin->tid, sample.sample.trace,
		sample.sample.trace_size,
		record->file_offset +
			(uint64_t)(sample.sample.trace - record->bytes));
	return error == -ERROR_UNSUPPORTED ?
		       leave_out(facts, record, was_full) :
		       error;
}

static int scan_kernel_record(struct recording_facts *facts,
			      const struct record *record)
{
	struct record_origin origin;

	record_parse_origin(&facts->events, record, &origin);
	note_time(&facts->info, origin.time_ns);
	if (record->type == PERF_RECORD_ITRACE_START)
		note_start(facts, origin.time_ns);
	if (record->type == PERF_RECORD_AUX)
		return scan_aux(facts, record, origin.id);
	if (record->type == PERF_RECORD_SAMPLE)
		return scan_sample(facts, record, &origin);
	if (record->type == PERF_RECORD_LOST) {
		struct byte_reader reader = body_of(record);

		byte_reader_u64(&reader);
		facts->counts.lost_records += byte_reader_u64(&reader);
	}
	return 0;
}

static void count_record(struct recording_counts *counts, uint32_t type)
{
	counts->records++;
	if (type < sizeof(counts->by_type) / sizeof(*counts->by_type))
		counts->by_type[type]++;
	if (!type || type >= PERF_DATA_RECORD_END ||
	    (type > PERF_RECORD_AUX_OUTPUT_HW_ID && type < PERF_DATA_ATTR))
		counts->unknown++;
}

/* Reads and sorts all IDs before any record with an ID is parsed. */
static int scan_attributes(struct recording_facts *facts,
			   const struct record_store *store)
{
	struct record_walk walk = record_walk_of(store);
	struct record record;
	int error = 0;

	while (!error && record_walk_next(&walk, &record)) {
		if (record.type == PERF_DATA_ATTR)
			error = event_table_add_attr(&facts->events, &record);
		record_walk_release(&walk, &walk);
	}
	event_table_finish(&facts->events);
	return error;
}

int recording_scan(struct recording_facts *facts,
		   const struct record_store *store)
{
	struct recording_info *info = &facts->info;
	int error = scan_attributes(facts, store);
	struct record_walk walk = record_walk_of(store);
	struct record record;

	facts->trace_begin_ns = 0;
	while (!error && record_walk_next(&walk, &record)) {
		count_record(&facts->counts, record.type);
		if (record.type >= PERF_DATA_ATTR)
			error = scan_user_record(facts, &record);
		else
			error = scan_kernel_record(facts, &record);
		record_walk_release(&walk, &walk);
	}
	if (info->first_time_ns < facts->trace_begin_ns)
		info->first_time_ns = facts->trace_begin_ns;
	return error;
}
