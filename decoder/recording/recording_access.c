/* SPDX-License-Identifier: MIT */
#include "common/arena.h"
#include "common/gate_mark.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "common/regular_file.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/tracepoint.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

const char *recording_path(const struct recording *recording)
{
	return recording->path;
}

const char *recording_data_path(const struct recording *recording)
{
	return recording->data_path;
}

bool recording_offset(const struct recording *recording, const void *bytes,
		      uint64_t *offset)
{
	const struct file_map *map = &recording->file.map;
	uintptr_t at = (uintptr_t)bytes - (uintptr_t)map->bytes;

	*offset = at;
	return map->bytes && at < map->size;
}

const char *recording_kcore_path(const struct recording *recording)
{
	return recording->kcore_path;
}

const char *recording_kallsyms_path(const struct recording *recording)
{
	return recording->kallsyms_path;
}

const char *recording_modules_path(const struct recording *recording)
{
	return recording->modules_path;
}

const char *recording_cgroups_path(const struct recording *recording)
{
	return recording->cgroups_path;
}

const char *recording_sockets_path(const struct recording *recording)
{
	return recording->sockets_path;
}

const char *recording_cgroups_end_path(const struct recording *recording)
{
	return recording->cgroups_end_path;
}

struct text_part recording_kallsyms(const struct recording *recording)
{
	return recording->kallsyms;
}

const struct saved_name *
recording_saved_names(const struct recording *recording, size_t *count)
{
	*count = recording->saved_names.count;
	return recording->saved_names.items;
}

const struct graph_trace *
recording_graph_trace(const struct recording *recording)
{
	return &recording->graph;
}

const struct recording_info *recording_info(const struct recording *recording)
{
	return &recording->info;
}

const struct recording_counts *
recording_counts(const struct recording *recording)
{
	return &recording->counts;
}

bool recording_is_cut(const struct recording *recording)
{
	bool cut = recording->file.is_cut || recording->store.stop_reason;

	for (size_t i = 0; i < recording->streams.streams.count; i++)
		cut |= recording_stream(recording, i)->cut;
	return cut;
}

/* Intel PT is x86's alone: no need to trust the header's name for it. */
enum recording_arch recording_arch(const struct recording *recording)
{
	if (recording->auxtrace_type == PERF_DATA_AUXTRACE_INTEL_PT)
		return RECORDING_ARCH_X86_64;
	return recording_arch_named(recording->info.arch);
}

/* This is what a map names need not be a file: "//anon". */
const char *recording_user_path(const struct recording *recording,
				const char *path, struct arena *arena)
{
	char rooted[4096];
	int length;

	if (recording->vdso_path && !strcmp(path, "[vdso]"))
		return recording->vdso_path;
	if (path[0] != '/' || !recording->root)
		return path;
	if (!*recording->root || regular_file_goes_up(path))
		return "";
	length =
		snprintf(rooted, sizeof(rooted), "%s%s", recording->root, path);
	if (length < 0 || (size_t)length >= sizeof(rooted))
		return "";
	return arena_text(arena, rooted, (size_t)length);
}

bool recording_has_program(const struct recording *recording,
			   const struct sideband_mmap *map, const char *path)
{
	return program_ids_fit(recording->program_ids, map, path,
			       recording->log);
}

static bool is_own_arch(enum recording_arch arch)
{
	struct utsname host;

	return arch == RECORDING_ARCH_UNKNOWN || uname(&host) < 0 ||
	       recording_arch_named(host.machine) == arch;
}

void recording_set_root(struct recording *recording, const char *root)
{
	recording->root = root;
	if (root || is_own_arch(recording_arch(recording)))
		return;
	recording->root = "";
	if (recording_names_user(recording))
		log_message(recording->log, LOG_WARNING, recording->data_path,
			    LOG_NO_OFFSET,
			    "the traced machine's architecture is not this "
			    "one's: user code and stacks are unknown unless "
			    "--symfs names a folder with that machine's "
			    "files");
}

/* Time stamps mean nanoseconds if they are the CPU's counter, which the
 * recording can convert.
 */
static bool has_time(const struct recording *recording)
{
	const struct array *units = &recording->coresight_units;

	for (size_t i = 0; i < units->count; i++) {
		const struct coresight_unit *unit = array_at(units, i);

		if (!coresight_unit_has_time(unit) || !unit->has_cpu_time)
			return false;
	}
	return recording->conversion.known;
}

static bool has_cycles(const struct recording *recording)
{
	const struct array *units = &recording->coresight_units;

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
	switch (recording->auxtrace_type) {
	case 0:
		return recording->graph.page_bytes ?
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

uint64_t recording_trace_word(const struct recording *recording, size_t index)
{
	return index < recording->trace_word_count ?
		       recording->trace_words[index] :
		       0;
}

size_t recording_event_count(const struct recording *recording)
{
	return recording->events.events.count;
}

const struct recording_event *recording_event(const struct recording *recording,
					      size_t index)
{
	return array_at(&recording->events.events, index);
}

size_t recording_stream_count(const struct recording *recording)
{
	return recording->streams.streams.count;
}

const struct aux_stream *recording_stream(const struct recording *recording,
					  size_t index)
{
	return array_at(&recording->streams.streams, index);
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
