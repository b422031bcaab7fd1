/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_found.h"

#include "attribution/requests/requests_answer.h"
#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"

/* Messages that nobody was woken by, and threads that found one: which one it was
 * tells what they send next.
 */

/* Returns whether a thread of @pid may have found both messages of one sender
 * until @until_ns, so that it answers the second.
 */
static bool has_found_both(const struct requests *requests, int32_t pid,
			   const struct message *first,
			   const struct message *second, uint64_t until_ns)
{
	return finds_count(&requests->finds, pid, first->sent->time_ns,
			   second->sent->time_ns) ||
	       (first->wakes != second->wakes &&
		finds_count(&requests->finds, pid, first->sent->time_ns,
			    until_ns + 1) > 1);
}

/* Returns the message of @receiver by @medium that a thread of @pid found by
 * @until_ns, if nobody was woken by it; its reference is the caller's.  What was
 * found before the next was sent was another.
 */
static struct message *find_found(const struct requests *requests, int32_t pid,
				  struct party *receiver,
				  enum message_medium medium, uint64_t until_ns)
{
	struct message *found = NULL;
	struct message *next;
	size_t at = 0;

	message_list_forget_taken(&receiver->unheard);
	while ((next = party_next_unheard(receiver, &at, medium))) {
		uint64_t next_ns = next->sent->time_ns;

		if (next_ns > until_ns ||
		    (found &&
		     !has_found_both(requests, pid, found, next, until_ns)))
			break;
		message_drop(found);
		found = message_list_take(&receiver->unheard, at);
	}
	return found;
}

/* Returns whether it is not known for whom @message's sender works: it found
 * something, or was woken by one of several.
 */
static bool is_uncertain(const struct requests *requests,
			 const struct message *message)
{
	const struct request *request = message->hold->request;

	if (request)
		return request->is_polled || request->is_inferred;
	return finds_count(&requests->finds, message->sender->pid, 0,
			   message->sent->time_ns);
}

struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver, uint64_t until_ns)
{
	struct message *message =
		find_found(requests, answer->sender->pid, receiver,
			   (enum message_medium)answer->medium, until_ns);
	struct request *request;

	if (!message)
		return NULL;
	message->is_taken = true;
	message->is_inferred = true;
	request = requests_ask(requests, message);
	if (request)
		request->server = answer->sender;
	message_drop(message);
	return request;
}

struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver)
{
	const struct party *sender =
		requests_known_party(requests, answer->sender);
	enum message_medium medium = (enum message_medium)answer->medium;
	uint64_t until_ns = sender->found_ns;

	if (requests_is_server(requests, receiver->task, answer->sender,
			       medium))
		return NULL;
	if (!until_ns && (is_uncertain(requests, answer) ||
			  requests_is_server(requests, answer->sender,
					     receiver->task, medium)))
		until_ns = answer->sent->time_ns;
	return until_ns ? requests_ask_found_by(requests, answer, receiver,
						until_ns) :
			  NULL;
}
