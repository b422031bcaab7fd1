/* SPDX-License-Identifier: MIT */
#include "attribution/requests/message.h"

#include "attribution/requests/hold.h"
#include "attribution/requests/request.h"
#include "attribution/requests/thread_clock.h"
#include "common/error.h"

#include <stdlib.h>

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
	hold_drop(message->carrier);
	clock_mark_drop(message->carried);
	request_drop(message->asks);
	request_drop(message->answers);
	free(message);
}

bool message_is_guessable(const struct message *message,
			  enum message_medium medium)
{
	return !message->is_taken && !message->has_packets &&
	       (medium == MEDIUM_UNKNOWN || message->medium == medium);
}

bool message_may_be_for(const struct message *message,
			const struct task *client, bool is_bold)
{
	const struct request *request = message->hold->request;

	return !request || request->client == client || request->is_answered ||
	       (is_bold && (request->is_inferred || request->is_polled));
}

bool message_is_older(const struct message *message,
		      const struct message *other)
{
	return !other || message->sent->time_ns < other->sent->time_ns;
}

int message_list_add(struct array *list, struct message *message, size_t most)
{
	if (array_append(list, &message) < 0)
		return -ERROR_MEMORY;
	message_refer(message);
	if (list->count > most)
		message_drop(message_list_take(list, 0));
	return 0;
}

struct message *message_list_take(struct array *list, size_t index)
{
	struct message *message = message_in(list, index);

	array_remove(list, index, 1);
	return message;
}

void message_list_forget(struct array *list, const struct message *message)
{
	for (size_t i = list->count; i-- > 0;)
		if (message_in(list, i) == message)
			message_drop(message_list_take(list, i));
}

void message_list_forget_taken(struct array *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (message_in(list, i)->is_taken)
			message_drop(message_list_take(list, i));
}

void message_list_clear(struct array *list)
{
	while (list->count)
		message_drop(message_list_take(list, list->count - 1));
}

void message_list_free(struct array *list)
{
	message_list_clear(list);
	array_free(list);
}

int message_map_set(struct number_map *map, uint64_t key,
		    struct message *message)
{
	struct message *before = number_map_pointer(map, key);
	uint64_t *slot = message ? number_map_add(map, key) : NULL;

	if (message && !slot)
		return -ERROR_MEMORY;
	if (slot)
		*slot = (uintptr_t)message_refer(message);
	else
		number_map_remove(map, key);
	message_drop(before);
	return 0;
}

void message_map_free(struct number_map *map)
{
	struct message *message;
	size_t place = 0;

	while ((message = number_map_next_pointer(map, &place)))
		message_drop(message);
	number_map_free(map);
}
