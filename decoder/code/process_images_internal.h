/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_PROCESS_IMAGES_INTERNAL_H
#define KT_DECODER_CODE_PROCESS_IMAGES_INTERNAL_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct process_maps;

/* The images that processes have between two times. An image is one process's
 * mappings without a change: each record of a new mapping, fork or exec starts
 * the next image of its process.
 */
struct process_image {
	int32_t pid;
	uint64_t program_ns; /* process_maps_program_ns() */
	/* its start, or low_ns of the list if that is later */
	uint64_t from_ns;
	uint64_t to_ns;	   /* start of the next image; UINT64_MAX: none */
	struct array maps; /* struct process_map, the oldest first */
};

struct process_images {
	struct array items; /* struct process_image, by process, then time */
	uint64_t low_ns;
	uint64_t high_ns;
	/* time of the first change after high_ns; UINT64_MAX if none */
	uint64_t next_ns;
	bool is_cut; /* there were too many images, and some are left out */
};

/* An empty list, which needs no freeing. */
#define PROCESS_IMAGES_NONE \
	((struct process_images){ .items = ARRAY_OF(struct process_image) })

/* Frees all images; the list is then empty. */
void process_images_free(struct process_images *images);

/* Replaces @images by those that the processes @pids (int32_t, each once) have
 * between @low_ns and @high_ns, both included. Loads at most 1024; if there are
 * more, sets is_cut. Returns 0 or -ERROR_MEMORY.
 */
int process_images_load(struct process_images *images,
			const struct process_maps *maps,
			const struct array *pids, uint64_t low_ns,
			uint64_t high_ns);

const struct process_image *
process_images_at(const struct process_images *images, size_t index);

/* Returns whether @image has code at @ip. */
bool process_image_is_mapped(const struct process_image *image, uint64_t ip);

/* Replaces @result (struct process_map) by the code that is certain if the
 * running image is one of those with the indices @chosen (size_t), but it is
 * unknown which: an address is in the result if at least one of these images
 * maps it, and all that map it agree on the file and the offset. Code only runs
 * where it is mapped, so execution at the address refutes the images that do
 * not map it. Where images have different code, nothing is mapped.
 *
 *	image 1   [ a ][ b ]     [ d ]
 *	image 2   [ a ]     [ c ][ e ]
 *	result    [ a ][ b ][ c ]
 *
 * The result of one image is its list of mappings; that of several is by
 * address and has no overlaps. Returns 0 or -ERROR_MEMORY.
 */
int process_images_merge(const struct process_images *images,
			 const struct array *chosen, struct array *result);

#endif
