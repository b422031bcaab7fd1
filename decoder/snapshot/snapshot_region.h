/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_REGION_H
#define KT_DECODER_SNAPSHOT_REGION_H

struct array;
struct recording;
struct snapshot_dump;

/* Adds the memory in @dump, of @recording, to @regions (struct code_region),
 * sorted, not touching. CPUs that share their memory have the same dumps: the
 * first one is used. A dump whose file is missing or too short is ignored, so
 * its code shows as gaps.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int snapshot_region_add(struct recording *recording,
			const struct snapshot_dump *dump,
			struct array *regions);

#endif
