/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_SLICE_THINNER_H
#define KT_VIEW_SLICE_THINNER_H

#include "view/data/slice.h"

/* Reduces slices to those visible at one resolution: longer ones pass
 * unchanged, shorter adjacent ones on a lane and depth are merged, so that at
 * most as many are left as fit side by side.
 */
struct slice_thinner;

/* Borrows @next, which receives slices in order of their ends. With
 * @resolution_ns 0 all pass. Returns NULL when out of memory.
 */
struct slice_thinner *slice_thinner_new(uint64_t resolution_ns,
					struct slice_callback *next);
void slice_thinner_free(struct slice_thinner *thinner);

struct slice_callback *slice_thinner_callback(struct slice_thinner *thinner);

/* Emits the slices that are still being merged.
 *
 * Returns 0, or -ERROR_MEMORY if slices were lost for lack of memory.
 */
int slice_thinner_end(struct slice_thinner *thinner);

#endif
