/* SPDX-License-Identifier: MIT */
#include "decoder/code/process_maps.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/formats/generated_chunk.h"
#include "common/formats/recording_events.h"
#include "common/maps.h"
#include "common/memory.h"
#include "decoder/generated/generated_names.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <linux/mman.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum map_event_kind { MAP_ADDED, MAP_FORKED, MAP_CLEARED };

struct map_event {
	int32_t pid;
	int32_t parent; /* MAP_FORKED */
	enum map_event_kind kind;
	uint64_t time_ns;
	uint64_t order;
	struct process_map map; /* MAP_ADDED */
};

struct process_maps {
	const struct recording *recording;
	struct arena *arena; /* paths */
	/* struct map_event, by pid, then in the order of records */
	struct array events;
	struct array files; /* struct process_file, by number */
	struct string_pool *paths;
};

static int add(struct process_maps *maps, struct map_event event)
{
	struct map_event *added = array_add(&maps->events);

	if (!added)
		return -ERROR_MEMORY;
	event.order = maps->events.count;
	*added = event;
	return 0;
}

/* Returns the number of the file @path, adding it if new; STRING_POOL_NONE when
 * out of memory.
 */
static uint32_t number_of(struct process_maps *maps, const char *path,
			  bool is_recorded)
{
	uint32_t number = string_pool_add(maps->paths, path, strlen(path));
	struct process_file *file;

	if (number >= STRING_POOL_NONE / 2)
		return STRING_POOL_NONE;
	number = number * 2 + is_recorded;
	file = array_reach(&maps->files, number);
	if (!file)
		return STRING_POOL_NONE;
	*file = (struct process_file){ .path = path,
				       .is_recorded = is_recorded };
	return number;
}

/* Limit of the product of times and functions in a process's list of generated
 * functions: the symbolizer reads the list once for each time. Above the limit,
 * all times share one list, without a time.
 */
enum { MOST_NAMES = 1 << 22 };

/* Returns the file number of code that process @pid generated and whose
 * functions are those listed at @names_ns, adding it if new. All processes
 * without a list share one number. Returns STRING_POOL_NONE when out of memory.
 */
static uint32_t list_of(struct process_maps *maps, int32_t pid,
			uint64_t names_ns)
{
	const struct generated_code *code =
		recording_generated_code(maps->recording);
	const char *path = "//anon";
	const struct generated_names *names =
		code ? generated_code_names(code, pid, &path) : NULL;
	struct process_file *file;
	char name[4200];
	uint32_t number;

	if (names && names->times.count * names->names.count > MOST_NAMES)
		names_ns = 0;
	if (names) {
		snprintf(name, sizeof(name), "%s at %zu", path,
			 generated_names_epoch(names, names_ns));
		path = arena_text(maps->arena, name, strlen(name));
	}
	number = path ? number_of(maps, path, true) : STRING_POOL_NONE;
	if (number == STRING_POOL_NONE)
		return number;
	file = array_at(&maps->files, number);
	file->is_generated = true;
	file->names = names;
	file->names_ns = names_ns;
	return number;
}

/* Returns the number of the file of @map, adding it if new; STRING_POOL_NONE
 * when out of memory.
 */
static uint32_t file_of(struct process_maps *maps,
			const struct sideband_mmap *map)
{
	const char *path =
		recording_user_path(maps->recording, map, maps->arena);

	if (!path)
		return STRING_POOL_NONE;
	return number_of(maps, path,
			 recording_has_program(maps->recording, map, path));
}

/* Fills @added from record @map of process @pid. Returns 0 or -ERROR_MEMORY. */
static int read_map(struct process_maps *maps, int32_t pid,
		    const struct sideband_mmap *map, struct process_map *added)
{
	/* of generated code without copies */
	static const struct generated_image unrecorded;
	bool is_generated = generated_path(map->path);
	uint32_t number = is_generated ? list_of(maps, pid, UINT64_MAX) :
					 file_of(maps, map);
	const struct process_file *file;

	if (number == STRING_POOL_NONE)
		return -ERROR_MEMORY;
	file = process_maps_file(maps, number);
	*added = (struct process_map){
		.address = map->address,
		.size_bytes = map->size_bytes,
		.file_offset = is_generated ? map->address : map->file_offset,
		.path = file->is_recorded && !is_generated ? file->path : "",
		.image = is_generated ? &unrecorded : NULL,
		.file = number,
	};
	return 0;
}

/* Returns whether @record maps generated code that has images. Such a record is
 * not used, because merge_images() adds the images as mappings.
 */
static bool has_image(const struct process_maps *maps,
		      const struct sideband_record *record)
{
	const struct generated_code *code =
		recording_generated_code(maps->recording);

	return code && generated_path(record->mmap.path) &&
	       generated_code_covers(code, record->pid, record->time_ns,
				     record->mmap.address,
				     record->mmap.size_bytes);
}

/* Sets @moved to the target range of an mremap() with MREMAP_FIXED, from the
 * call's sample (common/formats/recording_events.h). Neither the memory that is
 * moved nor whether the call succeeds is known, so the range has no known code.
 *
 * Returns 1, 0 if the call does not move memory to a fixed address, or
 * -ERROR_MEMORY.
 */
static int read_move(struct process_maps *maps,
		     const struct sideband_sample *sample,
		     struct process_map *moved)
{
	const bool is_arm = recording_arch(maps->recording) ==
			    RECORDING_ARCH_ARM64;
	const struct sideband_registers *registers = &sample->user.registers;
	uint64_t flags = 0;
	uint32_t number;

	*moved = (struct process_map){ .path = "" };
	if (!sideband_register(registers,
			       is_arm ? MREMAP_ARM64_FLAGS : MREMAP_X86_FLAGS,
			       &flags) ||
	    !(flags & MREMAP_FIXED) ||
	    !sideband_register(registers,
			       is_arm ? MREMAP_ARM64_ADDRESS :
					MREMAP_X86_ADDRESS,
			       &moved->address) ||
	    !sideband_register(registers,
			       is_arm ? MREMAP_ARM64_SIZE : MREMAP_X86_SIZE,
			       &moved->size_bytes))
		return 0;
	number = number_of(maps, "//moved code", false);
	moved->file = number;
	/* The kernel rounds the size up to pages. */
	moved->size_bytes = (moved->size_bytes + 4095) & ~UINT64_C(4095);
	return number == STRING_POOL_NONE ? -ERROR_MEMORY : 1;
}

/* Returns whether the mapping, of an untrusted record, ends after it starts, in
 * memory and in the file.
 */
static bool is_possible(const struct process_map *map)
{
	return map->size_bytes &&
	       map->size_bytes <= UINT64_MAX - map->address &&
	       map->size_bytes <= UINT64_MAX - map->file_offset;
}

static bool is_move(const struct recording_event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT &&
	       !strcmp(event->name, MREMAP_EVENT);
}

static int consume(struct process_maps *maps,
		   const struct sideband_record *record)
{
	int status;

	struct map_event event = {
		.pid = record->pid,
		.time_ns = record->time_ns,
	};

	switch ((int)record->kind) {
	case SIDEBAND_MMAP:
		if (record->mmap.kernel || !record->mmap.executable ||
		    has_image(maps, record))
			return 0;
		event.kind = MAP_ADDED;
		if (read_map(maps, record->pid, &record->mmap, &event.map) < 0)
			return -ERROR_MEMORY;
		return is_possible(&event.map) ? add(maps, event) : 0;
	case SIDEBAND_FORK:
		/* A new thread shares its process's maps. */
		if (record->pid == record->fork.parent_pid)
			return 0;
		event.kind = MAP_FORKED;
		event.parent = record->fork.parent_pid;
		return add(maps, event);
	case SIDEBAND_COMM:
		if (!record->comm.exec)
			return 0;
		event.kind = MAP_CLEARED;
		return add(maps, event);
	case SIDEBAND_SAMPLE:
		if (!is_move(record->event))
			return 0;
		event.kind = MAP_ADDED;
		status = read_move(maps, &record->sample, &event.map);
		if (status <= 0)
			return status;
		return is_possible(&event.map) ? add(maps, event) : 0;
	default:
		return 0;
	}
}

static int add_image(struct process_maps *maps, struct array *events,
		     const struct generated_event *generated)
{
	const struct generated_image *image = generated->image;
	uint32_t file = list_of(maps, generated->pid, generated->names_ns);
	const struct map_event event = {
		.pid = generated->pid,
		.kind = MAP_ADDED,
		.time_ns = generated->time_ns,
		.map = {
			.address = image->address,
			.size_bytes = image->size_bytes,
			.file_offset = image->address,
			.path = "",
			.file = file,
			.image = image,
		},
	};

	return file == STRING_POOL_NONE ? -ERROR_MEMORY :
					  array_append(events, &event);
}

/* Returns whether @generated is before @event: by process, then by time. */
static bool comes_first(const struct generated_event *generated,
			const struct map_event *event)
{
	if (generated->pid != event->pid)
		return generated->pid < event->pid;
	return generated->time_ns < event->time_ns;
}

/* Merges the images of generated code with the events, by process and time. */
static int merge_images(struct process_maps *maps)
{
	struct array merged = ARRAY_OF(struct map_event);
	size_t count;
	size_t at = 0;
	const struct generated_event *images = generated_code_events(
		recording_generated_code(maps->recording), &count);
	int error = 0;

	for (size_t i = 0; i < maps->events.count && !error; i++) {
		const struct map_event *event = array_at(&maps->events, i);

		while (!error && at < count && comes_first(&images[at], event))
			error = add_image(maps, &merged, &images[at++]);
		if (!error)
			error = array_append(&merged, event);
	}
	while (!error && at < count)
		error = add_image(maps, &merged, &images[at++]);
	array_free(&maps->events);
	maps->events = merged;
	return error;
}

struct process_maps *process_maps_new(const struct recording *recording)
{
	struct process_maps *maps = calloc(1, sizeof(*maps));
	struct sideband *sideband = sideband_open_tasks(
		recording, SIDEBAND_BIT(SIDEBAND_MMAP) |
				   SIDEBAND_BIT(SIDEBAND_FORK) |
				   SIDEBAND_BIT(SIDEBAND_COMM) |
				   SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	if (!maps || !sideband)
		goto done;
	maps->recording = recording;
	maps->arena = arena_new();
	maps->paths = string_pool_new();
	if (!maps->arena || !maps->paths)
		goto done;
	maps->events = ARRAY_OF(struct map_event);
	maps->files = ARRAY_OF(struct process_file);
	while ((status = sideband_next(sideband, &record)) == 1) {
		status = consume(maps, &record);
		if (status < 0)
			break;
	}
	array_sort_by(&maps->events, KEYS(RISING(struct map_event, pid),
					  RISING(struct map_event, order)));
	if (status >= 0 && recording_generated_code(recording))
		status = merge_images(maps);
done:
	sideband_close(sideband);
	if (status < 0) {
		process_maps_free(maps);
		return NULL;
	}
	return maps;
}

void process_maps_free(struct process_maps *maps)
{
	if (!maps)
		return;
	array_free(&maps->events);
	array_free(&maps->files);
	string_pool_free(maps->paths);
	arena_free(maps->arena);
	free(maps);
}

/* Returns the index of the first event of @pid or a higher one. */
static size_t first_event(const struct process_maps *maps, int32_t pid)
{
	return array_count_below(&maps->events,
				 KEYS(RISING(struct map_event, pid)),
				 (uint64_t)pid);
}

/* The events of a process that determine its mappings at a time. */
struct map_history {
	size_t begin;	  /* the last fork or exec, or the first map */
	size_t end;	  /* after the last event up to that time */
	uint64_t next_ns; /* time of the next event, or UINT64_MAX */
};

static struct map_history history_of(const struct process_maps *maps,
				     int32_t pid, uint64_t time_ns)
{
	struct map_history history = {
		.begin = first_event(maps, pid),
		.next_ns = UINT64_MAX,
	};
	size_t at = history.begin;

	for (; at < maps->events.count; at++) {
		const struct map_event *event = array_at(&maps->events, at);

		if (event->pid != pid)
			break;
		if (event->time_ns > time_ns) {
			history.next_ns = event->time_ns;
			break;
		}
		if (event->kind != MAP_ADDED)
			history.begin = at;
	}
	history.end = at;
	return history;
}

/* Appends the mappings in @history, after those inherited from the parent at
 * the fork. Returns false when out of memory. @depth limits the recursion:
 * damaged records may claim that two processes are each other's parents.
 */
static bool collect(const struct process_maps *maps, struct map_history history,
		    struct array *found, unsigned int depth)
{
	const struct map_event *first =
		history.begin < history.end ?
			array_at(&maps->events, history.begin) :
			NULL;

	if (first && first->kind == MAP_FORKED && depth &&
	    !collect(maps, history_of(maps, first->parent, first->time_ns),
		     found, depth - 1))
		return false;
	for (size_t i = history.begin; i < history.end; i++) {
		const struct map_event *event = array_at(&maps->events, i);

		if (event->kind != MAP_ADDED)
			continue;
		if (array_append(found, &event->map) < 0)
			return false;
	}
	return true;
}

/* Removes the mappings of @found from index @first on that a later one with the
 * same start covers. A process that generates code maps the same memory
 * thousands of times. Returns false when out of memory.
 */
static bool drop_covered(struct array *found, size_t first)
{
	struct number_map sizes = { 0 }; /* the largest, by start address */
	struct process_map *items = found->items;
	size_t kept = first;
	bool has_room = true;

	for (size_t i = found->count; has_room && i-- > first;) {
		uint64_t *size = number_map_add(&sizes, items[i].address);

		has_room = size;
		if (has_room && items[i].size_bytes > *size)
			*size = items[i].size_bytes;
		else
			items[i].size_bytes = 0;
	}
	number_map_free(&sizes);
	for (size_t i = first; has_room && i < found->count; i++)
		if (items[i].size_bytes)
			items[kept++] = items[i];
	if (has_room)
		found->count = kept;
	return has_room;
}

uint64_t process_maps_at(const struct process_maps *maps, int32_t pid,
			 uint64_t time_ns, struct array *found)
{
	struct map_history history = history_of(maps, pid, time_ns);
	size_t first = found->count;

	return collect(maps, history, found, BUDGET_FORK_DEPTH) &&
			       drop_covered(found, first) ?
		       history.next_ns :
		       0;
}

uint64_t process_maps_program_ns(const struct process_maps *maps, int32_t pid,
				 uint64_t time_ns)
{
	struct map_history history = history_of(maps, pid, time_ns);
	const struct map_event *first;

	if (history.begin >= history.end)
		return 0;
	first = array_at(&maps->events, history.begin);
	return first->kind == MAP_ADDED ? 0 : first->time_ns;
}

/* Calls @visit for the mappings in @history, the newest first, until it returns
 * true. Returns whether it did.
 */
static bool visit_own(const struct process_maps *maps,
		      struct map_history history, process_maps_visitor *visit,
		      void *ctx)
{
	for (size_t i = history.end; i-- > history.begin;) {
		const struct map_event *event = array_at(&maps->events, i);

		if (event->kind == MAP_ADDED && visit(ctx, &event->map))
			return true;
	}
	return false;
}

uint64_t process_maps_visit(const struct process_maps *maps, int32_t pid,
			    uint64_t time_ns, process_maps_visitor *visit,
			    void *ctx)
{
	struct map_history history = history_of(maps, pid, time_ns);
	uint64_t next_ns = history.next_ns;

	/* Like collect(), from child to parent. */
	for (unsigned int i = 0; !visit_own(maps, history, visit, ctx); i++) {
		const struct map_event *first =
			history.begin < history.end ?
				array_at(&maps->events, history.begin) :
				NULL;

		if (!first || first->kind != MAP_FORKED ||
		    i == BUDGET_FORK_DEPTH)
			break;
		history = history_of(maps, first->parent, first->time_ns);
	}
	return next_ns;
}

/* Calls @visit for the mappings that process @pid added. Returns whether there
 * were any; sets *@parent to the process that it was last forked from, or -1.
 */
static bool visit_added(const struct process_maps *maps, int32_t pid,
			process_maps_visitor *visit, void *ctx, int32_t *parent)
{
	bool is_found = false;

	*parent = -1;
	for (size_t i = first_event(maps, pid); i < maps->events.count; i++) {
		const struct map_event *event = array_at(&maps->events, i);

		if (event->pid != pid)
			break;
		if (event->kind == MAP_FORKED)
			*parent = event->parent;
		if (event->kind != MAP_ADDED)
			continue;
		visit(ctx, &event->map);
		is_found = true;
	}
	return is_found;
}

void process_maps_visit_added(const struct process_maps *maps, int32_t pid,
			      process_maps_visitor *visit, void *ctx)
{
	/* Records may claim that two processes are each other's children. */
	for (unsigned int i = 0; i <= BUDGET_FORK_DEPTH && pid >= 0; i++)
		if (visit_added(maps, pid, visit, ctx, &pid))
			break;
}

size_t process_maps_file_count(const struct process_maps *maps)
{
	return maps->files.count;
}

const struct process_file *process_maps_file(const struct process_maps *maps,
					     size_t number)
{
	return array_at(&maps->files, number);
}

/* Returns whether the mappings @maps start with all of @first. */
static bool process_maps_begin_with(const struct array *maps,
				    const struct array *first)
{
	return maps->count >= first->count &&
	       (!first->count || !memcmp(maps->items, first->items,
					 first->count * first->item_size));
}

bool process_maps_are_same(const struct array *a, const struct array *b)
{
	return a->count == b->count && process_maps_begin_with(a, b);
}

const struct process_map *process_maps_find(const struct array *maps,
					    uint64_t address)
{
	for (size_t i = maps->count; i-- > 0;) {
		const struct process_map *map = array_at(maps, i);

		if (address - map->address < map->size_bytes)
			return map;
	}
	return NULL;
}

const uint8_t *process_maps_generated(const struct array *maps,
				      uint64_t address, size_t *left)
{
	const struct process_map *map = process_maps_find(maps, address);

	return map && map->image ?
		       generated_image_bytes(map->image, address, left) :
		       NULL;
}
