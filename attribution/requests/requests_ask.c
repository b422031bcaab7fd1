/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_ask.h"

#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "report/steps/call_step.h"

/* A thread that sends more requests than this for a found message does so on
 * its own account.
 */
enum { MOST_FOR_FOUND = 16 };

bool requests_open(struct requests *requests, struct request *request)
{
	if (array_append(&requests->open, &request) < 0)
		return false;
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

/* Marks requests of @client from before it slept and then sent @message, if
 * their server left them: they may need no answer.
 */
static void pass_left(const struct party *client, const struct message *message)
{
	for (size_t i = 0; i < client->asked.count; i++) {
		struct request *request = request_in(&client->asked, i);

		request->is_passed |= request->is_left &&
				      request->wakes != message->wakes &&
				      (!request->socket || !message->from ||
				       request->socket == message->from);
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
	requests_give_carrier(requests, message, request, NULL);
	pass_left(client, message);
	if (++client->found_asks > MOST_FOR_FOUND)
		client->found_ns = 0;
	request->found_ns = client->found_ns;
	if (request->kind == MESSAGE_SEND)
		requests_check(requests,
			       request_list_add(&client->asked, request));
	if (request->socket)
		requests_check(requests,
			       channels_ask(requests->channels, request->socket,
					    request));
	return request;
}

/* Returns whether @party has sent a message since @since_ns that nobody has
 * read yet.
 */
static bool has_pending(const struct party *party, uint64_t since_ns)
{
	for (size_t i = 0; i < party->unheard.count; i++) {
		const struct message *message = message_in(&party->unheard, i);

		if (!message->is_taken && message->sent->time_ns >= since_ns)
			return true;
	}
	return false;
}

/* Returns whether the request that the sender of @request works for may still
 * become known: the sender found a message and has not answered it, or its
 * answer is in flight.
 */
static bool may_be_child(const struct requests *requests,
			 const struct request *request)
{
	const struct party *client =
		requests_known_party(requests, request->client);

	return client && !request->parent && request->found_ns &&
	       (client->found_ns == request->found_ns ||
		has_pending(client, request->found_ns));
}

/* Returns whether the sender of @request may turn out to have worked for
 * another request than its parent, which the answer to the parent will show.
 */
static bool may_have_another_parent(const struct request *request)
{
	const struct request *parent = request->parent;

	return parent && request_is_open(parent) &&
	       (parent->is_polled || parent->is_inferred);
}

/* Returns whether neither @request nor others of its client have been answered
 * so far. A reader of a pipe, such as a shell that reads a command's output, is
 * not a server for that alone.
 */
static bool is_one_way(const struct requests *requests,
		       const struct request *request)
{
	return request->medium == MEDIUM_PIPE &&
	       request->kind == MESSAGE_SEND && !request->is_answered &&
	       !roles_has_answered(&requests->roles, request->server->pid,
				   request->client->pid);
}

static bool is_ready(const struct requests *requests,
		     const struct request *request)
{
	const struct request *parent = request->parent;

	return request->is_ended && request_is_settled(request) &&
	       (requests->is_over || (!may_be_child(requests, request) &&
				      !may_have_another_parent(request) &&
				      (!parent || parent->is_ended ||
				       !is_one_way(requests, parent))));
}

/* Replaces one-way parents, which are no requests, by their own parents. */
static void skip_parents(const struct requests *requests,
			 struct request *request)
{
	struct request *parent;

	while ((parent = request->parent)) {
		parent->is_one_way |= is_one_way(requests, parent);
		if (!parent->is_one_way)
			return;
		request->parent =
			parent->parent ? request_refer(parent->parent) : NULL;
		request_drop(parent);
	}
}

static void tell(const struct requests *requests, struct request *request)
{
	struct request_callback *const *callbacks = requests->callbacks.items;

	request->is_one_way |= is_one_way(requests, request);
	if (request->is_one_way)
		return;
	skip_parents(requests, request);
	for (size_t i = 0; i < requests->callbacks.count; i++)
		callbacks[i]->take(callbacks[i], request);
}

void requests_hand_out(struct requests *requests)
{
	struct request **items = requests->open.items;
	size_t kept = 0;

	for (size_t i = 0; i < requests->open.count; i++) {
		struct request *request = items[i];

		if (!is_ready(requests, request)) {
			items[kept++] = request;
			continue;
		}
		tell(requests, request);
		request_clear(request);
		request_drop(request);
	}
	requests->open.count = kept;
}
