/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_LEVEL_CHAIN_H
#define KT_VIEW_LEVEL_CHAIN_H

#include "view/data/slice.h"

struct view_summary;

/* Adds slices to all levels of a summary: each level gets the slices of the
 * previous one, thinned.
 */
struct level_chain;

/* Borrows @summary, and locks it to add slices. Returns NULL when out of
 * memory.
 */
struct level_chain *level_chain_new(struct view_summary *summary);
void level_chain_free(struct level_chain *chain);

/* On level 0, states are stored unchanged, calls thinned. */
void level_chain_take_state(struct level_chain *chain,
			    const struct view_slice *slice);
void level_chain_take_call(struct level_chain *chain,
			   const struct view_slice *slice);

/* Adds the slices that are still being merged. Returns 0 or a negative enum
 * error, also of earlier calls.
 */
int level_chain_end(struct level_chain *chain);

#endif
