/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_REGION_H
#define KT_DECODER_CODE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A range of addresses and the file that holds their bytes.  Parts of it may have
 * been copied by nobody: code_known.h.
 */
struct code_region {
	uint64_t first; /* address */
	uint64_t size_bytes;
	const char *file_path; /* NULL: @path is it */
	char path[32];	       /* of a temporary file, by its descriptor */
	uint64_t file_offset;
	const uint8_t *bytes; /* in memory */
	bool is_mapped;	      /* by itself, not as part of a larger file */
	bool is_late;	      /* of an ELF core: added while it was recorded */
};

struct array;
struct file_map;
struct log;

/* Finds the code in the kcore at @path, mapped as @map, both borrowed by the
 * regions appended to @regions (struct code_region), sorted and not touching.
 * Adds what the loads hold to @known (struct code_known).
 *
 * Loads that lie near each other become one region, put together in a
 * temporary file whose descriptors are appended to @descriptors (int): a
 * decoder is fast while it stays in one region.  Its bytes between them are
 * zeros and not known.
 *
 * Loads that the recorder added later are left out unless @with_late: the files
 * of code/ have them, with times.
 *
 * Returns 0 or a negative enum error, -ERROR_FORMAT if it is no ELF core.
 */
int code_region_read_kcore(const char *path, const struct file_map *map,
			   bool with_late, const struct log *log,
			   struct array *regions, struct array *descriptors,
			   struct array *known);

/* Adds all of the @regions (struct code_region) to @known (struct code_known).
 * Returns 0 or -ERROR_MEMORY.
 */
int code_region_know(const struct array *regions, struct array *known);

/* Adds a region of @size zero bytes at @address, cut short where another one
 * starts, in the file open as @fd after its @file_size bytes, which grow.
 *
 * Returns 0, or a negative enum error: logged if the file cannot be written.
 */
int code_region_add_empty(struct array *regions, uint64_t address, size_t size,
			  int fd, uint64_t *file_size, const struct log *log);

/* Moves @region into the file open as @fd, likewise, where it can be written:
 * a copy of its own.
 */
int code_region_copy(struct code_region *region, int fd, uint64_t *file_size,
		     const struct log *log);

/* Gives @region bytes of its own to write: pages of its file until they are
 * written.  Returns 0, or -ERROR_SYSTEM where the file is not to be had so.
 */
int code_region_map_private(struct code_region *region);

/* Sorts @regions by address. */
void code_region_sort(struct array *regions);

/* Unmaps what was mapped for @region alone. */
void code_region_unmap(struct code_region *region);

/* Returns the first region that ends behind @address, or NULL; @regions is
 * sorted.
 */
const struct code_region *code_region_next(const struct array *regions,
					   uint64_t address);

/* Returns the region with @address, or NULL; likewise. */
const struct code_region *code_region_find(const struct array *regions,
					   uint64_t address);

#endif
