/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_parts.h"
#include "common/error.h"

#include <stdlib.h>

/* Returns the message that @request was made of, with one reference, the
 * caller's; NULL when out of memory.
 */
static struct message *message_of(const struct request *request)
{
	struct message *message = calloc(1, sizeof(*message));

	if (!message)
		return NULL;
	*message = (struct message){
		.sender = request->client,
		.hold = hold_refer(request->origin),
		.begin = clock_mark_refer(request->begin),
		.sent = clock_mark_refer(request->sent),
		.kind = request->kind,
		.medium = request->medium,
		.is_inferred = true,
		.references = 1,
	};
	return message;
}

/* Lists @message, in order of time; takes the reference to it. */
static int insert(struct array *list, struct message *message)
{
	struct message **items;
	size_t at;

	if (!array_add(list))
		return -ERROR_MEMORY;
	items = list->items;
	for (at = list->count - 1;
	     at && items[at - 1]->sent->time_ns > message->sent->time_ns; at--)
		items[at] = items[at - 1];
	items[at] = message;
	return 0;
}

/* Nobody has been told of it. */
static void remove_open(struct requests *requests,
			const struct request *request)
{
	struct request *const *open = requests->open.items;

	for (size_t i = 0; i < requests->open.count; i++)
		if (open[i] == request) {
			request_drop(requests_unlist(&requests->open, i));
			return;
		}
}

void requests_retract(struct requests *requests, struct request *request)
{
	struct message *message = message_of(request);
	struct party *client =
		requests_party_at(requests, request->client->index);

	if (!message || insert(&client->unheard, message) < 0) {
		message_drop(message);
		requests->status = -ERROR_MEMORY;
		return;
	}
	while (request->holds.count)
		requests_give(requests,
			      *(struct hold **)array_at(&request->holds, 0),
			      NULL, NULL);
	request_refer(request);
	request->is_ended = true;
	request_clear(request);
	remove_open(requests, request);
	request_drop(request);
}
