/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_events.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/packets.h"
#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_deferred.h"
#include "attribution/requests/requests_items.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"

/* Returns whether @waker wakes another process by a word in memory. That may be
 * a request, its answer or a lock that both use: the trace has neither the word
 * nor other shared state, so it is not treated as a message. Within a process
 * the wake-up passes work on in any case.
 */
static bool is_between_processes(const struct party *waker,
				 const struct party *woken,
				 enum message_kind kind)
{
	return kind == MESSAGE_SIGNAL && waker->task->pid != woken->task->pid;
}

/* Returns the message of @waker's send that may wake @woken, or NULL. */
static struct message *message_to(struct requests *requests,
				  struct party *waker,
				  const struct party *woken, uint64_t time_ns)
{
	enum message_kind kind = waker->send.function.kind;

	if (!waker->send.is_open || waker == woken ||
	    is_between_processes(waker, woken, kind))
		return NULL;
	if ((kind == MESSAGE_SIGNAL) !=
		    (woken->wait.function.kind == MESSAGE_WORD) ||
	    (kind == MESSAGE_CONNECT &&
	     woken->wait.function.kind == MESSAGE_WAIT))
		return NULL;
	/* No socket became ready: an interrupt wakes the thread for another
	 * reason.
	 */
	if (requests_has_events(requests, waker) && !waker->message)
		return NULL;
	return waker->message ? waker->message :
				requests_hand_over(requests, waker, time_ns);
}

/* @party wakes from waiting for the next message: marks its unanswered requests
 * whose clients no longer wait.
 */
static void pass(struct party *party)
{
	for (size_t i = 0; i < party->taken.count; i++) {
		struct request *request = request_in(&party->taken, i);

		if (request->is_overtaken || request->kind != MESSAGE_SEND)
			request->is_ended = true;
		request->is_left = !request->has_children &&
				   (!request->last ||
				    request->last->is_carrier ||
				    request->last->task == party->task);
	}
	request_list_forget_closed(&party->taken);
}

/* Ends the segment of @party at its sleep: everything before belongs to its
 * previous work.
 */
static void cut_wait(struct requests *requests, struct party *party,
		     uint64_t time_ns)
{
	requests_resume(requests, party);
	hold_drop(party->before);
	party->before = requests_cut(requests, party, time_ns);
	party->hold->is_start = true;
	pass(party);
}

/* Records that @message woke a thread, so that its reader need not be inferred.
 */
static void hear(struct requests *requests, struct message *message)
{
	struct party *sender = requests_known_party(requests, message->sender);

	if (sender->message != message && !message->carrier)
		return;
	sender->is_heard |= sender->message == message;
	if (sender->is_listed)
		message_list_forget(&sender->unheard, message);
}

/* @message (NULL: an unknown one) wakes @woken. */
static void wake_by(struct requests *requests, struct message *message,
		    struct party *woken, uint64_t time_ns)
{
	struct request *answered;

	cut_wait(requests, woken, time_ns);
	if (!message)
		return;
	hear(requests, message);
	woken->hold->waker = message->sender;
	woken->hold->waker_function = message->function;
	message->receiver = woken->task;
	message->is_polled = woken->wait.function.kind == MESSAGE_MANY &&
			     !message->to;
	answered = requests_find_answered(requests, message, woken);
	if (answered && !message->answers)
		requests_answer(requests, answered, message);
	requests_check(requests, message_list_add(&woken->arrived, message,
						  MESSAGES_LISTED));
}

/* A packet being delivered to @woken wakes it. Returns whether it is known if a
 * packet does.
 */
static bool take_delivery(struct requests *requests, struct party *woken,
			  const struct event_record *event)
{
	enum message_medium medium = woken->wait.function.medium;
	uint64_t softirq = requests_softirq_at(requests, event);
	struct message *message;

	if (!requests->options.has_packets || !softirq ||
	    woken->wait.function.kind == MESSAGE_ACCEPT ||
	    (medium != MEDIUM_UNKNOWN && medium < MEDIUM_TCP))
		return false;
	message = packets_delivered(requests->packets, event->cpu, softirq);
	wake_by(requests, message && !message->is_taken ? message : NULL, woken,
		event->time_ns);
	return true;
}

/* A reader of a Unix socket makes room and wakes the sender: this is no
 * message, but shows which task sent the data.
 */
static void take_room(const struct requests *requests, struct party *reader,
		      const struct party *woken)
{
	enum context_kind context = requests_context_of(requests, reader);

	if (reader != woken && !reader->freed && reader->wait.is_open &&
	    reader->wait.function.kind == MESSAGE_WAIT &&
	    reader->wait.function.medium == MEDIUM_UNIX &&
	    woken->wait.function.medium == MEDIUM_UNIX &&
	    (context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL))
		reader->freed = woken->task;
}

void requests_waking(struct requests *requests,
		     const struct event_record *event)
{
	struct party *woken = requests_party_on(
		requests, event->cpu, (int32_t)event->values[WAKING_TID],
		event->time_ns);
	struct message *message = NULL;
	struct party *waker;

	if (woken)
		woken->wakes++;
	if (!woken || !woken->wait.is_open) {
		requests_deferred_wakes(requests, event, woken);
		return;
	}
	if (take_delivery(requests, woken, event))
		return;
	waker = requests_party_at(requests, event);
	if (waker) {
		take_room(requests, waker, woken);
		message = requests_item_message(requests, waker, woken,
						event->time_ns);
	}
	if (!message && waker && requests_is_sending(requests, waker))
		message = message_to(requests, waker, woken, event->time_ns);
	wake_by(requests, message, woken, event->time_ns);
}
