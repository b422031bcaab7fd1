/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CELL_PATHS_H
#define KT_VIEW_CELL_PATHS_H

#include "report/profile/profile.h"
#include "report/steps/call_step.h"
#include "view/answer/answer.h"

#include <stdbool.h>

/* The call paths of one thread or of all, summed over whole cells: the parts of
 * time for which a summary has call sums.
 */
struct cell_paths;

/* Borrows @sources.  @number is a thread's, or THREAD_NUMBER_NONE.  Returns
 * NULL when out of memory.
 */
struct cell_paths *cell_paths_new(const struct view_sources *sources,
				  uint32_t number);
void cell_paths_free(struct cell_paths *cells);

/* Adds the cells that are in @window; with @grows, also those that overlap it.
 * Sets *@whole to the time that they cover; it is empty, at the window's start,
 * if there are none.
 *
 * Returns 0 or a negative enum error.
 */
int cell_paths_add(struct cell_paths *cells, struct time_window window,
		   bool grows, struct time_window *whole);

/* Adds to @tree, below a root for all threads, the added paths that @scope
 * shows; a chosen thread counts as PROFILE_WORK. The parent of a function whose
 * caller is hidden is its nearest shown caller. Adds the time of each part,
 * shown or not, to @time_ns.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int cell_paths_show(struct cell_paths *cells, const struct profile_scope *scope,
		    struct call_tree *tree, uint64_t time_ns[PROFILE_PARTS]);

#endif
