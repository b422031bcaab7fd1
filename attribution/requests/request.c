/* SPDX-License-Identifier: MIT */
#include "attribution/requests/request.h"

#include "attribution/requests/hold.h"
#include "attribution/requests/message.h"
#include "attribution/requests/thread_clock.h"
#include "common/error.h"

#include <stdlib.h>

/* Limits unanswered requests: older ones are no evidence. */
enum { MOST_LISTED = 64 };

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

void request_set_parent(struct request *request, struct request *parent)
{
	request->parent = request_refer(parent);
	parent->has_children = true;
}

/* Returns the request that the sender of @message works for, or NULL. */
static struct request *parent_of(const struct message *message)
{
	struct request *parent = message->hold ? message->hold->request : NULL;

	return parent && !parent->is_answered ? parent : NULL;
}

struct request *request_new(struct message *message)
{
	struct request *request = calloc(1, sizeof(*request));
	struct request *parent;

	if (!request)
		return NULL;
	*request = (struct request){
		.origin = hold_refer(message->hold),
		.client = message->sender,
		.kind = message->kind,
		.medium = message->medium,
		.is_inferred = message->is_inferred,
		.is_opening = message->is_opening,
		.is_polled = message->is_polled,
		.socket = message->from,
		.wakes = message->wakes,
		.begin = clock_mark_refer(message->begin),
		.sent = clock_mark_refer(message->sent),
		.holds = ARRAY_OF(struct hold *),
		.references = 2,
	};
	parent = parent_of(message);
	if (parent)
		request_set_parent(request, parent);
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

int request_list_add(struct array *list, struct request *request)
{
	struct request *oldest;

	if (array_append(list, &request) < 0)
		return -ERROR_MEMORY;
	request_refer(request);
	if (list->count <= MOST_LISTED)
		return 0;
	oldest = request_list_take(list, 0);
	oldest->is_ended = true;
	request_drop(oldest);
	return 0;
}

struct request *request_list_take(struct array *list, size_t index)
{
	struct request *request = request_in(list, index);

	array_remove(list, index, 1);
	return request;
}

void request_list_forget_closed(struct array *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (!request_is_open(request_in(list, i)))
			request_drop(request_list_take(list, i));
}

void request_list_free(struct array *list)
{
	while (list->count)
		request_drop(request_list_take(list, list->count - 1));
	array_free(list);
}
