/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_CELL_PATHS_H
#define KT_VIEW_CELL_PATHS_H

#include "report/profile/profile_scope.h"
#include "report/steps/time_window.h"
#include "view/answer/answer.h"

#include <stdbool.h>

struct call_tree;

/* Call paths of one thread or of all, added up over whole cells: parts of the time
 * that a summary has call sums of.
 */
struct cell_paths;

/* Borrows @sources.  @number is a thread's, or THREAD_NUMBER_NONE.  Returns
 * NULL when out of memory.
 */
struct cell_paths *cell_paths_new(const struct view_sources *sources,
				  uint32_t number);
void cell_paths_free(struct cell_paths *cells);

/* Adds the cells that are in @window, and with @grows those that it has a bit
 * of.  *@whole is from where to where these are: empty, at the window's begin,
 * if there are none.
 *
 * Returns 0 or a negative enum error.
 */
int cell_paths_add(struct cell_paths *cells, struct time_window window,
		   bool grows, struct time_window *whole);

/* Adds to @tree, below a root for all, what @scope shows of what was added; a
 * thread that was chosen is of PROFILE_WORK.  Where a caller is not shown, the
 * function hangs on the caller's caller.  Adds what each part took, shown or
 * not, to @time_ns.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int cell_paths_show(struct cell_paths *cells, const struct profile_scope *scope,
		    struct call_tree *tree, uint64_t time_ns[PROFILE_PARTS]);

#endif
