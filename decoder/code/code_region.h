/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_CODE_REGION_H
#define KT_DECODER_CODE_CODE_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct file_map;
struct log;

/* A range of addresses and the file that contains their bytes. For parts of it
 * there may be no copy: struct code_known.
 */
struct code_region {
	uint64_t first; /* address */
	uint64_t size_bytes;
	const char *file_path; /* NULL: path is used */
	char path[32];	       /* path of a temporary file, by its descriptor */
	uint64_t file_offset;
	const uint8_t *bytes; /* in memory */
	bool is_mapped;	      /* bytes are a mapping of this region only */
	/* a load of an ELF core that was added during the recording */
	bool is_late;
};

/* Reads the code in the kcore at @path, mapped as @map; the regions borrow
 * both. Appends them to @regions (struct code_region), sorted and without
 * overlaps. Adds the ranges of the loads to @known (struct code_known).
 *
 * Loads that are near each other become one region, copied together into a
 * temporary file whose descriptor is appended to @descriptors (int), because a
 * decoder is fast while it stays in one region. The bytes between the loads are
 * zeros, and not known.
 *
 * Loads that the recorder added later are left out unless @with_late: the files
 * of code/ contain them, with times.
 *
 * Returns 0 or a negative enum error, -ERROR_FORMAT if it is not an ELF core.
 */
int code_region_read_kcore(const char *path, const struct file_map *map,
			   bool with_late, const struct log *log,
			   struct array *regions, struct array *descriptors,
			   struct array *known);

/* Adds the ranges of all @regions (struct code_region) to @known (struct
 * code_known). Returns 0 or -ERROR_MEMORY.
 */
int code_region_know(const struct array *regions, struct array *known);

/* Adds a region of @size zero bytes at @address, shorter if another region
 * starts within. Its bytes are appended to the file @fd, of *@file_size bytes,
 * which is increased.
 *
 * Returns 0, or a negative enum error: logged if the file cannot be written.
 */
int code_region_add_empty(struct array *regions, uint64_t address, size_t size,
			  int fd, uint64_t *file_size, const struct log *log);

/* Copies the bytes of @region to the end of the file @fd, like
 * code_region_add_empty(), and maps them there, writable. Returns 0 or a
 * negative enum error, which is logged.
 */
int code_region_copy(struct code_region *region, int fd, uint64_t *file_size,
		     const struct log *log);

/* Sorts @regions by address. */
void code_region_sort(struct array *regions);

/* Unmaps the mapping of @region, if it has one of its own. */
void code_region_unmap(struct code_region *region);

/* Returns the first region that ends after @address, or NULL. @regions must be
 * sorted.
 */
const struct code_region *code_region_next(const struct array *regions,
					   uint64_t address);

/* Returns the region that contains @address, or NULL. @regions must be sorted.
 */
const struct code_region *code_region_find(const struct array *regions,
					   uint64_t address);

/* A range of addresses for whose bytes there is a copy. A sorted list of ranges
 * that do not touch (array of struct code_known) is the code that may be
 * decoded.
 *
 * A struct code_region does not show which of its bytes are known: it joins
 * copies that are near each other, with zeros between them, and code that
 * appears during the recording is only known for a part of the time.
 */
struct code_known {
	uint64_t first;
	uint64_t end;
};

/* Adds @first to @end to the list. Returns 0 or -ERROR_MEMORY. */
int code_known_add(struct array *known, uint64_t first, uint64_t end);

/* Removes @first to @end from the list. Returns 0 or -ERROR_MEMORY. */
int code_known_remove(struct array *known, uint64_t first, uint64_t end);

/* Returns the first range of the list that ends after @address, or NULL. */
const struct code_known *code_known_next(const struct array *known,
					 uint64_t address);

/* Returns how many contiguous bytes from @address on are known. */
uint64_t code_known_limit(const struct array *known, uint64_t address);

/* Appends the loads of the ELF core at @path, mapped as @map, to @loads (struct
 * code_region), which must be empty and borrows both. They are sorted; where
 * two overlap, only the first has the common part. Loads beyond
 * BUDGET_CODE_LOADS or BUDGET_CODE_BYTES are left out, which is logged.
 *
 * Returns 0, -ERROR_FORMAT if it is not an ELF core, or -ERROR_MEMORY.
 */
int core_loads_read(const char *path, const struct file_map *map,
		    const struct log *log, struct array *loads);

#endif
