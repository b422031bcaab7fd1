/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_FILE_PLACES_H
#define KT_VIEW_FILE_PLACES_H

#include "common/array.h"
#include "report/profile/profile.h"
#include "view/answer/answer.h"

#include <stdint.h>

/* Maximum number of parts of the recording's time for which a page in a file
 * has call sums; a part is one or more cells.
 */
enum { FILE_PARTS_MOST = 20 };

/* A call path with less than one such fraction of the whole time is merged into
 * its caller, unless it is in another part of the profile (struct profile_scope).
 */
enum { FILE_PROFILE_SMALLEST = 2000 };

/* One call path of a thread, and its sums. */
struct file_place {
	uint32_t parent; /* a smaller number; CALL_PATH_NONE: a root */
	uint32_t path;
	uint32_t function; /* of a root: the thread's number */
	enum profile_part part;
	uint64_t self_ns[FILE_PARTS_MOST];
	uint64_t calls[FILE_PARTS_MOST];
};

/* The call paths of all threads in the file. */
struct file_places {
	struct array places; /* struct file_place */
	uint64_t left_out;   /* number of paths left out */
	size_t part_cells;
};

/* Returns 0 or a negative enum error. The caller must free @places either way.
 */
int file_places_find(struct file_places *places,
		     const struct view_sources *sources);
void file_places_free(struct file_places *places);

#endif
