/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_data.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/build_id_cache.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "common/maps.h"
#include "common/memory.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The record contains the size of its ID (PERF_RECORD_MISC_BUILD_ID_SIZE). */
#define MISC_BUILD_ID_SIZE (1 << 15)

/* A file name on the traced machine, and the local file. */
struct program {
	/* from perf's header, for the first name */
	struct elf_build_id recorded;
	bool is_logged; /* a mismatch was logged */
};

struct program_ids {
	pthread_mutex_t lock; /* protects the following fields */
	struct string_pool *names;
	struct array programs; /* struct program, by the number of its name */
	struct build_id_cache *found; /* of local files */
};

struct program_ids *program_ids_new(void)
{
	struct program_ids *ids = calloc(1, sizeof(*ids));

	if (!ids)
		return NULL;
	pthread_mutex_init(&ids->lock, NULL);
	ids->programs = ARRAY_OF(struct program);
	ids->names = string_pool_new();
	ids->found = build_id_cache_new();
	if (ids->names && ids->found)
		return ids;
	program_ids_free(ids);
	return NULL;
}

void program_ids_free(struct program_ids *ids)
{
	if (!ids)
		return;
	string_pool_free(ids->names);
	build_id_cache_free(ids->found);
	array_free(&ids->programs);
	pthread_mutex_destroy(&ids->lock);
	free(ids);
}

/* Returns the program named @name; NULL when out of memory. */
static struct program *program_of(struct program_ids *ids, const char *name)
{
	uint32_t number = string_pool_add(ids->names, name, strlen(name));

	return number == STRING_POOL_NONE ? NULL :
					    array_reach(&ids->programs, number);
}

/* Parses one entry after its record's head: the process that it was seen in,
 * the ID in 24 bytes with its size in the byte after the first 20, and the
 * file's name.
 */
static int add_entry(struct program_ids *ids, uint16_t misc,
		     const uint8_t *bytes, size_t size)
{
	struct byte_reader entry = byte_reader_of(bytes, size);
	struct elf_build_id id = { .size = ELF_BUILD_ID_SIZE };
	const uint8_t *id_bytes;
	struct program *program;
	const char *name;

	byte_reader_u32(&entry);
	id_bytes = byte_reader_bytes(&entry, 24);
	name = byte_reader_text(&entry);
	if (entry.failed)
		return 0;
	if (misc & MISC_BUILD_ID_SIZE && id_bytes[20] <= ELF_BUILD_ID_SIZE)
		id.size = id_bytes[20];
	memcpy(id.bytes, id_bytes, id.size);
	program = program_of(ids, name);
	if (!program)
		return -ERROR_MEMORY;
	program->recorded = id;
	return 0;
}

int program_ids_add_table(struct program_ids *ids, const uint8_t *bytes,
			  size_t size)
{
	enum { HEAD = 8 };
	struct byte_reader table = byte_reader_of(bytes, size);
	int status = 0;

	while (!status && byte_reader_left(&table) >= HEAD) {
		uint16_t misc;
		uint16_t record_size;
		const uint8_t *entry;

		byte_reader_u32(&table);
		misc = byte_reader_u16(&table);
		record_size = byte_reader_u16(&table);
		entry = record_size < HEAD ?
				NULL :
				byte_reader_bytes(&table, record_size - HEAD);
		if (!entry)
			break;
		status = add_entry(ids, misc, entry, record_size - HEAD);
	}
	return status;
}

/* Returns whether two IDs are equal. Shorter IDs are padded with zeros, and not
 * every table has the size.
 */
static bool is_same(const struct elf_build_id *a, const struct elf_build_id *b)
{
	return !memcmp(a->bytes, b->bytes, ELF_BUILD_ID_SIZE);
}

static struct elf_build_id id_of_map(struct program_ids *ids,
				     const struct sideband_mmap *map)
{
	const struct program *program;
	struct elf_build_id id = { 0 };

	if (map->build_id_size && map->build_id_size <= ELF_BUILD_ID_SIZE) {
		id.size = map->build_id_size;
		memcpy(id.bytes, map->build_id, id.size);
		return id;
	}
	program = program_of(ids, map->path);
	return program ? program->recorded : id;
}

static const char *text_of(const struct elf_build_id *id,
			   char text[2 * ELF_BUILD_ID_SIZE + 1])
{
	for (size_t i = 0; i < id->size; i++)
		sprintf(text + 2 * i, "%02x", id->bytes[i]);
	return text;
}

static void log_mismatch(struct program_ids *ids, const char *path,
			 const struct elf_build_id *found,
			 const struct elf_build_id *recorded,
			 const struct log *log)
{
	struct program *program = program_of(ids, path);
	char now[2 * ELF_BUILD_ID_SIZE + 1];
	char then[2 * ELF_BUILD_ID_SIZE + 1];

	if (!program || program->is_logged)
		return;
	program->is_logged = true;
	log_message(log, LOG_WARNING, path, LOG_NO_OFFSET,
		    "not the file that was recorded (its build id is "
		    "%s, then %s): its code and names are left out; "
		    "name a folder with the right one by --symfs, or "
		    "archive recordings before programs change",
		    text_of(found, now), text_of(recorded, then));
}

/* Requires the lock. */
static bool fits(struct program_ids *ids, const struct sideband_mmap *map,
		 const char *path, const struct log *log)
{
	const struct elf_build_id recorded = id_of_map(ids, map);
	struct elf_build_id found;

	if (!recorded.size)
		return true;
	found = build_id_cache_of(ids->found, path);
	if (!found.size || is_same(&found, &recorded))
		return true;
	log_mismatch(ids, path, &found, &recorded, log);
	return false;
}

bool program_ids_fit(struct program_ids *ids, const struct sideband_mmap *map,
		     const char *path, const struct log *log)
{
	bool is_fitting;

	pthread_mutex_lock(&ids->lock);
	is_fitting = fits(ids, map, path, log);
	pthread_mutex_unlock(&ids->lock);
	return is_fitting;
}

/* Reads a string of perf: a size that includes padding, then the text. */
static int read_text(struct byte_reader *reader, struct arena *arena,
		     const char **text)
{
	uint32_t size = byte_reader_u32(reader);
	const char *bytes = (const char *)byte_reader_bytes(reader, size);

	if (!bytes)
		return 0;

	const char *copy = arena_text(arena, bytes, strnlen(bytes, size));

	if (!copy)
		return -ERROR_MEMORY;
	*text = copy;
	return 0;
}

static int read_command(struct byte_reader *reader, struct arena *arena,
			const char **command)
{
	size_t room = byte_reader_left(reader) + 1;
	uint32_t count = byte_reader_u32(reader);
	char *line = arena_alloc(arena, room);
	size_t length = 0;

	if (!line)
		return -ERROR_MEMORY;
	while (count-- && !reader->failed) {
		uint32_t size = byte_reader_u32(reader);
		const char *word =
			(const char *)byte_reader_bytes(reader, size);

		if (!word)
			break;
		if (length)
			line[length++] = ' ';
		size = (uint32_t)strnlen(word, size);
		memcpy(line + length, word, size);
		length += size;
	}
	*command = line;
	return 0;
}

/* Parses the payload of header feature @bit into @info, if @info has a field
 * for it. A malformed payload changes nothing.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int recording_feature_read(struct recording_info *info, unsigned int bit,
				  const uint8_t *bytes, size_t size,
				  struct arena *arena)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	switch (bit) {
	case PERF_DATA_FEATURE_HOSTNAME:
		return read_text(&reader, arena, &info->hostname);
	case PERF_DATA_FEATURE_OSRELEASE:
		return read_text(&reader, arena, &info->os_release);
	case PERF_DATA_FEATURE_VERSION:
		return read_text(&reader, arena, &info->version);
	case PERF_DATA_FEATURE_ARCH:
		return read_text(&reader, arena, &info->arch);
	case PERF_DATA_FEATURE_CPUDESC:
		return read_text(&reader, arena, &info->cpu_name);
	case PERF_DATA_FEATURE_CPUID:
		return read_text(&reader, arena, &info->cpuid);
	case PERF_DATA_FEATURE_CMDLINE:
		return read_command(&reader, arena, &info->command);
	case PERF_DATA_FEATURE_NRCPUS:
		info->cpus_available = byte_reader_u32(&reader);
		info->cpus_online = byte_reader_u32(&reader);
		return 0;
	default:
		return 0;
	}
}

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

/* Applies a record that perf wrote about the recording, not the kernel. */
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

/* Records the start of the trace. The kernel's other events start when they are
 * opened, long before.
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

/* Logs the first sample with CoreSight's trace, which would also need the AUX
 * records of whole buffers.
 */
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

/* Adds the trace that perf record --aux-sample stores in samples of other
 * events.
 */
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

/* Marks the trace's events and names the tracepoints. The PMU type is in Intel
 * PT's first word and in CoreSight's second.
 */
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

/* Sets the conversion of an old recording without TIME_CONV: AUXTRACE_INFO has
 * the same numbers.
 */
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

/* Returns whether our recorder wrote @file, by its feature VERSION. */
static bool is_ours(const struct data_file *file)
{
	static const char name[] = "ktrace-hw";
	size_t size = 0;
	const uint8_t *bytes =
		data_file_feature(file, PERF_DATA_FEATURE_VERSION, &size);

	return bytes && size >= 4 + sizeof(name) &&
	       !memcmp(bytes + 4, name, sizeof(name));
}

/* Our recorder writes the index of the trace when it ends for any reason
 * (recording_writer_finish()), if possible.
 */
static void note_unfinished(struct recording_facts *facts,
			    const struct data_file *file)
{
	if (!is_ours(file) || file->is_pipe || file->is_cut ||
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

	if (!error && is_ours(file) && facts->files.data != facts->files.path)
		error = data_file_add_parts(file, facts->files.path);
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
