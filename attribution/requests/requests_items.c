/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_items.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_deferred.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "report/steps/call_step.h"

/* @item carries @message to the process that read its data last. */
static void lead(const struct requests *requests, struct message *message,
		 uint64_t item)
{
	const uint64_t *reader = number_map_find(&requests->readers, item);

	message->item = item;
	message->reader = reader ? (int32_t)*reader : 0;
}

/* A reader that answers a peer again must have read that peer's message; its
 * next read is a different one.
 */
static void tell_found(struct requests *requests, const struct party *sender,
		       struct message *message)
{
	struct request *answered = NULL;
	struct party *reader;
	size_t next = 0;

	if (!message->reader || !sender->found_ns || message->answers)
		return;
	while (!answered && (reader = requests_next_party(requests, &next)))
		if (reader->task->pid == message->reader &&
		    requests_is_server(requests, sender->task, reader->task,
				       MEDIUM_TTY))
			answered = requests_find_answered(requests, message,
							  reader);
	if (answered)
		requests_answer(requests, answered, message);
}

/* An item that is already queued is not queued again: it also carries further
 * data, for which there is no event.
 */
void requests_item_queued(struct requests *requests,
			  const struct event_record *event)
{
	struct party *party = requests_party_at(requests, event);
	struct message *message;

	if (!party || !party->send.is_open ||
	    party->send.function.medium != MEDIUM_TTY ||
	    !requests_is_sending(requests, party)) {
		requests_deferred_queued(requests, party, event);
		return;
	}
	message = party->message ?
			  party->message :
			  requests_hand_over(requests, party, event->time_ns);
	if (!message)
		return;
	lead(requests, message, (uint64_t)event->values[WORK_ADDRESS]);
	tell_found(requests, party, message);
	requests_check(requests, message_map_set(&requests->items,
						 message->item, message));
}

void requests_item_read(struct requests *requests,
			const struct message *message)
{
	uint64_t *reader;

	if (!message->item || message->is_inferred)
		return;
	reader = number_map_add(&requests->readers, message->item);
	if (reader)
		*reader = (uint64_t)message->receiver->pid;
	else
		requests->status = -ERROR_MEMORY;
}

/* Returns the oldest of @found and the unheard messages of @sender to @pid;
 * sets *@is_several if they go to several ends.
 */
static struct message *oldest_to(const struct party *sender, int32_t pid,
				 struct message *found, bool *is_several)
{
	struct message *message;

	for (size_t i = 0;
	     (message = party_next_unheard(sender, &i, MEDIUM_TTY)); i++) {
		if (message->reader != pid)
			continue;
		*is_several |= found && found->item != message->item;
		if (message_is_older(message, found))
			found = message;
	}
	return found;
}

struct message *requests_item_unheard(const struct requests *requests,
				      const struct party *reader,
				      enum message_medium medium)
{
	struct message *found = NULL;
	const struct party *sender;
	bool is_several = false;
	size_t next = 0;

	while (medium == MEDIUM_TTY &&
	       (sender = requests_next_party(requests, &next)))
		found = oldest_to(sender, reader->task->pid, found,
				  &is_several);
	return is_several ? NULL : found;
}

void requests_item_begins(struct requests *requests,
			  const struct event_record *event)
{
	struct message *message = number_map_take_pointer(
		&requests->items, (uint64_t)event->values[WORK_ADDRESS]);
	struct party *worker;

	if (!message) {
		requests_deferred_begins(requests, event);
		return;
	}
	worker = requests_party_at(requests, event);
	if (!worker || message->carrier) {
		message_drop(message);
		return;
	}
	hold_drop(requests_cut(requests, worker, event->time_ns));
	worker->hold->is_start = true;
	worker->hold->is_carrier = true;
	message->carrier = hold_refer(worker->hold);
	message_drop(worker->carries);
	worker->carries = message;
	worker->is_carrying = true;
}

/* If the worker's next item, a flush, wakes a thread that waits for this item,
 * the message that this one carried has arrived. The flush function wakes it in
 * a tail call, after its own exit.
 */
void requests_item_step(struct requests *requests, const struct call_step *step)
{
	struct party *worker = requests_known_party(requests, step->task);
	struct message_function function =
		message_kinds_of(requests->kinds, step->function);

	if (!worker)
		return;
	requests_deferred_step(requests, worker, step);
	if (!worker->carries)
		return;
	if (step->kind == STEP_ENTER) {
		worker->is_carrying = function.kind == MESSAGE_FLUSH;
		return;
	}
	if (function.kind == MESSAGE_FLUSH)
		return;
	if (!worker->is_carrying) {
		message_drop(worker->carries);
		worker->carries = NULL;
		return;
	}
	worker->is_carrying = false;
	if (!worker->hold->is_carrier)
		return;
	hold_drop(requests_cut(requests, worker, step->time_ns));
	worker->hold->is_start = true;
}

struct message *requests_item_message(struct requests *requests,
				      struct party *waker,
				      const struct party *woken,
				      uint64_t time_ns)
{
	struct message *message = waker->carries;

	if (!waker->is_carrying || message->is_taken ||
	    requests_context_of(requests, waker) != CONTEXT_ITEM ||
	    (woken->wait.function.medium != MEDIUM_TTY &&
	     woken->wait.function.kind != MESSAGE_MANY))
		return NULL;
	if (message->carried)
		return message;
	message->carried = waker->hold == message->carrier ?
				   thread_clock_mark(&waker->clock, time_ns) :
				   clock_mark_refer(message->carrier->end);
	if (!message->carried)
		requests->status = -ERROR_MEMORY;
	return message;
}
