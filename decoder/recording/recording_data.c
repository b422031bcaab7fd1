/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_data.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/program_files_internal.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Reads perf.data in this order:
 *
 *	header, features ─► attributes and IDs (scan_attributes())
 *	all records once (recording_scan()): counts, times, trace, TIME_CONV
 *	tracepoints by name, the trace's events (link_events())
 *	the clock's conversion, streams (stream_list_finish())
 *
 * IDs come first, as no other record can be parsed without them. Malformed
 * features and records change nothing; the first of each kind is logged. The
 * last functions of this file create and close recordings; a part
 * (recording_part_open()) shares the facts of the whole.
 */

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
		byte_reader_u32(&reader); /* available */
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

/* Without a stable counter the kernel gives no conversion: the numbers are 0. */
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

	if (!reader.failed && conversion.shift < 64 && conversion.mult)
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

	bool is_loss = aux.aux.flags & SIDEBAND_AUX_LOSSES;
	int error = stream_list_expect(&facts->streams, &aux);

	facts->counts.aux_truncated += is_loss;
	if (error ||
	    (!is_loss && facts->trace.type != PERF_DATA_AUXTRACE_CORESIGHT))
		return error;
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
			      struct record_lists *lists,
			      const struct record *record)
{
	struct record_origin origin;

	record_parse_origin(&facts->events, record, &origin);
	if (record_lists_add(lists, record, &origin) < 0)
		return -ERROR_MEMORY;
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

/* Reads the attributes that are records, as in pipe mode. */
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
	return error;
}

/* Reads all records of @store once and fills in the facts of the whole
 * recording (counts, streams, time conversion, events of pipe mode), and @lists.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int recording_scan(struct recording_facts *facts,
			  struct record_lists *lists,
			  const struct record_store *store)
{
	struct recording_info *info = &facts->info;
	struct record_walk walk = record_walk_of(store);
	struct record record;
	int error = 0;

	facts->trace_begin_ns = 0;
	while (!error && record_walk_next(&walk, &record)) {
		count_record(&facts->counts, record.type);
		if (record.type == PERF_DATA_FINISHED_ROUND)
			error = record_lists_end_round(lists, false);
		else if (record.type >= PERF_DATA_ATTR)
			error = scan_user_record(facts, &record);
		else
			error = scan_kernel_record(facts, lists, &record);
		record_walk_release(&walk, &walk);
	}
	if (!error)
		error = record_lists_end_round(lists, true);
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

/* Sets the conversion from AUXTRACE_INFO, which has the same numbers as
 * TIME_CONV, also in old recordings without that record.
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

/* Sets the origin of the clock of @facts from the times of the records, unless
 * it is set: a TSC packet has only 56 bits of the counter.
 */
static void recording_place_conversion(struct recording_facts *facts)
{
	if (facts->trace.type == PERF_DATA_AUXTRACE_INTEL_PT &&
	    !facts->conversion.origin && facts->info.first_time_ns)
		time_conversion_set_origin(&facts->conversion,
					   facts->info.first_time_ns);
}

static bool has_other_clock(const struct recording_facts *facts)
{
	const struct recording_event *events = facts->events.events.items;

	for (size_t i = 0; i < facts->events.events.count; i++)
		if (events[i].has_other_clock)
			return true;
	return false;
}

/* Sets the span of the trace. A part has none: its ring of records may begin
 * long after that of the trace.
 */
static void set_span(struct recording_facts *facts, bool is_cut)
{
	const uint64_t minute_ns = UINT64_C(60000000000);
	const struct time_conversion *conversion = &facts->conversion;
	uint64_t first_ns = facts->info.first_time_ns - 60 * minute_ns;
	uint64_t last_ns =
		facts->info.last_time_ns + (is_cut ? 60 : 1) * minute_ns;

	if (!conversion->known || !facts->info.last_time_ns ||
	    has_other_clock(facts) ||
	    (int64_t)(last_ns - conversion->zero) <= 0)
		return;
	facts->span.last = time_conversion_ticks(conversion, last_ns);
	if ((int64_t)(first_ns - conversion->zero) > 0)
		facts->span.first = time_conversion_ticks(conversion, first_ns);
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

/* Marks a recording of ours without an index of the trace as cut: the recorder
 * writes the index whenever it can end by itself (recording_writer_finish()).
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

/* Warns of CPUs whose trace is missing although records describe it. */
static void warn_of_missing(const struct recording_facts *facts)
{
	int32_t cpu;
	size_t count = stream_list_missing(&facts->streams, &cpu);

	if (count)
		log_message(facts->log, LOG_WARNING, facts->files.path,
			    LOG_NO_OFFSET,
			    "the trace of CPU %d%s is missing: the recorder "
			    "was killed before it wrote any, or its file was "
			    "removed",
			    cpu, count > 1 ? " and others" : "");
}

/* Opens the file at the path in @facts and its records, as @file and @store,
 * and reads their contents into @facts. Returns 0 or a negative enum error,
 * which was logged. @file and @store must be closed in any case.
 */
static int recording_data_open(struct recording_facts *facts,
			       struct record_lists *lists,
			       struct data_file *file,
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
	if (!error && store->has_attributes)
		error = scan_attributes(facts, store);
	event_table_finish(&facts->events);
	if (!error)
		error = recording_scan(facts, lists, store);
	if (error)
		return error;
	link_events(facts);
	complete_conversion(facts);
	recording_place_conversion(facts);
	set_span(facts, facts->is_cut || file->is_cut);

	bool is_snapshot =
		facts->streams.has_samples ||
		(facts->trace.type == PERF_DATA_AUXTRACE_INTEL_PT &&
		 trace_info_word(&facts->trace, INTEL_PT_SNAPSHOT_MODE));

	error = stream_list_finish(&facts->streams, &facts->events,
				   is_snapshot);
	if (!error && !is_snapshot)
		warn_of_missing(facts);
	return error;
}

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
		recording->facts.programs = cached_programs_new(path);
	}
	if (recording->facts.files.path && recording->record_lists &&
	    recording->facts.program_ids && recording->facts.programs)
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

static void forget(struct recording_facts *facts)
{
	coresight_streams_free(facts->coresight_streams);
	generated_code_free(facts->generated);
	array_free(&facts->dumps);
	array_free(&facts->saved_names);
	close_maps(&facts->maps);
	array_free(&facts->coresight_units);
	array_free(&facts->tracepoints);
	stream_list_free(&facts->streams);
	event_table_free(&facts->events);
	program_ids_free(facts->program_ids);
	cached_programs_free(facts->programs);
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

int recording_data_read(struct recording *recording)
{
	int error = recording_data_open(&recording->facts,
					recording->record_lists,
					&recording->file, &recording->store);

	if (!error)
		error = coresight_streams_make(recording);
	if (!error && recording_names_user(recording))
		error = generated_code_read(recording,
					    &recording->facts.generated);
	return error;
}

/* Reads the @size bytes at @bytes into @part, whose streams, units and lists
 * are open and empty. Returns 0, -ERROR_MEMORY or -ERROR_SYSTEM.
 */
static int read_part(const struct recording *whole, const uint8_t *bytes,
		     size_t size, struct recording *part)
{
	int error;

	part->file = (struct data_file){
		.map = { .bytes = bytes, .size = size },
		.path = whole->facts.files.data,
		.log = whole->facts.log,
		.is_pipe = true,
		.data_size = size,
	};
	error = record_store_reopen(&part->store, &part->file);
	if (!error)
		error = recording_scan(&part->facts, part->record_lists,
				       &part->store);
	if (!error)
		recording_place_conversion(&part->facts);
	if (!error)
		error = stream_list_finish(&part->facts.streams,
					   &part->facts.events, false);
	return error ? error : coresight_streams_make(part);
}

/* Sets the facts of a part to those of @whole, except those that depend on its
 * records, and except the part's own streams and units.
 */
static void share_facts(struct recording_facts *facts,
			const struct recording *whole)
{
	const struct stream_list streams = facts->streams;
	const struct array units = facts->coresight_units;

	*facts = whole->facts;
	facts->streams = streams;
	facts->coresight_units = units;
	facts->coresight_streams = NULL;
	facts->counts = (struct recording_counts){ 0 };
	facts->info.first_time_ns = 0;
	facts->info.last_time_ns = 0;
	facts->span = (struct tick_span){ 0 };
}

int recording_part_open(const struct recording *whole, const uint8_t *bytes,
			size_t size, struct recording **opened)
{
	struct recording *part = calloc(1, sizeof(*part));
	int error = -ERROR_MEMORY;

	if (!part)
		return error;
	part->facts.streams = stream_list_new();
	part->facts.coresight_units = ARRAY_OF(struct coresight_unit);
	share_facts(&part->facts, whole);
	part->record_lists = record_lists_new();
	if (part->record_lists)
		error = read_part(whole, bytes, size, part);
	if (error)
		recording_part_close(part);
	else
		*opened = part;
	return error;
}

int recording_part_reopen(const struct recording *whole, const uint8_t *bytes,
			  size_t size, struct recording *part)
{
	struct recording_facts *facts = &part->facts;

	coresight_streams_free(facts->coresight_streams);
	stream_list_clear(&facts->streams);
	facts->coresight_units.count = 0;
	share_facts(facts, whole);
	record_lists_clear(part->record_lists);
	return read_part(whole, bytes, size, part);
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
