/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_IMAGE_H
#define KT_DECODER_INTEL_IMAGE_H

struct array;
struct log;
struct pt_image;

/* Code in libipt's form: file sections with a section cache.
 *
 * The cache keeps every section mapped, with data about its blocks; without it
 * libipt unmaps and forgets a section whenever control leaves it, and is fifty
 * times slower where kernel and modules alternate.
 */
struct intel_image;

/* Creates an image of the @regions (struct code_region), whose files must live
 * as long. Returns NULL when out of memory.
 */
struct intel_image *intel_image_new(const struct array *regions,
				    const struct log *log);
void intel_image_free(struct intel_image *image);

/* Returns the pt_image, owned by @image. */
struct pt_image *intel_image_get(const struct intel_image *image);

/* Rebuilds the image with the code of a process (struct process_map, oldest
 * first) in addition to the regions. The previous pt_image must not be used any
 * more after intel_image_drop_old() is called.
 *
 * Skips files that cannot be read: their code is unknown. Returns 0 or
 * -ERROR_MEMORY.
 */
int intel_image_set_process(struct intel_image *image,
			    const struct array *maps);
void intel_image_drop_old(struct intel_image *image);

#endif
