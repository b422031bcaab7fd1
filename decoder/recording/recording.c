/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/formats/perf_data.h"
#include "common/formats/program_key.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns)
{
	if (!conversion->known || !conversion->mult)
		return ns;

	uint64_t since = ns - conversion->zero;

	if (conversion->origin && (int64_t)since < 0)
		return 0;

	uint64_t whole = since / conversion->mult;
	uint64_t rest = since % conversion->mult;
	unsigned __int128 scaled =
		((unsigned __int128)rest << conversion->shift) +
		conversion->mult - 1;

	return (whole << conversion->shift) +
	       (uint64_t)(scaled / conversion->mult);
}

/* Half of the 56 bits are on each side of @near_ns: 139 days at 3 GHz. An
 * origin that is a multiple of 1 << shift converts without a remainder.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns)
{
	const uint64_t half = (uint64_t)1 << 55;
	uint64_t ticks = time_conversion_ticks(conversion, near_ns);
	uint64_t steps;

	if (!conversion->known || ticks < half)
		return;
	steps = (ticks - half) >> conversion->shift;
	conversion->origin += steps << conversion->shift;
	conversion->zero += steps * conversion->mult;
}

/* Largest size that perf reserves for the text. */
enum { TEXT_LIMIT = 4096 };

/* Parses a number, hexadecimal with 0x; NULL if there is none. */
static const char *take_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text)
		return NULL;
	*number = strtoull(text, &end, 0);
	return end == text ? NULL : end + strspn(end, " ");
}

/* Parses one range; returns the rest of the text, NULL if it is not a range. */
static const char *take_range(struct trace_filter *filter, const char *text)
{
	static const char action[] = "filter ";
	uint64_t first = 0;
	uint64_t size = 0;

	if (strncmp(text, action, sizeof(action) - 1) != 0)
		return NULL;
	text = take_number(text + sizeof(action) - 1, &first);
	if (!text || *text != '/')
		return NULL;
	text = take_number(text + 1, &size);
	if (!text || *text == '@' || filter->count == TRACE_FILTER_RANGES)
		return NULL;
	filter->ranges[filter->count].first = first;
	filter->ranges[filter->count].end = first + size;
	filter->count++;
	return text;
}

struct trace_filter trace_filter_read(const char *text)
{
	struct trace_filter filter = { 0 };

	text += strspn(text, ", ");
	while (*text) {
		text = take_range(&filter, text);
		if (!text)
			return (struct trace_filter){ 0 };
		text += strspn(text, ", ");
	}
	return filter;
}

struct trace_filter trace_filter_of(const struct recording *recording)
{
	const struct trace_info *info = recording_trace_info(recording);
	uint64_t size =
		recording_trace_word(recording, INTEL_PT_FILTER_STR_LEN);
	size_t first = INTEL_PT_FILTER_STR_LEN + 1;
	char text[TEXT_LIMIT + 1] = "";

	if (size > TEXT_LIMIT || info->word_count < first ||
	    size > (info->word_count - first) * sizeof(uint64_t))
		return (struct trace_filter){ 0 };
	memcpy(text, info->words + first, size);
	return trace_filter_read(text);
}

bool trace_filter_excludes(const struct trace_filter *filter, uint64_t address)
{
	for (uint32_t i = 0; i < filter->count; i++)
		if (address >= filter->ranges[i].first &&
		    address < filter->ranges[i].end)
			return false;
	return filter->count;
}

struct cached_program {
	struct program_key key;
	char *path;
};

struct cached_programs {
	struct array files; /* struct cached_program, by key */
};

/* Returns a text with the path @folder/@name, NULL if it is too long or when out
 * of memory.
 */
static char *join(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return length < 0 || (size_t)length >= sizeof(path) ? NULL :
							      strdup(path);
}

static bool is_file(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISREG(stat.st_mode);
}

static bool is_folder(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISDIR(stat.st_mode);
}

/* Returns the path of the first regular file in @folder, or NULL. */
static char *first_file(const char *folder)
{
	DIR *listing = opendir(folder);
	char *found = NULL;
	struct dirent *entry;

	while (listing && !found && (entry = readdir(listing))) {
		found = join(folder, entry->d_name);
		if (found && !is_file(found)) {
			free(found);
			found = NULL;
		}
	}
	if (listing)
		closedir(listing);
	return found;
}

/* Adds the file in the folder @key of @root. Returns 0, also if there is none,
 * or -ERROR_MEMORY.
 */
static int add(struct cached_programs *programs, const char *root,
	       const char *key)
{
	struct cached_program program = { .path = NULL };
	char *folder;
	int status = 0;

	if (*key == '.' || strlen(key) >= sizeof(program.key.text))
		return 0;
	strcpy(program.key.text, key);
	folder = join(root, key);
	if (folder && is_folder(folder))
		program.path = first_file(folder);
	if (program.path)
		status = array_append(&programs->files, &program);
	if (status)
		free(program.path);
	free(folder);
	return status;
}

static int compare_key(const void *a, const void *b)
{
	const struct cached_program *x = a;
	const struct cached_program *y = b;

	return strcmp(x->key.text, y->key.text);
}

static int list(struct cached_programs *programs, const char *root)
{
	DIR *listing = opendir(root);
	struct dirent *entry;
	int status = 0;

	while (listing && !status &&
	       programs->files.count < BUDGET_KEPT_PROGRAMS &&
	       (entry = readdir(listing)))
		status = add(programs, root, entry->d_name);
	if (listing)
		closedir(listing);
	array_sort(&programs->files, compare_key);
	return status;
}

struct cached_programs *cached_programs_new(const char *recording)
{
	struct cached_programs *programs = calloc(1, sizeof(*programs));
	char *root = join(recording, "programs");
	char absolute[PATH_MAX];
	int status = 0;

	if (programs)
		programs->files = ARRAY_OF(struct cached_program);
	if (programs && root && is_folder(root) && realpath(root, absolute))
		status = list(programs, absolute);
	free(root);
	if (!status)
		return programs;
	cached_programs_free(programs);
	return NULL;
}

void cached_programs_free(struct cached_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->files.count; i++) {
		struct cached_program *program = array_at(&programs->files, i);

		free(program->path);
	}
	array_free(&programs->files);
	free(programs);
}

const char *cached_programs_find(const struct cached_programs *programs,
				 const struct sideband_mmap *map)
{
	struct cached_program wanted = { .path = NULL };
	const struct cached_program *found;

	if (!programs->files.count)
		return NULL;
	if (map->build_id)
		wanted.key =
			program_key_of_id(map->build_id, map->build_id_size);
	else if (map->inode)
		wanted.key = program_key_of_inode(map->inode);
	found = bsearch(&wanted, programs->files.items, programs->files.count,
			sizeof(wanted), compare_key);
	return found ? found->path : NULL;
}

/* Locates the traced machine's programs. */

/* The name of a mapping need not be a file: "//anon". */
const char *recording_user_path(const struct recording *recording,
				const struct sideband_mmap *map,
				struct arena *arena)
{
	const struct recording_facts *facts = recording_facts(recording);
	const char *kept = cached_programs_find(facts->programs, map);
	const char *path = map->path;
	char rooted[4096];
	int length;

	if (kept)
		return kept;
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

bool recording_contains_program(const struct recording *recording,
				const struct sideband_mmap *map)
{
	return cached_programs_find(recording_facts(recording)->programs, map);
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
	int error = recording_data_open(&recording->facts, &recording->file,
					&recording->store);

	if (!error)
		error = coresight_streams_make(recording);
	if (!error && recording_names_user(recording))
		error = generated_code_read(recording,
					    &recording->facts.generated);
	return error;
}

const struct generated_code *
recording_generated_code(const struct recording *recording)
{
	return recording->facts.generated;
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
