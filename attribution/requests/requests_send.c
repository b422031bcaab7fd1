/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_parts.h"
#include "common/error.h"
#include "report/steps/call_step.h"

#include <stdlib.h>

bool requests_has_events(const struct requests *requests,
			 const struct party *party)
{
	return requests->has_socket_events &&
	       message_medium_is_socket(party->send.function.medium);
}

void requests_send_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step)
{
	if (party->send.is_open)
		return;
	message_drop(party->message);
	clock_mark_drop(party->send_begin);
	party->message = NULL;
	party->is_heard = false;
	party->is_listed = false;
	clock_mark_drop(party->transmitted);
	party->transmitted = NULL;
	party->send = (struct message_call){ true, function, step->function,
					     step->depth };
	party->send_begin = thread_clock_mark(&party->clock, step->time_ns);
	if (!party->send_begin)
		requests->status = -ERROR_MEMORY;
}

struct message *requests_hand_over(struct requests *requests,
				   struct party *party, struct clock_mark *mark)
{
	struct message *message = calloc(1, sizeof(*message));
	struct hold *hold = NULL;

	if (message && party->send_begin)
		hold = requests_cut_at(requests, party, mark);
	else
		clock_mark_drop(mark);
	if (!hold) {
		requests->status = -ERROR_MEMORY;
		free(message);
		return NULL;
	}
	requests_give(requests, party->hold, hold->request, hold);
	*message = (struct message){
		.sender = party->task,
		.hold = hold,
		.begin = clock_mark_refer(party->send_begin),
		.sent = clock_mark_refer(hold->end),
		.function = party->send.number,
		.wakes = party->wakes,
		.kind = party->send.function.kind,
		.medium = party->send.function.medium,
		.is_inferred = !requests_has_events(requests, party) &&
			       party->send.function.medium >= MEDIUM_TCP,
		.references = 1,
	};
	message_drop(party->message);
	party->message = message;
	return message;
}

static struct message *hand_over(struct requests *requests, struct party *party,
				 uint64_t time_ns)
{
	return requests_hand_over(requests, party,
				  thread_clock_mark(&party->clock, time_ns));
}

/* Where @message goes is known: so is whether it is an answer. */
static void queue(struct requests *requests, struct message *message,
		  uint64_t socket)
{
	struct request *asked = channels_asked(requests->channels, socket);

	message->to = socket;
	if (!message->from)
		message->from = channels_peer(requests->channels, socket);
	if (channels_queue(requests->channels, socket, message) < 0)
		requests->status = -ERROR_MEMORY;
	if (asked)
		requests_answer(requests, asked, message);
}

/* What comes while @party has its socket locked, in a send of its own, is
 * delivered there when it lets go: it is of whom the other end is, who sends just
 * now.  Returns whether it was that.
 */
static bool take_backlog(struct requests *requests, const struct party *party,
			 uint64_t socket, uint64_t time_ns)
{
	const struct task *owner = channels_user(requests->channels, socket);
	const struct task *user = channels_user(
		requests->channels, channels_peer(requests->channels, socket));
	struct party *sender = user ? requests_party_at(requests, user->index) :
				      NULL;
	struct message *message;

	if (owner != party->task || user == owner || !sender ||
	    !sender->send.is_open || sender->message ||
	    !requests_has_events(requests, sender))
		return false;
	message = hand_over(requests, sender, time_ns);
	if (message)
		queue(requests, message, socket);
	return true;
}

void requests_socket_ready(struct requests *requests, struct party *party,
			   const struct event_record *event)
{
	struct message *message = party->message;

	if (requests->has_socket_events &&
	    take_backlog(requests, party,
			 (uint64_t)event->values[SOCKET_ADDRESS],
			 event->time_ns))
		return;
	if (!party->send.is_open || !requests_has_events(requests, party) ||
	    connections_far(requests->connections,
			    (uint64_t)event->values[SOCKET_ADDRESS]))
		return;
	if (!message)
		message = hand_over(requests, party, event->time_ns);
	if (message && !message->to && message->kind == MESSAGE_SEND)
		queue(requests, message,
		      (uint64_t)event->values[SOCKET_ADDRESS]);
}

/* What the network delivers later goes where the connection ends. */
static struct message *send_later(struct requests *requests,
				  struct party *party, uint64_t socket,
				  uint64_t time_ns)
{
	uint64_t peer = channels_peer(requests->channels, socket);
	struct message *message = peer ? hand_over(requests, party, time_ns) :
					 NULL;

	if (message) {
		message->from = socket;
		queue(requests, message, peer);
	}
	return message;
}

/* A socket became ready while @party sent to another machine: by what the
 * network brought just then.
 */
static void forget_message(struct requests *requests, struct party *party)
{
	if (!party->message)
		return;
	channels_forget(requests->channels, party->message->to, party->message);
	message_drop(party->message);
	party->message = NULL;
}

void requests_socket_sent(struct requests *requests, struct party *party,
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
	if (channels_use(requests->channels, socket, party->task) < 0)
		requests->status = -ERROR_MEMORY;
	if (!message)
		message = send_later(requests, party, socket, event->time_ns);
	if (!message)
		return;
	message->bytes = (uint64_t)event->values[SOCKET_BYTES];
	message->from = socket;
	if (message->to &&
	    channels_pair(requests->channels, socket, message->to) < 0)
		requests->status = -ERROR_MEMORY;
	if (message->asks && !message->asks->socket) {
		message->asks->socket = socket;
		requests_name(requests, message->asks);
		if (channels_ask(requests->channels, socket, message->asks) < 0)
			requests->status = -ERROR_MEMORY;
	}
}

void requests_send_end(struct requests *requests, struct party *party,
		       uint64_t time_ns)
{
	party->send.is_open = false;
	if (requests_has_events(requests, party) || party->is_heard ||
	    party->send.function.kind != MESSAGE_SEND || !requests->has_wakes)
		return;
	if (party->message || hand_over(requests, party, time_ns))
		requests_list_unheard(requests, party);
}

void requests_send_lost(struct requests *requests, struct party *party,
			uint64_t time_ns)
{
	/* Of others nothing tells better. */
	if (message_medium_is_socket(party->send.function.medium) &&
	    (requests->has_socket_events || requests->has_packets))
		party->send.depth = DEPTH_LOST;
	else
		requests_send_end(requests, party, time_ns);
}

bool requests_send_resumes(struct requests *requests, struct party *party,
			   const struct call_step *step)
{
	if (!party->send.is_open || party->send.depth != DEPTH_LOST)
		return false;
	if (step->unseen & UNSEEN_BEGIN &&
	    step->function == party->send.number) {
		party->send.depth = step->depth;
		return true;
	}
	requests_send_end(requests, party, step->time_ns);
	return false;
}

void requests_list_unheard(struct requests *requests, struct party *party)
{
	if (party->is_listed)
		return;
	party->is_listed = true;
	requests_list_message(requests, &party->unheard, party->message);
}

/* It is not known when it was there; at the latest when somebody reads it. */
bool requests_hand_over_open(struct requests *requests,
			     const struct party *reader,
			     enum message_medium medium, uint64_t time_ns)
{
	bool has_any = false;

	for (size_t i = 0; i < requests->parties.count; i++) {
		struct party *party = requests_party_at(requests, i);

		if (!party || party == reader || !party->send.is_open ||
		    party->message || party->send.function.medium != medium ||
		    party->send.function.kind != MESSAGE_SEND ||
		    !hand_over(requests, party, time_ns))
			continue;
		requests_list_unheard(requests, party);
		has_any = true;
	}
	return has_any;
}
