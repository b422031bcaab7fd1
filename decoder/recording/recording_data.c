/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_data.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "decoder/recording/data_file.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/recording_scan.h"
#include "decoder/recording/tracepoint_format.h"

#include <linux/perf_event.h>
#include <string.h>

static int read_features(struct recording_facts *facts,
			 const struct data_file *file)
{
	int error = 0;

	for (unsigned int bit = 0; bit < 64 && !error; bit++) {
		size_t size;
		const uint8_t *bytes = data_file_feature(file, bit, &size);

		if (!bytes)
			continue;
		if (bit == PERF_DATA_FEATURE_EVENT_DESC)
			error = event_table_add_names(&facts->events, bytes,
						      size);
		else if (bit == PERF_DATA_FEATURE_BUILD_ID)
			error = program_ids_add_table(facts->program_ids, bytes,
						      size);
		else if (bit == PERF_DATA_FEATURE_TRACING_DATA)
			error = tracing_data_read(bytes, size, facts->arena,
						  &facts->tracepoints);
		else
			error = recording_feature_read(&facts->info, bit, bytes,
						       size, facts->arena);
	}
	return error;
}

static void name_tracepoint(struct recording_facts *facts,
			    struct recording_event *event)
{
	const struct array *tracepoints = &facts->tracepoints;

	for (size_t i = 0; i < tracepoints->count; i++) {
		const struct tracepoint *tracepoint = array_at(tracepoints, i);

		if (tracepoint->id == event->config)
			event->tracepoint = tracepoint;
	}
}

/* The PMU type is in Intel PT's first word and CoreSight's second. */
static void link_events(struct recording_facts *facts)
{
	uint64_t pmu_type = trace_info_word(&facts->trace, 0);
	bool has_trace = facts->trace.type;

	if (facts->trace.type == PERF_DATA_AUXTRACE_CORESIGHT)
		pmu_type = trace_info_word(&facts->trace, 1) >> 32;
	for (size_t i = 0; i < facts->events.events.count; i++) {
		struct recording_event *event =
			array_at(&facts->events.events, i);

		event->is_trace = has_trace && event->type == pmu_type;
		if (event->type == PERF_TYPE_TRACEPOINT)
			name_tracepoint(facts, event);
	}
}

/* Old recordings have no TIME_CONV; AUXTRACE_INFO has the same numbers. */
static void complete_conversion(struct recording_facts *facts)
{
	uint64_t shift = trace_info_word(&facts->trace, INTEL_PT_TIME_SHIFT);

	if (facts->trace.type != PERF_DATA_AUXTRACE_INTEL_PT ||
	    !trace_info_word(&facts->trace, INTEL_PT_TIME_MULT) || shift >= 64)
		return;
	facts->conversion = (struct time_conversion){
		.shift = (uint32_t)shift,
		.mult = trace_info_word(&facts->trace, INTEL_PT_TIME_MULT),
		.zero = trace_info_word(&facts->trace, INTEL_PT_TIME_ZERO),
		.known = true,
	};
}

void recording_place_conversion(struct recording_facts *facts)
{
	if (facts->trace.type == PERF_DATA_AUXTRACE_INTEL_PT &&
	    !facts->conversion.origin && facts->info.first_time_ns)
		time_conversion_set_origin(&facts->conversion,
					   facts->info.first_time_ns);
}

/* Our recorder writes the index of the trace when it ends for any reason
 * (file_front_enter()), if possible.
 */
static void note_unfinished(struct recording_facts *facts,
			    const struct data_file *file)
{
	bool is_ours = !strcmp(facts->info.version, "ktrace-hw");

	if (!is_ours || file->is_pipe || file->is_cut ||
	    file->features[0] >> PERF_DATA_FEATURE_AUXTRACE & 1)
		return;
	facts->is_cut = true;
	log_message(facts->log, LOG_WARNING, facts->files.data, LOG_NO_OFFSET,
		    "this recording was not finished: its recorder was killed, "
		    "or could not write; what came last is missing, and "
		    "whether the kernel's code changed was not looked for");
}

int recording_data_open(struct recording_facts *facts, struct data_file *file,
			struct record_store *store)
{
	int error = data_file_open(file, facts->files.data, facts->log);

	if (!error)
		error = event_table_read_header(&facts->events, file);
	if (!error)
		error = record_store_open(store, file);
	if (!error)
		error = read_features(facts, file);
	if (!error)
		note_unfinished(facts, file);
	if (!error)
		error = recording_scan(facts, store);
	if (error)
		return error;
	link_events(facts);
	complete_conversion(facts);
	recording_place_conversion(facts);

	bool is_snapshot =
		facts->streams.has_samples ||
		(facts->trace.type == PERF_DATA_AUXTRACE_INTEL_PT &&
		 trace_info_word(&facts->trace, INTEL_PT_SNAPSHOT_MODE));

	return stream_list_finish(&facts->streams, &facts->events, is_snapshot);
}
