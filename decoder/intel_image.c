/* SPDX-License-Identifier: MIT */
#include "decoder/intel_image.h"
#include "common/array.h"
#include "common/log.h"
#include "decoder/code_region.h"

#include <intel-pt.h>
#include <stdlib.h>

struct intel_image {
	struct pt_image_section_cache *cache;
	struct pt_image *image;
};

static int add_region(struct intel_image *image,
		      const struct code_region *region)
{
	const char *path = region->file_path ? region->file_path :
					       region->path;
	int isid = pt_iscache_add_file(image->cache, path, region->file_offset,
				       region->size_bytes, region->first);

	if (isid < 0)
		return isid;
	return pt_image_add_cached(image->image, image->cache, isid, NULL);
}

struct intel_image *intel_image_new(const struct array *regions,
				    const struct log *log)
{
	struct intel_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->cache = pt_iscache_alloc(NULL);
	image->image = pt_image_alloc(NULL);
	if (!image->cache || !image->image ||
	    pt_iscache_set_limit(image->cache, UINT64_MAX) < 0)
		goto fail;
	for (size_t i = 0; i < regions->count; i++) {
		const struct code_region *region = array_at(regions, i);
		int status = add_region(image, region);

		if (status == -pte_nomem)
			goto fail;
		if (status < 0)
			log_message(log, LOG_WARNING, region->file_path,
				    region->file_offset,
				    "code at %#llx is not usable: %s",
				    (unsigned long long)region->first,
				    pt_errstr(pt_errcode(status)));
	}
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
	pt_iscache_free(image->cache);
	free(image);
}

struct pt_image *intel_image_get(const struct intel_image *image)
{
	return image->image;
}
