/* SPDX-License-Identifier: MIT */
#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_parts.h"
#include "common/error.h"
#include "common/number_map.h"
#include "report/steps/call_step.h"

/* Who asks more than this does so on its own account. */
enum { MOST_FOR_FOUND = 16 };

static uint64_t pair_of(int32_t client, int32_t server)
{
	return (uint64_t)(uint32_t)client << 32 | (uint32_t)server;
}

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

/* Forgets requests of @list that are answered or over. */
static void forget_closed(struct array *list)
{
	for (size_t i = list->count; i-- > 0;)
		if (!request_is_open(request_in(list, i)))
			request_drop(requests_unlist(list, i));
}

/* Returns the request of @receiver that who sent @message works for, or NULL. */
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

/* Returns the oldest of @receiver that @message may answer, or NULL; of those
 * that were passed or of the others.
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

/* Returns the same if its sender works for what it found, which @receiver may
 * have sent since it sent others: these may want no answer.
 */
static struct request *find_found(struct requests *requests,
				  const struct message *message,
				  struct party *receiver)
{
	const struct party *sender =
		requests_party_at(requests, message->sender->index);

	return sender->found_ns && !message->hold->request ?
		       requests_ask_found(requests, message, receiver) :
		       NULL;
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
	forget_closed(&receiver->asked);
	if (!request)
		request = find_current(receiver, message);
	if (!request)
		request = find_found(requests, message, receiver);
	if (!request)
		request = find_asked(receiver, message, false);
	if (!request)
		request = find_asked(receiver, message, true);
	if (!request)
		request = requests_ask_found(requests, message, receiver);
	return request;
}

/* Returns whether @request was sent for @ancestor, or for one that was. */
static bool is_for(const struct request *request,
		   const struct request *ancestor)
{
	while (request && request != ancestor)
		request = request->parent;
	return request;
}

/* Requests that were sent from @hold were for @request. */
static void adopt(const struct requests *requests, const struct hold *hold,
		  struct request *request)
{
	for (size_t i = 0; i < requests->open.count; i++) {
		struct request *child = request_in(&requests->open, i);

		if (child->origin != hold || child->parent)
			continue;
		child->parent = request_refer(request);
		request->has_children = true;
	}
}

/* Returns whether @hold ended as something was sent that nobody has taken yet:
 * perhaps the answer to what it was for.
 */
static bool is_pending(const struct requests *requests, const struct hold *hold)
{
	const struct party *party =
		requests_party_at(requests, hold->task->index);

	for (size_t i = 0; i < party->unheard.count; i++) {
		const struct message *message = message_in(&party->unheard, i);

		if (message->hold == hold && !message->is_taken)
			return true;
	}
	return false;
}

/* Returns what its thread did before @hold, if that was for the same, or NULL.
 */
static struct hold *part_before(const struct requests *requests,
				const struct hold *hold,
				const struct request *request)
{
	struct hold *parent = hold->parent;

	return !hold->is_start && parent &&
			       parent->task->pid == hold->task->pid &&
			       !parent->is_charged && !parent->is_answer &&
			       parent->request == request &&
			       !is_pending(requests, parent) ?
		       parent :
		       NULL;
}

/* What @hold's thread did since it last waited was for @request, as its answer
 * tells.
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
		adopt(requests, first, request);
		first = parent;
	}
	requests_give(requests, first, request, last);
	adopt(requests, first, request);
	request->last = hold;
	/* Another took it, and this one found it in its hands. */
	request->is_inferred |= last && last->task != hold->task;
}

/* Others of the same client, taken before this was answered at @sent_ns, were
 * not: perhaps they never will be.
 */
static void go_on(struct requests *requests, struct party *server,
		  struct request *request, struct hold *hold, uint64_t sent_ns)
{
	struct request *next = NULL;

	forget_closed(&server->taken);
	for (size_t i = 0; i < server->taken.count; i++) {
		struct request *other = request_in(&server->taken, i);

		other->is_overtaken |= request->client &&
				       other->client == request->client &&
				       other->taken_ns < sent_ns;
		if (!next && other->kind == MESSAGE_SEND && !other->is_passed)
			next = other;
	}
	/* It has sent something else since. */
	if (server->hold->parent != hold)
		return;
	if (next && next != server->hold->request)
		requests_give(requests, server->hold, next, next->last);
	else if (!next)
		requests_give(requests, server->hold, request, hold);
}

/* Returns whether @request's client has sent other messages that nobody has
 * answered: one of these may be it.
 */
static bool has_others(struct requests *requests, const struct request *request)
{
	const struct party *client =
		request->client ?
			requests_party_at(requests, request->client->index) :
			NULL;

	if (!client)
		return false;
	for (size_t i = 0; i < client->asked.count; i++) {
		const struct request *other = request_in(&client->asked, i);

		if (other != request && request_is_open(other))
			return true;
	}
	for (size_t i = 0; i < client->unheard.count; i++)
		if (requests_is_guessable(message_in(&client->unheard, i),
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
	if (hold->request == request) {
		request->last = hold;
		request->is_polled &= has_others(requests, request);
	} else if (!is_for(hold->request, request)) {
		attach(requests, hold, request);
		request->is_inferred |= !message->to;
	}
	hold->is_answer = true;
	request->is_answered = true;
	request->answered = clock_mark_refer(message->sent);
	if (request->client &&
	    !number_map_add(requests->partners,
			    pair_of(request->client->pid, server->task->pid)))
		requests->status = -ERROR_MEMORY;
	/* It may be known late, when its sender has found something else. */
	if (server->found_ns < message->sent->time_ns)
		server->found_ns = 0;
	go_on(requests, server, request, hold, message->sent->time_ns);
}

bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium)
{
	bool is_socket = message_medium_is_socket(medium);
	bool has_asked = number_map_find(requests->partners,
					 pair_of(client->pid, server->pid));
	bool has_answered = number_map_find(requests->partners,
					    pair_of(server->pid, client->pid));

	if (is_socket && requests_connect_as(requests, server, client))
		return false;
	if (has_asked || has_answered)
		return has_asked && !has_answered;
	return is_socket && requests_connect_as(requests, client, server);
}

bool requests_open(struct requests *requests, struct request *request)
{
	struct request **slot = array_add(&requests->open);

	if (!slot)
		return false;
	*slot = request;
	request->number = ++requests->numbers;
	return true;
}

void requests_name(const struct requests *requests, struct request *request)
{
	const struct connection_state *state =
		connections_find(requests->connections, request->socket);

	if (!state)
		return;
	request->has_connection = true;
	request->connection = state->connection;
}

/* What @client asked before it slept and then sent @message, and its server left,
 * wants no answer, perhaps.
 */
static void pass_left(const struct party *client, const struct message *message)
{
	for (size_t i = 0; i < client->asked.count; i++) {
		struct request *request = request_in(&client->asked, i);

		request->is_passed |= request->is_left &&
				      request->wakes != message->wakes;
	}
}

struct request *requests_ask(struct requests *requests, struct message *message)
{
	struct party *client = requests_party(requests, message->sender,
					      message->sent->time_ns);
	struct request *request = client ? request_new(message) : NULL;

	if (!request || !requests_open(requests, request)) {
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	requests_name(requests, request);
	pass_left(client, message);
	if (++client->found_asks > MOST_FOR_FOUND)
		client->found_ns = 0;
	request->found_ns = client->found_ns;
	if (request->kind == MESSAGE_SEND)
		requests_list_request(requests, &client->asked, request);
	if (request->socket &&
	    channels_ask(requests->channels, request->socket, request) < 0)
		requests->status = -ERROR_MEMORY;
	return request;
}

void requests_pass(struct party *party)
{
	for (size_t i = 0; i < party->taken.count; i++) {
		struct request *request = request_in(&party->taken, i);

		if (request->is_overtaken || request->kind != MESSAGE_SEND)
			request->is_ended = true;
		request->is_left =
			!request->has_children &&
			(!request->last || request->last->task == party->task);
	}
	forget_closed(&party->taken);
}
