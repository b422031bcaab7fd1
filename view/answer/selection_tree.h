/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SELECTION_TREE_H
#define KT_VIEW_SELECTION_TREE_H

#include "report/profile/profile_scope.h"
#include "view/answer/answer.h"

struct call_tree;

/* This is what is selected, and the profile of it. */
struct view_selection {
	struct time_window window;
	uint32_t number; /* a thread's, which is shown whatever
					 * it is; or THREAD_NUMBER_NONE */
	struct profile_scope scope;
	struct call_tree *tree;		 /* with one root, or empty */
	uint64_t part_ns[PROFILE_PARTS]; /* the parts' times, shown or not */
};

/* Adds up the calls that the scope shows of one thread or of all in the window:
 * whole parts of the summary, and what lies between these and the window's ends
 * by decoding.  Where that is not possible yet the window grows to whole parts:
 * then it is what was added up.
 *
 * Returns 0 with the tree, to be freed, and the times; or a negative enum
 * error.
 */
int selection_tree(const struct view_sources *sources,
		   struct view_selection *selection);

#endif
