/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "common/arena.h"
#include "common/error.h"
#include "common/file_map.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/record_lists.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/tracepoint.h"

#include <stdlib.h>
#include <string.h>

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
		recording->path =
			arena_text(recording->arena, path, strlen(path));
		recording->record_lists = record_lists_new();
		recording->program_ids = program_ids_new();
	}
	if (recording->path && recording->record_lists &&
	    recording->program_ids)
		return recording;
	recording_close(recording);
	return NULL;
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
