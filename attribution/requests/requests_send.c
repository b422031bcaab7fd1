/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_send.h"

#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "report/steps/call_step.h"

#include <stdlib.h>

bool requests_has_events(const struct requests *requests,
			 const struct party *party)
{
	return requests->options.has_socket_events &&
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

struct message *requests_hand_over_at(struct requests *requests,
				      struct party *party,
				      struct clock_mark *mark)
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

struct message *requests_hand_over(struct requests *requests,
				   struct party *party, uint64_t time_ns)
{
	return requests_hand_over_at(requests, party,
				     thread_clock_mark(&party->clock, time_ns));
}

void requests_send_end(struct requests *requests, struct party *party,
		       uint64_t time_ns)
{
	party->send.is_open = false;
	if (requests_has_events(requests, party) || party->is_heard ||
	    party->send.function.kind != MESSAGE_SEND ||
	    !requests->options.has_wakes)
		return;
	if (party->message || requests_hand_over(requests, party, time_ns))
		requests_list_unheard(requests, party);
}

void requests_send_lost(struct requests *requests, struct party *party,
			uint64_t time_ns)
{
	/* For other media there is no better evidence. */
	if (message_medium_is_socket(party->send.function.medium) &&
	    (requests->options.has_socket_events ||
	     requests->options.has_packets))
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
	requests_check(requests,
		       message_list_add(&party->unheard, party->message,
					MESSAGES_LISTED));
}

struct party *requests_next_sender(const struct requests *requests,
				   const struct party *reader,
				   enum message_medium medium, size_t *index)
{
	struct party *party;

	while ((party = requests_next_party(requests, index)))
		if (party != reader && party->send.is_open && !party->message &&
		    party->send.function.medium == medium &&
		    party->send.function.kind == MESSAGE_SEND)
			return party;
	return NULL;
}

/* The time of arrival is unknown; at the latest it is when a thread reads it.
 */
bool requests_hand_over_open(struct requests *requests,
			     const struct party *reader,
			     enum message_medium medium, uint64_t time_ns)
{
	bool has_any = false;
	struct party *party;
	size_t next = 0;

	while ((party = requests_next_sender(requests, reader, medium,
					     &next))) {
		if (!requests_hand_over(requests, party, time_ns))
			continue;
		requests_list_unheard(requests, party);
		has_any = true;
	}
	return has_any;
}
