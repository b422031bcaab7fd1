/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "common/arena.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/regular_file.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/record_lists.h"
#include "decoder/recording/recording_features.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/tracepoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static void begin(struct recording *recording, const struct log *log)
{
	recording->log = log;
	recording->events = event_table_new(recording->arena);
	recording->streams = stream_list_new();
	recording->tracepoints = ARRAY_OF(struct tracepoint);
	recording->coresight_units = ARRAY_OF(struct coresight_unit);
	recording->maps = ARRAY_OF(struct file_map);
	recording->saved_names = ARRAY_OF(struct saved_name);
	recording->info.hostname = "";
	recording->info.os_release = "";
	recording->info.version = "";
	recording->info.arch = "";
	recording->info.cpu_name = "";
	recording->info.cpuid = "";
	recording->info.command = "";
}

struct recording *recording_new(const char *path, const struct log *log)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->arena = arena_new();
	if (recording->arena) {
		begin(recording, log);
		recording->files.path =
			arena_text(recording->arena, path, strlen(path));
		recording->record_lists = record_lists_new();
		recording->program_ids = program_ids_new();
	}
	if (recording->files.path && recording->record_lists &&
	    recording->program_ids)
		return recording;
	recording_close(recording);
	return NULL;
}

static const char *path_of(const struct recording *recording, const char *name)
{
	size_t room = strlen(recording->files.path) + strlen(name) + 2;
	char *path = arena_alloc(recording->arena, room);

	if (path)
		snprintf(path, room, "%s/%s", recording->files.path, name);
	return path;
}

int recording_map_file(struct recording *recording, const char *name,
		       const char **path, const struct file_map **opened)
{
	struct file_map *map = array_add(&recording->maps);

	*path = path_of(recording, name);
	if (!map || !*path)
		return -ERROR_MEMORY;
	*opened = map;
	return file_map_open_beneath(map, recording->files.path, name,
				     recording->log);
}

static void close_maps(struct array *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		file_map_close(array_at(maps, i));
	array_free(maps);
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	coresight_streams_free(recording->coresight_streams);
	array_free(&recording->dumps);
	array_free(&recording->saved_names);
	close_maps(&recording->maps);
	array_free(&recording->coresight_units);
	array_free(&recording->tracepoints);
	stream_list_free(&recording->streams);
	event_table_free(&recording->events);
	record_lists_free(recording->record_lists);
	program_ids_free(recording->program_ids);
	record_store_close(&recording->store);
	data_file_close(&recording->file);
	arena_free(recording->arena);
	free(recording);
}

const char *recording_path(const struct recording *recording)
{
	return recording->files.path;
}

const char *recording_data_path(const struct recording *recording)
{
	return recording->files.data;
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
	return recording->files.kcore;
}

const char *recording_kallsyms_path(const struct recording *recording)
{
	return recording->files.kallsyms;
}

const char *recording_modules_path(const struct recording *recording)
{
	return recording->files.modules;
}

const char *recording_cgroups_path(const struct recording *recording)
{
	return recording->files.cgroups;
}

const char *recording_sockets_path(const struct recording *recording)
{
	return recording->files.sockets;
}

const char *recording_cgroups_end_path(const struct recording *recording)
{
	return recording->files.cgroups_end;
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

const struct log *recording_log(const struct recording *recording)
{
	return recording->log;
}

const struct recording_files *recording_files(const struct recording *recording)
{
	return &recording->files;
}

const struct data_file *recording_data_file(const struct recording *recording)
{
	return &recording->file;
}

const struct trace_info *recording_trace_info(const struct recording *recording)
{
	return &recording->trace;
}

const struct time_conversion *
recording_time_conversion(const struct recording *recording)
{
	return &recording->conversion;
}

const struct array *recording_coresight_units(const struct recording *recording)
{
	return &recording->coresight_units;
}

const struct array *recording_dumps(const struct recording *recording)
{
	return &recording->dumps;
}

uint64_t recording_trace_word(const struct recording *recording, size_t index)
{
	return index < recording->trace.word_count ?
		       recording->trace.words[index] :
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

bool recording_is_cut(const struct recording *recording)
{
	bool cut = recording->file.is_cut || recording->store.stop_reason;

	for (size_t i = 0; i < recording->streams.streams.count; i++)
		cut |= recording_stream(recording, i)->cut;
	return cut;
}

/* This is what a map names need not be a file: "//anon". */
const char *recording_user_path(const struct recording *recording,
				const char *path, struct arena *arena)
{
	char rooted[4096];
	int length;

	if (recording->files.vdso && !strcmp(path, "[vdso]"))
		return recording->files.vdso;
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
		log_message(recording->log, LOG_WARNING, recording->files.data,
			    LOG_NO_OFFSET,
			    "the traced machine's architecture is not this "
			    "one's: user code and stacks are unknown unless "
			    "--symfs names a folder with that machine's "
			    "files");
}
