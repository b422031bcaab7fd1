/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_facts.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/regular_file.h"
#include "common/formats/perf_data.h"
#include "common/formats/recording_events.h"
#include "common/log.h"
#include "common/memory.h"
#include "decoder/recording/program_files_internal.h"
#include "decoder/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Finds files in the folder of a recording. */
struct finder {
	const char *folder;
	struct arena *arena;
	const struct log *log;
};

/* Returns whether @name exists in the folder; @path is for messages. Rejects a
 * symbolic link made by another user, because it could lead to any file that
 * this user may read.
 */
static bool is_there(struct finder finder, const char *path, const char *name)
{
	int folder = open(finder.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int file = folder < 0 ? -1 : trusted_path_open(folder, name);

	if (file < 0 && errno == EPERM)
		log_message(finder.log, LOG_WARNING, path, LOG_NO_OFFSET,
			    "another user made a link there: it is not read");
	if (file >= 0)
		close(file);
	if (folder >= 0)
		close(folder);
	return file >= 0;
}

/* Returns "<folder>/<name>" if that file exists, else NULL. */
static const char *find(struct finder finder, const char *name)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/%s", finder.folder, name);

	if (length < 0 || (size_t)length >= sizeof(path) ||
	    !is_there(finder, path, name))
		return NULL;
	return arena_text(finder.arena, path, (size_t)length);
}

/* Like find(), but returns an absolute path, as user programs have. */
static const char *find_absolute(struct finder finder, const char *name)
{
	const char *path = find(finder, name);
	char absolute[PATH_MAX];

	if (!path || !realpath(path, absolute))
		return NULL;
	return arena_text(finder.arena, absolute, strlen(absolute));
}

static bool find_snapshot(struct recording_files *files, struct finder finder)
{
	files->data = find(finder, "snapshot.ini");
	files->is_snapshot = files->data;
	files->kallsyms = find(finder, "kallsyms");
	files->modules = find(finder, "modules");
	return files->is_snapshot;
}

static int log_failure(struct finder finder, const struct log *log)
{
	if (access(finder.folder, X_OK) < 0) {
		log_message(log, LOG_ERROR, finder.folder, LOG_NO_OFFSET,
			    "cannot be read: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	log_message(log, LOG_ERROR, finder.folder, LOG_NO_OFFSET,
		    "a directory without a file called data: %s",
		    find(finder, "kcore_dir") ?
			    "this recording was not finished: its recorder "
			    "was killed, or could not write, before it began "
			    "to trace" :
			    "no recording");
	return -ERROR_NOT_FOUND;
}

/* perf record --kcore puts the copies into a subfolder of the directory. */
int recording_files_find(struct recording_files *files, struct arena *arena,
			 const struct log *log)
{
	struct finder finder = {
		.folder = files->path,
		.arena = arena,
		.log = log,
	};
	struct stat stat_of_path;

	files->data = files->path;
	if (stat(files->path, &stat_of_path) < 0 ||
	    !S_ISDIR(stat_of_path.st_mode))
		return 0;
	files->data = find(finder, "data");
	files->kcore = find(finder, "kcore_dir/kcore");
	files->kcore_end = find(finder, "kcore_dir/kcore_end");
	files->kallsyms = find(finder, "kcore_dir/kallsyms");
	files->modules = find(finder, "kcore_dir/modules");
	files->cgroups = find(finder, "kcore_dir/cgroups");
	files->cgroups_end = find(finder, "kcore_dir/cgroups_end");
	files->cpus = find(finder, "kcore_dir/cpus");
	files->cpus_end = find(finder, "kcore_dir/cpus_end");
	files->sockets = find(finder, "kcore_dir/sockets");
	files->clock = find(finder, "kcore_dir/clock");
	files->vdso = find_absolute(finder, "kcore_dir/vdso");
	files->types = find(finder, "kcore_dir/types");
	files->code = find(finder, "code");
	files->trace_dat = find(finder, "trace.dat");
	if (files->data || find_snapshot(files, finder))
		return 0;
	return log_failure(finder, log);
}

const struct recording_facts *recording_facts(const struct recording *recording)
{
	return &recording->facts;
}

struct recording_facts *recording_facts_to_fill(struct recording *recording)
{
	return &recording->facts;
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

const char *recording_cpus_path(const struct recording *recording)
{
	return recording_facts(recording)->files.cpus;
}

const char *recording_cpus_end_path(const struct recording *recording)
{
	return recording_facts(recording)->files.cpus_end;
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

struct tick_span recording_tick_span(const struct recording *recording)
{
	return recording_time(recording) == RECORDING_TIME_NANOSECONDS ?
		       recording_facts(recording)->span :
		       (struct tick_span){ 0 };
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

size_t recording_traced_cpus(const struct recording *recording)
{
	const struct event_table *events = &recording_facts(recording)->events;
	const struct event_id *ids = events->ids.items;
	uint64_t seen[BUDGET_CPUS / 64] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < events->ids.count; i++) {
		uint64_t bit = 1ull << (ids[i].cpu & 63);

		if (ids[i].cpu < 0 || seen[ids[i].cpu / 64] & bit ||
		    !recording_event(recording, ids[i].event)->is_trace)
			continue;
		seen[ids[i].cpu / 64] |= bit;
		count++;
	}
	return count > recording_stream_count(recording) ?
		       count :
		       recording_stream_count(recording);
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

/* Returns the architecture with @name (uname's machine). */
static enum recording_arch recording_arch_named(const char *name)
{
	static const struct {
		const char *name;
		enum recording_arch arch;
	} known[] = {
		{ "x86_64", RECORDING_ARCH_X86_64 },
		{ "aarch64", RECORDING_ARCH_ARM64 },
		{ "arm", RECORDING_ARCH_ARM },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(name, known[i].name, strlen(known[i].name)))
			return known[i].arch;
	return RECORDING_ARCH_UNKNOWN;
}

/* Only x86 has Intel PT: the header's name is not needed then. */
enum recording_arch recording_arch(const struct recording *recording)
{
	if (recording_trace_info(recording)->type ==
	    PERF_DATA_AUXTRACE_INTEL_PT)
		return RECORDING_ARCH_X86_64;
	return recording_arch_named(recording_info(recording)->arch);
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

bool recording_offset(const struct recording *recording, const void *bytes,
		      uint64_t *offset)
{
	const struct file_map *map = &recording->file.map;
	uintptr_t at = (uintptr_t)bytes - (uintptr_t)map->bytes;

	*offset = at;
	return map->bytes && at < map->size;
}

bool recording_is_cut(const struct recording *recording)
{
	bool cut = recording->facts.is_cut || recording->file.is_cut ||
		   recording->store.stop_reason;

	for (size_t i = 0; i < recording->facts.streams.streams.count; i++)
		cut |= recording_stream(recording, i)->cut;
	return cut;
}

/* Returns the absolute path of @folder/@name, in @arena, if that is a regular
 * file; "" if not; NULL when out of memory.
 */
static const char *file_in(const char *folder, size_t length, const char *name,
			   struct arena *arena)
{
	char path[PATH_MAX];
	int size = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folder,
			    length ? "/" : "", name);
	char absolute[PATH_MAX];
	struct stat stat;

	if (size < 0 || (size_t)size >= sizeof(path) || lstat(path, &stat) ||
	    !S_ISREG(stat.st_mode) || !realpath(path, absolute))
		return "";
	return arena_text(arena, absolute, strlen(absolute));
}

/* Returns whether perf inject --jit made the file at @path:
 * jitted-PID-NUMBER.so.
 */
static bool is_injected(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t length = name ? strlen(++name) : 0;

	return length > strlen("jitted-.so") && !strncmp(name, "jitted-", 7) &&
	       !strcmp(name + length - 3, ".so");
}

/* Returns the path of the file of @map, which perf inject --jit made, beside
 * perf's file, beside its folder, or in perf's cache of files by build id; ""
 * if it is in none of them; NULL when out of memory.
 */
static const char *find_injected(const struct recording_facts *facts,
				 const struct sideband_mmap *map,
				 struct arena *arena)
{
	const char *const recordings[] = { facts->files.data,
					   facts->files.path };
	const char *found = "";

	for (size_t i = 0; i < 2 && found && !*found; i++) {
		const char *slash = strrchr(recordings[i], '/');
		size_t size = slash ? (size_t)(slash - recordings[i]) : 0;

		found = file_in(recordings[i], size,
				strrchr(map->path, '/') + 1, arena);
	}
	return found && !*found ?
		       program_ids_find_cached(facts->program_ids, map, arena) :
		       found;
}

/* The name of a mapping need not be a file: "//anon". */
static const char *plain_user_path(const struct recording *recording,
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

const char *recording_user_path(const struct recording *recording,
				const struct sideband_mmap *map,
				struct arena *arena)
{
	const char *path = plain_user_path(recording, map, arena);
	const char *found;

	if (!path || !is_injected(map->path) || access(path, F_OK) == 0)
		return path;
	found = find_injected(recording_facts(recording), map, arena);
	return found && !*found ? path : found;
}

struct elf_build_id recording_kernel_id(const struct recording *recording)
{
	return program_ids_recorded(recording_facts(recording)->program_ids,
				    "[kernel.kallsyms]");
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

/* Returns @root as an absolute path: whether a path has a leading slash tells
 * files from names of other mappings. Returns @root if that is not possible.
 */
static const char *absolute_root(const struct recording_facts *facts,
				 const char *root)
{
	char path[PATH_MAX];
	const char *absolute = NULL;

	if (root && *root && *root != '/' && realpath(root, path))
		absolute = arena_text(facts->arena, path, strlen(path));
	return absolute ? absolute : root;
}

void recording_set_root(struct recording *recording, const char *root)
{
	struct recording_facts *facts = recording_facts_to_fill(recording);

	facts->root = absolute_root(facts, root);
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

const char *recording_root(const struct recording *recording)
{
	const char *root = recording_facts(recording)->root;

	return root ? root : "";
}

void recording_clock_read(const struct recording *recording,
			  struct clock_readings *readings)
{
	/* more than three lines with readings need */
	enum { MOST_BYTES = 4096 };
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
static const char *consume_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text)
		return NULL;
	*number = strtoull(text, &end, 0);
	return end == text ? NULL : end + strspn(end, " ");
}

/* Parses one range; returns the rest of the text, NULL if it is not a range. */
static const char *consume_range(struct trace_filter *filter, const char *text)
{
	static const char action[] = "filter ";
	uint64_t first = 0;
	uint64_t size = 0;

	if (strncmp(text, action, sizeof(action) - 1) != 0)
		return NULL;
	text = consume_number(text + sizeof(action) - 1, &first);
	if (!text || *text != '/')
		return NULL;
	text = consume_number(text + 1, &size);
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
		text = consume_range(&filter, text);
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
