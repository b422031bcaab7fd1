/* SPDX-License-Identifier: MIT */
/* Queries on a recording that are answered from its contents. */
#include "common/array.h"
#include "common/perf_data.h"
#include "common/recording_events.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/tracepoint.h"

#include <string.h>

const char *recording_path(const struct recording *recording)
{
	return recording_facts(recording)->files.path;
}

const char *recording_data_path(const struct recording *recording)
{
	return recording_facts(recording)->files.data;
}

const char *recording_kcore_path(const struct recording *recording)
{
	return recording_facts(recording)->files.kcore;
}

const char *recording_kallsyms_path(const struct recording *recording)
{
	return recording_facts(recording)->files.kallsyms;
}

const char *recording_modules_path(const struct recording *recording)
{
	return recording_facts(recording)->files.modules;
}

const char *recording_cgroups_path(const struct recording *recording)
{
	return recording_facts(recording)->files.cgroups;
}

const char *recording_sockets_path(const struct recording *recording)
{
	return recording_facts(recording)->files.sockets;
}

const char *recording_cgroups_end_path(const struct recording *recording)
{
	return recording_facts(recording)->files.cgroups_end;
}

struct text_part recording_kallsyms(const struct recording *recording)
{
	return recording_facts(recording)->kallsyms;
}

const struct saved_name *
recording_saved_names(const struct recording *recording, size_t *count)
{
	*count = recording_facts(recording)->saved_names.count;
	return recording_facts(recording)->saved_names.items;
}

const struct graph_trace *
recording_graph_trace(const struct recording *recording)
{
	return &recording_facts(recording)->graph;
}

const struct recording_info *recording_info(const struct recording *recording)
{
	return &recording_facts(recording)->info;
}

const struct recording_counts *
recording_counts(const struct recording *recording)
{
	return &recording_facts(recording)->counts;
}

const struct log *recording_log(const struct recording *recording)
{
	return recording_facts(recording)->log;
}

const struct recording_files *recording_files(const struct recording *recording)
{
	return &recording_facts(recording)->files;
}

const struct trace_info *recording_trace_info(const struct recording *recording)
{
	return &recording_facts(recording)->trace;
}

const struct time_conversion *
recording_time_conversion(const struct recording *recording)
{
	return &recording_facts(recording)->conversion;
}

const struct array *recording_coresight_units(const struct recording *recording)
{
	return &recording_facts(recording)->coresight_units;
}

const struct array *recording_dumps(const struct recording *recording)
{
	return &recording_facts(recording)->dumps;
}

uint64_t recording_trace_word(const struct recording *recording, size_t index)
{
	return trace_info_word(&recording_facts(recording)->trace, index);
}

const struct event_table *
recording_event_table(const struct recording *recording)
{
	return &recording_facts(recording)->events;
}

size_t recording_event_count(const struct recording *recording)
{
	return recording_facts(recording)->events.events.count;
}

const struct recording_event *recording_event(const struct recording *recording,
					      size_t index)
{
	return array_at(&recording_facts(recording)->events.events, index);
}

size_t recording_stream_count(const struct recording *recording)
{
	return recording_facts(recording)->streams.streams.count;
}

const struct aux_stream *recording_stream(const struct recording *recording,
					  size_t index)
{
	return array_at(&recording_facts(recording)->streams.streams, index);
}

/* Only x86 has Intel PT: the header's name is not needed then. */
enum recording_arch recording_arch(const struct recording *recording)
{
	if (recording_trace_info(recording)->type ==
	    PERF_DATA_AUXTRACE_INTEL_PT)
		return RECORDING_ARCH_X86_64;
	return recording_arch_named(recording_info(recording)->arch);
}

/* Time stamps can be converted to nanoseconds if they are the CPU's counter and
 * the recording has the conversion.
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

enum recording_trace recording_trace(const struct recording *recording)
{
	switch (recording_trace_info(recording)->type) {
	case 0:
		return recording_graph_trace(recording)->page_bytes ?
			       RECORDING_TRACE_FUNCTION_GRAPH :
			       RECORDING_TRACE_NONE;
	case PERF_DATA_AUXTRACE_INTEL_PT:
		return RECORDING_TRACE_INTEL_PT;
	case PERF_DATA_AUXTRACE_CORESIGHT:
		return RECORDING_TRACE_CORESIGHT;
	default:
		return RECORDING_TRACE_OTHER;
	}
}

bool recording_traces_user(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++) {
		const struct recording_event *event =
			recording_event(recording, i);

		if (event->is_trace && !event->exclude_user)
			return true;
	}
	return false;
}

bool recording_is_gated(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++)
		if (!strcmp(recording_event(recording, i)->name,
			    GATE_MARK_EVENT))
			return true;
	return false;
}

bool recording_names_user(const struct recording *recording)
{
	for (size_t i = 0; i < recording_event_count(recording); i++) {
		const struct recording_event *event =
			recording_event(recording, i);

		if (event->user_registers ||
		    (event->tracepoint &&
		     !strcmp(event->tracepoint->name, "page_fault_user")))
			return true;
	}
	return recording_traces_user(recording);
}

bool recording_traces_kernel(const struct recording *recording)
{
	if (recording_trace(recording) == RECORDING_TRACE_FUNCTION_GRAPH)
		return true;
	for (size_t i = 0; i < recording_event_count(recording); i++) {
		const struct recording_event *event =
			recording_event(recording, i);

		if (event->is_trace && !event->exclude_kernel)
			return true;
	}
	return false;
}
