/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"

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

/* Who sends and never waits has a way as long as its life. */
static void shorten(struct hold *hold)
{
	struct hold *last = hold;

	for (uint32_t i = 0; i < MOST_PARENTS && last->parent; i++)
		last = last->parent;
	hold_drop(last->parent);
	last->parent = NULL;
	hold->length = MOST_PARENTS;
}

/* Returns whether the way to @parent leads through @hold. */
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
	struct hold **slot;

	/* Holds before it may have been given to others since. */
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
	slot = array_add(&request->holds);
	if (!slot)
		return -ERROR_MEMORY;
	*slot = hold_refer(hold);
	return 0;
}

struct message *message_refer(struct message *message)
{
	message->references++;
	return message;
}

void message_drop(struct message *message)
{
	if (!message || --message->references)
		return;
	hold_drop(message->hold);
	clock_mark_drop(message->begin);
	clock_mark_drop(message->sent);
	request_drop(message->asks);
	request_drop(message->answers);
	free(message);
}

struct request *request_refer(struct request *request)
{
	request->references++;
	return request;
}

void request_clear(struct request *request)
{
	struct hold **holds = request->holds.items;

	request->last = NULL;
	for (size_t i = 0; i < request->holds.count; i++) {
		holds[i]->request = NULL;
		holds[i]->is_charged = true;
		request->references--;
		hold_drop(holds[i]);
	}
	array_free(&request->holds);
	hold_drop(request->origin);
	request->origin = NULL;
}

void request_drop(struct request *request)
{
	while (request && !--request->references) {
		struct request *parent = request->parent;

		clock_mark_drop(request->begin);
		clock_mark_drop(request->sent);
		clock_mark_drop(request->answered);
		clock_mark_drop(request->heard);
		clock_mark_drop(request->end);
		free(request);
		request = parent;
	}
}

/* Returns the request that who sent @message works for, or NULL. */
static struct request *parent_of(const struct message *message)
{
	struct request *parent = message->hold ? message->hold->request : NULL;

	return parent && !parent->is_answered ? parent : NULL;
}

struct request *request_new(struct message *message)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		return NULL;
	*request = (struct request){
		.parent = parent_of(message),
		.origin = hold_refer(message->hold),
		.client = message->sender,
		.kind = message->kind,
		.medium = message->medium,
		.is_inferred = message->is_inferred,
		.is_polled = message->is_polled,
		.socket = message->from,
		.wakes = message->wakes,
		.begin = clock_mark_refer(message->begin),
		.sent = clock_mark_refer(message->sent),
		.holds = ARRAY_OF(struct hold *),
		.references = 2,
	};
	if (request->parent) {
		request_refer(request->parent);
		request->parent->has_children = true;
	}
	message->asks = request;
	return request;
}

static bool is_known(const struct clock_mark *mark)
{
	return !mark || mark->is_known;
}

bool request_is_settled(const struct request *request)
{
	struct hold *const *holds = request->holds.items;

	if (!is_known(request->begin) || !is_known(request->sent) ||
	    !is_known(request->heard) || !is_known(request->end))
		return false;
	for (size_t i = 0; i < request->holds.count; i++)
		if (!is_known(holds[i]->begin) || !holds[i]->end ||
		    !holds[i]->end->is_known)
			return false;
	return true;
}
