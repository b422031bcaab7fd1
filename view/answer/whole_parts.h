/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_WHOLE_PARTS_H
#define KT_VIEW_WHOLE_PARTS_H

#include "report/profile/profile_scope.h"
#include "report/steps/time_window.h"
#include "view/answer/answer.h"

#include <stdbool.h>

struct call_tree;

/* Call paths of one thread or of all, added up over whole parts of the time
 * that a summary has call sums of.
 */
struct whole_parts;

/* Borrows @sources.  @number is a thread's, or THREAD_NUMBER_NONE.  Returns
 * NULL when out of memory.
 */
struct whole_parts *whole_parts_new(const struct view_sources *sources,
				    uint32_t number);
void whole_parts_free(struct whole_parts *parts);

/* Adds the cells that are in @window, and with @grows those that it has a bit
 * of.  *@whole is from where to where these are: empty, at the window's begin,
 * if there are none.
 *
 * Returns 0 or a negative enum error.
 */
int whole_parts_add(struct whole_parts *parts, struct time_window window,
		    bool grows, struct time_window *whole);

/* Adds to @tree, below a root for all, what @scope shows of what was added; a
 * thread that was chosen is of PROFILE_WORK.  Where a caller is not shown, the
 * function hangs on the caller's caller.  Adds what each part took, shown or
 * not, to @time_ns.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int whole_parts_show(struct whole_parts *parts,
		     const struct profile_scope *scope, struct call_tree *tree,
		     uint64_t time_ns[PROFILE_PARTS]);

#endif
