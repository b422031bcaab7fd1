/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_unheard.h"

#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "report/steps/call_step.h"

void requests_note_find(struct requests *requests, int32_t pid,
			uint64_t time_ns)
{
	requests->finds[requests->find_count++ % FINDS] =
		(struct find){ pid, time_ns };
}

uint32_t requests_finds_of(const struct requests *requests, int32_t pid,
			   uint64_t since_ns, uint64_t until_ns)
{
	uint32_t count = 0;

	for (size_t i = 0; i < FINDS; i++)
		count += requests->finds[i].pid == pid &&
			 requests->finds[i].time_ns >= since_ns &&
			 requests->finds[i].time_ns < until_ns;
	return count;
}

struct message *requests_unheard_of(const struct party *sender,
				    enum message_medium medium,
				    uint64_t since_ns,
				    const struct task *client, bool is_bold)
{
	struct message *message;

	for (size_t i = 0; (message = party_next_unheard(sender, &i, medium));
	     i++)
		if (message->sent->time_ns >= since_ns &&
		    (!client || message_may_be_for(message, client, is_bold)))
			return message;
	return NULL;
}

struct message *requests_sent_for(const struct party *server,
				  const struct request *request)
{
	enum message_medium medium = (enum message_medium)request->medium;
	struct message *message;

	for (size_t i = 0; (message = party_next_unheard(server, &i, medium));
	     i++)
		if (message->hold->request == request)
			return message;
	return NULL;
}

/* Like requests_sent_for(), or else a message that @server sent for an unknown
 * request.
 */
static struct message *answer_of(const struct party *server,
				 const struct request *request, bool is_bold)
{
	struct message *message = requests_sent_for(server, request);

	return message ?
		       message :
		       requests_unheard_of(server,
					   (enum message_medium)request->medium,
					   request->sent->time_ns,
					   request->client, is_bold);
}

/* Like answer_of(), for any thread of the server of @request. */
static struct message *find_answer_to(const struct requests *requests,
				      const struct request *request,
				      bool is_bold)
{
	struct message *found = NULL;
	const struct party *server;
	size_t next = 0;

	while ((server = requests_next_party(requests, &next))) {
		struct message *message =
			server->unheard.count && server->task->pid ==
							 request->server->pid ?
				answer_of(server, request, is_bold) :
				NULL;

		if (message && message->hold->request == request)
			return message;
		if (!found)
			found = message;
	}
	return found;
}

/* Returns a message that may answer one that @receiver sent, among the passed
 * ones or the others, borrowed, or NULL.
 */
static struct message *find_answer_of(const struct requests *requests,
				      const struct party *receiver,
				      enum message_medium medium,
				      bool is_passed, bool is_bold)
{
	struct message *message = NULL;

	for (size_t i = 0; i < receiver->asked.count && !message; i++) {
		const struct request *request = request_in(&receiver->asked, i);

		if (request_is_open(request) &&
		    request->is_passed == is_passed && request->server &&
		    request->medium == medium)
			message = find_answer_to(requests, request, is_bold);
	}
	return message;
}

struct message *requests_guess_answer(const struct requests *requests,
				      const struct party *receiver,
				      enum message_medium medium, bool is_bold)
{
	struct message *message =
		find_answer_of(requests, receiver, medium, false, is_bold);

	return message ? message :
			 find_answer_of(requests, receiver, medium, true,
					is_bold);
}

/* Returns whether a thread of @pid may have found both messages of one sender
 * until @until_ns, so that it answers the second.
 */
static bool has_found_both(const struct requests *requests, int32_t pid,
			   const struct message *first,
			   const struct message *second, uint64_t until_ns)
{
	return requests_finds_of(requests, pid, first->sent->time_ns,
				 second->sent->time_ns) ||
	       (first->wakes != second->wakes &&
		requests_finds_of(requests, pid, first->sent->time_ns,
				  until_ns + 1) > 1);
}

/* Returns the message of @receiver by @medium that a thread of @pid found by
 * @until_ns and that woke nobody; the caller owns the reference. A message
 * found before the next one was sent was another.
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

/* Returns whether the request that the sender of @message works for is
 * uncertain: the sender found a message, or was woken by one of several.
 */
static bool is_uncertain(const struct requests *requests,
			 const struct message *message)
{
	const struct request *request = message->hold->request;

	if (request)
		return request->is_polled || request->is_inferred;
	return requests_finds_of(requests, message->sender->pid, 0,
				 message->sent->time_ns);
}

struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver,
				      enum message_medium medium,
				      uint64_t until_ns)
{
	struct message *message = find_found(requests, answer->sender->pid,
					     receiver, medium, until_ns);
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

/* The message that @sender found, or is assumed to work for, used another
 * medium than its answer.
 */
static struct request *ask_by_other_way(struct requests *requests,
					const struct message *answer,
					struct party *receiver,
					const struct party *sender)
{
	const struct request *request = answer->hold->request;
	enum message_medium medium;

	if (!sender->found_ns && !(request && request->is_inferred))
		return NULL;
	medium = sender->found_ns ? sender->found_by :
				    (enum message_medium)request->medium;
	return medium == answer->medium ?
		       NULL :
		       requests_ask_found_by(requests, answer, receiver, medium,
					     answer->sent->time_ns);
}

struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver)
{
	const struct party *sender =
		requests_known_party(requests, answer->sender);
	enum message_medium medium = (enum message_medium)answer->medium;
	uint64_t until_ns = sender->found_ns;
	struct request *request = NULL;

	if (requests_is_server(requests, receiver->task, answer->sender,
			       medium))
		return NULL;
	if (!until_ns && (is_uncertain(requests, answer) ||
			  requests_is_server(requests, answer->sender,
					     receiver->task, medium)))
		until_ns = answer->sent->time_ns;
	if (until_ns)
		request = requests_ask_found_by(requests, answer, receiver,
						medium, until_ns);
	return request ? request :
			 ask_by_other_way(requests, answer, receiver, sender);
}
