/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SELECTION_TREE_H
#define KT_VIEW_SELECTION_TREE_H

#include "view/answer/answer.h"

struct call_tree;

/* Adds up the calls of thread @number, or of all of them with
 * THREAD_NUMBER_NONE, in @window: whole parts of the summary, and what lies
 * between these and the window's ends by decoding.  Where that is not possible
 * yet the window grows to whole parts: *@window is what was added up.
 *
 * Returns 0 and *@tree, with one root, to be freed; or a negative enum error.
 */
int selection_tree(const struct view_sources *sources,
		   struct time_window *window, uint32_t number,
		   struct call_tree **tree);

#endif
