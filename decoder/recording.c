/* SPDX-License-Identifier: MIT */
#include "decoder/recording.h"
#include "common/arena.h"
#include "common/error.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "decoder/coresight_streams.h"
#include "decoder/coresight_unit.h"
#include "decoder/recording_features.h"
#include "decoder/recording_parts.h"
#include "decoder/recording_scan.h"
#include "decoder/snapshot.h"
#include "decoder/tracepoint_format.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns "<folder>/<name>" if there is such a file, else NULL. */
static const char *find_beside(struct recording *recording, const char *name)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/%s", recording->path,
			      name);

	if (length < 0 || (size_t)length >= sizeof(path) || access(path, F_OK))
		return NULL;
	return arena_text(recording->arena, path, (size_t)length);
}

/* The same with an absolute path, as user programs have. */
static const char *find_absolute(struct recording *recording, const char *name)
{
	const char *path = find_beside(recording, name);
	char absolute[PATH_MAX];

	if (!path || !realpath(path, absolute))
		return NULL;
	return arena_text(recording->arena, absolute, strlen(absolute));
}

static bool find_snapshot(struct recording *recording)
{
	recording->data_path = find_beside(recording, "snapshot.ini");
	recording->is_snapshot = recording->data_path;
	recording->kallsyms_path = find_beside(recording, "kallsyms");
	recording->modules_path = find_beside(recording, "modules");
	return recording->is_snapshot;
}

/* perf record --kcore puts the copies into a folder of the directory. */
static int find_files(struct recording *recording)
{
	struct stat stat_of_path;

	recording->data_path = recording->path;
	if (stat(recording->path, &stat_of_path) < 0 ||
	    !S_ISDIR(stat_of_path.st_mode))
		return 0;
	recording->data_path = find_beside(recording, "data");
	recording->kcore_path = find_beside(recording, "kcore_dir/kcore");
	recording->kcore_end_path =
		find_beside(recording, "kcore_dir/kcore_end");
	recording->kallsyms_path =
		find_beside(recording, "kcore_dir/kallsyms");
	recording->modules_path = find_beside(recording, "kcore_dir/modules");
	recording->vdso_path = find_absolute(recording, "kcore_dir/vdso");
	recording->code_path = find_beside(recording, "code");
	if (recording->data_path)
		return 0;
	if (find_snapshot(recording))
		return 0;
	log_message(recording->log, LOG_ERROR, recording->path, LOG_NO_OFFSET,
		    "a directory without a file called data: no recording");
	return -ERROR_NOT_FOUND;
}

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
			error = event_table_add_names(&recording->events,
						      bytes, size);
		else if (bit == PERF_DATA_FEATURE_TRACING_DATA)
			error = tracing_data_read(bytes, size,
						  recording->arena,
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
		const struct tracepoint *tracepoint =
			array_at(tracepoints, i);

		if (tracepoint->id == event->config)
			event->tracepoint = tracepoint;
	}
}

/* Intel PT's first word and CoreSight's second hold the type of the PMU. */
static void link_events(struct recording *recording)
{
	uint64_t pmu_type = recording_trace_word(recording, 0);
	bool has_trace = recording->auxtrace_type;

	if (recording->auxtrace_type == PERF_DATA_AUXTRACE_CORESIGHT)
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

	if (recording->auxtrace_type != PERF_DATA_AUXTRACE_INTEL_PT ||
	    !recording_trace_word(recording, INTEL_PT_TIME_MULT) ||
	    shift >= 64)
		return;
	recording->conversion = (struct time_conversion){
		.shift = (uint32_t)shift,
		.mult = recording_trace_word(recording, INTEL_PT_TIME_MULT),
		.zero = recording_trace_word(recording, INTEL_PT_TIME_ZERO),
		.known = true,
	};
}

static int read_snapshot(struct recording *recording)
{
	int error = snapshot_read(recording);

	if (!error)
		error = stream_list_finish(&recording->streams,
					   &recording->events, false);
	return error ? error : coresight_streams_split(recording);
}

static int read_data(struct recording *recording)
{
	int error = data_file_open(&recording->file, recording->data_path,
				   recording->log);

	if (!error)
		error = event_table_read_header(&recording->events,
						&recording->file);
	if (!error)
		error = record_store_open(&recording->store, &recording->file);
	if (!error)
		error = read_features(recording);
	if (!error)
		error = recording_scan(recording);
	if (error)
		return error;
	link_events(recording);
	complete_conversion(recording);

	bool is_snapshot =
		recording->auxtrace_type == PERF_DATA_AUXTRACE_INTEL_PT &&
		recording_trace_word(recording, INTEL_PT_SNAPSHOT_MODE);

	error = stream_list_finish(&recording->streams, &recording->events,
				   is_snapshot);
	if (error || recording->auxtrace_type != PERF_DATA_AUXTRACE_CORESIGHT)
		return error;
	error = coresight_streams_read_units(recording);
	return error ? error : coresight_streams_split(recording);
}

static void begin(struct recording *recording, const struct log *log)
{
	recording->log = log;
	recording->events = event_table_new(recording->arena);
	recording->streams = stream_list_new();
	recording->tracepoints = ARRAY_OF(struct tracepoint);
	recording->coresight_units = ARRAY_OF(struct coresight_unit);
	recording->info.hostname = "";
	recording->info.os_release = "";
	recording->info.version = "";
	recording->info.arch = "";
	recording->info.cpu_name = "";
	recording->info.cpuid = "";
	recording->info.command = "";
}

int recording_open(const char *path, const struct log *log,
		   struct recording **opened)
{
	struct recording *recording = calloc(1, sizeof(*recording));
	int error = -ERROR_MEMORY;

	if (!recording)
		return error;
	recording->arena = arena_new();
	if (!recording->arena)
		goto fail;
	begin(recording, log);
	recording->path = arena_text(recording->arena, path, strlen(path));
	if (!recording->path)
		goto fail;
	error = find_files(recording);
	if (!error && recording->is_snapshot)
		error = read_snapshot(recording);
	else if (!error)
		error = read_data(recording);
	if (error)
		goto fail;
	*opened = recording;
	return 0;
fail:
	recording_close(recording);
	return error;
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	coresight_streams_free(recording->coresight_streams);
	snapshot_free(recording->snapshot);
	array_free(&recording->coresight_units);
	array_free(&recording->tracepoints);
	stream_list_free(&recording->streams);
	event_table_free(&recording->events);
	record_store_close(&recording->store);
	data_file_close(&recording->file);
	arena_free(recording->arena);
	free(recording);
}
