/* SPDX-License-Identifier: MIT */
#include "decoder/recording/generated_code.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/formats/generated_chunk.h"
#include "common/log.h"
#include "common/maps.h"
#include "common/memory.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the images of generated code from the files in the recording's folder
 * code/ and the records of mappings, process by process:
 *
 *	copies, perf map or jitdump ─► struct generator: one for each process
 *	records of mappings, execs ──┐
 *	                             ├─► struct memory: between two execs
 *	sources: bytes with times ───┘        │ list_areas(): mappings that touch
 *	                                      ▼
 *	                                 images (generated_image.c) ─► events
 *
 * Files are untrusted: sizes are checked when they are mapped, chunks when they
 * are read, and the number of images is limited by struct generated_budget.
 */

enum { PAGE = GENERATED_PAGE_BYTES };

/* The files of one process. */
struct generator {
	int32_t pid;
	struct file_map copies;
	struct file_map map;
	struct file_map dump;
	const char *path; /* of the file that lists the names; NULL: none */
	struct generated_names names;
};

/* Memory that the images of a process contain. */
struct covered {
	int32_t pid;
	uint64_t first_ns; /* the time of the previous exec; 0: none */
	uint64_t end_ns;   /* the time of the next exec */
	uint64_t start;
	uint64_t end;
};

struct generated_code {
	struct arena *arena;
	struct array generators; /* struct generator, by pid */
	struct array events;	 /* struct generated_event, by pid and time */
	struct array covered;	 /* struct covered */
};

/* A mapping or an exec of a process with generated code. */
struct map_record {
	int32_t pid;
	bool is_exec;
	bool is_generated;
	struct generated_mapping mapping;
};

static struct generator *find(const struct generated_code *code, int32_t pid)
{
	size_t at = array_count_below(&code->generators,
				      KEYS(RISING(struct generator, pid)),
				      (uint64_t)pid);
	struct generator *generator;

	if (at == code->generators.count)
		return NULL;
	generator = array_at(&code->generators, at);
	return generator->pid == pid ? generator : NULL;
}

/* Adds the process of the file @name: <pid>.generated, .map or .dump. */
static int add_process(struct generated_code *code, const char *name)
{
	struct generator *generator;
	int length = 0;
	int32_t pid;

	if (sscanf(name, "%" SCNd32 "%n", &pid, &length) != 1 || pid < 0 ||
	    (strcmp(name + length, ".generated") != 0 &&
	     strcmp(name + length, ".map") != 0 &&
	     strcmp(name + length, ".dump") != 0))
		return 0;
	for (size_t i = 0; i < code->generators.count; i++)
		if (((struct generator *)array_at(&code->generators, i))->pid ==
		    pid)
			return 0;
	generator = array_add(&code->generators);
	if (!generator)
		return -ERROR_MEMORY;
	generator->pid = pid;
	generator->names = generated_names_none();
	return 0;
}

static int list_processes(struct generated_code *code, const char *folder,
			  const struct log *log)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	int error = 0;

	while (entries && !error && (entry = readdir(entries)) &&
	       code->generators.count < BUDGET_CODE_FILES)
		error = add_process(code, entry->d_name);
	if (!entries)
		log_message(log, LOG_WARNING, folder, LOG_NO_OFFSET,
			    "generated code is not used: %s", strerror(errno));
	else
		closedir(entries);
	array_sort_by(&code->generators, KEYS(RISING(struct generator, pid)));
	return error;
}

/* Maps the process's file @suffix and returns its path in code->arena. Returns
 * NULL if the file cannot be opened or exceeds BUDGET_GENERATED_BYTES.
 */
static const char *map_file(const struct generated_code *code,
			    const struct recording_facts *facts, int32_t pid,
			    const char *suffix, struct file_map *map)
{
	char path[4096];
	char name[64];
	int error;

	snprintf(name, sizeof(name), "code/%d.%s", (int)pid, suffix);
	snprintf(path, sizeof(path), "%s/%s", facts->files.path, name);
	error = file_map_open_beneath(map, facts->files.path, name, NULL);
	if (error == -ERROR_SYSTEM)
		log_message(facts->log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "generated code is not used: %s", strerror(errno));
	if (error)
		return NULL;
	if (map->size <= BUDGET_GENERATED_BYTES)
		return arena_text(code->arena, path, strlen(path));
	log_message(facts->log, LOG_WARNING, path, LOG_NO_OFFSET,
		    "larger than any list of generated code: not used");
	file_map_close(map);
	return NULL;
}

/* Reads the file dump_clock: "DUMP RECORDING", one time by jitdump's and by the
 * recording's clock. Returns zeros if it cannot be read.
 */
static struct generated_clock read_clock(const struct generated_code *code,
					 const struct recording_facts *facts,
					 int32_t pid)
{
	struct generated_clock clock = { 0 };
	struct file_map map = { 0 };
	char text[64];

	if (!map_file(code, facts, pid, "dump_clock", &map))
		return clock;
	snprintf(text, sizeof(text), "%.*s",
		 map.size < sizeof(text) ? (int)map.size : (int)sizeof(text),
		 map.bytes ? (const char *)map.bytes : "");
	file_map_close(&map);
	if (sscanf(text, "%" SCNu64 " %" SCNu64, &clock.dump_ns,
		   &clock.recording_ns) != 2)
		clock = (struct generated_clock){ 0 };
	return clock;
}

/* Reads the process's names: of its jitdump, else of its perf map. */
static int read_names(const struct generated_code *code,
		      const struct recording_facts *facts,
		      struct generator *generator)
{
	int error = 0;

	generator->path =
		map_file(code, facts, generator->pid, "dump", &generator->dump);
	if (generator->path) {
		const struct generated_clock clock =
			read_clock(code, facts, generator->pid);

		error = generated_names_add_dump(&generator->names,
						 generator->dump.bytes,
						 generator->dump.size, &clock,
						 code->arena, generator->path,
						 facts->log);
	} else {
		generator->path = map_file(code, facts, generator->pid, "map",
					   &generator->map);
		if (generator->path)
			error = generated_names_add_map(
				&generator->names,
				(const char *)generator->map.bytes,
				generator->map.size, code->arena);
	}
	return error ? error : generated_names_finish(&generator->names);
}

/* Returns the effect of @record, a mapping or an exec, on generated code. */
static struct map_record read_record(const struct sideband_record *record)
{
	struct map_record read = {
		.pid = record->pid,
		.is_exec = record->kind == SIDEBAND_COMM,
		.mapping.time_ns = record->time_ns,
	};

	if (read.is_exec)
		return read;
	read.is_generated = generated_path(record->mmap.path);
	read.mapping.start = record->mmap.address & -(uint64_t)PAGE;
	read.mapping.end =
		(record->mmap.address + record->mmap.size_bytes + PAGE - 1) &
		-(uint64_t)PAGE;
	read.mapping.is_writable = record->mmap.writable;
	return read;
}

static bool is_of_code(const struct sideband_record *record)
{
	return record->kind == SIDEBAND_COMM ?
		       record->comm.exec :
		       record->mmap.executable && !record->mmap.kernel;
}

/* Collects the records of mappings and execs of all processes with generated
 * code.
 */
static int read_records(const struct generated_code *code,
			const struct recording *recording,
			struct array *records)
{
	struct sideband *sideband = sideband_open_tasks(
		recording,
		SIDEBAND_BIT(SIDEBAND_MMAP) | SIDEBAND_BIT(SIDEBAND_COMM));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	while (sideband && (status = sideband_next(sideband, &record)) == 1) {
		struct map_record read;

		if (!is_of_code(&record) || !find(code, record.pid))
			continue;
		read = read_record(&record);
		status = array_append(records, &read);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	return status;
}

/* The memory of one process between two execs. */
struct memory {
	struct generated_code *code;
	struct generator *generator;
	uint64_t first_ns;
	uint64_t end_ns;
	struct array mappings; /* struct generated_mapping, by time */
	struct array others;   /* struct generated_mapping of files, by time */
	struct array sources;  /* struct generated_source */
	struct array areas;    /* struct generated_area, disjoint */
	/* too many listed functions, so no code is known */
	bool has_too_many;
};

/* Stores the address of each page's bytes, which start at *@bytes, in @last. If
 * @chunk has no bytes because its page is unchanged, sets its size to a page
 * and *@bytes to the page's bytes in @last, NULL if there are none. Returns 0
 * or -ERROR_MEMORY.
 */
static int find_bytes(struct number_map *last, struct generated_chunk *chunk,
		      const uint8_t **bytes)
{
	if (chunk->flags & GENERATED_IS_SAME) {
		*bytes = chunk->size ? NULL :
				       number_map_pointer(last, chunk->address);
		chunk->size = GENERATED_PAGE_BYTES;
		return 0;
	}
	for (uint64_t at = 0; at < chunk->size; at += GENERATED_PAGE_BYTES) {
		uint64_t *value = number_map_add(last, chunk->address + at);

		if (!value)
			return -ERROR_MEMORY;
		*value = (uintptr_t)(*bytes + at);
	}
	return 0;
}

/* Adds the chunks that were read from this memory. */
static int add_chunks(struct memory *memory)
{
	const struct file_map *file = &memory->generator->copies;
	size_t place = strlen(GENERATED_MAGIC);
	struct generated_chunk chunk;
	struct number_map last = { 0 }; /* the last bytes, by page */
	const uint8_t *bytes;
	int error = 0;

	while (!error && file->size > place &&
	       generated_chunk_read(file->bytes, file->size, &place, &chunk,
				    &bytes)) {
		struct generated_source source = {
			.since_ns = chunk.since_ns,
			.begin_ns = chunk.begin_ns,
			.end_ns = chunk.end_ns,
			.is_writable = chunk.flags & GENERATED_IS_WRITABLE,
			.bytes = bytes,
		};

		error = find_bytes(&last, &chunk, &source.bytes);
		if (!source.bytes || error)
			continue;
		if (chunk.born_ns >= memory->first_ns &&
		    chunk.born_ns < memory->end_ns)
			error = generated_source_add(
				&memory->sources, source, chunk.address,
				chunk.address + chunk.size);
	}
	number_map_free(&last);
	return error;
}

/* Adds the function @name of a perf map, if it shares addresses with others. */
static int add_named(struct memory *memory, const struct generated_name *name)
{
	const struct generated_source source = {
		.begin_ns = name->time_ns - 1,
		.end_ns = name->until_ns,
		.is_named = true,
	};

	uint64_t time_ns = generated_name_time(name);
	uint64_t pages = (name->end - name->start) / PAGE + 2;

	if (name->until_ns <= source.begin_ns || time_ns < memory->first_ns ||
	    time_ns >= memory->end_ns ||
	    generated_names_are_single(&memory->generator->names, name->start,
				       name->end))
		return 0;
	if (pages > BUDGET_GENERATED_PAGES ||
	    memory->sources.count + pages > BUDGET_GENERATED_PAGES) {
		memory->has_too_many = true;
		return 0;
	}
	return generated_source_add(&memory->sources, source, name->start,
				    name->end);
}

/* Adds the functions that the process listed while it had this memory. */
static int add_listed(struct memory *memory)
{
	const struct array *names = &memory->generator->names.names;
	int error = 0;

	for (size_t i = 0; i < names->count && !error; i++) {
		const struct generated_name *name = array_at(names, i);
		const struct generated_source source = {
			.begin_ns = name->time_ns,
			.end_ns = name->time_ns,
			.bytes = name->code,
			.is_listed = true,
		};

		if (!name->code)
			error = add_named(memory, name);
		else if (name->time_ns >= memory->first_ns &&
			 name->time_ns < memory->end_ns)
			error = generated_source_add(&memory->sources, source,
						     name->start, name->end);
	}
	return error;
}

static int add_area(struct memory *memory, uint64_t start, uint64_t end,
		    uint64_t time_ns)
{
	return start < end ? array_append(&memory->areas,
					  &(struct generated_area){
						  .address = start,
						  .size_bytes = end - start,
						  .time_ns = time_ns,
					  }) :
			     0;
}

/* Joins areas that touch, and sets the members of each except address, size and
 * time.
 */
static void join_areas(struct memory *memory)
{
	struct array *areas = &memory->areas;
	const struct generated_source *sources = memory->sources.items;
	struct generated_names *names = &memory->generator->names;
	bool is_patched = !names->patched.count &&
			  generated_sources_are_patched(
				  sources, memory->sources.count, names);
	size_t at = 0;
	size_t kept = 0;

	array_sort_by(areas, KEYS(RISING(struct generated_area, address)));
	for (size_t i = 0; i < areas->count; i++) {
		const struct generated_area *area = array_at(areas, i);
		struct generated_area *last = kept ? array_at(areas, kept - 1) :
						     NULL;
		uint64_t end = area->address + area->size_bytes;

		if (!last || area->address > last->address + last->size_bytes) {
			*(struct generated_area *)array_at(areas, kept++) =
				*area;
			continue;
		}
		if (end > last->address + last->size_bytes)
			last->size_bytes = end - last->address;
		if (area->time_ns < last->time_ns)
			last->time_ns = area->time_ns;
	}
	areas->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct generated_area *area = array_at(areas, i);

		area->mappings = &memory->mappings;
		area->names = names;
		area->first_ns = memory->first_ns;
		area->end_ns = memory->end_ns;
		area->is_patched = is_patched;
		area->sources = sources + at;
		while (at < memory->sources.count &&
		       sources[at].address - area->address < area->size_bytes)
			at++;
		area->source_count = (size_t)(sources + at - area->sources);
	}
}

/* Lists the areas: those of the records of mappings, and the pages of copies
 * that are outside them, as in memory inherited by fork.
 */
static int list_areas(struct memory *memory)
{
	int error = 0;

	for (size_t i = 0; i < memory->mappings.count && !error; i++) {
		const struct generated_mapping *mapping =
			array_at(&memory->mappings, i);

		error = add_area(memory, mapping->start, mapping->end,
				 mapping->time_ns);
	}
	generated_sources_sort(&memory->sources);
	for (size_t i = 0; i < memory->sources.count && !error; i++) {
		const struct generated_source *source =
			array_at(&memory->sources, i);

		error = add_area(memory, source->address,
				 source->address + PAGE, source->begin_ns);
	}
	if (!error)
		join_areas(memory);
	return error;
}

/* Returns the last event of those from @first on that is not after @time_ns. */
static const struct generated_event *last_until(const struct array *events,
						size_t first, uint64_t time_ns)
{
	const struct generated_event *last = NULL;

	for (size_t i = first; i < events->count; i++) {
		const struct generated_event *event = array_at(events, i);

		if (event->time_ns <= time_ns)
			last = event;
	}
	return last;
}

/* Repeats the area's image each time that a file was mapped over a part of
 * @area, and later memory for generated code again. The area's events are those
 * from @first on.
 */
static int repeat_images(const struct memory *memory,
			 const struct generated_area *area,
			 struct array *events, size_t first)
{
	uint64_t end = area->address + area->size_bytes;
	size_t at = 0;
	int error = 0;

	for (size_t i = 0; i < memory->others.count && !error; i++) {
		const struct generated_mapping *other =
			array_at(&memory->others, i);
		const struct generated_mapping *mapping = NULL;
		const struct generated_event *event;
		struct generated_event again;

		if (other->start >= end || other->end <= area->address)
			continue;
		for (; at < memory->mappings.count; at++) {
			mapping = array_at(&memory->mappings, at);
			if (mapping->time_ns > other->time_ns &&
			    mapping->start < end &&
			    mapping->end > area->address)
				break;
		}
		if (at == memory->mappings.count)
			break;
		event = last_until(events, first, mapping->time_ns);
		if (!event)
			continue;
		again = *event;
		again.time_ns = mapping->time_ns;
		error = array_append(events, &again);
	}
	return error;
}

static int make_images(struct memory *memory, struct generated_budget *budget)
{
	struct generated_code *code = memory->code;
	int error = 0;

	for (size_t i = 0; i < memory->areas.count && !error; i++) {
		const struct generated_area *area = array_at(&memory->areas, i);
		const struct covered covered = {
			.pid = memory->generator->pid,
			.first_ns = memory->first_ns,
			.end_ns = memory->end_ns,
			.start = area->address,
			.end = area->address + area->size_bytes,
		};
		size_t first = code->events.count;

		error = array_append(&code->covered, &covered);
		if (!error)
			error = generated_images_make(area, budget, code->arena,
						      &code->events);
		if (!error)
			error = repeat_images(memory, area, &code->events,
					      first);
	}
	return error;
}

/* Makes the images of @memory, unless nothing was read from it. */
static int make_memory(struct memory *memory, struct generated_budget *budget)
{
	int error = add_chunks(memory);

	if (!error)
		error = add_listed(memory);
	if (memory->has_too_many)
		memory->sources.count = 0;
	if (!error && memory->sources.count)
		error = list_areas(memory);
	return error ? error : make_images(memory, budget);
}

static void reset_memory(struct memory *memory, uint64_t first_ns)
{
	memory->first_ns = first_ns;
	memory->mappings.count = 0;
	memory->others.count = 0;
	memory->sources.count = 0;
	memory->areas.count = 0;
}

/* Makes the images of @generator by its @records. */
static int make_generator(struct memory *memory, struct generator *generator,
			  const struct array *records,
			  struct generated_budget *budget)
{
	struct array *events = &memory->code->events;
	size_t first = events->count;
	int error = 0;

	memory->generator = generator;
	reset_memory(memory, 0);
	for (size_t i = 0; i < records->count && !error; i++) {
		const struct map_record *record = array_at(records, i);

		if (record->pid != generator->pid)
			continue;
		if (!record->is_exec) {
			error = array_append(record->is_generated ?
						     &memory->mappings :
						     &memory->others,
					     &record->mapping);
			continue;
		}
		memory->end_ns = record->mapping.time_ns;
		error = make_memory(memory, budget);
		reset_memory(memory, record->mapping.time_ns);
	}
	memory->end_ns = UINT64_MAX;
	if (!error)
		error = make_memory(memory, budget);
	if (!error)
		error = generated_names_list_times(&generator->names);
	for (size_t i = first; i < events->count; i++)
		((struct generated_event *)array_at(events, i))->pid =
			generator->pid;
	return error;
}

static bool has_magic(const struct file_map *file)
{
	return file->size > strlen(GENERATED_MAGIC) &&
	       !memcmp(file->bytes, GENERATED_MAGIC, strlen(GENERATED_MAGIC));
}

static int make_all(struct generated_code *code,
		    const struct recording *recording)
{
	const struct recording_facts *facts = recording_facts(recording);
	struct generated_budget budget = { .pages = BUDGET_GENERATED_PAGES };
	struct array records = ARRAY_OF(struct map_record);
	struct memory memory = {
		.code = code,
		.mappings = ARRAY_OF(struct generated_mapping),
		.others = ARRAY_OF(struct generated_mapping),
		.sources = ARRAY_OF(struct generated_source),
		.areas = ARRAY_OF(struct generated_area),
	};
	int error = read_records(code, recording, &records);

	for (size_t i = 0; i < code->generators.count && !error; i++) {
		struct generator *generator = array_at(&code->generators, i);

		budget.images = BUDGET_GENERATED_IMAGES;
		error = read_names(code, facts, generator);
		map_file(code, facts, generator->pid, "generated",
			 &generator->copies);
		if (!has_magic(&generator->copies))
			file_map_close(&generator->copies);
		memory.has_too_many = false;
		if (!error)
			error = make_generator(&memory, generator, &records,
					       &budget);
		if (memory.has_too_many)
			log_message(facts->log, LOG_WARNING, generator->path,
				    LOG_NO_OFFSET,
				    "lists overlapping functions of too many "
				    "pages: what ran there is unknown");
	}
	array_sort_by(&code->events,
		      KEYS(RISING(struct generated_event, pid),
			   RISING(struct generated_event, time_ns)));
	array_free(&memory.mappings);
	array_free(&memory.others);
	array_free(&memory.sources);
	array_free(&memory.areas);
	array_free(&records);
	return error;
}

int generated_code_read(const struct recording *recording,
			struct generated_code **made)
{
	const char *folder = recording_files(recording)->code;
	struct generated_code *code;
	int error;

	*made = NULL;
	if (!folder)
		return 0;
	code = calloc(1, sizeof(*code));
	if (!code)
		return -ERROR_MEMORY;
	code->arena = arena_new();
	code->generators = ARRAY_OF(struct generator);
	code->events = ARRAY_OF(struct generated_event);
	code->covered = ARRAY_OF(struct covered);
	error = code->arena ?
			list_processes(code, folder, recording_log(recording)) :
			-ERROR_MEMORY;
	if (!error && code->generators.count)
		error = make_all(code, recording);
	if (error || !code->generators.count)
		generated_code_free(code);
	else
		*made = code;
	return error;
}

void generated_code_free(struct generated_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->generators.count; i++) {
		struct generator *generator = array_at(&code->generators, i);

		generated_names_free(&generator->names);
		file_map_close(&generator->copies);
		file_map_close(&generator->map);
		file_map_close(&generator->dump);
	}
	array_free(&code->generators);
	array_free(&code->events);
	array_free(&code->covered);
	arena_free(code->arena);
	free(code);
}

const struct generated_event *
generated_code_events(const struct generated_code *code, size_t *count)
{
	*count = code->events.count;
	return code->events.items;
}

bool generated_code_covers(const struct generated_code *code, int32_t pid,
			   uint64_t time_ns, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < code->covered.count; i++) {
		const struct covered *covered = array_at(&code->covered, i);

		if (covered->pid == pid && time_ns >= covered->first_ns &&
		    time_ns < covered->end_ns && address >= covered->start &&
		    address + size <= covered->end)
			return true;
	}
	return false;
}

const struct generated_names *
generated_code_names(const struct generated_code *code, int32_t pid,
		     const char **path)
{
	const struct generator *generator = find(code, pid);

	if (!generator || !generator->path)
		return NULL;
	*path = generator->path;
	return &generator->names;
}

const struct generated_names *
generated_code_names_at(const struct generated_code *code, size_t index)
{
	const struct generator *generator;

	if (index >= code->generators.count)
		return NULL;
	generator = array_at(&code->generators, index);
	return &generator->names;
}

/* Adds a function to the heap of those that contain the current address. The
 * last one in the list is at the top.
 */
static void heap_add(const struct generated_name **heap, size_t count,
		     const struct generated_name *name)
{
	size_t at = count;

	while (at && heap[(at - 1) / 2]->order < name->order) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = name;
}

/* Removes the function at the top of the heap of @count; returns how many are
 * left.
 */
static size_t heap_remove(const struct generated_name **heap, size_t count)
{
	const struct generated_name *last = heap[--count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    heap[child + 1]->order > heap[child]->order)
			child++;
		if (heap[child]->order < last->order)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return count;
}

/* Returns whether @name is a function at @time_ns; 0: at all times. */
static bool is_there(const struct generated_name *name, uint64_t time_ns)
{
	return name->from_ns <= time_ns && (name->to_ns == UINT64_MAX ||
					    (time_ns && time_ns < name->to_ns));
}

int generated_names_visit(const struct generated_names *names, uint64_t time_ns,
			  generated_names_visitor *visit, void *ctx)
{
	const struct generated_name *list = names->names.items;
	size_t left = names->names.count;
	const struct generated_name **heap = malloc((left + 1) * sizeof(*heap));
	struct generated_run run = { 0 };
	size_t count = 0;
	int error = heap ? 0 : -ERROR_MEMORY;

	while (!error && (left || count)) {
		while (count && heap[0]->end <= run.start)
			count = heap_remove(heap, count);
		if (!count && left && list->start > run.start)
			run.start = list->start;
		for (; left && list->start <= run.start; list++, left--)
			if (list->end > run.start && is_there(list, time_ns))
				heap_add(heap, count++, list);
		if (!count)
			continue;
		run.end = heap[0]->end;
		if (left && list->start < run.end)
			run.end = list->start;
		error = visit(ctx, &run, heap[0]->name);
		run.start = run.end;
	}
	free(heap);
	return error;
}

const struct generated_code *
recording_generated_code(const struct recording *recording)
{
	return recording_facts(recording)->generated;
}
