/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/requests/connections_internal.h"
#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/requests_answer_internal.h"
#include "attribution/requests/requests_events_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "attribution/requests/requests_take_internal.h"
#include "common/error.h"

#include "attribution/requests/request.h"
#include <stdint.h>
#include <stdlib.h>

/* A connection to another machine has one request at a time: from the first
 * bytes that its client sends to the first that return. Anything else that is
 * sent until then is part of the request.
 */

/* Creates a request from data on the connection of @state. The client sent it
 * between @begin and @sent; both references are consumed.
 */
static struct request *open_request(struct requests *requests,
				    struct connection_state *state,
				    struct clock_mark *begin,
				    struct clock_mark *sent)
{
	bool is_server = state->connection.is_server;
	struct request *request = begin && sent ? calloc(1, sizeof(*request)) :
						  NULL;

	if (!request) {
		clock_mark_drop(begin);
		clock_mark_drop(sent);
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	*request = (struct request){
		.kind = MESSAGE_SEND,
		.medium = MEDIUM_TCP,
		.side = is_server ? SIDE_SERVER : SIDE_CLIENT,
		.has_connection = true,
		.connection = state->connection,
		.has_position = state->is_whole,
		.position = is_server ? state->taken_bytes : state->sent_bytes,
		.begin = begin,
		.sent = sent,
		.segments = ARRAY_OF(struct work_segment *),
		.references = 1,
	};
	if (requests_open(requests, request)) {
		state->request = request_refer(request);
		return request;
	}
	request_drop(request);
	requests->status = -ERROR_MEMORY;
	return NULL;
}

/* Returns the unanswered request of the connection, borrowed, or NULL. The
 * thread that took it may be gone.
 */
static struct request *asked(struct connection_state *state)
{
	if (state->request && state->request->is_ended)
		connection_forget_request(state);
	return state->request;
}

/* Creates a message from the last send of @endpoint. Its time is that of the
 * first packet of the send, if that is known. Its segment may start later than
 * that, because a message that the network delivered during the send can start
 * a segment.
 */
static struct message *deliver_first(struct requests *requests,
				     struct thread_endpoint *endpoint,
				     uint64_t time_ns)
{
	struct clock_mark *mark = endpoint->transmitted;
	bool is_cut = mark &&
		      mark->time_ns >= endpoint->segment->begin->time_ns;
	struct message *message = requests_deliver_at(
		requests, endpoint,
		is_cut ? clock_mark_refer(mark) :
			 thread_clock_mark(&endpoint->clock, time_ns));

	if (!message || !mark || is_cut)
		return message;
	clock_mark_drop(message->sent);
	message->sent = clock_mark_refer(mark);
	return message;
}

/* Creates a request from a send of @endpoint, for the request that @endpoint
 * works for.
 */
static void ask(struct requests *requests, struct thread_endpoint *endpoint,
		struct connection_state *state, uint64_t time_ns)
{
	struct message *message = deliver_first(requests, endpoint, time_ns);
	struct request *parent = message ? message->segment->request : NULL;
	struct request *request =
		message ? open_request(requests, state,
				       clock_mark_refer(message->begin),
				       clock_mark_refer(message->sent)) :
			  NULL;

	if (!request)
		return;
	request->client = endpoint->task;
	request->origin = work_segment_refer(message->segment);
	request->found_ns = endpoint->found_ns;
	if (parent && !parent->is_answered)
		request_set_parent(request, parent);
}

static void answer(struct requests *requests, struct thread_endpoint *endpoint,
		   struct connection_state *state, uint64_t time_ns)
{
	struct message *message = deliver_first(requests, endpoint, time_ns);

	if (!message)
		return;
	requests_answer(requests, state->request, message);
	connection_forget_request(state);
}

/* Consumes a send of @endpoint to a connection whose other end is on another
 * machine.
 */
static void requests_far_sent(struct requests *requests,
			      struct thread_endpoint *endpoint,
			      struct connection_state *state, uint64_t time_ns)
{
	bool is_server = state->connection.is_server;

	if (is_server && asked(state))
		answer(requests, endpoint, state, time_ns);
	else if (!is_server && !asked(state))
		ask(requests, endpoint, state, time_ns);
}

/* Returns a mark for @time_ns on another machine; NULL when out of memory. Its
 * times by part are all 0, because they are unknown there.
 */
static struct clock_mark *mark_at(uint64_t time_ns)
{
	struct clock_mark *mark = calloc(1, sizeof(*mark));

	if (mark)
		*mark = (struct clock_mark){ .time_ns = time_ns,
					     .is_known = true,
					     .references = 1 };
	return mark;
}

/* Opens a request at its first bytes. If they arrived before the recording,
 * they are taken to have arrived when @endpoint started to read.
 */
static void consume_first(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  struct connection_state *state, uint64_t time_ns)
{
	struct clock_mark *begin =
		mark_at(state->ready_ns ? state->ready_ns :
					  endpoint->segment->begin->time_ns);
	struct request *request = open_request(
		requests, state, begin, begin ? clock_mark_refer(begin) : NULL);

	if (request)
		requests_serve(requests, endpoint, request, time_ns);
}

/* Consumes a read of more of the request, perhaps by another thread. */
static void consume_more(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 struct connection_state *state)
{
	struct request *request = state->request;

	if (endpoint_is_free(endpoint))
		requests_give(requests, endpoint->segment, request,
			      request->last);
	else
		requests_resume(requests, endpoint);
}

static void consume_answer(struct requests *requests,
			   struct thread_endpoint *endpoint,
			   struct connection_state *state, uint64_t time_ns)
{
	struct request *request = state->request;

	request->is_answered = true;
	request->arrived_ns = state->ready_ns;
	requests_take_answer(requests, endpoint, request, time_ns);
	connection_forget_request(state);
}

static void requests_far_taken(struct requests *requests,
			       struct thread_endpoint *endpoint,
			       struct connection_state *state, uint64_t time_ns)
{
	bool is_server = state->connection.is_server;

	if (is_server && asked(state))
		consume_more(requests, endpoint, state);
	else if (is_server)
		consume_first(requests, endpoint, state, time_ns);
	else if (asked(state))
		consume_answer(requests, endpoint, state, time_ns);
	else
		requests_resume(requests, endpoint);
}

/* Returns the socket at the other end of @socket, 0 if unknown. */
static uint64_t peer_of(const struct requests *requests, uint64_t socket)
{
	uint64_t peer = channels_peer(requests->channels, socket);

	return peer ? peer : connections_peer(requests->connections, socket);
}

/* Returns the unanswered request that @endpoint took last, borrowed, or NULL;
 * sets *@count to the number of its unanswered requests.
 */
static struct request *newest_taken(const struct thread_endpoint *endpoint,
				    size_t *count)
{
	struct request *newest = NULL;

	*count = 0;
	for (size_t i = 0; i < endpoint->taken.count; i++) {
		struct request *request = request_in(&endpoint->taken, i);

		if (!request_is_open(request))
			continue;
		newest = request;
		++*count;
	}
	return newest;
}

/* Sets the parent of @message, a request. A thread that has several requests at
 * a time, as an event loop, sends @message for one of them. On a new
 * connection, that is the last request read before the connect; on another
 * connection, the request read since the thread last waited or sent. This is
 * inferred, since the trace has no event for it.
 */
static void give_parent(struct requests *requests, struct message *message)
{
	struct request *parent =
		channels_take_opener(requests->channels, message->from);
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, message->sender);
	struct work_segment *segment = message->segment;
	size_t count;
	struct request *newest = newest_taken(sender, &count);

	message->is_opening = parent;
	if (!parent && newest && newest->taken_ns >= segment->begin->time_ns)
		parent = request_refer(newest);
	message->is_inferred |= count > 1;
	if (parent && request_is_open(parent) && segment->request != parent) {
		requests_give(requests, segment, parent, parent->last);
		if (sender->segment->parent == segment)
			requests_give(requests, sender->segment, parent,
				      segment);
	}
	request_drop(parent);
}

/* Queues @message at @socket, whose reader is known. Decides whether the
 * message is an answer.
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

/* Delivers a message from the socket's backlog. Data that arrives while
 * @endpoint has its socket locked, in a send of its own, is delivered when
 * @endpoint unlocks the socket. The sender of the data is the user of the
 * socket at the other end, if that is sending now.
 *
 * Returns whether there was such data.
 */
static bool consume_backlog(struct requests *requests,
			    const struct thread_endpoint *endpoint,
			    uint64_t socket, uint64_t time_ns)
{
	const struct task *owner = channels_user(requests->channels, socket);
	const struct task *user = channels_user(
		requests->channels, channels_peer(requests->channels, socket));
	struct thread_endpoint *sender =
		requests_known_endpoint(requests, user);
	struct message *message;

	if (owner != endpoint->task || user == owner || !sender ||
	    !sender->is_sending || sender->message ||
	    !requests_has_events(requests, sender))
		return false;
	message = requests_deliver(requests, sender, time_ns);
	if (message)
		queue(requests, message, socket);
	return true;
}

static void consume_ready(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  const struct event_record *event)
{
	struct message *message = endpoint->message;

	if (requests->options.has_socket_events &&
	    consume_backlog(requests, endpoint,
			    (uint64_t)event->values[SOCKET_ADDRESS],
			    event->time_ns))
		return;
	if (!endpoint->is_sending || !requests_has_events(requests, endpoint) ||
	    connections_far(requests->connections,
			    (uint64_t)event->values[SOCKET_ADDRESS]))
		return;
	if (!message)
		message = requests_deliver(requests, endpoint, event->time_ns);
	if (message && !message->to && message->kind == MESSAGE_SEND)
		queue(requests, message,
		      (uint64_t)event->values[SOCKET_ADDRESS]);
}

/* Creates the message that @endpoint sends on @socket, and queues it at the
 * socket at the other end, since the network will deliver it later. Returns the
 * message, borrowed; NULL if the other end is unknown or memory runs out.
 */
static struct message *send_later(struct requests *requests,
				  struct thread_endpoint *endpoint,
				  uint64_t socket, uint64_t time_ns)
{
	uint64_t peer = peer_of(requests, socket);
	struct message *message =
		peer ? requests_deliver(requests, endpoint, time_ns) : NULL;

	if (message) {
		message->from = socket;
		queue(requests, message, peer);
	}
	return message;
}

/* Removes the message of @endpoint. A socket became ready while @endpoint sent
 * to another machine, but because of a packet that the network delivered
 * meanwhile.
 */
static void forget_message(struct requests *requests,
			   struct thread_endpoint *endpoint)
{
	if (!endpoint->message)
		return;
	channels_forget(requests->channels, endpoint->message->to,
			endpoint->message);
	message_drop(endpoint->message);
	endpoint->message = NULL;
}

static void consume_sent(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	struct connection_state *far =
		connections_far(requests->connections, socket);
	struct message *message = endpoint->message;

	if (event->values[SOCKET_BYTES] <= 0 ||
	    !requests_has_events(requests, endpoint))
		return;
	if (far) {
		forget_message(requests, endpoint);
		requests_far_sent(requests, endpoint, far, event->time_ns);
		return;
	}
	requests_check(requests, channels_use(requests->channels, socket,
					      endpoint->task));
	if (!message)
		message =
			send_later(requests, endpoint, socket, event->time_ns);
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
static struct thread_endpoint *find_sender(const struct requests *requests,
					   const struct thread_endpoint *reader,
					   uint64_t socket)
{
	const struct task *user =
		channels_user(requests->channels, peer_of(requests, socket));
	struct thread_endpoint *found = NULL;
	struct thread_endpoint *sender;
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
				 const struct thread_endpoint *reader,
				 uint64_t socket, uint64_t *left,
				 uint64_t time_ns)
{
	struct message *message =
		channels_read(requests->channels, socket, left);
	struct thread_endpoint *sender;

	if (message || !*left || !requests->options.has_socket_events)
		return message;
	sender = find_sender(requests, reader, socket);
	if (!sender)
		return NULL;
	message = requests_deliver(requests, sender, time_ns);
	if (message)
		queue(requests, message, socket);
	return channels_read(requests->channels, socket, left);
}

static void consume_read(struct requests *requests,
			 struct thread_endpoint *endpoint,
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
						      socket, endpoint->task));
	while (!far && (message = read_next(requests, endpoint, socket, &left,
					    event->time_ns))) {
		requests_take(requests, endpoint, message, event->time_ns);
		message_drop(message);
		has_any = true;
	}
	if (!has_any && far && bytes > 0)
		requests_far_taken(requests, endpoint, far, event->time_ns);
	else if (!has_any)
		requests_resume(requests, endpoint);
}

/* Counts the bytes that any thread sends or reads, which are the position of
 * the next send or read.
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

static void report_endpoint(struct requests *requests,
			    const struct event_record *event)
{
	struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);

	if (!endpoint)
		return;
	if (event->event == EVENT_SOCKET_TAKEN)
		consume_read(requests, endpoint, event);
	else if (event->event == EVENT_SOCKET_SENT)
		consume_sent(requests, endpoint, event);
	else if (requests_is_sending(requests, endpoint))
		consume_ready(requests, endpoint, event);
}

void requests_socket_opens(struct requests *requests,
			   const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	const struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);
	size_t count;
	struct request *request = endpoint ? newest_taken(endpoint, &count) :
					     NULL;

	if (endpoint && !request)
		request = endpoint->segment->request;
	channels_reset(requests->channels, socket);
	if (request && request_is_open(request))
		requests_check(requests, channels_open_for(requests->channels,
							   socket, request));
}

void requests_socket_event(struct requests *requests,
			   const struct event_record *event)
{
	report_endpoint(requests, event);
	count_bytes(requests, event);
}
