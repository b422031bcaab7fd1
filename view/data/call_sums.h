/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CALL_SUMS_H
#define KT_VIEW_CALL_SUMS_H

#include "common/array.h"
#include "common/chunk_file.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

/* One function in one place: called by these callers in this order, in any
 * thread.  Path 0 is where all threads begin.
 */
struct call_path {
	uint32_t parent; /* a smaller number; CALL_PATH_NONE: of path 0 */
	uint32_t function;
};

#define CALL_PATH_NONE UINT32_MAX

/* What was done on one path. */
struct call_sum {
	uint64_t self_ns;
	uint64_t calls;
	uint32_t path;
	uint32_t unused; /* 0 */
};

/* Whose sums a frame has: those of the thread of this number, or those of all
 * threads that are of one part of a profile (enum profile_part) together.
 */
#define CALL_OWNER_PART (UINT32_C(1) << 31)

struct call_frame {
	uint32_t owner;
	struct chunk chunk;
};

/* A span of the recording's time, and what was done in it.  Spans of level 0,
 * the cells, have a frame for each thread; of each further level a span is
 * CALL_SPAN_CELLS spans of the one before, and has frames of parts, too.
 */
struct call_span {
	uint64_t begin_ns;
	uint64_t end_ns;
	bool is_left_out;    /* it would be too large: see its parts */
	struct array frames; /* struct call_frame, by owner */
};

enum { CALL_SPAN_CELLS = 8, CALL_LEVELS_MOST = 10, CALL_PARTS_MOST = 7 };

/* Call sums of all threads by spans of the recording's time, of which a profile
 * of any stretch can be added up.  The paths are in memory, the sums in a file.
 */
struct call_sums;

/* Borrows @file.  Returns NULL when out of memory. */
struct call_sums *call_sums_new(struct chunk_file *file);
void call_sums_free(struct call_sums *sums);

/* Adds a path, whose number is the count of those before.  Returns 0 or
 * -ERROR_MEMORY.
 */
int call_sums_add_path(struct call_sums *sums, struct call_path path);

/* Returns the paths by number, until one is added, and sets *@count. */
const struct call_path *call_sums_paths(const struct call_sums *sums,
					uint32_t *count);

/* Thread @number is of @part, an enum profile_part, at most CALL_PARTS_MOST;
 * that is said before it has sums.  Returns 0 or -ERROR_MEMORY.
 */
int call_sums_set_part(struct call_sums *sums, uint32_t number, uint8_t part);
uint8_t call_sums_part(const struct call_sums *sums, uint32_t number);

/* What a thread did in a cell, or in some of it. */
struct call_cell_sums {
	uint32_t thread;
	struct array sums; /* struct call_sum */
};

/* Adds a cell, later than those before, of @lists (struct call_cell_sums), which
 * it sorts.
 *
 * Returns 0 or a negative enum error.
 */
int call_sums_add_cell(struct call_sums *sums, uint64_t begin_ns,
		       uint64_t end_ns, struct array *lists);

/* Returns the number of spans on @level; 0 from the first level without on. */
size_t call_sums_spans(const struct call_sums *sums, uint32_t level);
const struct call_span *call_sums_span(const struct call_sums *sums,
				       uint32_t level, size_t index);

/* Finds the largest span up to level @most that begins with cell @first and has
 * none from @last on; or, with @is_back, ends before @first and has none before
 * @last.
 *
 * Returns its level, and sets *@cells to the number of its cells.
 */
uint32_t call_sums_largest(const struct call_sums *sums, size_t first,
			   size_t last, bool is_back, uint32_t most,
			   size_t *cells);

/* Returns the frame of @owner, or NULL if @span has none. */
const struct call_frame *call_span_frame(const struct call_span *span,
					 uint32_t owner);

/* Reads a frame to @read (struct call_sum), which is to be freed with
 * array_free().
 *
 * Returns 0 or a negative enum error.
 */
int call_sums_read(const struct call_sums *sums, const struct call_frame *frame,
		   struct array *read);

/* Writes the paths to the file.  Returns 0 or a negative enum error. */
int call_sums_flush(struct call_sums *sums);

/* Writes all but what is in the file, behind call_sums_flush(), or reads it.
 * Functions are numbers below @functions.
 */
void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions);

#endif
