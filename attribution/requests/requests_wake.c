/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_parts.h"

/* Returns the message of @waker's send that @woken may be woken by, or NULL. */
static struct message *message_to(struct requests *requests,
				  struct party *waker,
				  const struct party *woken, uint64_t time_ns)
{
	enum message_kind kind = waker->send.function.kind;

	if (!waker->send.is_open || waker == woken)
		return NULL;
	if ((kind == MESSAGE_SIGNAL) !=
		    (woken->wait.function.kind == MESSAGE_WORD) ||
	    (kind == MESSAGE_CONNECT &&
	     woken->wait.function.kind == MESSAGE_WAIT))
		return NULL;
	/* No socket became ready: an interrupt wakes for another thing. */
	if (requests_has_events(requests, waker) && !waker->message)
		return NULL;
	return waker->message ?
		       waker->message :
		       requests_hand_over(requests, waker,
					  thread_clock_mark(&waker->clock,
							    time_ns));
}

/* What @party did until it slept, waiting, was the end of what it did before.
 */
static void cut_wait(struct requests *requests, struct party *party,
		     uint64_t time_ns)
{
	requests_resume(requests, party);
	hold_drop(party->before);
	party->before = requests_cut(requests, party, time_ns);
	party->hold->is_start = true;
	requests_pass(party);
}

/* Nobody else is to be guessed for it. */
static void hear(struct requests *requests, struct message *message)
{
	struct party *sender =
		requests_party_at(requests, message->sender->index);

	if (sender->message != message)
		return;
	sender->is_heard = true;
	for (size_t i = 0; sender->is_listed && i < sender->unheard.count; i++)
		if (message_in(&sender->unheard, i) == message) {
			message_drop(requests_unlist(&sender->unheard, i));
			return;
		}
}

void requests_wake(struct requests *requests, struct party *waker,
		   struct party *woken, uint64_t time_ns)
{
	requests_wake_by(requests,
			 waker ? message_to(requests, waker, woken, time_ns) :
				 NULL,
			 woken, time_ns);
}

void requests_wake_by(struct requests *requests, struct message *message,
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
	requests_list_message(requests, &woken->arrived, message);
}
