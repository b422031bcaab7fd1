/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SELECTION_TREE_H
#define KT_VIEW_SELECTION_TREE_H

#include "report/profile/profile.h"
#include "view/answer/answer.h"

/* A selection and its profile. */
struct view_selection {
	struct time_window window;
	/* of a thread, which is shown whatever its part; or THREAD_NUMBER_NONE
	 */
	uint32_t number;
	struct profile_scope scope;
	struct call_tree *tree;		 /* with one root, or empty */
	uint64_t part_ns[PROFILE_PARTS]; /* time by part, shown or not */
};

/* Sums up the calls in the window, of one thread or all, that the scope shows:
 * whole cells of the summary, and the rest at the window's ends by decoding. If
 * decoding is not possible yet, sets the window to the whole cells that overlap
 * it.
 *
 * Returns 0 with the tree, which the caller frees, and the times; or a negative
 * enum error.
 */
int selection_tree(const struct view_sources *sources,
		   struct view_selection *selection);

#endif
