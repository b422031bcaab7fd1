/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/intel_image.h"
#include "common/array.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/code/code_region.h"
#include "decoder/code/process_maps.h"

#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

struct intel_image {
	struct pt_image_section_cache *cache;
	struct pt_image *image;
	struct pt_image *old;
	struct array sections; /* int: the regions' sections in the cache */
	struct array maps;     /* borrowed: of the process */
};

static int cache_region(struct intel_image *image,
			const struct code_region *region)
{
	const char *path = region->file_path ? region->file_path : region->path;
	int isid = pt_iscache_add_file(image->cache, path, region->file_offset,
				       region->size_bytes, region->first);
	int *section = isid < 0 ? NULL : array_add(&image->sections);

	if (section)
		*section = isid;
	return section || isid < 0 ? isid : -pte_nomem;
}

/* Returns an image of the regions only, or NULL when out of memory. */
static struct pt_image *make_image(const struct intel_image *image)
{
	struct pt_image *made = pt_image_alloc(NULL);

	for (size_t i = 0; made && i < image->sections.count; i++) {
		const int *isid = array_at(&image->sections, i);

		if (pt_image_add_cached(made, image->cache, *isid, NULL) < 0) {
			pt_image_free(made);
			return NULL;
		}
	}
	return made;
}

struct intel_image *intel_image_new(const struct array *regions,
				    const struct log *log)
{
	struct intel_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->sections = ARRAY_OF(int);
	image->cache = pt_iscache_alloc(NULL);
	if (!image->cache || pt_iscache_set_limit(image->cache, UINT64_MAX) < 0)
		goto fail;
	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *region = array_at(regions, i);
		int status = cache_region(image, region);

		if (status == -pte_nomem)
			goto fail;
		if (status < 0)
			log_message(log, LOG_WARNING, region->file_path,
				    region->file_offset,
				    "code at %#llx is not usable: %s",
				    (unsigned long long)region->first,
				    pt_errstr(pt_errcode(status)));
	}
	image->image = make_image(image);
	if (!image->image)
		goto fail;
	return image;
fail:
	intel_image_free(image);
	return NULL;
}

void intel_image_free(struct intel_image *image)
{
	if (!image)
		return;
	pt_image_free(image->image);
	pt_image_free(image->old);
	pt_iscache_free(image->cache);
	array_free(&image->sections);
	free(image);
}

struct pt_image *intel_image_get(const struct intel_image *image)
{
	return image->image;
}

/* The name of a mapping need not be a file, or not one of this machine. */
static void add_map(const struct intel_image *image, struct pt_image *made,
		    const struct process_map *map)
{
	int isid;

	if (map->path[0] != '/')
		return;
	isid = pt_iscache_add_file(image->cache, map->path, map->file_offset,
				   map->size_bytes, map->address);
	if (isid >= 0)
		pt_image_add_cached(made, image->cache, isid, NULL);
}

/* Reads generated code, which is in no file. Returns how many bytes it read, or
 * a negative libipt error.
 */
static int read_generated(uint8_t *bytes, size_t size,
			  const struct pt_asid *asid, uint64_t address,
			  void *context)
{
	const struct intel_image *image = context;
	size_t done = 0;

	(void)asid;
	while (done < size) {
		size_t left;
		const uint8_t *piece = process_maps_generated(
			&image->maps, address + done, &left);

		if (!piece)
			break;
		if (left > size - done)
			left = size - done;
		memcpy(bytes + done, piece, left);
		done += left;
	}
	return done ? (int)done : -pte_nomap;
}

int intel_image_set_process(struct intel_image *image, const struct array *maps)
{
	struct pt_image *made = make_image(image);

	if (!made)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < maps->count; i++)
		add_map(image, made, array_at(maps, i));
	image->maps = *maps;
	pt_image_set_callback(made, read_generated, image);
	intel_image_drop_old(image);
	image->old = image->image;
	image->image = made;
	return 0;
}

void intel_image_drop_old(struct intel_image *image)
{
	pt_image_free(image->old);
	image->old = NULL;
}
