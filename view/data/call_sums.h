/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_DATA_CALL_SUMS_H
#define KT_VIEW_DATA_CALL_SUMS_H

/* Call sums of all threads by intervals of the recording: from them the page
 * makes the profile of any interval that a user selects, without decoding.
 *
 *	view/make ─► call_sums_add_cell() ─► cells (level 0) ─┐ 8 join to one
 *	                                                    level 1, 2, … ─► file
 *	view/answer ─► call_sums_largest() ─► few spans ─► call_sums_read()
 *
 * 1. Cells are added in the order of time and never change.
 * 2. A span has the sums of exactly CALL_SPAN_CELLS spans of the level below,
 *    so an interval of N cells needs a number of reads that grows with log N.
 * 3. A path's parent has a smaller number.
 *
 * Memory: the paths; the sums are in the file. Errors: negative enum errors.
 */

#include "common/array.h"
#include "common/files/cache_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pack;

/* One call path: a function with its chain of callers, in any thread. Path 0 is
 * the root of all threads.
 */
struct call_path {
	uint32_t parent; /* a smaller number; CALL_PATH_NONE: for path 0 */
	uint32_t function;
	/* 1: the function ends an interrupt (CALL_INTERRUPT_END); else 0 */
	uint32_t ends_interrupt;
};

#define CALL_PATH_NONE UINT32_MAX

/* The sums of one path. */
struct call_sum {
	uint64_t self_ns;
	uint64_t calls;
	uint32_t path;
	uint32_t unused; /* must be 0 */
};

/* The owner of a frame's sums: the number of a thread or, with this bit, an
 * enum profile_part, for all threads of that part together.
 */
#define CALL_OWNER_PART (UINT32_C(1) << 31)

struct call_frame {
	uint32_t owner;
	struct chunk chunk;
};

/* An interval of the recording with its sums. Spans of level 0, the cells, have
 * a frame for each thread; spans of further levels each join CALL_SPAN_CELLS
 * spans of the previous level, and also have frames of parts.
 */
struct call_span {
	uint64_t begin_ns;
	uint64_t end_ns;
	bool is_left_out;    /* too large to write: use its parts */
	struct array frames; /* struct call_frame, by owner */
};

enum { CALL_SPAN_CELLS = 8, CALL_LEVELS_MOST = 10, CALL_PARTS_MOST = 7 };

/* Call sums of all threads by intervals of the recording, from which the
 * profile of any interval can be summed up. The paths are in memory, the sums
 * in a file.
 */
struct call_sums;

/* Returns call sums with only path 0 and no cell; NULL when out of memory.
 * Borrows @file.
 */
struct call_sums *call_sums_new(struct chunk_file *file);
void call_sums_free(struct call_sums *sums);

/* Adds a path; its number is the count of earlier paths. Returns 0 or
 * -ERROR_MEMORY.
 */
int call_sums_add_path(struct call_sums *sums, struct call_path path);

/* Returns the paths by number, valid until one is added, and sets *@count. */
const struct call_path *call_sums_paths(const struct call_sums *sums,
					uint32_t *count);

/* Sets thread @number's part, an enum profile_part, at most CALL_PARTS_MOST.
 * Must be called before the thread has sums. Returns 0 or -ERROR_MEMORY.
 */
int call_sums_set_part(struct call_sums *sums, uint32_t number, uint8_t part);
uint8_t call_sums_part(const struct call_sums *sums, uint32_t number);

/* A thread's sums in a cell, or in a part of one. */
struct call_cell_sums {
	uint32_t thread;
	struct array sums; /* struct call_sum */
};

/* Adds a cell, which must be later than all before, with @lists (struct
 * call_cell_sums), which it sorts.
 *
 * Returns 0 or a negative enum error.
 */
int call_sums_add_cell(struct call_sums *sums, uint64_t begin_ns,
		       uint64_t end_ns, struct array *lists);

/* call_sums_spans() returns the number of spans on @level; 0 on levels that do
 * not exist.
 */
size_t call_sums_spans(const struct call_sums *sums, uint32_t level);
const struct call_span *call_sums_span(const struct call_sums *sums,
				       uint32_t level, size_t index);

/* Finds the largest span up to level @most that begins at cell @first and has
 * no cell from @last on; or, with @is_back, ends before @first and has no cell
 * before @last.
 *
 * Returns its level, and sets *@cells to the number of its cells.
 */
uint32_t call_sums_largest(const struct call_sums *sums, size_t first,
			   size_t last, bool is_back, uint32_t most,
			   size_t *cells);

/* Returns the frame of @owner in @span, or NULL. */
const struct call_frame *call_span_frame(const struct call_span *span,
					 uint32_t owner);

/* Reads a frame to @read (struct call_sum), which the caller must free with
 * array_free().
 *
 * Returns 0 or a negative enum error.
 */
int call_sums_read(const struct call_sums *sums, const struct call_frame *frame,
		   struct array *read);

/* Writes the paths to the file.  Returns 0 or a negative enum error. */
int call_sums_flush(struct call_sums *sums);

/* Writes, after call_sums_flush(), the data that is not in the file, or reads
 * it. Functions are numbers below @functions.
 */
void call_sums_pack(struct call_sums *sums, struct pack *pack,
		    uint32_t functions);

#endif
