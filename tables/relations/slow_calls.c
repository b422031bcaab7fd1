/* SPDX-License-Identifier: MIT */
#include "tables/relations/slow_calls.h"

#include "common/error.h"
#include "tables/relations/function_study.h"

struct slow_calls slow_calls_of(size_t most)
{
	return (struct slow_calls){ ARRAY_OF(struct slow_call), most };
}

static struct slow_call *call_at(const struct slow_calls *calls, size_t rank)
{
	return array_at(&calls->list, rank);
}

void slow_calls_free(struct slow_calls *calls)
{
	for (size_t i = 0; i < calls->list.count; i++)
		call_parts_free(&call_at(calls, i)->parts);
	array_free(&calls->list);
}

static size_t rank_of(const struct slow_calls *calls, uint64_t wall_ns)
{
	size_t rank = calls->list.count;

	while (rank && call_at(calls, rank - 1)->wall_ns < wall_ns)
		rank--;
	return rank;
}

/* Frees the last entry, or appends one. */
static int make_room(struct slow_calls *calls)
{
	struct slow_call *last;

	if (calls->list.count < calls->most) {
		if (!array_add(&calls->list))
			return -ERROR_MEMORY;
		return 0;
	}
	last = call_at(calls, calls->list.count - 1);
	call_parts_free(&last->parts);
	*last = (struct slow_call){ 0 };
	return 0;
}

int slow_calls_offer(struct slow_calls *calls, const struct slow_call *call)
{
	size_t rank = rank_of(calls, call->wall_ns);
	struct slow_call copy = *call;

	if (rank >= calls->most)
		return 0;
	copy.parts = CALL_PARTS_EMPTY;
	if (call_parts_join(&copy.parts, &call->parts) < 0 ||
	    make_room(calls) < 0) {
		call_parts_free(&copy.parts);
		return -ERROR_MEMORY;
	}
	for (size_t i = calls->list.count - 1; i > rank; i--)
		*call_at(calls, i) = *call_at(calls, i - 1);
	*call_at(calls, rank) = copy;
	return 0;
}

const struct slow_call *slow_calls_at(const struct slow_calls *calls,
				      size_t rank)
{
	return rank < calls->list.count ? call_at(calls, rank) : NULL;
}
