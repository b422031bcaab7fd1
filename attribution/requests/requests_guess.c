/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_guess.h"

#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_items.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "attribution/requests/requests_unheard.h"
#include "report/steps/call_step.h"

/* Messages that woke nobody, and threads that found one: infers which thread
 * found which message from their next actions.
 */

static bool is_in_round(const struct party *reader, const struct task *sender)
{
	for (uint32_t i = 0; i < reader->round_count && i < ROUND; i++)
		if (reader->round[i] == sender)
			return true;
	return false;
}

/* Returns whether the server of @request has sent a message that may be its
 * answer.
 */
static bool may_be_answered(const struct requests *requests,
			    const struct request *request)
{
	return requests_sent_for(
		requests_known_party(requests, request->server), request);
}

static bool waits_for(const struct requests *requests,
		      const struct party *client, int32_t pid)
{
	for (size_t i = 0; i < client->asked.count; i++) {
		const struct request *request = request_in(&client->asked, i);

		if (request_is_open(request) && request->server &&
		    request->server->pid == pid &&
		    !may_be_answered(requests, request))
			return true;
	}
	return false;
}

/* Returns how unlikely it is that @receiver reads a message of @sender. After a
 * check of several objects it reads each of them once; and most clients wait
 * for an answer before they send another request.
 */
static int oddity_of(const struct requests *requests,
		     const struct party *receiver, const struct party *sender)
{
	return 2 * is_in_round(receiver, sender->task) +
	       waits_for(requests, sender, receiver->task->pid);
}

/* Returns the oldest message that @sender sent by @medium and @pid has not
 * found, borrowed, or NULL. A message found before the next one was sent, while
 * its sender slept, was the first.
 */
static struct message *next_left(const struct requests *requests,
				 const struct party *sender,
				 enum message_medium medium, int32_t pid)
{
	size_t at = 0;
	struct message *message = party_next_unheard(sender, &at, medium);
	struct message *next;

	while (message && ++at &&
	       (next = party_next_unheard(sender, &at, medium)) &&
	       requests_finds_of(requests, pid, message->sent->time_ns,
				 next->sent->time_ns) &&
	       message->wakes != next->wakes)
		message = next;
	return message;
}

/* Returns whether a thread not known to be a client of @receiver has sent a
 * message by @medium, which @receiver, having checked several objects, may read
 * in place of a second message of one sender.
 */
static bool has_stranger(const struct requests *requests,
			 const struct party *receiver,
			 enum message_medium medium)
{
	const struct task *task = receiver->task;
	const struct party *sender;
	size_t next = 0;

	while ((sender = requests_next_party(requests, &next))) {
		size_t at = 0;
		const struct message *message =
			sender->task->pid == task->pid ||
					is_in_round(receiver, sender->task) ||
					requests_is_server(requests,
							   sender->task, task,
							   medium) ?
				NULL :
				party_next_unheard(sender, &at, medium);

		if (message &&
		    (!message->reader || message->reader == task->pid))
			return true;
	}
	return false;
}

/* Returns a message that a known client of @receiver sent: the likeliest, of
 * these the oldest; or NULL.
 */
static struct message *find_request(const struct requests *requests,
				    const struct party *receiver,
				    enum message_medium medium)
{
	struct message *found = NULL;
	const struct party *sender;
	size_t next = 0;
	int least = 0;

	while ((sender = requests_next_party(requests, &next))) {
		struct message *message =
			sender->unheard.count &&
					requests_is_server(requests,
							   receiver->task,
							   sender->task,
							   medium) ?
				next_left(requests, sender, medium,
					  receiver->task->pid) :
				NULL;
		int oddity = message ? oddity_of(requests, receiver, sender) :
				       0;

		if (!message || (found && oddity > least))
			continue;
		if (!found || oddity < least ||
		    message_is_older(message, found))
			found = message;
		least = oddity;
	}
	return found && receiver->polls &&
			       is_in_round(receiver, found->sender) &&
			       has_stranger(requests, receiver, medium) ?
		       NULL :
		       found;
}

/* Returns a message of @sender that may be the answer to @asked, if a thread of
 * its process found @asked meanwhile; borrowed, or NULL.
 */
static struct message *reply_of(const struct requests *requests,
				const struct party *sender,
				const struct message *asked)
{
	enum message_medium medium = (enum message_medium)asked->medium;
	struct message *message;

	if (sender->task->pid == asked->sender->pid ||
	    requests_is_server(requests, asked->sender, sender->task, medium))
		return NULL;
	message = requests_unheard_of(sender, medium, asked->sent->time_ns,
				      asked->sender, false);
	return message && requests_finds_of(requests, sender->task->pid,
					    asked->sent->time_ns,
					    message->sent->time_ns) ?
		       message :
		       NULL;
}

/* Handles the case that neither the request of @receiver nor the answer woke a
 * thread.
 */
static struct message *find_exchange(struct requests *requests,
				     struct party *receiver,
				     enum message_medium medium)
{
	const struct message *asked =
		requests_unheard_of(receiver, medium, 0, NULL, false);
	struct message *answer = NULL;
	const struct party *sender;
	struct request *request;
	size_t next = 0;

	while (asked && (sender = requests_next_party(requests, &next))) {
		struct message *message =
			sender->unheard.count ?
				reply_of(requests, sender, asked) :
				NULL;

		if (message && message_is_older(message, answer))
			answer = message;
	}
	request = answer ?
			  requests_ask_found_by(requests, answer, receiver,
						medium, answer->sent->time_ns) :
			  NULL;
	if (!request)
		return NULL;
	requests_answer(requests, request, answer);
	return answer;
}

struct message *requests_find_unheard(struct requests *requests,
				      struct party *receiver,
				      enum message_medium medium,
				      bool is_polled)
{
	struct message *answer =
		requests_guess_answer(requests, receiver, medium, false);
	struct message *message =
		requests_item_unheard(requests, receiver, medium);

	/* A thread that waits for one object only waits for its answer. */
	if (!message || (answer && !is_polled && !answer->reader))
		message = answer;
	if (!message && is_polled)
		message = find_request(requests, receiver, medium);
	if (!message)
		message = find_exchange(requests, receiver, medium);
	if (!message && !is_polled)
		message = find_request(requests, receiver, medium);
	if (!message)
		message =
			requests_guess_answer(requests, receiver, medium, true);
	return message ? message_refer(message) : NULL;
}

/* Returns the request that another thread passed to the sender of @message and
 * that it works for, or NULL.
 */
static struct request *handed_of(const struct message *message)
{
	struct request *request = message->hold->request;
	struct hold *const *holds = request ? request->holds.items : NULL;

	if (!request || !request_is_open(request))
		return NULL;
	for (size_t i = 0; i < request->holds.count; i++)
		if (holds[i]->task != message->sender &&
		    holds[i]->task->pid == message->sender->pid)
			return request;
	return NULL;
}

void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer)
{
	struct request *request = handed_of(answer);
	const struct party *party;
	size_t next = 0;

	while (request && (party = requests_next_party(requests, &next))) {
		struct request *other;
		size_t at = 0;

		if (party->task == answer->sender ||
		    party->task->pid != answer->sender->pid ||
		    !party_next_unheard(party, &at, answer->medium))
			continue;
		other = handed_of(message_in(&party->unheard, at));
		if (other && other != request)
			other->is_swapped = request->is_swapped = true;
	}
}
