/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/data_file.h"
#include "decoder/recording/program_ids.h"
#include "decoder/recording/record_lists.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/recording_part.h"
#include "decoder/recording/recording_scan.h"
#include "decoder/recording/tracepoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recording {
	struct recording_facts facts;
	struct data_file file; /* zeroed if there is none */
	struct record_store store;
	struct record_lists *record_lists; /* of the store */
};

/* Sets everything to unknown. */
static void begin(struct recording_facts *facts, const struct log *log)
{
	facts->log = log;
	facts->events = event_table_new(facts->arena);
	facts->streams = stream_list_new();
	facts->tracepoints = ARRAY_OF(struct tracepoint);
	facts->coresight_units = ARRAY_OF(struct coresight_unit);
	facts->maps = ARRAY_OF(struct file_map);
	facts->saved_names = ARRAY_OF(struct saved_name);
	facts->info.hostname = "";
	facts->info.os_release = "";
	facts->info.version = "";
	facts->info.arch = "";
	facts->info.cpu_name = "";
	facts->info.cpuid = "";
	facts->info.command = "";
}

struct recording *recording_new(const char *path, const struct log *log)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording)
		return NULL;
	recording->facts.arena = arena_new();
	if (recording->facts.arena) {
		begin(&recording->facts, log);
		recording->facts.files.path =
			arena_text(recording->facts.arena, path, strlen(path));
		recording->record_lists = record_lists_new();
		recording->facts.program_ids = program_ids_new();
	}
	if (recording->facts.files.path && recording->record_lists &&
	    recording->facts.program_ids)
		return recording;
	recording_close(recording);
	return NULL;
}

static const char *path_of(const struct recording_facts *facts,
			   const char *name)
{
	size_t room = strlen(facts->files.path) + strlen(name) + 2;
	char *path = arena_alloc(facts->arena, room);

	if (path)
		snprintf(path, room, "%s/%s", facts->files.path, name);
	return path;
}

int recording_map_file(struct recording *recording, const char *name,
		       const char **path, const struct file_map **opened)
{
	struct file_map *map = array_add(&recording->facts.maps);

	*path = path_of(&recording->facts, name);
	if (!map || !*path)
		return -ERROR_MEMORY;
	*opened = map;
	return file_map_open_beneath(map, recording->facts.files.path, name,
				     recording->facts.log);
}

static void close_maps(struct array *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		file_map_close(array_at(maps, i));
	array_free(maps);
}

static void forget(struct recording_facts *facts)
{
	coresight_streams_free(facts->coresight_streams);
	array_free(&facts->dumps);
	array_free(&facts->saved_names);
	close_maps(&facts->maps);
	array_free(&facts->coresight_units);
	array_free(&facts->tracepoints);
	stream_list_free(&facts->streams);
	event_table_free(&facts->events);
	program_ids_free(facts->program_ids);
}

void recording_close(struct recording *recording)
{
	if (!recording)
		return;
	forget(&recording->facts);
	record_lists_free(recording->record_lists);
	record_store_close(&recording->store);
	data_file_close(&recording->file);
	arena_free(recording->facts.arena);
	free(recording);
}

bool recording_offset(const struct recording *recording, const void *bytes,
		      uint64_t *offset)
{
	const struct file_map *map = &recording->file.map;
	uintptr_t at = (uintptr_t)bytes - (uintptr_t)map->bytes;

	*offset = at;
	return map->bytes && at < map->size;
}

const struct data_file *recording_data_file(const struct recording *recording)
{
	return &recording->file;
}

const struct record_store *recording_store(const struct recording *recording)
{
	return &recording->store;
}

struct record_lists *recording_record_lists(const struct recording *recording)
{
	return recording->record_lists;
}

const struct recording_facts *recording_facts(const struct recording *recording)
{
	return &recording->facts;
}

struct recording_facts *recording_facts_to_fill(struct recording *recording)
{
	return &recording->facts;
}

bool recording_is_cut(const struct recording *recording)
{
	bool cut = recording->facts.is_cut || recording->file.is_cut ||
		   recording->store.stop_reason;

	for (size_t i = 0; i < recording->facts.streams.streams.count; i++)
		cut |= recording_stream(recording, i)->cut;
	return cut;
}

int recording_data_read(struct recording *recording)
{
	int error = recording_data_open(&recording->facts, &recording->file,
					&recording->store);

	return error ? error : coresight_streams_make(recording);
}

int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **opened)
{
	struct recording *part = malloc(sizeof(*part));
	int error;

	if (!part)
		return -ERROR_MEMORY;
	*part = *whole;
	part->facts.counts = (struct recording_counts){ 0 };
	part->facts.info.first_time_ns = 0;
	part->facts.info.last_time_ns = 0;
	part->facts.streams = stream_list_new();
	part->facts.coresight_units = ARRAY_OF(struct coresight_unit);
	part->facts.coresight_streams = NULL;
	part->file = (struct data_file){
		.map = { .bytes = bytes, .size = size },
		.path = whole->facts.files.data,
		.log = whole->facts.log,
		.is_pipe = true,
		.data_size = size,
	};
	part->record_lists = record_lists_new();
	error = record_store_open(&part->store, &part->file);
	if (!error && !part->record_lists)
		error = -ERROR_MEMORY;
	if (!error)
		error = recording_scan(&part->facts, &part->store);
	if (!error)
		recording_place_conversion(&part->facts);
	if (!error)
		error = stream_list_finish(&part->facts.streams,
					   &part->facts.events, false);
	if (!error)
		error = coresight_streams_make(part);
	if (error)
		recording_part_close(part);
	else
		*opened = part;
	return error;
}

void recording_part_close(struct recording *part)
{
	if (!part)
		return;
	coresight_streams_free(part->facts.coresight_streams);
	array_free(&part->facts.coresight_units);
	record_lists_free(part->record_lists);
	record_store_close(&part->store);
	stream_list_free(&part->facts.streams);
	free(part);
}
