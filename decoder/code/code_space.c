/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_space.h"

#include "common/array.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/maps.h"
#include "decoder/code/code_change_internal.h"
#include "decoder/code/code_image.h"
#include "decoder/code/code_region.h"
#include "decoder/code/process_maps.h"
#include "decoder/code/process_view.h"
#include "decoder/code/user_code.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two layers. A code_view is the kernel's code at one time: the image's bytes,
 * which all views share, the view's own copies of the pages that change, and
 * the ranges that are known then. It starts before the first change
 * (undo_all()); changes are then applied and undone one by one. If a change was
 * recorded without its new bytes, these are unknown until a later copy has
 * them.
 *
 * The code_space above it adds user space: the mappings of the process that
 * runs (process_view.h), with their files or generated images. Its queries
 * combine the limits of both layers: the time of the next change, and the
 * number of bytes that are contiguous.
 */

enum { CODE_PAGE = 4096 };

/* The kernel's code at the current time of one stream's trace. Starts before
 * the first change. Belongs to one thread.
 */
struct code_view {
	const struct log *log;
	const struct code_image *image;
	const struct array *changes; /* of the image: struct code_change */
	const struct array *unknown; /* of the image: struct code_unknown */
	/* struct code_region: of the image, or with is_mapped the view's copy
	 * of one that changes (CODE_VIEW_FILES)
	 */
	struct array regions;
	/* the changed pages of the image's regions, by address / CODE_PAGE:
	 * their bytes, owned
	 */
	struct number_map pages;
	/* struct code_known, at the current time */
	struct array known;
	/* changes were reverted since known was computed */
	bool is_known_old;
	/* the range of known that was used last: most look-ups hit it */
	struct code_known last_known;
	/* of the file with copied regions; -1: none */
	int fd;
	uint64_t file_size;
	/* the region found last: most look-ups hit it */
	const struct code_region *last;
	size_t next_change;
};

enum { RESTORED_AT_ONCE = 4096 };

static int copy_region(struct code_view *view, struct code_region *region)
{
	if (view->fd < 0)
		view->fd = file_map_temporary(view->log);
	if (view->fd < 0)
		return -ERROR_SYSTEM;
	return code_region_copy(region, view->fd, &view->file_size, view->log);
}

static bool changes_ever(const struct code_view *view,
			 const struct code_region *region)
{
	for (size_t i = 0; i < view->changes->count; i++) {
		const struct code_change *change = array_at(view->changes, i);

		if (change->kind != CODE_LOSS &&
		    change->address < region->first + region->size_bytes &&
		    region->first < change->address + change->new_size)
			return true;
	}
	return false;
}

static int copy_regions(struct code_view *view, const struct array *copied,
			enum code_view_place place)
{
	int error = 0;

	for (size_t i = 0; i < copied->count && !error; i++) {
		struct code_region *region = array_add(&view->regions);

		if (!region)
			return -ERROR_MEMORY;
		*region = *(struct code_region *)array_at(copied, i);
		region->is_mapped = false;
		if (place == CODE_VIEW_FILES && changes_ever(view, region))
			error = copy_region(view, region);
	}
	return error;
}

/* Copies the bytes of all regions in the page that starts at @first to @page.
 */
static void fill_page(const struct code_view *view, uint64_t first,
		      uint8_t *page)
{
	uint64_t at = first;

	while (at - first < CODE_PAGE) {
		const struct code_region *region =
			code_region_next(&view->regions, at);
		uint64_t count;

		if (!region ||
		    (region->first > at && region->first - first >= CODE_PAGE))
			return;
		if (region->first > at)
			at = region->first;
		count = region->size_bytes - (at - region->first);
		if (count > CODE_PAGE - (at - first))
			count = CODE_PAGE - (at - first);
		memcpy(page + (at - first),
		       region->bytes + (at - region->first), count);
		at += count;
	}
}

/* Returns the view's copy of the page of @address, which it makes if there is
 * none; NULL when out of memory.
 */
static uint8_t *own_page(struct code_view *view, uint64_t address)
{
	uint64_t number = address / CODE_PAGE;
	uint8_t *page = number_map_pointer(&view->pages, number);
	uint64_t *slot;

	if (page)
		return page;
	page = calloc(1, CODE_PAGE);
	slot = page ? number_map_add(&view->pages, number) : NULL;
	if (!slot) {
		free(page);
		return NULL;
	}
	fill_page(view, number * CODE_PAGE, page);
	*slot = (uintptr_t)page;
	return page;
}

/* Writes @size bytes to @region at @address. Returns 0 or -ERROR_MEMORY. */
static int write_to_region(struct code_view *view,
			   const struct code_region *region, uint64_t address,
			   const uint8_t *bytes, size_t size)
{
	if (region->is_mapped) {
		memcpy((uint8_t *)(uintptr_t)region->bytes +
			       (address - region->first),
		       bytes, size);
		return 0;
	}
	while (size) {
		size_t count = CODE_PAGE - address % CODE_PAGE;
		uint8_t *page = own_page(view, address);

		if (!page)
			return -ERROR_MEMORY;
		if (count > size)
			count = size;
		memcpy(page + address % CODE_PAGE, bytes, count);
		address += count;
		bytes += count;
		size -= count;
	}
	return 0;
}

/* Writes @bytes to the regions at @address; skips addresses in no region.
 * Returns 0 or -ERROR_MEMORY, which is impossible if these bytes were written
 * before.
 */
static int write_bytes(struct code_view *view, uint64_t address,
		       const uint8_t *bytes, size_t size)
{
	size_t done = 0;
	int error = 0;

	while (bytes && done < size && !error) {
		const struct code_region *region =
			code_region_next(&view->regions, address + done);
		uint64_t left;
		size_t count;

		if (!region || region->first >= address + size)
			return 0;
		if (region->first > address + done)
			done = region->first - address;
		left = region->size_bytes - (address + done - region->first);
		count = size - done < left ? size - done : left;
		error = write_to_region(view, region, address + done,
					bytes + done, count);
		done += count;
	}
	return error;
}

/* Like write_bytes(), for bytes that were written before. */
static void write_again(struct code_view *view, uint64_t address,
			const uint8_t *bytes, size_t size)
{
	int error = write_bytes(view, address, bytes, size);

	assert(!error);
	(void)error;
}

/* Reverts the code to before the first change. The image may already contain
 * any of the changes. So the old bytes of all of them are written, those of the
 * first change last: these remain. Returns 0 or -ERROR_MEMORY.
 */
static int undo_all(struct code_view *view)
{
	const struct array *changes = view->changes;
	int error = 0;

	for (size_t i = changes->count; i-- > 0 && !error;) {
		const struct code_change *change = array_at(changes, i);

		error = write_bytes(view, change->address, change->old_bytes,
				    change->old_size);
	}
	return error;
}

/* Computes the known ranges from the start of the recording up to the current
 * time.
 */
static int know(struct code_view *view)
{
	const struct array *known = code_image_known(view->image);
	int error = 0;

	view->known.count = 0;
	view->last_known = (struct code_known){ 0 };
	for (size_t i = 0; i < known->count && !error; i++)
		error = array_append(&view->known, array_at(known, i));
	for (size_t i = 0; i < view->next_change && !error; i++)
		error = code_change_know(array_at(view->changes, i),
					 &view->known);
	view->is_known_old = error;
	return error;
}

static void code_view_close(struct code_view *view)
{
	uint8_t *page;
	size_t at = 0;

	if (!view)
		return;
	while ((page = number_map_next_pointer(&view->pages, &at)))
		free(page);
	number_map_free(&view->pages);
	for (size_t i = 0; i < view->regions.count; i++)
		code_region_unmap(array_at(&view->regions, i));
	if (view->fd >= 0)
		close(view->fd);
	array_free(&view->regions);
	array_free(&view->known);
	free(view);
}

/* Opens a view of @image, which it borrows. Returns 0 and *@opened, or a
 * negative enum error.
 */
static int code_view_open(const struct code_image *image,
			  enum code_view_place place, struct code_view **opened)
{
	struct code_view *view = calloc(1, sizeof(*view));
	int error;

	if (!view)
		return -ERROR_MEMORY;
	view->image = image;
	view->log = code_image_log(image);
	view->known = ARRAY_OF(struct code_known);
	view->changes = code_image_changes(image);
	view->unknown = code_image_unknown(image);
	view->regions = ARRAY_OF(struct code_region);
	view->fd = -1;
	error = copy_regions(view, code_image_regions(image), place);
	if (!error)
		error = undo_all(view);
	if (!error)
		error = know(view);
	if (error) {
		code_view_close(view);
		return error;
	}
	*opened = view;
	return 0;
}

/* Returns the next change, or NULL. */
static const struct code_change *
code_view_next_change(const struct code_view *view)
{
	const struct array *changes = view->changes;

	if (view->next_change == changes->count)
		return NULL;
	return array_at(changes, view->next_change);
}

/* Returns the last change applied, or NULL. */
static const struct code_change *
code_view_last_change(const struct code_view *view)
{
	if (!view->next_change)
		return NULL;
	return array_at(view->changes, view->next_change - 1);
}

/* Restores the bytes that @change replaced and did not record, from earlier
 * changes or the image.
 */
static void restore(struct code_view *view, const struct code_change *change)
{
	uint8_t piece[RESTORED_AT_ONCE];
	size_t done = change->old_size;

	while (done < change->new_size) {
		size_t size = change->new_size - done;

		if (size > sizeof(piece))
			size = sizeof(piece);
		size = code_change_restore(code_image_regions(view->image),
					   view->changes, view->next_change,
					   change->address + done, piece, size);
		if (!size)
			return;
		write_again(view, change->address + done, piece, size);
		done += size;
	}
}

/* Reverts the last change applied. Requires that there is one. */
static void code_view_undo_change(struct code_view *view)
{
	const struct code_change *change = code_view_last_change(view);

	view->next_change--;
	write_again(view, change->address, change->old_bytes, change->old_size);
	/* Without new bytes the change wrote nothing. */
	if (change->kind != CODE_LOSS && change->new_bytes)
		restore(view, change);
	view->is_known_old |= change->kind != CODE_PATCH;
}

/* Returns the time of the next change, UINT64_MAX if there is none. */
static uint64_t code_view_next_change_ns(const struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	return change ? change->time_ns : UINT64_MAX;
}

/* Applies the next change, in place. Requires that there is one. Returns 0 or
 * -ERROR_MEMORY.
 */
static int code_view_make_change(struct code_view *view)
{
	const struct code_change *change = code_view_next_change(view);

	if (write_bytes(view, change->address, change->new_bytes,
			change->new_size) < 0)
		return -ERROR_MEMORY;
	view->next_change++;
	if (change->kind == CODE_PATCH || view->is_known_old)
		return 0;
	view->last_known = (struct code_known){ 0 };
	return code_change_know(change, &view->known);
}

/* Returns whether the code at @address changed at an unknown time. */
static bool code_view_is_unknown(const struct code_view *view, uint64_t address)
{
	return !code_unknown_limit(view->unknown, address, 1);
}

/* Returns how many bytes from @address on are known, 0 when out of memory. */
static uint64_t known_limit(struct code_view *view, uint64_t address)
{
	const struct code_known *range = &view->last_known;

	if (view->is_known_old && know(view) < 0)
		return 0;
	if (address - range->first < range->end - range->first)
		return range->end - address;
	range = code_known_next(&view->known, address);
	if (!range || range->first > address)
		return 0;
	view->last_known = *range;
	return range->end - address;
}

/* Returns the bytes at @address and sets *@left to the number that is
 * contiguous; or NULL if there is no copy of the code there at the current
 * time, or it changed at an unknown time.
 */
static const uint8_t *code_view_bytes(struct code_view *view, uint64_t address,
				      size_t *left)
{
	const struct code_region *region = view->last;
	const uint8_t *page;
	uint64_t limit;

	if (!region || address - region->first >= region->size_bytes)
		region = code_region_find(&view->regions, address);
	if (!region)
		return NULL;
	view->last = region;
	limit = region->size_bytes - (address - region->first);
	*left = known_limit(view, address);
	if (*left > limit)
		*left = limit;
	*left = code_unknown_limit(view->unknown, address, *left);
	if (!*left)
		return NULL;
	if (region->is_mapped || !number_map_count(&view->pages))
		return region->bytes + (address - region->first);
	/* The next page may be in other memory. */
	limit = CODE_PAGE - address % CODE_PAGE;
	if (*left > limit)
		*left = limit;
	page = number_map_pointer(&view->pages, address / CODE_PAGE);
	return page ? page + address % CODE_PAGE :
		      region->bytes + (address - region->first);
}

/* Returns the first address after @address that may be known. */
static uint64_t next_known(const struct code_view *view, uint64_t address)
{
	const struct code_known *range = code_known_next(&view->known, address);

	if (!range)
		return UINT64_MAX;
	if (range->first > address)
		return range->first;
	return code_unknown_end(view->unknown, address);
}

/* Appends the parts of the regions whose bytes are known now to @pieces (struct
 * code_region, in the files of the regions), in order of address.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int code_view_pieces(struct code_view *view, struct array *pieces)
{
	for (size_t i = 0; i < view->regions.count; i++) {
		const struct code_region *region = array_at(&view->regions, i);
		uint64_t end = region->first + region->size_bytes;
		uint64_t at = region->first;
		uint64_t next;

		while (at < end) {
			size_t left = 0;
			struct code_region *piece;

			if (!code_view_bytes(view, at, &left)) {
				next = next_known(view, at);
				if (next <= at) /* know() failed */
					return -ERROR_MEMORY;
				at = next;
				continue;
			}
			piece = array_add(pieces);
			if (!piece)
				return -ERROR_MEMORY;
			*piece = *region;
			piece->first = at;
			piece->size_bytes = left;
			piece->file_offset += at - region->first;
			piece->bytes += at - region->first;
			at += left;
		}
	}
	return 0;
}

/* The mappings of one process while they do not change: an address space. */
struct program {
	struct array maps; /* struct process_map */
	int32_t pid;
};

struct code_space {
	struct flow_input input;
	uint64_t kernel_start;
	struct code_view *view;
	struct process_maps *maps;	/* NULL: only the kernel is traced */
	struct process_view *processes; /* NULL: kernel only */
	struct user_code *user_code;	/* NULL: kernel only */
	struct array programs; /* struct program; space 1 is the first */
	uint32_t space;	       /* of the running program */
	bool has_time;
	bool by_trace; /* see code_space_order_by_trace() */
};

static struct program *program_at(const struct code_space *code, uint32_t space)
{
	return array_at(&code->programs, space - 1);
}

static int copy_maps(struct array *copy, const struct array *maps)
{
	*copy = ARRAY_OF(struct process_map);
	for (size_t i = 0; i < maps->count; i++)
		if (array_append(copy, array_at(maps, i)) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static bool is_program(const struct program *program, int32_t pid,
		       const struct array *maps)
{
	return program->pid == pid &&
	       process_maps_are_same(&program->maps, maps);
}

/* Returns the space of process @pid with @maps, 0 if there is none. Possible
 * images of a process may alternate, so older spaces of it count, too.
 */
static uint32_t find_space(const struct code_space *code, int32_t pid,
			   const struct array *maps)
{
	if (code->space <= code->programs.count &&
	    is_program(program_at(code, code->space), pid, maps))
		return code->space;
	for (uint32_t i = (uint32_t)code->programs.count; i > 0; i--)
		if (is_program(program_at(code, i), pid, maps))
			return i;
	return 0;
}

/* Sets the space to the one of the current mappings. */
static int set_space(struct code_space *code)
{
	const struct array *maps = process_view_maps(code->processes);
	int32_t pid = process_view_pid(code->processes);
	uint32_t space = find_space(code, pid, maps);
	struct program *program;

	if (!space) {
		program = array_add(&code->programs);
		if (!program || copy_maps(&program->maps, maps) < 0)
			return -ERROR_MEMORY;
		program->pid = pid;
		space = (uint32_t)code->programs.count;
	}
	code->space = space;
	user_code_set_maps(code->user_code, &program_at(code, space)->maps);
	return 0;
}

/* Sets the processes to those at the start. */
static int rewind_processes(struct code_space *code)
{
	process_view_free(code->processes);
	code->processes = process_view_new(code->input.recording,
					   code->input.stream, code->maps);
	if (code->processes && code->by_trace)
		process_view_order_by_trace(code->processes);
	return code->processes ? 0 : -ERROR_MEMORY;
}

/* Sets the first process. Without times, its mappings at the end are the best
 * guess: those after exec.
 */
static int begin_processes(struct code_space *code)
{
	if (rewind_processes(code) < 0 ||
	    (!code->has_time && process_view_go_to_end(code->processes) < 0))
		return -ERROR_MEMORY;
	return set_space(code);
}

int code_space_open(const struct flow_input *input, uint64_t kernel_start,
		    enum code_view_place place, struct code_space **opened)
{
	struct code_space *code = calloc(1, sizeof(*code));
	int error;

	if (!code)
		return -ERROR_MEMORY;
	code->input = *input;
	code->kernel_start = kernel_start;
	code->has_time = recording_time(input->recording) ==
			 RECORDING_TIME_NANOSECONDS;
	code->programs = ARRAY_OF(struct program);
	/* A snapshot has user code, but no records of its process. */
	code->space = CODE_SPACE_KERNEL + 1;
	error = code_view_open(input->image, place, &code->view);
	if (!error && recording_traces_user(input->recording)) {
		code->maps = process_maps_new(input->recording);
		code->user_code = user_code_new();
		error = -ERROR_MEMORY;
		if (code->maps && code->user_code)
			error = begin_processes(code);
	}
	if (error) {
		code_space_close(code);
		return error;
	}
	*opened = code;
	return 0;
}

void code_space_close(struct code_space *code)
{
	if (!code)
		return;
	for (uint32_t i = 1; i <= code->programs.count; i++)
		array_free(&program_at(code, i)->maps);
	array_free(&code->programs);
	process_view_free(code->processes);
	user_code_free(code->user_code);
	process_maps_free(code->maps);
	code_view_close(code->view);
	free(code);
}

void code_space_order_by_trace(struct code_space *code)
{
	code->by_trace = code->processes && code->has_time;
	if (code->by_trace)
		process_view_order_by_trace(code->processes);
}

int code_space_enter(struct code_space *code, const struct process_entry *entry)
{
	if (!code->by_trace)
		return 0;
	if (process_view_enter(code->processes, entry) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

int32_t code_space_tid(const struct code_space *code)
{
	return code->by_trace ? process_view_tid(code->processes) : -1;
}

uint64_t code_space_floor_ns(const struct code_space *code)
{
	return code->by_trace ? process_view_floor_ns(code->processes) : 0;
}

uint64_t code_space_next_change_ns(const struct code_space *code)
{
	uint64_t code_ns = code_view_next_change_ns(code->view);
	uint64_t process_ns = UINT64_MAX;

	if (!code->has_time)
		return UINT64_MAX;
	if (code->processes)
		process_ns = process_view_next_change_ns(code->processes);
	return code_ns < process_ns ? code_ns : process_ns;
}

bool code_space_is_due(const struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns)
{
	if (!code->has_time)
		return false;
	return time_ns >= code_view_next_change_ns(code->view) ||
	       (code->processes &&
		process_view_is_due(code->processes, low_ns, time_ns));
}

int code_space_advance(struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns, code_space_changed *changed, void *ctx)
{
	const struct code_change *change;

	while ((change = code_view_next_change(code->view)) &&
	       change->time_ns <= time_ns) {
		if (code_view_make_change(code->view) < 0)
			return -ERROR_MEMORY;
		if (changed)
			changed(ctx, change->address,
				change->address + change->new_size);
	}
	if (!code->processes ||
	    !process_view_is_due(code->processes, low_ns, time_ns))
		return 0;
	if (process_view_advance(code->processes, low_ns, time_ns) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

int code_space_set_process(struct code_space *code, int32_t pid,
			   uint64_t time_ns)
{
	if (!code->processes)
		return 0;
	if (!code->has_time)
		time_ns = UINT64_MAX;
	if (process_view_set_process(code->processes, pid, time_ns) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

/* Reverts the changes of kernel code that are later than @time_ns. */
static void go_back(struct code_space *code, uint64_t time_ns,
		    code_space_changed *changed, void *ctx)
{
	const struct code_change *change;

	while ((change = code_view_last_change(code->view)) &&
	       change->time_ns > time_ns) {
		uint64_t size = change->old_size > change->new_size ?
					change->old_size :
					change->new_size;

		code_view_undo_change(code->view);
		if (changed)
			changed(ctx, change->address, change->address + size);
	}
}

int code_space_sync(struct code_space *code, uint64_t low_ns, uint64_t high_ns)
{
	int status;

	if (!code->by_trace)
		return 0;
	status = process_view_sync(code->processes, low_ns, high_ns);
	if (!status) {
		if (rewind_processes(code) < 0)
			return -ERROR_MEMORY;
		status = process_view_sync(code->processes, low_ns, high_ns);
	}
	return status < 0 ? status : set_space(code);
}

int code_space_go_to(struct code_space *code, uint64_t time_ns,
		     code_space_changed *changed, void *ctx)
{
	int status = 1;

	go_back(code, time_ns, changed, ctx);
	if (code->processes)
		status = process_view_go_back(code->processes, time_ns);
	if (!status)
		status = rewind_processes(code);
	if (status < 0)
		return status;
	if (code->processes && set_space(code) < 0)
		return -ERROR_MEMORY;
	return code_space_advance(code, time_ns, time_ns, changed, ctx);
}

uint32_t code_space_of(const struct code_space *code, uint64_t address)
{
	return address >= code->kernel_start ? CODE_SPACE_KERNEL : code->space;
}

int32_t code_space_pid(const struct code_space *code)
{
	return code->processes ? process_view_pid(code->processes) : -1;
}

const uint8_t *code_space_bytes(struct code_space *code, uint64_t address,
				size_t *left)
{
	const uint8_t *bytes = code_view_bytes(code->view, address, left);

	if (!bytes && code->user_code)
		bytes = user_code_bytes(code->user_code, address, left);
	return bytes;
}

size_t code_space_copy(struct code_space *code, uint64_t address,
		       uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t left;
		const uint8_t *piece =
			code_space_bytes(code, address + done, &left);

		if (!piece)
			break;
		if (left > size - done)
			left = size - done;
		memcpy(bytes + done, piece, left);
		done += left;
	}
	return done;
}

int code_space_pieces(const struct code_space *code, struct array *pieces)
{
	return code_view_pieces(code->view, pieces);
}

const struct array *code_space_maps(const struct code_space *code)
{
	return code->processes ? &program_at(code, code->space)->maps : NULL;
}

bool code_space_is_mapped(const struct code_space *code, uint64_t address)
{
	const struct array *maps;

	if (address >= code->kernel_start)
		return true;
	maps = code_space_maps(code);
	for (size_t i = 0; maps && i < maps->count; i++) {
		const struct process_map *map = array_at(maps, i);

		if (address - map->address < map->size_bytes)
			return true;
	}
	return false;
}

bool code_space_is_unknown(const struct code_space *code, uint64_t address)
{
	return code_view_is_unknown(code->view, address);
}

bool code_space_is_generated(const struct code_space *code, uint64_t address)
{
	return code->user_code && address < code->kernel_start &&
	       user_code_is_generated(code->user_code, address);
}
