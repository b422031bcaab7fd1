/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_FILE_PLACES_H
#define KT_VIEW_FILE_PLACES_H

#include "common/array.h"
#include "report/profile/profile_scope.h"
#include "view/answer/answer.h"

#include <stdint.h>

/* A page in a file has call sums of so many parts of the recording's time at
 * most; a part is some cells.
 */
enum { FILE_PARTS_MOST = 20 };

/* What takes less of all time than this part counts as its caller's, unless it
 * is another part of the profile (profile_scope.h).
 */
enum { FILE_PROFILE_SMALLEST = 2000 };

/* One function of a thread in one place, and what was done there. */
struct file_place {
	uint32_t parent; /* a smaller number; CALL_PATH_NONE: a root */
	uint32_t path;
	uint32_t function; /* of a root: the thread's number */
	enum profile_part part;
	uint64_t self_ns[FILE_PARTS_MOST];
	uint64_t calls[FILE_PARTS_MOST];
};

/* All places of all threads that are kept. */
struct file_places {
	struct array places; /* struct file_place */
	uint64_t left_out;   /* the number of the others */
	size_t part_cells;
};

/* Finds them; free them either way.  Returns 0 or a negative enum error. */
int file_places_find(struct file_places *places,
		     const struct view_sources *sources);
void file_places_free(struct file_places *places);

#endif
