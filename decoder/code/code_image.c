/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_known.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_unknown.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code_image {
	const struct log *log;
	struct file_map kcore;
	struct array regions; /* struct code_region: the copies */
	/* struct code_known: ranges of the copies at the start */
	struct array known;
	struct code_changes changes;
	struct array descriptors; /* int, of temporary files */
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

static bool is_until(const void *change, const void *time_ns)
{
	return ((const struct code_change *)change)->time_ns <=
	       *(const uint64_t *)time_ns;
}

size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size)
{
	const struct array *changes = &image->changes.items;
	size_t count = array_partition_point(changes, &time_ns, is_until);
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

/* The recording owns the bytes of the dumps. */
static int add_dumps(struct code_image *image, const struct array *dumps)
{
	for (size_t i = 0; i < dumps->count; i++)
		if (array_append(&image->regions, array_at(dumps, i)) < 0)
			return -ERROR_MEMORY;
	return code_region_know(dumps, &image->known);
}

/* Without times, copies that were added later are used for all times. */
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
	uint64_t file_size = 0;
	int error = 0;

	for (size_t i = 0; i < changes->count && !error; i++) {
		const struct code_change *change = array_at(changes, i);

		if (change->kind == CODE_COPY)
			error = make_room(image, change, &file_size);
	}
	return error;
}

/* Without times it is unknown when the copied code ended. */
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
