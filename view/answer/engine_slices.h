/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_ENGINE_SLICES_H
#define KT_VIEW_ENGINE_SLICES_H

#include "view/answer/window_slices.h"

/* Finds the calls of the wanted stacks in @window, down to the shortest: those
 * that the summary has as they are from there, for the window may cut them, and
 * all shorter ones by decoding it.  Hands them to the lanes' thinners.
 *
 * Returns 0 or a negative enum error.
 */
int engine_slices_find(struct window_slices *slices,
		       const struct view_sources *sources,
		       struct time_window window);

#endif
