/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"

#include "common/arena.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/gate_mark.h"
#include "common/log.h"
#include "common/perf_data.h"
#include "common/regular_file.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Locates the traced machine's programs. */

/* The name of a mapping need not be a file: "//anon". */
const char *recording_user_path(const struct recording *recording,
				const char *path, struct arena *arena)
{
	const struct recording_facts *facts = recording_facts(recording);
	char rooted[4096];
	int length;

	if (facts->files.vdso && !strcmp(path, "[vdso]"))
		return facts->files.vdso;
	if (path[0] != '/' || !facts->root)
		return path;
	if (!*facts->root || regular_file_goes_up(path))
		return "";
	length = snprintf(rooted, sizeof(rooted), "%s%s", facts->root, path);
	if (length < 0 || (size_t)length >= sizeof(rooted))
		return "";
	return arena_text(arena, rooted, (size_t)length);
}

bool recording_has_program(const struct recording *recording,
			   const struct sideband_mmap *map, const char *path)
{
	return program_ids_fit(recording_facts(recording)->program_ids, map,
			       path, recording_facts(recording)->log);
}

static bool is_own_arch(enum recording_arch arch)
{
	struct utsname host;

	return arch == RECORDING_ARCH_UNKNOWN || uname(&host) < 0 ||
	       recording_arch_named(host.machine) == arch;
}

void recording_set_root(struct recording *recording, const char *root)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);

	facts->root = root;
	if (root || is_own_arch(recording_arch(recording)))
		return;
	facts->root = "";
	if (recording_names_user(recording))
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    LOG_NO_OFFSET,
			    "the traced machine's architecture is not this "
			    "one's: user code and stacks are unknown unless "
			    "--symfs names a folder with that machine's "
			    "files");
}

void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings)
{
	enum { MOST_BYTES = 4096 }; /* of three lines */
	char text[MOST_BYTES];
	ssize_t size;
	int fd;

	*readings = (struct clock_readings){ 0 };
	if (!recording_files(recording)->clock)
		return;
	fd = regular_file_open(recording_files(recording)->clock);
	if (fd < 0)
		return;
	size = read(fd, text, sizeof(text));
	close(fd);
	if (size > 0)
		clock_readings_parse(readings, text, (size_t)size);
}

/* Queries on a recording that are answered from its contents. */

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
