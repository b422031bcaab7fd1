/* SPDX-License-Identifier: MIT */
#include "attribution/requests/party.h"

#include <stdlib.h>

struct party *party_new(const struct task *task, bool is_recorder)
{
	struct party *party = calloc(1, sizeof(*party));

	if (party)
		*party = (struct party){
			.task = task,
			.is_recorder = is_recorder,
			.clock = THREAD_CLOCK_NEW,
			.arrived = ARRAY_OF(struct message *),
			.unheard = ARRAY_OF(struct message *),
			.copied = ARRAY_OF(struct message *),
			.asked = ARRAY_OF(struct request *),
			.taken = ARRAY_OF(struct request *),
		};
	return party;
}

void party_free(struct party *party)
{
	if (!party)
		return;
	thread_clock_free(&party->clock);
	hold_drop(party->hold);
	hold_drop(party->before);
	clock_mark_drop(party->send_begin);
	clock_mark_drop(party->transmitted);
	message_drop(party->message);
	message_drop(party->carries);
	clock_mark_drop(party->item);
	hold_drop(party->deferred);
	message_list_free(&party->arrived);
	message_list_free(&party->unheard);
	message_list_free(&party->copied);
	request_list_free(&party->asked);
	request_list_free(&party->taken);
	free(party);
}

bool party_is_free(const struct party *party)
{
	return !party->hold->request || party->hold->is_waiting;
}

struct message *party_next_unheard(const struct party *sender, size_t *index,
				   enum message_medium medium)
{
	for (; *index < sender->unheard.count; (*index)++) {
		struct message *message = message_in(&sender->unheard, *index);

		if (message_is_guessable(message, medium))
			return message;
	}
	return NULL;
}
