/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/log.h"
#include "decoder/code/code_change_internal.h"
#include "decoder/code/code_region.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Patches are whole instructions, so comparing words is enough. */
enum { WORD = 4, PIECE = 4096 };

static int add_word(struct array *unknown, uint64_t address)
{
	struct code_unknown *last =
		unknown->count ? array_at(unknown, unknown->count - 1) : NULL;

	if (!last || address != last->end) {
		last = array_add(unknown);
		if (!last)
			return -ERROR_MEMORY;
		last->first = address;
	}
	last->end = address + WORD;
	return 0;
}

/* Sets the @size bytes of @expected, which are at @address, to the bytes at the
 * end of the recording, where those are known.
 */
static void read_known(const struct code_at_end *end, uint64_t address,
		       uint8_t *expected, size_t size)
{
	uint64_t at = 0;

	while (at < size) {
		const struct code_known *next =
			code_known_next(end->known, address + at);
		uint64_t count;

		if (!next || next->first >= address + size)
			break;
		if (next->first > address + at)
			at = next->first - address;
		count = next->end - (address + at);
		if (count > size - at)
			count = size - at;
		count = code_change_restore(end->regions, end->changes,
					    end->changes->count, address + at,
					    expected + at, count);
		at += count ? count : 1;
	}
}

/* Compares @size bytes, at most a PIECE. Unknown bytes compare as equal. */
static int compare(const struct code_at_end *known, uint64_t address,
		   const uint8_t *bytes, size_t size, struct array *unknown)
{
	uint8_t expected[PIECE];
	int error = 0;

	memcpy(expected, bytes, size);
	read_known(known, address, expected, size);
	for (size_t i = 0; i + WORD <= size && !error; i += WORD)
		if (memcmp(expected + i, bytes + i, WORD))
			error = add_word(unknown, address + i);
	return error;
}

/* Compares one load. Loads are sorted. Of loads that overlap, only the first is
 * used: *@end is the end of the loads compared so far.
 */
static int compare_load(const struct code_at_end *known,
			const struct code_region *load, uint64_t *end,
			struct array *unknown)
{
	uint64_t done = *end > load->first ? *end - load->first : 0;
	int error = 0;

	if (done < load->size_bytes)
		*end = load->first + load->size_bytes;
	while (done < load->size_bytes && !error) {
		uint64_t left = load->size_bytes - done;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		error = compare(known, load->first + done, load->bytes + done,
				size, unknown);
		done += size;
	}
	return error;
}

int code_unknown_read(const struct code_at_end *known, const char *path,
		      const struct log *log, struct array *unknown)
{
	struct array loads = ARRAY_OF(struct code_region);
	struct file_map map;
	uint64_t end = 0;
	int error;

	if (file_map_open(&map, path, log) < 0)
		return 0;
	error = core_loads_read(path, &map, log, &loads);
	if (error == -ERROR_FORMAT)
		log_message(log, LOG_WARNING, path, 0,
			    "not an ELF core file: what the kernel patched "
			    "while it was recorded is not known");
	for (size_t i = 0; i < loads.count && !error; i++)
		error = compare_load(known, array_at(&loads, i), &end, unknown);
	array_free(&loads);
	file_map_close(&map);
	return error == -ERROR_MEMORY ? error : 0;
}

/* Returns whether a copy contains the new bytes of @change: it was made after
 * the patch.
 */
static bool is_in_copy(const struct array *regions,
		       const struct code_change *change)
{
	const struct code_region *region =
		code_region_find(regions, change->address);
	uint64_t offset = region ? change->address - region->first : 0;

	return region && region->size_bytes - offset >= change->new_size &&
	       !memcmp(region->bytes + offset, change->new_bytes,
		       change->new_size);
}

static void sort_and_join(struct array *unknown)
{
	struct code_unknown *ranges = unknown->items;
	size_t count = 0;

	array_sort_by(unknown, KEYS(RISING(struct code_unknown, first)));
	for (size_t i = 0; i < unknown->count; i++)
		if (!count || ranges[i].first > ranges[count - 1].end)
			ranges[count++] = ranges[i];
		else if (ranges[i].end > ranges[count - 1].end)
			ranges[count - 1].end = ranges[i].end;
	unknown->count = count;
}

int code_unknown_add_patches(const struct array *regions,
			     const struct array *changes, struct array *unknown)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct code_change *change = array_at(changes, i);
		struct code_unknown *range;

		if (change->kind != CODE_PATCH || is_in_copy(regions, change))
			continue;
		range = array_add(unknown);
		if (!range)
			return -ERROR_MEMORY;
		range->first = change->address;
		range->end = change->address + change->new_size;
	}
	sort_and_join(unknown);
	return 0;
}

/* Returns the first range that ends after @address, or NULL. */
static const struct code_unknown *find(const struct array *unknown,
				       uint64_t address)
{
	size_t index = array_count_up_to(
		unknown, KEYS(RISING(struct code_unknown, end)), address);

	return index < unknown->count ? array_at(unknown, index) : NULL;
}

size_t code_unknown_limit(const struct array *unknown, uint64_t address,
			  size_t size)
{
	const struct code_unknown *next = find(unknown, address);

	if (!next || next->first >= address + size)
		return size;
	return next->first > address ? next->first - address : 0;
}

uint64_t code_unknown_end(const struct array *unknown, uint64_t address)
{
	const struct code_unknown *next = find(unknown, address);

	return next && next->first <= address ? next->end : address;
}

struct code_image {
	const struct log *log;
	struct file_map kcore;
	struct array regions; /* struct code_region: the copies */
	/* struct code_known: ranges of the copies at the start */
	struct array known;
	struct code_changes changes;
	struct array descriptors; /* int: the descriptors of temporary files */
	/* of a temporary file for code without a copy at the start, or -1 */
	int spare_fd;
	struct array unknown; /* struct code_unknown */
};

const struct array *code_image_regions(const struct code_image *image)
{
	return &image->regions;
}

const struct array *code_image_changes(const struct code_image *image)
{
	return &image->changes.items;
}

const struct array *code_image_known(const struct code_image *image)
{
	return &image->known;
}

const struct array *code_image_unknown(const struct code_image *image)
{
	return &image->unknown;
}

const struct log *code_image_log(const struct code_image *image)
{
	return image->log;
}

void code_image_close(struct code_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->regions.count; i++)
		code_region_unmap(array_at(&image->regions, i));
	for (size_t i = 0; i < image->descriptors.count; i++)
		close(*(int *)array_at(&image->descriptors, i));
	if (image->spare_fd >= 0)
		close(image->spare_fd);
	code_changes_free(&image->changes);
	array_free(&image->regions);
	array_free(&image->known);
	array_free(&image->descriptors);
	array_free(&image->unknown);
	file_map_close(&image->kcore);
	free(image);
}

/* Sets *@known to the ranges known after the first @count changes. Returns 0 or
 * -ERROR_MEMORY.
 */
static int know(const struct code_image *image, size_t count,
		struct array *known)
{
	int error = 0;

	*known = ARRAY_OF(struct code_known);
	for (size_t i = 0; i < image->known.count && !error; i++)
		error = array_append(known, array_at(&image->known, i));
	for (size_t i = 0; i < count && !error; i++)
		error = code_change_know(array_at(&image->changes.items, i),
					 known);
	return error;
}

size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size)
{
	const struct array *changes = &image->changes.items;
	size_t count = array_count_up_to(
		changes, KEYS(RISING(struct code_change, time_ns)), time_ns);
	struct array known;
	uint64_t limit = 0;

	if (!know(image, count, &known))
		limit = code_known_limit(&known, address);
	array_free(&known);
	return limit ? code_change_restore(&image->regions, changes, count,
					   address, buffer,
					   size < limit ? size : limit) :
		       0;
}

/* Adds the regions of memory dumps, whose bytes the recording owns. */
static int add_dumps(struct code_image *image, const struct array *dumps)
{
	for (size_t i = 0; i < dumps->count; i++)
		if (array_append(&image->regions, array_at(dumps, i)) < 0)
			return -ERROR_MEMORY;
	return code_region_know(dumps, &image->known);
}

/* Reads the copy of the kernel's code, if there is one. Without times, copies
 * that were added later are used for all times.
 */
static int read_kcore(struct code_image *image,
		      const struct recording *recording)
{
	const char *path = recording_files(recording)->kcore;
	bool with_late = recording_time(recording) !=
			 RECORDING_TIME_NANOSECONDS;

	int error;

	if (!path) {
		log_message(image->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "the recording has no copy of the kernel's code "
			    "(kcore): kernel functions cannot be decoded");
		return 0;
	}
	if (file_map_open(&image->kcore, path, image->log) < 0)
		return 0;
	error = code_region_read_kcore(path, &image->kcore, with_late,
				       image->log, &image->regions,
				       &image->descriptors, &image->known);
	return error == -ERROR_FORMAT ? 0 : error;
}

static int add_missing_region(struct code_image *image, uint64_t address,
			      size_t size, uint64_t *file_size)
{
	if (image->spare_fd < 0)
		image->spare_fd = file_map_temporary(image->log);
	if (image->spare_fd < 0)
		return -ERROR_SYSTEM;
	return code_region_add_empty(&image->regions, address, size,
				     image->spare_fd, file_size, image->log);
}

/* Adds regions for the parts of a later copy that are in no region. */
static int make_room(struct code_image *image, const struct code_change *copy,
		     uint64_t *file_size)
{
	uint64_t end = copy->address + copy->new_size;
	uint64_t at = copy->address;
	int error = 0;

	while (at < end && !error) {
		const struct code_region *region =
			code_region_find(&image->regions, at);

		if (region)
			at = region->first + region->size_bytes;
		else
			error = add_missing_region(image, at, end - at,
						   file_size);
	}
	return error;
}

static int add_missing_regions(struct code_image *image)
{
	const struct array *changes = &image->changes.items;
	size_t most = image->regions.count + BUDGET_CODE_REGIONS;
	uint64_t file_size = 0;
	int error = 0;

	for (size_t i = 0; i < changes->count && !error; i++) {
		const struct code_change *change = array_at(changes, i);

		if (image->regions.count >= most) {
			log_message(image->log, LOG_WARNING, NULL,
				    LOG_NO_OFFSET,
				    "code was added to the kernel in more than "
				    "%u places: that of the later ones is "
				    "unknown",
				    BUDGET_CODE_REGIONS);
			break;
		}
		if (change->kind == CODE_COPY)
			error = make_room(image, change, &file_size);
	}
	return error;
}

/* Makes code that was removed during the recording unknown at all times, for a
 * trace without times: the position of the removal in the trace is unknown.
 */
static int forget_lost(struct code_image *image)
{
	const struct array *changes = &image->changes.items;
	int error = 0;

	for (size_t i = 0; i < changes->count && !error; i++) {
		const struct code_change *change = array_at(changes, i);

		if (change->kind == CODE_LOSS && !change->announces)
			error = code_change_know(change, &image->known);
	}
	return error;
}

/* Compares the code with the copy made at the end. */
static int read_end(struct code_image *image, const char *kcore_end)
{
	struct array known;
	const struct code_at_end end = {
		.regions = &image->regions,
		.changes = &image->changes.items,
		.known = &known,
	};
	int error = know(image, image->changes.items.count, &known);

	if (!error)
		error = code_unknown_read(&end, kcore_end, image->log,
					  &image->unknown);
	array_free(&known);
	return error;
}

/* Adds the addresses whose changes have unknown times: because the trace has no
 * times, or because records of patches were lost.
 */
static int add_unknown(struct code_image *image,
		       const struct recording *recording)
{
	const char *kcore_end = recording_files(recording)->kcore_end;
	bool has_time = recording_time(recording) == RECORDING_TIME_NANOSECONDS;
	int error = has_time ? 0 : forget_lost(image);

	if (!image->changes.is_complete)
		log_message(image->log, LOG_WARNING,
			    recording_data_path(recording), LOG_NO_OFFSET,
			    "the kernel patched more than could be recorded: "
			    "what it is known to have patched is a gap");
	if (kcore_end && !error)
		error = read_end(image, kcore_end);
	if (!error && (!image->changes.is_complete || !has_time))
		error = code_unknown_add_patches(&image->regions,
						 &image->changes.items,
						 &image->unknown);
	return error;
}

int code_image_changing(const struct code_image *image, struct array *ranges)
{
	const struct array *changes = &image->changes.items;
	int error = 0;

	for (size_t i = 0; i < image->unknown.count && !error; i++)
		error = array_append(ranges, array_at(&image->unknown, i));
	for (size_t i = 0; i < changes->count && !error; i++) {
		const struct code_change *change = array_at(changes, i);
		const struct code_unknown range = {
			.first = change->address,
			.end = change->address +
			       (change->old_size > change->new_size ?
					change->old_size :
					change->new_size),
		};

		error = array_append(ranges, &range);
	}
	sort_and_join(ranges);
	return error;
}

int code_image_open(const struct recording *recording, const struct log *log,
		    struct code_image **opened)
{
	struct code_image *image = calloc(1, sizeof(*image));
	const struct recording_files *files = recording_files(recording);
	int error;

	if (!image)
		return -ERROR_MEMORY;
	image->log = log;
	image->spare_fd = -1;
	image->regions = ARRAY_OF(struct code_region);
	image->known = ARRAY_OF(struct code_known);
	image->descriptors = ARRAY_OF(int);
	image->unknown = ARRAY_OF(struct code_unknown);
	error = files->is_snapshot ?
			add_dumps(image, recording_dumps(recording)) :
			read_kcore(image, recording);
	if (!error)
		error = code_changes_read(recording, files->code, log,
					  &image->changes);
	if (!error)
		error = add_missing_regions(image);
	if (!error)
		error = add_unknown(image, recording);
	if (error)
		goto fail;
	*opened = image;
	return 0;
fail:
	code_image_close(image);
	return error;
}
