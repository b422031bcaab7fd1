/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_LEVEL_CHAIN_H
#define KT_VIEW_LEVEL_CHAIN_H

#include "view/data/slice.h"

struct view_summary;

/* Adds slices to all levels of a summary: each level gets what the one before
 * has, thinner.
 */
struct level_chain;

/* Borrows @summary, whose lock it takes to add to it.  Returns NULL when out of
 * memory.
 */
struct level_chain *level_chain_new(struct view_summary *summary);
void level_chain_free(struct level_chain *chain);

/* States are kept as they are on level 0, calls thinner. */
void level_chain_take_state(struct level_chain *chain,
			    const struct view_slice *slice);
void level_chain_take_call(struct level_chain *chain,
			   const struct view_slice *slice);

/* Adds what waits for more.  Returns 0 or a negative enum error, also of what
 * came before.
 */
int level_chain_end(struct level_chain *chain);

#endif
