/* SPDX-License-Identifier: MIT */
#include "view/data/slice_thinner.h"

#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>

/* The short slices merged so far. */
struct waiting {
	struct view_slice slice; /* count 0: none */
	uint64_t longest_ns;	 /* of the longest merged slice */
};

struct slice_thinner {
	struct slice_callback callback;
	struct slice_callback *next;
	uint64_t resolution_ns;
	struct array lanes; /* struct array of struct waiting, by depth */
	int status;
};

static struct array *depths_of(struct slice_thinner *thinner, uint32_t lane)
{
	while (thinner->lanes.count <= lane) {
		struct array *depths = array_add(&thinner->lanes);

		if (!depths)
			return NULL;
		*depths = ARRAY_OF(struct waiting);
	}
	return array_at(&thinner->lanes, lane);
}

static void hand_on(struct slice_thinner *thinner, struct waiting *waiting)
{
	if (waiting->slice.count)
		thinner->next->take(thinner->next, &waiting->slice);
	waiting->slice.count = 0;
}

static void begin(struct waiting *waiting, const struct view_slice *slice)
{
	waiting->slice = *slice;
	waiting->longest_ns = slice->busy_ns;
}

static void join(struct waiting *waiting, const struct view_slice *slice)
{
	struct view_slice *whole = &waiting->slice;

	whole->end_ns = slice->end_ns;
	whole->busy_ns += slice->busy_ns;
	whole->count += slice->count;
	if (slice->busy_ns <= waiting->longest_ns)
		return;
	waiting->longest_ns = slice->busy_ns;
	whole->name = slice->name;
	whole->detail = slice->detail;
	whole->waker_tid = slice->waker_tid;
}

/* Emits the waiting slices of @depth and below: a callee's slice must not end
 * after its caller's.  Deeper lanes are empty then; dropping them keeps the work linear in
 * the number of slices, however deep the stack once was.
 */
static void hand_on_below(struct slice_thinner *thinner, struct array *depths,
			  uint32_t depth)
{
	for (size_t i = depth; i < depths->count; i++)
		hand_on(thinner, array_at(depths, i));
	if (depths->count > depth)
		depths->count = depth;
}

static void take_short(struct slice_thinner *thinner, struct waiting *waiting,
		       const struct view_slice *slice)
{
	const struct view_slice *whole = &waiting->slice;

	if (!whole->count ||
	    slice->begin_ns > whole->end_ns + thinner->resolution_ns) {
		hand_on(thinner, waiting);
		begin(waiting, slice);
	} else {
		join(waiting, slice);
	}
	if (whole->end_ns - whole->begin_ns >= thinner->resolution_ns)
		hand_on(thinner, waiting);
}

static void take(struct slice_callback *callback,
		 const struct view_slice *slice)
{
	struct slice_thinner *thinner = (struct slice_thinner *)callback;
	struct array *depths = depths_of(thinner, slice->lane);
	struct waiting *waiting = depths ? array_reach(depths, slice->depth) :
					   NULL;

	if (!waiting) {
		thinner->status = -ERROR_MEMORY;
	} else if (slice->end_ns - slice->begin_ns < thinner->resolution_ns) {
		take_short(thinner, waiting, slice);
	} else {
		hand_on_below(thinner, depths, slice->depth);
		thinner->next->take(thinner->next, slice);
	}
}

struct slice_thinner *slice_thinner_new(uint64_t resolution_ns,
					struct slice_callback *next)
{
	struct slice_thinner *thinner = calloc(1, sizeof(*thinner));

	if (!thinner)
		return NULL;
	thinner->callback.take = take;
	thinner->next = next;
	thinner->resolution_ns = resolution_ns;
	thinner->lanes = ARRAY_OF(struct array);
	return thinner;
}

void slice_thinner_free(struct slice_thinner *thinner)
{
	if (!thinner)
		return;
	for (size_t i = 0; i < thinner->lanes.count; i++)
		array_free(array_at(&thinner->lanes, i));
	array_free(&thinner->lanes);
	free(thinner);
}

struct slice_callback *slice_thinner_callback(struct slice_thinner *thinner)
{
	return &thinner->callback;
}

int slice_thinner_end(struct slice_thinner *thinner)
{
	for (size_t i = 0; i < thinner->lanes.count; i++)
		hand_on_below(thinner, array_at(&thinner->lanes, i), 0);
	return thinner->status;
}
