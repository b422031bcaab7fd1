/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_far.h"

#include "attribution/requests/connections.h"
#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_take.h"
#include "common/error.h"

#include <stdlib.h>

/* A connection to another machine has one request at a time: from the first
 * bytes that its client sends to the first that return. Anything else sent
 * until then is part of it.
 */

/* Creates a request from data that @party sends or receives. The client sent it
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
		.holds = ARRAY_OF(struct hold *),
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

/* Creates a message from the last send of @party, sent when its first packet
 * left, if that is known. Its segment may have started later, due to a message
 * that the network delivered during the send.
 */
static struct message *hand_over_first(struct requests *requests,
				       struct party *party, uint64_t time_ns)
{
	struct clock_mark *mark = party->transmitted;
	bool is_cut = mark && mark->time_ns >= party->hold->begin->time_ns;
	struct message *message = requests_hand_over_at(
		requests, party,
		is_cut ? clock_mark_refer(mark) :
			 thread_clock_mark(&party->clock, time_ns));

	if (!message || !mark || is_cut)
		return message;
	clock_mark_drop(message->sent);
	message->sent = clock_mark_refer(mark);
	return message;
}

/* Creates a request from a send of @party, for the request that @party works
 * for.
 */
static void ask(struct requests *requests, struct party *party,
		struct connection_state *state, uint64_t time_ns)
{
	struct message *message = hand_over_first(requests, party, time_ns);
	struct request *parent = message ? message->hold->request : NULL;
	struct request *request =
		message ? open_request(requests, state,
				       clock_mark_refer(message->begin),
				       clock_mark_refer(message->sent)) :
			  NULL;

	if (!request)
		return;
	request->client = party->task;
	request->origin = hold_refer(message->hold);
	request->found_ns = party->found_ns;
	if (parent && !parent->is_answered)
		request_set_parent(request, parent);
}

static void answer(struct requests *requests, struct party *party,
		   struct connection_state *state, uint64_t time_ns)
{
	struct message *message = hand_over_first(requests, party, time_ns);

	if (!message)
		return;
	requests_answer(requests, state->request, message);
	connection_forget_request(state);
}

void requests_far_sent(struct requests *requests, struct party *party,
		       struct connection_state *state, uint64_t time_ns)
{
	bool is_server = state->connection.is_server;

	if (is_server && asked(state))
		answer(requests, party, state, time_ns);
	else if (!is_server && !asked(state))
		ask(requests, party, state, time_ns);
}

/* Returns a mark for another machine, without parts of time; NULL when out of
 * memory.
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

/* The request arrived with its first bytes; if that was before the recording,
 * it is taken to have arrived when @party started to read.
 */
static void take_first(struct requests *requests, struct party *party,
		       struct connection_state *state, uint64_t time_ns)
{
	struct clock_mark *begin = mark_at(state->ready_ns ?
						   state->ready_ns :
						   party->hold->begin->time_ns);
	struct request *request = open_request(
		requests, state, begin, begin ? clock_mark_refer(begin) : NULL);

	if (request)
		requests_serve(requests, party, request, time_ns);
}

/* More of the request is read, perhaps by another thread. */
static void take_more(struct requests *requests, struct party *party,
		      struct connection_state *state)
{
	struct request *request = state->request;

	if (party_is_free(party))
		requests_give(requests, party->hold, request, request->last);
	else
		requests_resume(requests, party);
}

static void take_answer(struct requests *requests, struct party *party,
			struct connection_state *state, uint64_t time_ns)
{
	struct request *request = state->request;

	request->is_answered = true;
	request->arrived_ns = state->ready_ns;
	requests_take_answer(requests, party, request, time_ns);
	connection_forget_request(state);
}

void requests_far_taken(struct requests *requests, struct party *party,
			struct connection_state *state, uint64_t time_ns)
{
	bool is_server = state->connection.is_server;

	if (is_server && asked(state))
		take_more(requests, party, state);
	else if (is_server)
		take_first(requests, party, state, time_ns);
	else if (asked(state))
		take_answer(requests, party, state, time_ns);
	else
		requests_resume(requests, party);
}
