/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_region.h"
#include "decoder/code/code_unknown.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code_image {
	const struct log *log;
	struct file_map kcore;
	struct array regions;	  /* struct code_region: as copied */
	struct array changes;	  /* struct code_change, by time */
	struct array descriptors; /* int, of temporary files */
	int spare_fd;		  /* -1, or of regions not copied */
	struct array maps;	  /* struct file_map, of later copies */
	struct array unknown;	  /* struct code_unknown */
};

const struct array *code_image_regions(const struct code_image *image)
{
	return &image->regions;
}

const struct array *code_image_changes(const struct code_image *image)
{
	return &image->changes;
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
	for (size_t i = 0; i < image->maps.count; i++)
		file_map_close(array_at(&image->maps, i));
	array_free(&image->regions);
	array_free(&image->changes);
	array_free(&image->descriptors);
	array_free(&image->maps);
	array_free(&image->unknown);
	file_map_close(&image->kcore);
	free(image);
}

size_t code_image_read(const struct code_image *image, uint64_t time_ns,
		       uint64_t address, uint8_t *buffer, size_t size)
{
	return code_change_read_at(&image->regions, &image->changes, time_ns,
				   address, buffer, size);
}

/* The recording keeps what the dumps lie in. */
static int add_dumps(struct code_image *image, const struct array *dumps)
{
	for (size_t i = 0; i < dumps->count; i++)
		if (array_append(&image->regions, array_at(dumps, i)) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static int read_kcore(struct code_image *image, const char *path)
{
	int error;

	if (!path) {
		log_message(image->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "the recording has no copy of the kernel's code "
			    "(kcore): kernel functions cannot be decoded");
		return 0;
	}
	if (file_map_open(&image->kcore, path, image->log) < 0)
		return 0;
	error = code_region_read_kcore(path, &image->kcore, image->log,
				       &image->regions, &image->descriptors);
	return error == -ERROR_FORMAT ? 0 : error;
}

static int add_missing_region(struct code_image *image,
			      const struct code_change *change,
			      uint64_t *file_size)
{
	if (image->spare_fd < 0)
		image->spare_fd = file_map_temporary(image->log);
	if (image->spare_fd < 0)
		return -ERROR_SYSTEM;
	return code_region_add_empty(&image->regions, change->address,
				     change->new_size, image->spare_fd,
				     file_size);
}

/* New code outside what was copied gets a region of its own, empty before.
 * What is patched elsewhere is not known, so that it cannot be decoded.
 */
static int add_missing_regions(struct code_image *image)
{
	uint64_t file_size = 0;
	int error = 0;

	for (size_t i = 0; i < image->changes.count && !error; i++) {
		const struct code_change *change = array_at(&image->changes, i);

		if (change->new_size && !change->is_patch &&
		    !code_region_find(&image->regions, change->address))
			error = add_missing_region(image, change, &file_size);
	}
	return error;
}

/* What changed when is not known without times, or if patches were lost. */
static int add_unknown(struct code_image *image,
		       const struct recording *recording, bool is_complete)
{
	const char *kcore_end = recording_files(recording)->kcore_end;
	int error = 0;

	if (!is_complete)
		log_message(image->log, LOG_WARNING,
			    recording_data_path(recording), LOG_NO_OFFSET,
			    "the kernel patched more than could be recorded: "
			    "what it is known to have patched is a gap");
	if (kcore_end)
		error = code_unknown_read(&image->regions, &image->changes,
					  kcore_end, image->log,
					  &image->unknown);
	if (!error && (!is_complete ||
		       recording_time(recording) != RECORDING_TIME_NANOSECONDS))
		error = code_unknown_add_patches(
			&image->regions, &image->changes, &image->unknown);
	return error;
}

int code_image_open(const struct recording *recording, const struct log *log,
		    struct code_image **opened)
{
	struct code_image *image = calloc(1, sizeof(*image));
	const struct recording_files *files = recording_files(recording);
	bool is_complete;
	int error;

	if (!image)
		return -ERROR_MEMORY;
	image->log = log;
	image->spare_fd = -1;
	image->regions = ARRAY_OF(struct code_region);
	image->changes = ARRAY_OF(struct code_change);
	image->descriptors = ARRAY_OF(int);
	image->maps = ARRAY_OF(struct file_map);
	image->unknown = ARRAY_OF(struct code_unknown);
	error = files->is_snapshot ?
			add_dumps(image, recording_dumps(recording)) :
			read_kcore(image, files->kcore);
	if (!error)
		error = code_change_read(recording, files->code, log,
					 &image->changes, &image->maps,
					 &is_complete);
	if (!error)
		error = add_missing_regions(image);
	if (!error)
		error = add_unknown(image, recording, is_complete);
	if (error)
		goto fail;
	*opened = image;
	return 0;
fail:
	code_image_close(image);
	return error;
}
