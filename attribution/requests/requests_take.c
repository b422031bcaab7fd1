/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_take.h"

#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_items.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "common/error.h"
#include "report/steps/call_step.h"

/* Removes unheard messages of @party from before @time_ns: they were answered
 * or lost.
 */
static void forget_unheard(struct party *party, uint64_t time_ns)
{
	for (size_t i = party->unheard.count; i-- > 0;) {
		const struct message *message = message_in(&party->unheard, i);

		if (message->sent->time_ns < time_ns && !message->hold->request)
			message_drop(message_list_take(&party->unheard, i));
	}
}

/* Marks requests of @party from before @request, by the same socket if known:
 * they may never be answered.
 */
static void pass_asked(struct party *party, const struct request *request)
{
	struct request *const *asked = party->asked.items;

	for (size_t i = 0; i < party->asked.count; i++)
		if (asked[i]->sent->time_ns < request->sent->time_ns &&
		    request_shares_way(asked[i], request))
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
	pass_asked(party, request);
	if (!parent || parent->is_answered || !party_is_free(party)) {
		requests_resume(requests, party);
		return;
	}
	requests_give(requests, party->hold, parent, parent->last);
	/* It continues the work that the request was part of. */
	party->hold->is_start = false;
}

/* @sender passes the found message that it works for on to @party. */
static void take_found(struct requests *requests, struct party *party,
		       struct party *sender, const struct message *message)
{
	requests_give(requests, party->hold, NULL, message->hold);
	party->hold->is_start = false;
	party->found_ns = sender->found_ns;
	party->found_by = sender->found_by;
	sender->found_ns = 0;
}

/* Within a process, a message passes on the request that its sender works for.
 */
static void take_work(struct requests *requests, struct party *party,
		      const struct message *message)
{
	struct request *request = message->hold->request;
	struct party *sender = requests_known_party(requests, message->sender);

	if (!request && sender->found_ns && party_is_free(party)) {
		take_found(requests, party, sender, message);
		return;
	}
	if (!request || request->is_answered || !party_is_free(party)) {
		requests_resume(requests, party);
		return;
	}
	party->found_ns = 0;
	request->is_inferred |= message->medium != MEDIUM_PIPE;
	requests_give(requests, party->hold, request,
		      requests_give_carrier(requests, message, request,
					    message->hold));
	requests_check(requests, request_list_add(&party->taken, request));
}

void requests_serve(struct requests *requests, struct party *party,
		    struct request *request, uint64_t time_ns)
{
	request->taken_ns = time_ns;
	request->server = party->task;
	party->found_ns = 0;
	if (party_is_free(party))
		requests_give(requests, party->hold, request, request->last);
	requests_check(requests, request_list_add(&party->taken, request));
}

static void take_request(struct requests *requests, struct party *party,
			 struct message *message, uint64_t time_ns)
{
	struct request *request = requests_ask(requests, message);

	if (request)
		requests_serve(requests, party, request, time_ns);
}

/* Returns whether the sender of @message works for what @party did before it
 * waited, as a command whose output a server reads.
 */
static bool is_of_same_work(const struct party *party,
			    const struct message *message)
{
	const struct request *request = message->hold->request;

	return request && party->before && party->before->request == request;
}

void requests_take(struct requests *requests, struct party *party,
		   struct message *message, uint64_t time_ns)
{
	struct request *answered;

	if (message->is_taken) {
		requests_resume(requests, party);
		return;
	}
	message->is_taken = true;
	message->receiver = party->task;
	requests_item_read(requests, message);
	party->round[party->round_count++ % ROUND] = message->sender;
	answered = requests_find_answered(requests, message, party);
	if (answered && !message->answers)
		requests_answer(requests, answered, message);
	if (answered)
		requests_take_answer(requests, party, answered, time_ns);
	else if (requests_is_server(requests, message->sender, party->task,
				    (enum message_medium)message->medium))
		requests_resume(requests, party);
	else if (message->sender->pid == party->task->pid ||
		 is_of_same_work(party, message))
		take_work(requests, party, message);
	else
		take_request(requests, party, message, time_ns);
}
