/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_parts.h"
#include "common/error.h"
#include "report/steps/call_step.h"

void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step)
{
	const struct request *current = party->hold->request;

	/* Who waits for a lock meanwhile works on. */
	if (party->wait.is_open ||
	    (function.kind == MESSAGE_WORD && current && !current->is_answered))
		return;
	party->wait = (struct message_call){ true, function, step->function,
					     step->depth };
	party->has_copied = false;
	party->packet = 0;
	party->freed = NULL;
	while (party->copied.count)
		message_drop(requests_unlist(&party->copied, 0));
	if (party->has_polled)
		return;
	hold_drop(party->before);
	party->before = requests_cut(requests, party, step->time_ns);
	requests_wait(requests, party);
}

/* Whatever @party asked before @time_ns, unheard, was answered or lost. */
static void forget_unheard(struct party *party, uint64_t time_ns)
{
	for (size_t i = party->unheard.count; i-- > 0;) {
		const struct message *message = message_in(&party->unheard, i);

		if (message->sent->time_ns < time_ns && !message->hold->request)
			message_drop(requests_unlist(&party->unheard, i));
	}
}

/* What @party asked before @time_ns is perhaps never answered. */
static void pass_asked(struct party *party, uint64_t time_ns)
{
	struct request *const *asked = party->asked.items;

	for (size_t i = 0; i < party->asked.count; i++)
		if (asked[i]->sent->time_ns < time_ns)
			asked[i]->is_passed = true;
}

void requests_take_answer(struct requests *requests, struct party *party,
			  struct request *request, uint64_t time_ns)
{
	struct request *parent = request->parent;

	if (!request->end) {
		request->heard = clock_mark_refer(party->hold->begin);
		request->end = thread_clock_mark(&party->clock, time_ns);
	}
	if (!request->end)
		requests->status = -ERROR_MEMORY;
	request->is_ended = true;
	forget_unheard(party, request->sent->time_ns);
	pass_asked(party, request->sent->time_ns);
	if (parent && !parent->is_answered && requests_is_free(party))
		requests_give(requests, party->hold, parent, parent->last);
	else
		requests_resume(requests, party);
}

/* What @sender found and works for, it hands on to @party. */
static void take_found(struct requests *requests, struct party *party,
		       struct party *sender, const struct message *message)
{
	requests_give(requests, party->hold, NULL, message->hold);
	party->hold->is_start = false;
	party->found_ns = sender->found_ns;
	sender->found_ns = 0;
}

/* Within a process a message hands on what its sender works for. */
static void take_work(struct requests *requests, struct party *party,
		      const struct message *message)
{
	struct request *request = message->hold->request;
	struct party *sender =
		requests_party_at(requests, message->sender->index);

	if (!request && sender->found_ns && requests_is_free(party)) {
		take_found(requests, party, sender, message);
		return;
	}
	if (!request || request->is_answered || !requests_is_free(party)) {
		requests_resume(requests, party);
		return;
	}
	request->is_inferred |= message->medium != MEDIUM_PIPE;
	requests_give(requests, party->hold, request, message->hold);
	requests_list_request(requests, &party->taken, request);
}

void requests_serve(struct requests *requests, struct party *party,
		    struct request *request, uint64_t time_ns)
{
	request->taken_ns = time_ns;
	request->server = party->task;
	party->found_ns = 0;
	if (requests_is_free(party))
		requests_give(requests, party->hold, request, NULL);
	requests_list_request(requests, &party->taken, request);
}

static void take_request(struct requests *requests, struct party *party,
			 struct message *message, uint64_t time_ns)
{
	struct request *request = requests_ask(requests, message);

	if (request)
		requests_serve(requests, party, request, time_ns);
}

static void take(struct requests *requests, struct party *party,
		 struct message *message, uint64_t time_ns)
{
	struct request *answered;

	if (message->is_taken) {
		requests_resume(requests, party);
		return;
	}
	message->is_taken = true;
	message->receiver = party->task;
	party->round[party->round_count++ % ROUND] = message->sender;
	answered = requests_find_answered(requests, message, party);
	if (answered && !message->answers)
		requests_answer(requests, answered, message);
	if (answered)
		requests_take_answer(requests, party, answered, time_ns);
	else if (requests_is_server(requests, message->sender, party->task,
				    (enum message_medium)message->medium))
		requests_resume(requests, party);
	else if (message->sender->pid == party->task->pid)
		take_work(requests, party, message);
	else
		take_request(requests, party, message, time_ns);
}

/* Takes the oldest message that woke @party and fits what it waited for.
 *
 * Returns whether there was one.
 */
static bool take_arrived(struct requests *requests, struct party *party,
			 uint64_t time_ns)
{
	bool is_accept = party->wait.function.kind == MESSAGE_ACCEPT;

	for (size_t i = 0; i < party->arrived.count; i++) {
		struct message *message = message_in(&party->arrived, i);

		if ((message->kind == MESSAGE_CONNECT) != is_accept ||
		    message->is_taken)
			continue;
		requests_unlist(&party->arrived, i);
		take(requests, party, message, time_ns);
		message_drop(message);
		return true;
	}
	return false;
}

/* Takes what its packets tell that @party read.  Returns whether there was any.
 */
static bool take_copied(struct requests *requests, struct party *party,
			uint64_t time_ns)
{
	bool has_any = party->copied.count;

	while (party->copied.count) {
		struct message *message = requests_unlist(&party->copied, 0);

		take(requests, party, message, time_ns);
		message_drop(message);
	}
	return has_any;
}

/* Returns the oldest message by a Unix socket in @list that @sender sent and
 * nobody took, borrowed, or NULL.
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

/* Takes what whom room became free for had sent.  Returns whether there was
 * such a message.
 */
static bool take_freed(struct requests *requests, struct party *party,
		       uint64_t time_ns)
{
	const struct party *sender =
		party->freed ?
			requests_party_at(requests, party->freed->index) :
			NULL;
	struct message *message =
		sender ? oldest_from(&party->arrived, sender->task) : NULL;

	if (sender && !message)
		message = oldest_from(&sender->unheard, sender->task);
	if (!message)
		return false;
	message_refer(message);
	take(requests, party, message, time_ns);
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
		       requests->has_packets &&
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
		requests->finds[requests->find_count++ % FINDS] =
			(struct find){ party->task->pid, time_ns };
		party->found_asks = 0;
		return;
	}
	message->is_inferred = true;
	requests_mark_swapped(requests, message);
	requests_packet_guessed(requests, party, message);
	take(requests, party, message, time_ns);
	message_drop(message);
}

void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step)
{
	struct message_function function = party->wait.function;
	bool is_polled = party->has_polled;

	party->wait.is_open = false;
	party->has_polled = function.kind == MESSAGE_MANY;
	if (party->has_polled)
		party->round_count = 0;
	/* The socket's event comes after its function. */
	if (party->has_polled ||
	    (function.kind == MESSAGE_WAIT && requests->has_socket_events &&
	     message_medium_is_socket(function.medium)))
		return;
	if (has_read_nothing(requests, party)) {
		requests_resume(requests, party);
		return;
	}
	/* One whose end was not seen may have found nothing. */
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

void requests_socket_taken(struct requests *requests, struct party *party,
			   const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	int64_t bytes = event->values[SOCKET_BYTES];
	uint64_t left = bytes > 0 ? (uint64_t)bytes : 0;
	struct connection_state *far =
		connections_far(requests->connections, socket);
	struct message *message;
	bool has_any = false;

	while ((message = channels_read(requests->channels, socket, &left))) {
		take(requests, party, message, event->time_ns);
		message_drop(message);
		has_any = true;
	}
	if (!has_any && far && bytes > 0)
		requests_far_taken(requests, party, far, event->time_ns);
	else if (!has_any)
		requests_resume(requests, party);
}
