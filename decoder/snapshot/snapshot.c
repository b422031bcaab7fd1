/* SPDX-License-Identifier: MIT */
#include "decoder/snapshot/snapshot.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/code/code_region.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/snapshot/ini_internal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads a snapshot directory in this order: the list of devices (snapshot.ini),
 * each device's registers and memory, the trace's metadata, which links units
 * to buffers, and then each unit's buffer as a stream.
 *
 * All text is untrusted. Unknown sections and keys are skipped; a device of
 * unknown type is left out; a missing memory dump makes its code a gap.
 */

/* A buffer's contents. */
struct snapshot_buffer {
	const char *section;
	const char *name;
	const char *file;
	const char *format; /* "coresight": in frames; "source_data": without */
};

/* A pair of names that belong together. */
struct snapshot_link {
	const char *from;
	const char *to;
};

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
	{ "ETMCR", offsetof(struct coresight_unit, config) },
	{ "ETMTRACEIDR", offsetof(struct coresight_unit, trace_id) },
	{ "ETMIDR", offsetof(struct coresight_unit, idr) },
	{ "ETMCCER", offsetof(struct coresight_unit, ccer) },
	{ "TRCCONFIGR", offsetof(struct coresight_unit, config) },
	{ "TRCTRACEIDR", offsetof(struct coresight_unit, trace_id) },
	{ "TRCIDR0", offsetof(struct coresight_unit, idr0) },
	{ "TRCIDR1", offsetof(struct coresight_unit, idr1) },
	{ "TRCIDR2", offsetof(struct coresight_unit, idr2) },
	{ "TRCIDR8", offsetof(struct coresight_unit, idr8) },
	{ "TRCDEVARCH", offsetof(struct coresight_unit, devarch) },
};

/* The entry whose type is a prefix of the device's type applies. */
static const struct {
	const char *type;
	enum coresight_protocol protocol;
} protocols[] = {
	{ "ETM3", CORESIGHT_ETMV3 }, { "PTM", CORESIGHT_PTM },
	{ "PFT1", CORESIGHT_PTM }, /* DS-5: program flow trace */
	{ "ETM4", CORESIGHT_ETMV4 }, { "ETE", CORESIGHT_ETE },
};

/* Sets the register of @unit that @line names; in "TRCIDR0(0x078)" the name
 * ends at the bracket.
 */
static void read_register(struct coresight_unit *unit,
			  const struct ini_line *line)
{
	struct ini_text name = line->key;
	const char *bracket = memchr(name.start, '(', name.length);
	uint64_t number;
	uint32_t value;

	if (bracket)
		name.length = (size_t)(bracket - name.start);
	if (!ini_number(line->value, &number))
		return;
	value = (uint32_t)number;
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (ini_equals(name, registers[i].name))
			memcpy((char *)unit + registers[i].offset, &value,
			       sizeof(value));
}

static int set_text(const char **place, struct ini_text text,
		    struct arena *arena)
{
	*place = arena_text(arena, text.start, text.length);
	return *place ? 0 : -ERROR_MEMORY;
}

static int read_about(struct snapshot_device *device,
		      const struct ini_line *line, struct arena *arena)
{
	if (ini_equals(line->key, "name"))
		return set_text(&device->name, line->value, arena);
	if (ini_equals(line->key, "class"))
		return set_text(&device->kind, line->value, arena);
	if (!ini_equals(line->key, "type"))
		return 0;
	for (size_t i = 0; i < sizeof(protocols) / sizeof(*protocols); i++)
		if (ini_begins(line->value, protocols[i].type)) {
			device->unit.protocol = protocols[i].protocol;
			device->has_protocol = true;
		}
	return set_text(&device->type, line->value, arena);
}

/* Returns the dump of a section ("dump", "dump1" …), adding it if it is new;
 * NULL when out of memory.
 */
static struct snapshot_dump *find_dump(struct ini_text section,
				       struct arena *arena, size_t first,
				       struct array *dumps)
{
	struct snapshot_dump *dump;

	for (size_t i = first; i < dumps->count; i++) {
		dump = array_at(dumps, i);
		if (ini_equals(section, dump->section))
			return dump;
	}
	dump = array_add(dumps);
	if (!dump)
		return NULL;
	dump->size_bytes = UINT64_MAX;
	dump->file = "";
	return set_text(&dump->section, section, arena) < 0 ? NULL : dump;
}

static int read_dump(const struct ini_line *line, struct arena *arena,
		     size_t first, struct array *dumps)
{
	struct snapshot_dump *dump =
		find_dump(line->section, arena, first, dumps);
	uint64_t number;

	if (!dump)
		return -ERROR_MEMORY;
	if (ini_equals(line->key, "file"))
		return set_text(&dump->file, line->value, arena);
	if (!ini_number(line->value, &number))
		return 0;
	if (ini_equals(line->key, "address"))
		dump->address = number;
	else if (ini_equals(line->key, "length"))
		dump->size_bytes = number;
	else if (ini_equals(line->key, "offset"))
		dump->file_offset = number;
	return 0;
}

int snapshot_device_read(const void *text, size_t size, struct arena *arena,
			 struct snapshot_device *device, struct array *dumps)
{
	struct ini_reader reader = ini_of(text, size);
	struct ini_line line;
	size_t first = dumps->count;
	int error = 0;

	*device = (struct snapshot_device){
		.name = "",
		.kind = "",
		.type = "",
	};
	while (!error && ini_next(&reader, &line)) {
		if (ini_equals(line.section, "device"))
			error = read_about(device, &line, arena);
		else if (ini_equals(line.section, "regs"))
			read_register(&device->unit, &line);
		else if (ini_begins(line.section, "dump"))
			error = read_dump(&line, arena, first, dumps);
	}
	return error;
}

static bool overlaps(const struct array *regions, uint64_t first,
		     uint64_t size_bytes)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *region = array_at(regions, i);

		if (first < region->first + region->size_bytes &&
		    region->first < first + size_bytes)
			return true;
	}
	return false;
}

/* Adds the memory in @dump, of @recording, to @regions (struct code_region),
 * which stay sorted and without overlaps. CPUs that share their memory have the
 * same dumps: the first one is used. A dump whose file is missing or too short
 * is ignored, so its code shows as gaps.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int region_add(struct recording *recording,
		      const struct snapshot_dump *dump, struct array *regions)
{
	const struct file_map *map;
	struct code_region *region;
	const char *path;
	uint64_t size;
	int error;

	if (overlaps(regions, dump->address, 1))
		return 0;
	error = recording_map_file(recording, dump->file, &path, &map);
	if (error == -ERROR_MEMORY)
		return error;
	/* Missing memory shows as gaps where it would have been used. */
	if (error || dump->file_offset >= map->size)
		return 0;
	size = map->size - dump->file_offset;
	if (dump->size_bytes < size)
		size = dump->size_bytes;
	if (!size || dump->address + size < dump->address ||
	    overlaps(regions, dump->address, size))
		return 0;
	region = array_add(regions);
	if (!region)
		return -ERROR_MEMORY;
	region->first = dump->address;
	region->size_bytes = size;
	region->file_path = path;
	region->file_offset = dump->file_offset;
	region->bytes = map->bytes + dump->file_offset;
	code_region_sort(regions);
	return 0;
}

static int add_link(struct array *links, const struct ini_line *line,
		    struct arena *arena)
{
	struct snapshot_link *link = array_add(links);

	if (!link || set_text(&link->from, line->key, arena) < 0)
		return -ERROR_MEMORY;
	return set_text(&link->to, line->value, arena);
}

/* Returns the buffer of a section ("buffer0", "buffer1" …), adding it if it is
 * new; NULL when out of memory.
 */
static struct snapshot_buffer *
find_buffer(struct array *buffers, struct ini_text section, struct arena *arena)
{
	struct snapshot_buffer *buffer;

	for (size_t i = 0; i < buffers->count; i++) {
		buffer = array_at(buffers, i);
		if (ini_equals(section, buffer->section))
			return buffer;
	}
	buffer = array_add(buffers);
	if (!buffer)
		return NULL;
	buffer->name = "";
	buffer->file = "";
	buffer->format = "coresight";
	return set_text(&buffer->section, section, arena) < 0 ? NULL : buffer;
}

static int read_buffer(struct array *buffers, const struct ini_line *line,
		       struct arena *arena)
{
	struct snapshot_buffer *buffer =
		find_buffer(buffers, line->section, arena);

	if (!buffer)
		return -ERROR_MEMORY;
	if (ini_equals(line->key, "name"))
		return set_text(&buffer->name, line->value, arena);
	if (ini_equals(line->key, "file"))
		return set_text(&buffer->file, line->value, arena);
	if (ini_equals(line->key, "format"))
		return set_text(&buffer->format, line->value, arena);
	return 0;
}

int snapshot_trace_read(const void *text, size_t size, struct arena *arena,
			struct snapshot_trace *trace)
{
	struct ini_reader reader = ini_of(text, size);
	struct ini_line line;
	int error = 0;

	*trace = (struct snapshot_trace){
		.buffers = ARRAY_OF(struct snapshot_buffer),
		.outputs = ARRAY_OF(struct snapshot_link),
		.cores = ARRAY_OF(struct snapshot_link),
	};
	while (!error && ini_next(&reader, &line)) {
		if (ini_equals(line.section, "source_buffers"))
			error = add_link(&trace->outputs, &line, arena);
		else if (ini_equals(line.section, "core_trace_sources"))
			error = add_link(&trace->cores, &line, arena);
		else if (ini_begins(line.section, "buffer"))
			error = read_buffer(&trace->buffers, &line, arena);
	}
	return error;
}

void snapshot_trace_free(struct snapshot_trace *trace)
{
	array_free(&trace->buffers);
	array_free(&trace->outputs);
	array_free(&trace->cores);
}

/* A snapshot while it is being read. */
struct snapshot {
	struct recording *recording;
	struct recording_facts *facts; /* the recording's */
	struct array devices;	       /* struct snapshot_device */
	struct array dumps;	       /* struct snapshot_dump */
	struct snapshot_trace trace;
	bool has_places; /* CPUs are numbered by their indexes in the list */
};

static int read_device(struct snapshot *snapshot, const char *name)
{
	struct snapshot_device *device = array_add(&snapshot->devices);
	const struct file_map *map;
	const char *path;
	int error;

	if (!device)
		return -ERROR_MEMORY;
	error = recording_map_file(snapshot->recording, name, &path, &map);
	if (error)
		return error;
	return snapshot_device_read(map->bytes, map->size,
				    snapshot->facts->arena, device,
				    &snapshot->dumps);
}

static int read_metadata(struct snapshot *snapshot, const char *name)
{
	const struct file_map *map;
	const char *path;
	int error = recording_map_file(snapshot->recording, name, &path, &map);

	if (error)
		return error;
	snapshot_trace_free(&snapshot->trace);
	return snapshot_trace_read(map->bytes, map->size,
				   snapshot->facts->arena, &snapshot->trace);
}

static int read_list(struct snapshot *snapshot)
{
	const struct file_map *map;
	struct ini_reader reader;
	struct ini_line line;
	const char *path;
	int error = recording_map_file(snapshot->recording, "snapshot.ini",
				       &path, &map);

	reader = ini_of(error ? NULL : map->bytes, error ? 0 : map->size);
	while (!error && ini_next(&reader, &line)) {
		const char *name = arena_text(snapshot->facts->arena,
					      line.value.start,
					      line.value.length);

		if (!name)
			error = -ERROR_MEMORY;
		else if (ini_equals(line.section, "device_list"))
			error = read_device(snapshot, name);
		else if (ini_equals(line.section, "trace") &&
			 ini_equals(line.key, "metadata"))
			error = read_metadata(snapshot, name);
	}
	return error;
}

static const struct snapshot_device *
find_device(const struct snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot->devices.count; i++) {
		const struct snapshot_device *device =
			array_at(&snapshot->devices, i);

		if (!strcmp(device->name, name))
			return device;
	}
	return NULL;
}

/* Returns the CPU number in a name: "cpu_3" is CPU 3; -1 if there is no valid
 * number.
 */
static int32_t number_in(const char *name)
{
	size_t at = strlen(name);
	long number;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	number = strtol(name + at, NULL, 10);
	return name[at] && number < BUDGET_CPUS ? (int32_t)number : -1;
}

static const char *core_name(const struct snapshot *snapshot, size_t index)
{
	const struct snapshot_link *link =
		array_at(&snapshot->trace.cores, index);

	return link->from;
}

static int32_t cpu_number(const struct snapshot *snapshot, size_t index)
{
	return snapshot->has_places ? (int32_t)index :
				      number_in(core_name(snapshot, index));
}

/* Returns whether the numbers in the cores' names do not identify them: each
 * cluster may count from 0, as in "Cortex-A7_0" and "Cortex-A15_0".
 */
static bool has_ambiguous_numbers(const struct snapshot *snapshot)
{
	size_t count = snapshot->trace.cores.count;

	for (size_t i = 0; i < count; i++) {
		int32_t number = number_in(core_name(snapshot, i));

		if (number < 0)
			return true;
		for (size_t j = 0; j < i; j++)
			if (number == number_in(core_name(snapshot, j)))
				return true;
	}
	return false;
}

static void number_cpus(struct snapshot *snapshot)
{
	struct recording_facts *facts = snapshot->facts;

	snapshot->has_places = has_ambiguous_numbers(snapshot);
	for (size_t i = 0;
	     snapshot->has_places && i < snapshot->trace.cores.count; i++)
		log_message(facts->log, LOG_NOTE, facts->files.data,
			    LOG_NO_OFFSET, "core %s is called CPU %zu",
			    core_name(snapshot, i), i);
}

static const char *arch_name(const struct coresight_unit *unit)
{
	return unit->protocol == CORESIGHT_ETMV3 ||
			       unit->protocol == CORESIGHT_PTM ?
		       "arm" :
		       "aarch64";
}

static int add_units(struct snapshot *snapshot)
{
	struct recording_facts *facts = snapshot->facts;

	for (size_t i = 0; i < snapshot->trace.cores.count; i++) {
		const struct snapshot_link *link =
			array_at(&snapshot->trace.cores, i);
		const struct snapshot_device *source =
			find_device(snapshot, link->to);
		struct coresight_unit *unit;

		if (!source || !source->has_protocol) {
			log_message(facts->log, LOG_WARNING, facts->files.data,
				    LOG_NO_OFFSET,
				    "the trace of %s is left out: %s is no "
				    "trace unit that can be decoded",
				    link->from, link->to);
			continue;
		}
		unit = array_add(&facts->coresight_units);
		if (!unit)
			return -ERROR_MEMORY;
		*unit = source->unit;
		unit->cpu = cpu_number(snapshot, i);
		facts->info.arch = arch_name(unit);
		facts->info.cpus_online++;
	}
	return 0;
}

/* Returns whether @word is one of the words of @list, which commas or spaces
 * separate.
 */
static bool list_has(const char *list, const char *word)
{
	static const char *const between = ", \t";
	size_t length = strlen(word);

	for (list += strspn(list, between); *list;
	     list += strspn(list, between)) {
		size_t size = strcspn(list, between);

		if (size == length && !memcmp(list, word, length))
			return true;
		list += size;
	}
	return false;
}

/* The CPUs that write to a buffer. */
struct writers {
	bool are_known;
	int32_t cpu; /* the first whose unit writes to it, or -1 */
};

static struct writers find_writers(const struct snapshot *snapshot,
				   const char *buffer)
{
	const struct snapshot_trace *trace = &snapshot->trace;
	struct writers writers = { .cpu = -1 };

	for (size_t i = 0; i < trace->outputs.count; i++) {
		const struct snapshot_link *output =
			array_at(&trace->outputs, i);

		if (!list_has(output->to, buffer))
			continue;
		writers.are_known = true;
		for (size_t j = 0; j < trace->cores.count; j++) {
			const struct snapshot_link *core =
				array_at(&trace->cores, j);

			if (writers.cpu < 0 && !strcmp(core->to, output->from))
				writers.cpu = cpu_number(snapshot, j);
		}
	}
	return writers;
}

/* Adds a buffer. One without a CPU belongs to an ITM or STM, and is left out.
 */
static int add_buffer(struct snapshot *snapshot, size_t index)
{
	const struct snapshot_buffer *buffer =
		array_at(&snapshot->trace.buffers, index);
	struct recording_facts *facts = snapshot->facts;
	bool is_bare = !strcmp(buffer->format, "source_data");
	struct writers writers = find_writers(snapshot, buffer->name);
	const struct file_map *map;
	const char *path;
	int error;

	if (!is_bare && strcmp(buffer->format, "coresight")) {
		log_message(facts->log, LOG_WARNING, facts->files.data,
			    LOG_NO_OFFSET,
			    "trace buffer %s is left out: its format '%s' is "
			    "not known",
			    buffer->name, buffer->format);
		return 0;
	}
	if (writers.cpu < 0 && (is_bare || writers.are_known)) {
		log_message(facts->log, LOG_NOTE, facts->files.data,
			    LOG_NO_OFFSET,
			    "trace buffer %s is left out: no CPU's trace unit "
			    "writes to it (trace.ini)",
			    buffer->name);
		return 0;
	}
	error = recording_map_file(snapshot->recording, buffer->file, &path,
				   &map);
	if (error)
		return error;
	return stream_list_add_buffer(
		&facts->streams, (uint32_t)index,
		writers.cpu < 0 ? 0 : writers.cpu, map->bytes, map->size,
		is_bare ? SIDEBAND_AUX_FORMAT_CORESIGHT_RAW : 0);
}

/* Logs why no trace is left, and returns the error: if the source is an STM or
 * ITM, whose trace contains messages that software writes, not control flow,
 * -ERROR_UNSUPPORTED; else -ERROR_FORMAT.
 */
static int refuse(const struct snapshot *snapshot)
{
	const struct recording_facts *facts = snapshot->facts;

	for (size_t i = 0; i < snapshot->devices.count; i++) {
		const struct snapshot_device *device =
			array_at(&snapshot->devices, i);

		if (strcmp(device->kind, "trace_source") ||
		    device->has_protocol)
			continue;
		log_message(facts->log, LOG_ERROR, facts->files.data,
			    LOG_NO_OFFSET,
			    "holds trace of %s, a unit of type '%s': only "
			    "trace units of CPUs (ETM, PTM, ETE) tell what "
			    "ran",
			    device->name, device->type);
		return -ERROR_UNSUPPORTED;
	}
	log_message(facts->log, LOG_ERROR, facts->files.data, LOG_NO_OFFSET,
		    "the snapshot has no CPU with a trace unit (trace.ini, "
		    "core_trace_sources)");
	return -ERROR_FORMAT;
}

static int read_all(struct snapshot *snapshot)
{
	struct recording_facts *facts = snapshot->facts;
	int error = read_list(snapshot);

	if (!error) {
		number_cpus(snapshot);
		error = add_units(snapshot);
	}
	for (size_t i = 0; i < snapshot->trace.buffers.count && !error; i++)
		error = add_buffer(snapshot, i);
	for (size_t i = 0; i < snapshot->dumps.count && !error; i++)
		error = region_add(snapshot->recording,
				   array_at(&snapshot->dumps, i),
				   &facts->dumps);
	return error || facts->coresight_units.count ? error : refuse(snapshot);
}

int snapshot_read(struct recording *recording)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);
	struct snapshot snapshot = {
		.recording = recording,
		.facts = facts,
		.devices = ARRAY_OF(struct snapshot_device),
		.dumps = ARRAY_OF(struct snapshot_dump),
	};
	int error;

	facts->trace.type = PERF_DATA_AUXTRACE_CORESIGHT;
	facts->maps = ARRAY_OF(struct file_map);
	facts->dumps = ARRAY_OF(struct code_region);
	error = read_all(&snapshot);
	if (!error)
		error = stream_list_finish(&facts->streams, &facts->events,
					   false);
	snapshot_trace_free(&snapshot.trace);
	array_free(&snapshot.devices);
	array_free(&snapshot.dumps);
	return error;
}
