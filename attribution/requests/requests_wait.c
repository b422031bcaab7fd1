/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_events.h"

#include "attribution/requests/requests_guess.h"
#include "attribution/requests/requests_packets.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_take.h"
#include "attribution/requests/requests_unheard.h"
#include "report/steps/call_step.h"

void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step)
{
	const struct request *current = party->hold->request;

	/* A thread that waits for a lock meanwhile continues its work. */
	if (party->wait.is_open ||
	    (function.kind == MESSAGE_WORD && current && !current->is_answered))
		return;
	party->wait = (struct message_call){ true, function, step->function,
					     step->depth };
	party->has_copied = false;
	party->packet = 0;
	party->freed = NULL;
	message_list_clear(&party->copied);
	if (party->has_polled)
		return;
	hold_drop(party->before);
	party->before = requests_cut(requests, party, step->time_ns);
	requests_wait(requests, party);
}

/* Returns the oldest message that woke @party, matches what it waits for, and
 * was sent while @party waited for several objects (@is_polled) or for that
 * one; the caller owns the reference. NULL: none.
 */
static struct message *next_arrived(struct party *party, bool is_polled)
{
	bool is_accept = party->wait.function.kind == MESSAGE_ACCEPT;

	for (size_t i = 0; i < party->arrived.count; i++) {
		struct message *message = message_in(&party->arrived, i);

		if ((message->kind == MESSAGE_CONNECT) == is_accept &&
		    message->is_polled == is_polled && !message->is_taken)
			return message_list_take(&party->arrived, i);
	}
	return NULL;
}

/* Reads the message that woke @party from this wait, or else from an earlier
 * wait for several objects.
 *
 * Returns whether there was such a message.
 */
static bool take_arrived(struct requests *requests, struct party *party,
			 uint64_t time_ns)
{
	struct message *message = next_arrived(party, false);

	if (!message)
		message = next_arrived(party, true);
	if (!message)
		return false;
	requests_take(requests, party, message, time_ns);
	message_drop(message);
	return true;
}

/* Reads the messages that packets show @party to have read. Returns whether
 * there was one.
 */
static bool take_copied(struct requests *requests, struct party *party,
			uint64_t time_ns)
{
	bool has_any = party->copied.count;

	while (party->copied.count) {
		struct message *message = message_list_take(&party->copied, 0);

		requests_take(requests, party, message, time_ns);
		message_drop(message);
	}
	return has_any;
}

/* Returns the oldest unread message by a Unix socket in @list that @sender
 * sent, borrowed, or NULL.
 */
static struct message *oldest_from(const struct array *list,
				   const struct task *sender)
{
	for (size_t i = 0; i < list->count; i++) {
		struct message *message = message_in(list, i);

		if (message->sender == sender && !message->is_taken &&
		    message->medium == MEDIUM_UNIX &&
		    message->kind == MESSAGE_SEND)
			return message;
	}
	return NULL;
}

/* Reads the message of the task for which room became free. Returns whether
 * there was such a message.
 */
static bool take_freed(struct requests *requests, struct party *party,
		       uint64_t time_ns)
{
	const struct party *sender =
		requests_known_party(requests, party->freed);
	struct message *message =
		sender ? oldest_from(&party->arrived, sender->task) : NULL;

	if (sender && !message)
		message = oldest_from(&sender->unheard, sender->task);
	if (!message)
		return false;
	message_refer(message);
	requests_take(requests, party, message, time_ns);
	message_drop(message);
	return true;
}

/* Returns whether @party read nothing in the wait that ends. */
static bool has_read_nothing(const struct requests *requests,
			     const struct party *party)
{
	enum message_medium medium = party->wait.function.medium;

	if (party->wait.function.kind != MESSAGE_WAIT || party->has_copied)
		return false;
	return medium == MEDIUM_PIPE ?
		       requests->sees_copies :
		       requests->options.has_packets &&
			       (medium == MEDIUM_UNIX || medium == MEDIUM_TCP);
}

static void find(struct requests *requests, struct party *party, bool is_polled,
		 uint64_t time_ns)
{
	enum message_medium medium = party->wait.function.medium;
	struct message *message =
		requests_find_unheard(requests, party, medium, is_polled);

	if (!message && medium < MEDIUM_TCP &&
	    requests_hand_over_open(requests, party, medium, time_ns))
		message = requests_find_unheard(requests, party, medium,
						is_polled);
	if (!message) {
		if (party->hold->is_waiting)
			requests_give(requests, party->hold, NULL, NULL);
		party->found_ns = time_ns;
		party->found_by = medium;
		requests_note_find(requests, party->task->pid, time_ns);
		party->found_asks = 0;
		return;
	}
	message->is_inferred = true;
	requests_mark_swapped(requests, message);
	requests_packet_guessed(requests, party, message);
	requests_take(requests, party, message, time_ns);
	message_drop(message);
}

void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step)
{
	struct message_function function = party->wait.function;
	bool is_polled = party->has_polled;

	party->wait.is_open = false;
	party->has_polled = function.kind == MESSAGE_MANY;
	if (party->has_polled) {
		party->round_count = 0;
		party->polls = true;
	}
	/* The socket's event follows the exit of its function. */
	if (party->has_polled || (function.kind == MESSAGE_WAIT &&
				  requests->options.has_socket_events &&
				  message_medium_is_socket(function.medium)))
		return;
	if (has_read_nothing(requests, party)) {
		requests_resume(requests, party);
		return;
	}
	/* A wait whose end was not seen may have found nothing. */
	if (take_copied(requests, party, step->time_ns) ||
	    take_freed(requests, party, step->time_ns) ||
	    take_arrived(requests, party, step->time_ns) ||
	    (step->unseen & UNSEEN_END))
		return;
	if (function.kind == MESSAGE_WAIT)
		find(requests, party, is_polled, step->time_ns);
	else
		requests_resume(requests, party);
}
