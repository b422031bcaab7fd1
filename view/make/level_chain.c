/* SPDX-License-Identifier: MIT */
#include "view/make/level_chain.h"

#include "common/error.h"
#include "view/data/slice_store.h"
#include "view/data/slice_thinner.h"
#include "view/data/summary.h"

#include <stdlib.h>

/* Receives a level's slices. */
struct level {
	struct slice_callback callback;
	struct level_chain *chain;
	uint32_t number;
	struct slice_thinner *next; /* to the next level; NULL: none */
};

struct level_chain {
	struct view_summary *summary;
	struct slice_thinner *calls; /* to level 0 */
	struct level levels[SLICE_LEVELS_MOST];
	int status;
};

static void note(struct level_chain *chain, int status)
{
	if (status < 0 && !chain->status)
		chain->status = status;
}

static void take(struct slice_callback *callback,
		 const struct view_slice *slice)
{
	struct level *level = (struct level *)callback;
	struct view_summary *summary = level->chain->summary;
	struct slice_callback *next;

	pthread_mutex_lock(&summary->lock);
	note(level->chain,
	     slice_store_add(summary->slices, level->number, slice));
	pthread_mutex_unlock(&summary->lock);
	if (!level->next)
		return;
	next = slice_thinner_callback(level->next);
	next->take(next, slice);
}

struct level_chain *level_chain_new(struct view_summary *summary)
{
	struct level_chain *chain = calloc(1, sizeof(*chain));

	if (!chain)
		return NULL;
	chain->summary = summary;
	for (uint32_t i = 0; i < summary->levels; i++)
		chain->levels[i] = (struct level){
			.callback = { .take = take },
			.chain = chain,
			.number = i,
		};
	chain->calls = slice_thinner_new(view_summary_resolution(summary, 0),
					 &chain->levels[0].callback);
	if (!chain->calls)
		note(chain, -ERROR_MEMORY);
	for (uint32_t i = 1; i < summary->levels; i++) {
		struct level *below = &chain->levels[i - 1];

		below->next =
			slice_thinner_new(view_summary_resolution(summary, i),
					  &chain->levels[i].callback);
		if (!below->next)
			note(chain, -ERROR_MEMORY);
	}
	if (!chain->status)
		return chain;
	level_chain_free(chain);
	return NULL;
}

void level_chain_free(struct level_chain *chain)
{
	if (!chain)
		return;
	slice_thinner_free(chain->calls);
	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++)
		slice_thinner_free(chain->levels[i].next);
	free(chain);
}

void level_chain_take_state(struct level_chain *chain,
			    const struct view_slice *slice)
{
	take(&chain->levels[0].callback, slice);
}

void level_chain_take_call(struct level_chain *chain,
			   const struct view_slice *slice)
{
	struct slice_callback *callback = slice_thinner_callback(chain->calls);

	callback->take(callback, slice);
}

int level_chain_end(struct level_chain *chain)
{
	note(chain, slice_thinner_end(chain->calls));
	for (uint32_t i = 0; i + 1 < chain->summary->levels; i++)
		note(chain, slice_thinner_end(chain->levels[i].next));
	return chain->status;
}
