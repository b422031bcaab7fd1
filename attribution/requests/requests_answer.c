/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_answer.h"

#include "attribution/requests/channels.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_unheard.h"
#include "report/steps/call_step.h"

static bool is_served_by(const struct request *request, int32_t pid)
{
	struct hold *const *holds = request->holds.items;

	if (request->server && request->server->pid == pid)
		return true;
	for (size_t i = 0; i < request->holds.count; i++)
		if (holds[i]->task->pid == pid)
			return true;
	return false;
}

/* Returns the request of @receiver that the sender of @message works for, or
 * NULL.
 */
static struct request *find_current(const struct party *receiver,
				    const struct message *message)
{
	struct request *current = message->hold->request;

	return current && request_is_open(current) &&
			       current->client == receiver->task &&
			       current->kind == MESSAGE_SEND ?
		       current :
		       NULL;
}

/* Returns the oldest request of @receiver that @message may answer, or NULL;
 * among the passed ones if @is_passed, else among the others.
 */
static struct request *find_asked(const struct party *receiver,
				  const struct message *message, bool is_passed)
{
	for (size_t i = 0; i < receiver->asked.count; i++) {
		struct request *request = request_in(&receiver->asked, i);
		bool is_elsewhere = message->to && request->socket &&
				    request->socket != message->to;

		if (request_is_open(request) &&
		    request->is_passed == is_passed && !is_elsewhere &&
		    is_served_by(request, message->sender->pid))
			return request;
	}
	return NULL;
}

/* Like find_asked(), if the sender works for a message that it found, which
 * @receiver may have sent after others. Those may need no answer.
 */
static struct request *find_found(struct requests *requests,
				  const struct message *message,
				  struct party *receiver)
{
	const struct party *sender =
		requests_known_party(requests, message->sender);

	return sender->found_ns && !message->hold->request ?
		       requests_ask_found(requests, message, receiver) :
		       NULL;
}

/* Returns the request of @receiver that may be answered. Requests by the
 * answer's own medium come first: those by another medium may need no answer.
 */
static struct request *find_open(struct requests *requests,
				 const struct message *message,
				 struct party *receiver)
{
	struct request *request = find_asked(receiver, message, false);
	struct request *found = NULL;

	if (!request)
		request = find_asked(receiver, message, true);
	if (!request || request->medium != message->medium)
		found = requests_ask_found(requests, message, receiver);
	return found ? found : request;
}

struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct party *receiver)
{
	struct request *request = message->answers;

	if (request || message->kind == MESSAGE_CONNECT ||
	    message->sender->pid == receiver->task->pid)
		return request;
	if (message->to)
		request = channels_asked(requests->channels, message->to);
	request_list_forget_closed(&receiver->asked);
	if (!request)
		request = find_current(receiver, message);
	if (!request)
		request = find_found(requests, message, receiver);
	if (!request)
		request = find_open(requests, message, receiver);
	return request;
}

/* Returns whether @request is a descendant of @ancestor. */
static bool is_for(const struct request *request,
		   const struct request *ancestor)
{
	while (request && request != ancestor)
		request = request->parent;
	return request;
}

/* Changes the parent of requests sent from @hold from @before to @request. */
static void adopt(const struct requests *requests, const struct hold *hold,
		  const struct request *before, struct request *request)
{
	for (size_t i = 0; i < requests->open.count; i++) {
		struct request *child = request_in(&requests->open, i);
		struct request *parent = child->parent;

		if (child->origin != hold || child->is_opening ||
		    (parent && parent != before) || is_for(request, child))
			continue;
		request_set_parent(child, request);
		request_drop(parent);
	}
}

/* Returns whether @hold ended with a send that nobody has read yet, perhaps the
 * answer to its request.
 */
static bool is_pending(const struct requests *requests, const struct hold *hold)
{
	const struct party *party = requests_known_party(requests, hold->task);

	for (size_t i = 0; i < party->unheard.count; i++) {
		const struct message *message = message_in(&party->unheard, i);

		if (message->hold == hold && !message->is_taken)
			return true;
	}
	return false;
}

/* Returns the previous segment of the thread of @hold, if it was for the same
 * request, or NULL.
 */
static struct hold *part_before(const struct requests *requests,
				const struct hold *hold,
				const struct request *request)
{
	struct hold *parent = hold->parent;

	return !hold->is_start && parent &&
			       (parent->task->pid == hold->task->pid ||
				parent->is_deferred || hold->is_deferred) &&
			       !parent->is_charged && !parent->is_answer &&
			       parent->request == request &&
			       !is_pending(requests, parent) ?
		       parent :
		       NULL;
}

/* Assigns the work of the thread of @hold since it last waited to @request: it
 * sent the answer.
 */
static void attach(struct requests *requests, struct hold *hold,
		   struct request *request)
{
	const struct request *before = hold->request;
	struct hold *first = hold;
	struct hold *last = request->last;
	struct hold *parent;

	while ((parent = part_before(requests, first, before))) {
		requests_give(requests, first, request, parent);
		adopt(requests, first, before, request);
		first = parent;
	}
	requests_give(requests, first, request, last);
	adopt(requests, first, before, request);
	request->last = hold;
	/* Another thread took the request, and this one found it in user space.
	 */
	request->is_inferred |= last && !last->is_carrier &&
				last->task != hold->task;
}

/* @server took @next, as is known now: it has answered @request before it read
 * the message that was assumed to be @next.
 */
static void rename_taken(struct requests *requests, struct party *server,
			 const struct request *request, struct request *next)
{
	struct hold *now = server->hold;
	struct hold *work = now->is_waiting ? server->before : now;

	if (!work || work->request != request)
		return;
	attach(requests, work, next);
	next->is_inferred = true;
	if (now != work && now->request == request)
		requests_give_beside(requests, now, next, work);
}

/* Other requests of the same client, taken before this one was answered at
 * @sent_ns, are still unanswered; perhaps they always will be.
 */
static void go_on(struct requests *requests, struct party *server,
		  struct request *request, struct hold *hold, uint64_t sent_ns)
{
	struct request *next = NULL;

	request_list_forget_closed(&server->taken);
	for (size_t i = 0; i < server->taken.count; i++) {
		struct request *other = request_in(&server->taken, i);

		other->is_overtaken |= request->client &&
				       other->client == request->client &&
				       request_shares_way(other, request) &&
				       other->taken_ns < sent_ns;
		if (!next && other->kind == MESSAGE_SEND && !other->is_passed)
			next = other;
	}
	if (next && request->taken_ns > sent_ns)
		rename_taken(requests, server, request, next);
	/* The thread has sent another message since. */
	if (server->hold->parent != hold)
		return;
	if (next && next != server->hold->request)
		requests_give(requests, server->hold, next, next->last);
	else if (!next)
		requests_give(requests, server->hold, request, hold);
}

/* Returns whether the client of @request has sent other messages that are
 * unanswered: one of these may be the one answered.
 */
static bool has_others(struct requests *requests, const struct request *request)
{
	const struct party *client =
		requests_known_party(requests, request->client);

	if (!client)
		return false;
	for (size_t i = 0; i < client->asked.count; i++) {
		const struct request *other = request_in(&client->asked, i);

		if (other != request && request_is_open(other))
			return true;
	}
	for (size_t i = 0; i < client->unheard.count; i++)
		if (message_is_guessable(message_in(&client->unheard, i),
					 (enum message_medium)request->medium))
			return true;
	return false;
}

void requests_answer(struct requests *requests, struct request *request,
		     struct message *message)
{
	struct party *server = requests_party(requests, message->sender,
					      message->sent->time_ns);
	struct hold *hold = message->hold;

	message->answers = request_refer(request);
	request->server = message->sender;
	request->is_inferred |= message->is_inferred;
	if (message->to)
		request->is_inferred |=
			channels_infer_order(requests->channels, message->to,
					     request, message->sent->time_ns);
	if (hold->request == request) {
		request->last = hold;
		request->is_polled &= has_others(requests, request);
	} else if (!is_for(hold->request, request)) {
		attach(requests, hold, request);
		request->is_inferred |= !message->to;
	}
	hold->is_answer = true;
	requests_give_carrier(requests, message, request, hold);
	request->is_answered = true;
	request->answered = clock_mark_refer(
		message->carried ? message->carried : message->sent);
	if (request->client)
		requests_check(requests, roles_answered(&requests->roles,
							server->task->pid,
							request->client->pid));
	/* The answer may become known late, when its sender has found another
	 * message.
	 */
	if (server->found_ns < message->sent->time_ns)
		server->found_ns = 0;
	go_on(requests, server, request, hold, message->sent->time_ns);
}
