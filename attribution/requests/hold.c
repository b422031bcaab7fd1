/* SPDX-License-Identifier: MIT */
#include "attribution/requests/hold.h"

#include "attribution/requests/request.h"
#include "attribution/requests/thread_clock.h"
#include "common/error.h"

#include <stdlib.h>

struct hold *hold_refer(struct hold *hold)
{
	hold->references++;
	return hold;
}

void hold_drop(struct hold *hold)
{
	while (hold && !--hold->references) {
		struct hold *parent = hold->parent;

		request_drop(hold->request);
		clock_mark_drop(hold->begin);
		clock_mark_drop(hold->end);
		free(hold);
		hold = parent;
	}
}

struct hold *hold_new(const struct task *task, const struct thread_clock *clock,
		      struct clock_mark *begin)
{
	struct hold *hold = calloc(1, sizeof(*hold));

	if (!hold)
		return NULL;
	hold->task = task;
	hold->clock = clock;
	hold->begin = begin;
	hold->references = 1;
	return hold;
}

static void take_from(struct request *request, struct hold *hold)
{
	struct hold **holds = request->holds.items;
	size_t kept = 0;

	for (size_t i = 0; i < request->holds.count; i++)
		if (holds[i] != hold)
			holds[kept++] = holds[i];
	if (kept == request->holds.count)
		return;
	request->holds.count = kept;
	if (request->last == hold)
		request->last = hold->parent && hold->parent->request ==
							request ?
					hold->parent :
					NULL;
	hold_drop(hold);
}

/* A thread that sends but never waits would build an unbounded parent chain;
 * cuts it.
 */
static void shorten(struct hold *hold)
{
	struct hold *last = hold;

	for (uint32_t i = 0; i < MOST_PARENTS && last->parent; i++)
		last = last->parent;
	hold_drop(last->parent);
	last->parent = NULL;
	hold->length = MOST_PARENTS;
}

/* Returns whether @hold is @parent or one of its ancestors. */
static bool leads_through(const struct hold *parent, const struct hold *hold)
{
	while (parent && parent != hold)
		parent = parent->parent;
	return parent;
}

int hold_give(struct hold *hold, struct request *request, struct hold *parent)
{
	struct request *before = hold->request;
	struct hold *old_parent = hold->parent;

	/* Earlier segments may have been assigned to other requests since. */
	if (hold->is_parent && leads_through(parent, hold))
		parent = NULL;
	if (parent)
		hold_refer(parent)->is_parent = true;
	if (request)
		request_refer(request);
	if (before)
		take_from(before, hold);
	hold->request = request;
	hold->parent = parent;
	hold->length = parent ? parent->length + 1 : 0;
	if (hold->length == 2 * MOST_PARENTS)
		shorten(hold);
	hold_drop(old_parent);
	request_drop(before);
	if (!request)
		return 0;
	if (array_append(&request->holds, &hold) < 0)
		return -ERROR_MEMORY;
	hold_refer(hold);
	return 0;
}
