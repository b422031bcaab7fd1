/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CALL_SUMS_H
#define KT_VIEW_CALL_SUMS_H

#include "common/array.h"

#include <stdint.h>

struct chunk_file;
struct pack;

/* One function in one place: called by these callers in this order. */
struct call_place {
	uint32_t parent;   /* a smaller number; CALL_PLACE_NONE: a root */
	uint32_t function; /* of a root: the thread's number */
	uint32_t path;	   /* the same for the same callers in any
				 * thread: greater than the parent's, at most
				 * its place's number; of roots 0 */
};

#define CALL_PLACE_NONE UINT32_MAX

/* This is what was done there in one part of the recording. */
struct call_sum {
	uint64_t self_ns;
	uint32_t place;
	uint32_t calls;
};

/* A part of the recording's time, and what was done in it. */
struct call_part_sums {
	uint64_t begin_ns;
	uint64_t end_ns;
	struct array sums; /* struct call_sum */
};

/* Call trees of all threads by parts of the recording's time, of which a
 * profile of any stretch can be added up.  The places are in memory, the sums
 * in a file.
 */
struct call_sums;

/* Borrows @file.  Returns NULL when out of memory. */
struct call_sums *call_sums_new(struct chunk_file *file);
void call_sums_free(struct call_sums *sums);

/* Adds a place, whose number is the count of those before.  Returns 0 or
 * -ERROR_MEMORY.
 */
int call_sums_add_place(struct call_sums *sums, struct call_place place);
uint32_t call_sums_places(const struct call_sums *sums);
struct call_place call_sums_place(const struct call_sums *sums,
				  uint32_t number);

/* Adds a part, later than those before.  Returns 0 or a negative enum error. */
int call_sums_add_part(struct call_sums *sums,
		       const struct call_part_sums *part);
size_t call_sums_parts(const struct call_sums *sums);

/* When part @index was. */
void call_sums_when(const struct call_sums *sums, size_t index,
		    uint64_t *begin_ns, uint64_t *end_ns);

/* Reads part @index to @part, whose sums are to be freed with array_free().
 *
 * Returns 0 or a negative enum error.
 */
int call_sums_read(const struct call_sums *sums, size_t index,
		   struct call_part_sums *part);

/* Writes all but what is in the file, or reads it.  Functions are numbers
 * below @functions.
 */
void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions);

#endif
