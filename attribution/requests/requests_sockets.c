/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_events.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_far.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_take.h"

/* Returns the socket at the other end of @socket, 0 if unknown. */
static uint64_t peer_of(const struct requests *requests, uint64_t socket)
{
	uint64_t peer = channels_peer(requests->channels, socket);

	return peer ? peer : connections_peer(requests->connections, socket);
}

/* Returns the unanswered request that @party took last, borrowed, or NULL; sets
 * *@count to the number of its unanswered requests.
 */
static struct request *newest_taken(const struct party *party, size_t *count)
{
	struct request *newest = NULL;

	*count = 0;
	for (size_t i = 0; i < party->taken.count; i++) {
		struct request *request = request_in(&party->taken, i);

		if (!request_is_open(request))
			continue;
		newest = request;
		++*count;
	}
	return newest;
}

/* Sets the parent of @message, a request. A thread that has several requests at
 * a time, as an event loop, sends @message for one of them: by a new connection
 * for the request that it had read last when it connected, else for the request
 * that it has read since it last waited or sent. That is inferred, as the trace
 * has no event for it.
 */
static void give_parent(struct requests *requests, struct message *message)
{
	struct request *parent =
		channels_take_opener(requests->channels, message->from);
	const struct party *sender =
		requests_known_party(requests, message->sender);
	struct hold *hold = message->hold;
	size_t count;
	struct request *newest = newest_taken(sender, &count);

	message->is_opening = parent;
	if (!parent && newest && newest->taken_ns >= hold->begin->time_ns)
		parent = request_refer(newest);
	message->is_inferred |= count > 1;
	if (parent && request_is_open(parent) && hold->request != parent) {
		requests_give(requests, hold, parent, parent->last);
		if (sender->hold->parent == hold)
			requests_give(requests, sender->hold, parent, hold);
	}
	request_drop(parent);
}

/* Queues @message at @socket. The reader is known, and so is whether it is an
 * answer.
 */
static void queue(struct requests *requests, struct message *message,
		  uint64_t socket)
{
	struct request *asked = channels_asked(requests->channels, socket);

	message->to = socket;
	if (!message->from)
		message->from = peer_of(requests, socket);
	requests_check(requests,
		       channels_queue(requests->channels, socket, message));
	if (asked)
		requests_answer(requests, asked, message);
	else
		give_parent(requests, message);
}

/* Data that arrives while @party has its socket locked, in a send of its own,
 * is delivered when @party unlocks it. It is from the other end, whose user is
 * sending now. Returns whether this was such data.
 */
static bool take_backlog(struct requests *requests, const struct party *party,
			 uint64_t socket, uint64_t time_ns)
{
	const struct task *owner = channels_user(requests->channels, socket);
	const struct task *user = channels_user(
		requests->channels, channels_peer(requests->channels, socket));
	struct party *sender = requests_known_party(requests, user);
	struct message *message;

	if (owner != party->task || user == owner || !sender ||
	    !sender->send.is_open || sender->message ||
	    !requests_has_events(requests, sender))
		return false;
	message = requests_hand_over(requests, sender, time_ns);
	if (message)
		queue(requests, message, socket);
	return true;
}

static void take_ready(struct requests *requests, struct party *party,
		       const struct event_record *event)
{
	struct message *message = party->message;

	if (requests->options.has_socket_events &&
	    take_backlog(requests, party,
			 (uint64_t)event->values[SOCKET_ADDRESS],
			 event->time_ns))
		return;
	if (!party->send.is_open || !requests_has_events(requests, party) ||
	    connections_far(requests->connections,
			    (uint64_t)event->values[SOCKET_ADDRESS]))
		return;
	if (!message)
		message = requests_hand_over(requests, party, event->time_ns);
	if (message && !message->to && message->kind == MESSAGE_SEND)
		queue(requests, message,
		      (uint64_t)event->values[SOCKET_ADDRESS]);
}

/* Data that the network delivers later goes to the other end of the connection.
 */
static struct message *send_later(struct requests *requests,
				  struct party *party, uint64_t socket,
				  uint64_t time_ns)
{
	uint64_t peer = peer_of(requests, socket);
	struct message *message =
		peer ? requests_hand_over(requests, party, time_ns) : NULL;

	if (message) {
		message->from = socket;
		queue(requests, message, peer);
	}
	return message;
}

/* A socket became ready while @party sent to another machine, because of a
 * packet that the network delivered meanwhile.
 */
static void forget_message(struct requests *requests, struct party *party)
{
	if (!party->message)
		return;
	channels_forget(requests->channels, party->message->to, party->message);
	message_drop(party->message);
	party->message = NULL;
}

static void take_sent(struct requests *requests, struct party *party,
		      const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	struct connection_state *far =
		connections_far(requests->connections, socket);
	struct message *message = party->message;

	if (event->values[SOCKET_BYTES] <= 0 ||
	    !requests_has_events(requests, party))
		return;
	if (far) {
		forget_message(requests, party);
		requests_far_sent(requests, party, far, event->time_ns);
		return;
	}
	requests_check(requests,
		       channels_use(requests->channels, socket, party->task));
	if (!message)
		message = send_later(requests, party, socket, event->time_ns);
	if (!message)
		return;
	message->bytes = (uint64_t)event->values[SOCKET_BYTES];
	message->from = socket;
	if (message->to)
		requests_check(requests, channels_pair(requests->channels,
						       socket, message->to));
	if (message->asks && !message->asks->socket) {
		message->asks->socket = socket;
		requests_name(requests, message->asks);
		requests_check(requests, channels_ask(requests->channels,
						      socket, message->asks));
	}
}

/* Returns the endpoint that is in a send by the medium of @reader to @socket
 * and has not made @socket ready yet: the last sender of its other end, or else
 * the only such endpoint; NULL: none, or several.
 */
static struct party *find_sender(const struct requests *requests,
				 const struct party *reader, uint64_t socket)
{
	const struct task *user =
		channels_user(requests->channels, peer_of(requests, socket));
	struct party *found = NULL;
	struct party *sender;
	size_t next = 0;

	while ((sender = requests_next_sender(requests, reader,
					      reader->wait.function.medium,
					      &next))) {
		if (user && sender->task != user)
			continue;
		if (found)
			return NULL;
		found = sender;
	}
	return found;
}

/* Returns the next message that @reader reads from the @left bytes at @socket,
 * with a reference, which the caller owns, or NULL. It may arrive and be read
 * before its sender's event.
 */
static struct message *read_next(struct requests *requests,
				 const struct party *reader, uint64_t socket,
				 uint64_t *left, uint64_t time_ns)
{
	struct message *message =
		channels_read(requests->channels, socket, left);
	struct party *sender;

	if (message || !*left || !requests->options.has_socket_events)
		return message;
	sender = find_sender(requests, reader, socket);
	if (!sender)
		return NULL;
	message = requests_hand_over(requests, sender, time_ns);
	if (message)
		queue(requests, message, socket);
	return channels_read(requests->channels, socket, left);
}

static void take_read(struct requests *requests, struct party *party,
		      const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	int64_t bytes = event->values[SOCKET_BYTES];
	uint64_t left = bytes > 0 ? (uint64_t)bytes : 0;
	struct connection_state *far =
		connections_far(requests->connections, socket);
	struct message *message;
	bool has_any = false;

	if (!far && left && !channels_user(requests->channels, socket))
		requests_check(requests, channels_use(requests->channels,
						      socket, party->task));
	while (!far && (message = read_next(requests, party, socket, &left,
					    event->time_ns))) {
		requests_take(requests, party, message, event->time_ns);
		message_drop(message);
		has_any = true;
	}
	if (!has_any && far && bytes > 0)
		requests_far_taken(requests, party, far, event->time_ns);
	else if (!has_any)
		requests_resume(requests, party);
}

/* Counts the bytes that any thread sends or reads: the next send or read is
 * after them.
 */
static void count_bytes(struct requests *requests,
			const struct event_record *event)
{
	struct connection_state *state = connections_find(
		requests->connections, (uint64_t)event->values[SOCKET_ADDRESS]);
	int64_t bytes = event->values[SOCKET_BYTES];

	if (!state)
		return;
	if (event->event == EVENT_SOCKET_READY && !state->ready_ns)
		state->ready_ns = event->time_ns;
	if (event->event == EVENT_SOCKET_SENT && bytes > 0)
		state->sent_bytes += (uint64_t)bytes;
	if (event->event == EVENT_SOCKET_TAKEN && bytes > 0) {
		state->taken_bytes += (uint64_t)bytes;
		state->ready_ns = 0;
	}
}

static void tell_party(struct requests *requests,
		       const struct event_record *event)
{
	struct party *party = requests_party_at(requests, event);

	if (!party)
		return;
	if (event->event == EVENT_SOCKET_TAKEN)
		take_read(requests, party, event);
	else if (event->event == EVENT_SOCKET_SENT)
		take_sent(requests, party, event);
	else if (requests_is_sending(requests, party))
		take_ready(requests, party, event);
}

void requests_socket_opens(struct requests *requests,
			   const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	const struct party *party = requests_party_at(requests, event);
	size_t count;
	struct request *request = party ? newest_taken(party, &count) : NULL;

	if (party && !request)
		request = party->hold->request;
	channels_renew(requests->channels, socket);
	if (request && request_is_open(request))
		requests_check(requests, channels_open_for(requests->channels,
							   socket, request));
}

void requests_socket_event(struct requests *requests,
			   const struct event_record *event)
{
	tell_party(requests, event);
	count_bytes(requests, event);
}
