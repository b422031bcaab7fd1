/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ENGINE_SLICES_H
#define KT_VIEW_ENGINE_SLICES_H

#include "view/answer/window_slices.h"

/* Finds the calls of the wanted stack lanes in @window, down to the shortest,
 * and passes them to the lanes' thinners. Long calls, which the window may cut,
 * are those that the summary has unmerged; shorter ones are found by decoding
 * the window.
 *
 * Returns 0 or a negative enum error.
 */
int engine_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window);

#endif
