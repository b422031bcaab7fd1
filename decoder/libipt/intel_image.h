/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_IMAGE_H
#define KT_DECODER_INTEL_IMAGE_H

struct array;
struct log;
struct pt_image;

/* Code in the form that libipt wants: file sections behind a section cache.
 *
 * The cache keeps every section mapped, with what was learnt of its blocks;
 * without one, libipt unmaps and forgets a section whenever control leaves it,
 * and is fifty times slower where kernel and modules alternate.
 */
struct intel_image;

/* Makes an image of the @regions (struct code_region), whose files must live as
 * long.  Returns NULL when out of memory.
 */
struct intel_image *intel_image_new(const struct array *regions,
				    const struct log *log);
void intel_image_free(struct intel_image *image);

/* Owner: @image. */
struct pt_image *intel_image_get(const struct intel_image *image);

/* Makes the image anew with the code of a process (struct process_map, the
 * oldest first) beside the regions.  The pt_image from before must be in use no
 * longer once intel_image_drop_old() is called.
 *
 * Files that cannot be read are left out: their code is unknown.  Returns 0 or
 * -ERROR_MEMORY.
 */
int intel_image_set_process(struct intel_image *image,
			    const struct array *maps);
void intel_image_drop_old(struct intel_image *image);

#endif
