/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_guess_answer.h"

#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_state.h"
#include "report/steps/task_stacks.h"

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

/* The same, or else what it sent for what is not known. */
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

/* The same of any thread of its server. */
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

/* Returns what may answer one that @receiver sent, of those that were passed or
 * of the others, borrowed, or NULL.
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
