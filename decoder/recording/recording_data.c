/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_data.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/recording_scan.h"
#include "decoder/recording/tracepoint_format.h"

#include <linux/perf_event.h>
#include <string.h>

static int read_features(struct recording *recording)
{
	const struct data_file *file = &recording->file;
	int error = 0;

	for (unsigned int bit = 0; bit < 64 && !error; bit++) {
		size_t size;
		const uint8_t *bytes = data_file_feature(file, bit, &size);

		if (!bytes)
			continue;
		if (bit == PERF_DATA_FEATURE_EVENT_DESC)
			error = event_table_add_names(&recording->events, bytes,
						      size);
		else if (bit == PERF_DATA_FEATURE_BUILD_ID)
			error = program_ids_add_table(recording->program_ids,
						      bytes, size);
		else if (bit == PERF_DATA_FEATURE_TRACING_DATA)
			error = tracing_data_read(bytes, size, recording->arena,
						  &recording->tracepoints);
		else
			error = recording_feature_read(&recording->info, bit,
						       bytes, size,
						       recording->arena);
	}
	return error;
}

static void name_tracepoint(struct recording *recording,
			    struct recording_event *event)
{
	const struct array *tracepoints = &recording->tracepoints;

	for (size_t i = 0; i < tracepoints->count; i++) {
		const struct tracepoint *tracepoint = array_at(tracepoints, i);

		if (tracepoint->id == event->config)
			event->tracepoint = tracepoint;
	}
}

/* Intel PT's first word and CoreSight's second hold the type of the PMU. */
static void link_events(struct recording *recording)
{
	uint64_t pmu_type = recording_trace_word(recording, 0);
	bool has_trace = recording->trace.type;

	if (recording->trace.type == PERF_DATA_AUXTRACE_CORESIGHT)
		pmu_type = recording_trace_word(recording, 1) >> 32;
	for (size_t i = 0; i < recording->events.events.count; i++) {
		struct recording_event *event =
			array_at(&recording->events.events, i);

		event->is_trace = has_trace && event->type == pmu_type;
		if (event->type == PERF_TYPE_TRACEPOINT)
			name_tracepoint(recording, event);
	}
}

/* Old recordings have no TIME_CONV; AUXTRACE_INFO has the same numbers. */
static void complete_conversion(struct recording *recording)
{
	uint64_t shift = recording_trace_word(recording, INTEL_PT_TIME_SHIFT);

	if (recording->trace.type != PERF_DATA_AUXTRACE_INTEL_PT ||
	    !recording_trace_word(recording, INTEL_PT_TIME_MULT) || shift >= 64)
		return;
	recording->conversion = (struct time_conversion){
		.shift = (uint32_t)shift,
		.mult = recording_trace_word(recording, INTEL_PT_TIME_MULT),
		.zero = recording_trace_word(recording, INTEL_PT_TIME_ZERO),
		.known = true,
	};
}

/* Our recorder enters the index of the trace when it ends (file_front_enter()),
 * whatever ended it, if it could.
 */
static void note_unfinished(struct recording *recording)
{
	const struct data_file *file = &recording->file;
	bool is_ours = !strcmp(recording->info.version, "ktrace-hw");

	if (!is_ours || file->is_pipe || file->is_cut ||
	    file->features[0] >> PERF_DATA_FEATURE_AUXTRACE & 1)
		return;
	recording->file.is_cut = true;
	log_message(recording->log, LOG_WARNING, recording->files.data,
		    LOG_NO_OFFSET,
		    "this recording was not finished: its recorder was killed, "
		    "or could not write; what came last is missing, and "
		    "whether the kernel's code changed was not looked for");
}

int recording_data_read(struct recording *recording)
{
	int error = data_file_open(&recording->file, recording->files.data,
				   recording->log);

	if (!error)
		error = event_table_read_header(&recording->events,
						&recording->file);
	if (!error)
		error = record_store_open(&recording->store, &recording->file);
	if (!error)
		error = read_features(recording);
	if (!error)
		note_unfinished(recording);
	if (!error)
		error = recording_scan(recording);
	if (error)
		return error;
	link_events(recording);
	complete_conversion(recording);

	bool is_snapshot =
		recording->streams.has_samples ||
		(recording->trace.type == PERF_DATA_AUXTRACE_INTEL_PT &&
		 recording_trace_word(recording, INTEL_PT_SNAPSHOT_MODE));

	error = stream_list_finish(&recording->streams, &recording->events,
				   is_snapshot);
	return error ? error : coresight_streams_make(recording);
}
