/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_answer_internal.h"

#include "attribution/requests/connections_internal.h"
#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/requests_ring_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "common/error.h"
#include "report/steps/call_step.h"

/* Requests and their answers: requests_ask() creates a request from a message
 * that was read, requests_find_answered() finds the request that a message
 * answers, requests_answer() records the answer, and requests_emit() emits what
 * is complete.
 *
 * A request that a message may answer is looked for in this order: the socket's
 * (exact); the request that the sender works for; a message of the receiver
 * that the sender found without having slept; the receiver's oldest open
 * request to the sender's process. If the sender did not work for the request
 * so far, the request is inferred, unless sockets prove it.
 *
 * With the answer the parents of other requests become known: attach() assigns
 * the server's work back to its last wait to the request, and adopt() makes the
 * requests that were sent during that work its children. A request is therefore
 * emitted only when its own parent can no longer change (is_ready()).
 */

/* Maximum number of requests of a thread that may turn out to be for a message
 * that it found: a thread that sends more works for itself.
 */
enum { MOST_FOR_FOUND = 16 };

bool requests_open(struct requests *requests, struct request *request)
{
	if (array_append(&requests->open, &request) < 0)
		return false;
	request->number = ++requests->numbers;
	return true;
}

void requests_name(const struct requests *requests, struct request *request)
{
	const struct connection_state *state =
		connections_find(requests->connections, request->socket);

	if (!state)
		return;
	request->has_connection = true;
	request->connection = state->connection;
}

/* Marks as passed the requests of @client that their server has left (is_left),
 * if @client was woken between sending them and sending @message: they may need
 * no answer.
 */
static void pass_left(const struct thread_endpoint *client,
		      const struct message *message)
{
	for (size_t i = 0; i < client->asked.count; i++) {
		struct request *request = request_in(&client->asked, i);

		request->is_passed |= request->is_left &&
				      request->wakes != message->wakes &&
				      (!request->socket || !message->from ||
				       request->socket == message->from);
	}
}

/* Like pass_left(), for the messages that @client (NULL: none) sent by @medium
 * until @until_ns and that woke no thread: their reader may have read them.
 */
static void pass_unheard(const struct thread_endpoint *client,
			 enum message_medium medium, uint64_t until_ns)
{
	struct message *message;

	for (size_t i = 0;
	     client && (message = endpoint_next_unheard(client, &i, medium));
	     i++)
		if (message->sent->time_ns <= until_ns)
			pass_left(client, message);
}

struct request *requests_ask(struct requests *requests, struct message *message)
{
	struct thread_endpoint *client = requests_endpoint(
		requests, message->sender, message->sent->time_ns);
	struct request *request = client ? request_new(message) : NULL;

	if (!request || !requests_open(requests, request)) {
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	request->source = message_refer(message);
	requests_name(requests, request);
	requests_give_carrier(requests, message, request, NULL);
	pass_left(client, message);
	if (++client->found_asks > MOST_FOR_FOUND)
		client->found_ns = 0;
	request->found_ns = client->found_ns;
	if (request->kind == MESSAGE_SEND)
		requests_check(requests,
			       request_list_add(&client->asked, request));
	if (request->socket)
		requests_check(requests,
			       channels_ask(requests->channels, request->socket,
					    request));
	return request;
}

/* Returns whether @endpoint has sent a message since @since_ns that is still
 * unread.
 */
static bool has_pending(const struct thread_endpoint *endpoint,
			uint64_t since_ns)
{
	for (size_t i = 0; i < endpoint->unheard.count; i++) {
		const struct message *message =
			message_in(&endpoint->unheard, i);

		if (!message->is_taken && message->sent->time_ns >= since_ns)
			return true;
	}
	return false;
}

/* Returns whether the request that the sender of @request works for may still
 * become known: the sender found a message and has not answered it, or its
 * answer is in flight.
 */
static bool may_be_child(const struct requests *requests,
			 const struct request *request)
{
	const struct thread_endpoint *client =
		requests_known_endpoint(requests, request->client);

	return client && !request->parent && request->found_ns &&
	       (client->found_ns == request->found_ns ||
		has_pending(client, request->found_ns));
}

/* Returns whether the sender of @request may turn out to have worked for
 * another request than its parent, which the answer to the parent will show.
 */
static bool may_have_another_parent(const struct request *request)
{
	const struct request *parent = request->parent;

	return parent && request_is_open(parent) &&
	       (parent->is_polled || parent->is_inferred);
}

/* Returns whether @request was not read (is_misread), or went through a pipe
 * and its server has never answered its client, except on sockets. Such a
 * reader, as a shell that reads a command's output, is no server.
 */
static bool is_one_way(const struct requests *requests,
		       const struct request *request)
{
	return request->is_misread ||
	       (request->medium == MEDIUM_PIPE &&
		request->kind == MESSAGE_SEND && !request->is_answered &&
		!roles_has_answered_without_socket(&requests->roles,
						   request->server->pid,
						   request->client->pid));
}

/* Returns whether @request can be emitted: it has ended, all of its times are
 * known, and its parent is final.
 */
static bool is_ready(const struct requests *requests,
		     const struct request *request)
{
	const struct request *parent = request->parent;

	return request->is_ended && request_is_settled(request) &&
	       (requests->is_over || (!may_be_child(requests, request) &&
				      !may_have_another_parent(request) &&
				      (!parent || parent->is_ended ||
				       !is_one_way(requests, parent))));
}

/* Replaces one-way parents, which are no requests, by their own parents. */
static void skip_parents(const struct requests *requests,
			 struct request *request)
{
	struct request *parent;

	while ((parent = request->parent)) {
		parent->is_one_way |= is_one_way(requests, parent);
		if (!parent->is_one_way)
			return;
		request->parent =
			parent->parent ? request_refer(parent->parent) : NULL;
		request_drop(parent);
	}
}

static void tell(const struct requests *requests, struct request *request)
{
	struct request_callback *const *callbacks = requests->callbacks.items;

	request->is_one_way |= is_one_way(requests, request);
	if (request->is_one_way)
		return;
	skip_parents(requests, request);
	request->is_inferred |= requests->options.has_losses;
	for (size_t i = 0; i < requests->callbacks.count; i++)
		callbacks[i]->consume(callbacks[i], request);
}

void requests_emit(struct requests *requests)
{
	struct request **items = requests->open.items;
	size_t kept = 0;

	for (size_t i = 0; i < requests->open.count; i++) {
		struct request *request = items[i];

		if (!is_ready(requests, request)) {
			items[kept++] = request;
			continue;
		}
		tell(requests, request);
		request_clear(request);
		request_drop(request);
	}
	requests->open.count = kept;
}

void requests_note_find(struct requests *requests, int32_t pid,
			uint64_t time_ns)
{
	requests->finds[requests->find_count++ % FINDS] =
		(struct find){ .pid = pid, .time_ns = time_ns };
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

struct message *requests_sent_for(const struct thread_endpoint *server,
				  const struct request *request)
{
	enum message_medium medium = (enum message_medium)request->medium;
	struct message *message;

	for (size_t i = 0;
	     (message = endpoint_next_unheard(server, &i, medium)); i++)
		if (message->segment->request == request)
			return message;
	return NULL;
}

/* Returns the oldest message that @server sent, since @request, in the same way
 * as it read @request, directly or for an entry of an io_uring, and that may
 * answer it; borrowed, or NULL. A thread may send for an entry while it works
 * for something else.
 */
static struct message *sent_alike(const struct thread_endpoint *server,
				  const struct request *request, bool is_bold)
{
	enum message_medium medium = (enum message_medium)request->medium;
	struct message *message;

	for (size_t i = 0;
	     (message = endpoint_next_unheard(server, &i, medium)); i++)
		if (message->sent->time_ns >= request->sent->time_ns &&
		    message->is_queued == request->is_queued &&
		    message_may_be_for(message, request->client,
				       is_bold || message->is_queued))
			return message;
	return NULL;
}

/* Like requests_sent_for(); if there is no such message, returns one that
 * @server sent for an unknown request.
 */
static struct message *answer_of(const struct thread_endpoint *server,
				 const struct request *request, bool is_bold)
{
	struct message *message = requests_sent_for(server, request);

	if (!message)
		message = sent_alike(server, request, is_bold);
	return message ? message :
			 endpoint_unheard(server,
					  (enum message_medium)request->medium,
					  request->sent->time_ns,
					  request->client, is_bold);
}

/* Like answer_of(), for any thread of the server of @request, and for threads
 * of the processes that work for @request.
 */
static struct message *find_answer_to(const struct requests *requests,
				      const struct request *request,
				      bool is_bold)
{
	struct message *found = NULL;
	const struct thread_endpoint *server;
	size_t next = 0;

	while ((server = requests_next_endpoint(requests, &next))) {
		struct message *message =
			!server->unheard.count ?
				NULL :
			server->task->pid == request->server->pid ?
				answer_of(server, request, is_bold) :
			server->reader == request->server->pid ?
				requests_sent_for(server, request) :
				NULL;

		if (message && message->segment->request == request)
			return message;
		if (!found)
			found = message;
	}
	return found;
}

/* Returns a message that may answer an open request that @receiver sent by
 * @medium, borrowed, or NULL. Considers only the requests whose is_passed is
 * @is_passed.
 */
static struct message *find_answer_of(const struct requests *requests,
				      const struct thread_endpoint *receiver,
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
				      const struct thread_endpoint *receiver,
				      enum message_medium medium, bool is_bold)
{
	struct message *message =
		find_answer_of(requests, receiver, medium, false, is_bold);

	return message ? message :
			 find_answer_of(requests, receiver, medium, true,
					is_bold);
}

/* Returns whether a thread of @pid may have found both messages of one sender
 * until @until_ns, so that it answers the second. @finds is the number of finds
 * that are not yet assigned to earlier messages. A find at the time of the
 * first send may be that of an earlier message.
 */
static bool has_found_both(const struct requests *requests, int32_t pid,
			   const struct message *first,
			   const struct message *second, uint64_t until_ns,
			   uint32_t finds)
{
	uint64_t first_ns = first->sent->time_ns;
	uint64_t second_ns = second->sent->time_ns;

	return requests_finds_of(requests, pid, first_ns + 1, second_ns) ||
	       (finds > 1 &&
		(requests_finds_of(requests, pid, first_ns, second_ns) ||
		 (first->wakes != second->wakes &&
		  requests_finds_of(requests, pid, first_ns, until_ns + 1) >
			  1)));
}

/* Removes, from the messages of @receiver by @medium that woke no thread, the
 * last one that a thread of @pid may have found until @until_ns, and all
 * messages before it. Of two messages in a row, the second counts as found only
 * if has_found_both().
 *
 * Returns the removed last message, whose reference the caller owns; NULL:
 * none.
 */
static struct message *find_found(const struct requests *requests, int32_t pid,
				  struct thread_endpoint *receiver,
				  enum message_medium medium, uint64_t until_ns)
{
	struct message *found = NULL;
	struct message *next;
	uint32_t finds = 0;
	size_t at = 0;

	message_list_forget_taken(&receiver->unheard);
	while ((next = endpoint_next_unheard(receiver, &at, medium))) {
		uint64_t next_ns = next->sent->time_ns;

		if (next_ns > until_ns ||
		    (found && !has_found_both(requests, pid, found, next,
					      until_ns, finds)))
			break;
		if (!found)
			finds = requests_finds_of(requests, pid, next_ns,
						  until_ns + 1);
		else if (finds)
			finds--;
		message_drop(found);
		found = message_list_take(&receiver->unheard, at);
	}
	return found;
}

/* Returns the process that reads messages for the sender of @message. */
static int32_t reader_for(const struct requests *requests,
			  const struct message *message)
{
	return requests_known_endpoint(requests, message->sender)->reader;
}

/* Returns whether the request that the sender of @message works for is
 * uncertain: the sender found a message, or was woken by one of several.
 */
static bool is_uncertain(const struct requests *requests,
			 const struct message *message)
{
	const struct request *request = message->segment->request;

	if (request)
		return request->is_polled || request->is_inferred;
	return requests_finds_of(requests, reader_for(requests, message), 0,
				 message->sent->time_ns);
}

/* Marks the newest unexplained find of process @pid in [@since_ns, @until_ns]
 * as explained. Returns whether there was one.
 */
static bool explain_find(struct requests *requests, int32_t pid,
			 uint64_t since_ns, uint64_t until_ns)
{
	struct find *found = NULL;

	for (size_t i = 0; i < FINDS; i++) {
		struct find *find = &requests->finds[i];

		if (find->pid == pid && !find->is_explained &&
		    find->time_ns >= since_ns && find->time_ns <= until_ns &&
		    (!found || find->time_ns > found->time_ns))
			found = find;
	}
	if (found)
		found->is_explained = true;
	return found;
}

/* Returns whether all finds since @since_ns are still known. */
static bool has_finds_since(const struct requests *requests, uint64_t since_ns)
{
	return requests->find_count <= FINDS ||
	       requests->finds[requests->find_count % FINDS].time_ns < since_ns;
}

/* Makes the message of @request unheard again: it was not read after all. */
static void give_back(struct requests *requests, struct request *request)
{
	struct thread_endpoint *client =
		requests_known_endpoint(requests, request->client);
	struct message *message = request->source;
	struct message **items;

	request->is_misread = true;
	request->is_ended = true;
	request_list_forget_closed(&client->asked);
	message->is_taken = false;
	message->receiver = NULL;
	request_drop(message->asks);
	message->asks = NULL;
	message_list_forget(&client->unheard, message);
	requests_check(requests, message_list_add(&client->unheard, message,
						  MESSAGES_LISTED));
	items = client->unheard.items;
	for (size_t i = client->unheard.count;
	     i-- > 1 && message_is_older(items[i], items[i - 1]);) {
		struct message *newer = items[i - 1];

		items[i - 1] = items[i];
		items[i] = newer;
	}
}

/* Returns whether the read that counted as one of @other may have been the read
 * of @request.
 */
static bool may_be_misread(const struct request *other,
			   const struct request *request)
{
	return request_is_open(other) && other->medium == MEDIUM_PIPE &&
	       other->source && other->source->is_inferred &&
	       !other->has_children && other->client != request->client &&
	       other->server == request->server &&
	       other->taken_ns >= request->begin->time_ns;
}

/* Corrects an inference: @request was answered at @answer_ns, so its server has
 * read it. No find explains that read, so it was counted as the read of another
 * client's message. The newest such message becomes unread again.
 */
static void correct(struct requests *requests, const struct request *request,
		    uint64_t answer_ns)
{
	struct thread_endpoint *server =
		requests_known_endpoint(requests, request->server);
	struct request *found = NULL;

	for (size_t i = 0; i < server->taken.count; i++) {
		struct request *other = request_in(&server->taken, i);

		if (may_be_misread(other, request) &&
		    other->taken_ns <= answer_ns &&
		    (!found || other->taken_ns > found->taken_ns))
			found = other;
	}
	if (!found)
		return;
	give_back(requests, found);
	request_list_forget_closed(&server->taken);
}

struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct thread_endpoint *receiver,
				      enum message_medium medium,
				      uint64_t until_ns)
{
	struct message *message = find_found(requests,
					     reader_for(requests, answer),
					     receiver, medium, until_ns);
	struct request *request;

	if (!message)
		return NULL;
	message->is_taken = true;
	message->is_inferred = true;
	request = requests_ask(requests, message);
	if (request)
		request->server = answer->sender;
	if (request &&
	    !explain_find(requests, reader_for(requests, answer),
			  message->begin->time_ns, answer->sent->time_ns) &&
	    has_finds_since(requests, message->begin->time_ns))
		correct(requests, request, answer->sent->time_ns);
	message_drop(message);
	return request;
}

/* Like requests_ask_found(), for a message by another medium than that of
 * @answer, which @sender found or is assumed to work for.
 */
static struct request *ask_by_other_way(struct requests *requests,
					const struct message *answer,
					struct thread_endpoint *receiver,
					const struct thread_endpoint *sender)
{
	const struct request *request = answer->segment->request;
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

/* Creates a request from a message that @receiver sent and that woke no thread,
 * if @answer may be the answer to it. Borrowed, or NULL.
 */
static struct request *requests_ask_found(struct requests *requests,
					  const struct message *answer,
					  struct thread_endpoint *receiver)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, answer->sender);
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

/* Like requests_ask_found(), for an answer that a thread sent for the thread
 * that queued it in an io_uring. Considers messages up to the answer: the
 * sender may have read one after the other thread's find.
 */
static struct request *ask_executed(struct requests *requests,
				    const struct message *answer,
				    struct thread_endpoint *receiver)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, answer->sender);

	return sender->executes && sender->found_ns ?
		       requests_ask_found_by(
			       requests, answer, receiver,
			       (enum message_medium)answer->medium,
			       answer->sent->time_ns) :
		       NULL;
}

static bool is_served_by(const struct request *request, int32_t pid)
{
	struct work_segment *const *segments = request->segments.items;

	if (request->server && request->server->pid == pid)
		return true;
	for (size_t i = 0; i < request->segments.count; i++)
		if (segments[i]->task->pid == pid)
			return true;
	return false;
}

/* Returns whether @message arrived at another socket than the one that @request
 * was sent from or, if that is unknown, at a socket that has requests of its
 * own.
 */
static bool is_elsewhere(const struct requests *requests,
			 const struct request *request,
			 const struct message *message)
{
	if (!message->to || request->socket == message->to)
		return false;
	return request->socket ||
	       channels_has_asked(requests->channels, message->to);
}

/* Returns the request of @receiver that the sender of @message works for, or
 * NULL.
 */
static struct request *find_current(const struct requests *requests,
				    const struct thread_endpoint *receiver,
				    const struct message *message)
{
	struct request *current = message->segment->request;

	return current && request_is_open(current) && !current->is_passed &&
			       current->client == receiver->task &&
			       current->kind == MESSAGE_SEND &&
			       !is_elsewhere(requests, current, message) ?
		       current :
		       NULL;
}

/* Returns the oldest request of @receiver that @message may answer, or NULL;
 * among the passed ones if @is_passed, else among the others.
 */
static struct request *find_asked(const struct requests *requests,
				  const struct thread_endpoint *receiver,
				  const struct message *message, bool is_passed)
{
	for (size_t i = 0; i < receiver->asked.count; i++) {
		struct request *request = request_in(&receiver->asked, i);

		if (request_is_open(request) &&
		    request->is_passed == is_passed &&
		    !is_elsewhere(requests, request, message) &&
		    (is_served_by(request, message->sender->pid) ||
		     is_served_by(request, reader_for(requests, message))))
			return request;
	}
	return NULL;
}

/* Returns whether @message rather answers a request that was read as @message
 * was sent, directly or for an entry of an io_uring, than the message that
 * @sender found, which was read in the other way.
 */
static bool is_for_other(const struct requests *requests,
			 const struct thread_endpoint *sender,
			 const struct message *message,
			 const struct thread_endpoint *receiver)
{
	const struct request *asked =
		find_asked(requests, receiver, message, false);

	return asked && sender->found_queued != message->is_queued &&
	       asked->is_queued == message->is_queued;
}

/* Returns a request for the message that the sender found and works for, or
 * NULL. @receiver may have sent other messages before, which may need no
 * answer.
 */
static struct request *answer_find_found(struct requests *requests,
					 const struct message *message,
					 struct thread_endpoint *receiver)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, message->sender);

	return sender->found_ns && !message->segment->request &&
			       !is_for_other(requests, sender, message,
					     receiver) ?
		       requests_ask_found(requests, message, receiver) :
		       NULL;
}

/* Returns the request of @receiver that @message may answer, or NULL. A request
 * by another medium than the answer's may need no answer, so a found message is
 * tried before it.
 */
static struct request *find_open(struct requests *requests,
				 const struct message *message,
				 struct thread_endpoint *receiver)
{
	struct request *request =
		find_asked(requests, receiver, message, false);
	struct request *found = NULL;

	if (!request)
		request = find_asked(requests, receiver, message, true);
	if (!request || request->is_passed ||
	    request->medium != message->medium)
		found = requests_ask_found(requests, message, receiver);
	if (!found && (!request || request->is_passed))
		found = ask_executed(requests, message, receiver);
	return found ? found : request;
}

struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct thread_endpoint *receiver)
{
	struct request *request = message->answers;

	if (request || message->kind == MESSAGE_CONNECT ||
	    message->sender->pid == receiver->task->pid)
		return request;
	if (message->to)
		request = channels_asked(requests->channels, message->to);
	request_list_forget_closed(&receiver->asked);
	pass_unheard(receiver, (enum message_medium)message->medium,
		     message->sent->time_ns);
	if (!request)
		request = find_current(requests, receiver, message);
	if (!request)
		request = answer_find_found(requests, message, receiver);
	if (!request)
		request = find_open(requests, message, receiver);
	return request;
}

/* Returns whether @request is a descendant of @ancestor. */
static bool is_for(const struct request *request,
		   const struct request *ancestor)
{
	while (request && request != ancestor)
		request = request->parent;
	return request;
}

/* Changes the parent of requests sent from @segment from @before to @request.
 */
static void adopt(const struct requests *requests,
		  const struct work_segment *segment,
		  const struct request *before, struct request *request)
{
	for (size_t i = 0; i < requests->open.count; i++) {
		struct request *child = request_in(&requests->open, i);
		struct request *parent = child->parent;

		if (child->origin != segment || child->is_opening ||
		    (parent && parent != before) || is_for(request, child))
			continue;
		request_set_parent(child, request);
		request_drop(parent);
	}
}

/* Returns whether @segment ended with a send that is still unread, perhaps the
 * answer to its request.
 */
static bool is_pending(const struct requests *requests,
		       const struct work_segment *segment)
{
	const struct thread_endpoint *endpoint =
		requests_known_endpoint(requests, segment->task);

	for (size_t i = 0; i < endpoint->unheard.count; i++) {
		const struct message *message =
			message_in(&endpoint->unheard, i);

		if (message->segment == segment && !message->is_taken)
			return true;
	}
	return false;
}

/* Returns the previous segment of the thread of @segment, if it was for the
 * same request, or NULL.
 */
static struct work_segment *part_before(const struct requests *requests,
					const struct work_segment *segment,
					const struct request *request)
{
	struct work_segment *parent = segment->parent;

	return !segment->is_start && parent &&
			       (parent->task->pid == segment->task->pid ||
				segment->is_child || parent->is_deferred ||
				segment->is_deferred) &&
			       !parent->is_charged && !parent->is_answer &&
			       parent->request == request &&
			       !is_pending(requests, parent) ?
		       parent :
		       NULL;
}

/* Assigns to @request all work of the thread of @segment since it last waited,
 * because @segment ends with the answer to @request.
 */
static void attach(struct requests *requests, struct work_segment *segment,
		   struct request *request)
{
	const struct request *before = segment->request;
	struct work_segment *first = segment;
	struct work_segment *last = request->last;
	struct work_segment *parent;

	while ((parent = part_before(requests, first, before))) {
		requests_give(requests, first, request, parent);
		adopt(requests, first, before, request);
		first = parent;
	}
	requests_give(requests, first, request, last);
	adopt(requests, first, before, request);
	request->last = segment;
	/* Another thread read the request and passed it to this one in user
	 * space.
	 */
	request->is_inferred |= last && !last->is_carrier &&
				last->task != segment->task;
}

/* Corrects the request of @server's work: the answer to @request was sent
 * before @server read the message that counted as @request. So that message was
 * @next, and the work that followed is for @next.
 */
static void rename_taken(struct requests *requests,
			 struct thread_endpoint *server,
			 const struct request *request, struct request *next)
{
	struct work_segment *now = server->segment;
	struct work_segment *work = now->is_waiting ? server->before : now;

	if (!work || work->request != request)
		return;
	attach(requests, work, next);
	next->is_inferred = true;
	if (now != work && now->request == request)
		requests_give_beside(requests, now, next, work);
}

/* After the answer to @request, sent at @sent_ns at the end of @segment: marks
 * the client's other requests, taken before and still unanswered, as overtaken;
 * and decides which request @server works for now.
 */
static void go_on(struct requests *requests, struct thread_endpoint *server,
		  struct request *request, struct work_segment *segment,
		  uint64_t sent_ns)
{
	struct request *next = NULL;

	request_list_forget_closed(&server->taken);
	for (size_t i = 0; i < server->taken.count; i++) {
		struct request *other = request_in(&server->taken, i);

		other->is_overtaken |= request->client &&
				       other->client == request->client &&
				       request_shares_way(other, request) &&
				       other->taken_ns < sent_ns;
		pass_unheard(requests_known_endpoint(requests, other->client),
			     (enum message_medium)other->medium, sent_ns);
		if (!next && other->kind == MESSAGE_SEND && !other->is_passed)
			next = other;
	}
	if (next && request->taken_ns > sent_ns)
		rename_taken(requests, server, request, next);
	/* The thread has sent another message since. */
	if (server->segment->parent != segment)
		return;
	if (next && next != server->segment->request)
		requests_give(requests, server->segment, next, next->last);
	else if (!next)
		requests_give(requests, server->segment, request, segment);
}

/* Returns whether the client of @request has sent other messages that are
 * unanswered, and that the answer by the thread @by (NULL: by any) may be for.
 */
static bool has_others(struct requests *requests, const struct request *request,
		       const struct task *by)
{
	const struct thread_endpoint *client =
		requests_known_endpoint(requests, request->client);

	if (!client)
		return false;
	for (size_t i = 0; i < client->asked.count; i++) {
		const struct request *other = request_in(&client->asked, i);

		if (other != request && request_is_open(other) &&
		    (!by || other->server == by))
			return true;
	}
	for (size_t i = 0; i < client->unheard.count; i++)
		if (message_is_guessable(message_in(&client->unheard, i),
					 (enum message_medium)request->medium))
			return true;
	return false;
}

static void note_answer(struct requests *requests, int32_t server,
			const struct request *request)
{
	requests_check(
		requests,
		roles_answered(&requests->roles, server, request->client->pid,
			       message_medium_is_socket(
				       (enum message_medium)request->medium)));
}

void requests_answer(struct requests *requests, struct request *request,
		     struct message *message)
{
	struct thread_endpoint *server = requests_endpoint(
		requests, message->sender, message->sent->time_ns);
	struct work_segment *segment = message->segment;

	message->answers = request_refer(request);
	request->server = requests_queued(requests, request, message);
	request->is_inferred |= message->is_inferred;
	if (message->to)
		request->is_inferred |=
			channels_infer_order(requests->channels, message->to,
					     request, message->sent->time_ns);
	if (segment->request == request) {
		request->last = segment;
		request->is_polled &= has_others(requests, request, NULL);
		/* Without a socket nothing shows which one the answer is for.
		 */
		request->is_inferred |=
			!message_medium_is_socket(
				(enum message_medium)request->medium) &&
			has_others(requests, request, message->sender);
	} else if (!is_for(segment->request, request)) {
		attach(requests, segment, request);
		request->is_inferred |= !message->to ||
					message->to != request->socket;
	}
	segment->is_answer = true;
	requests_give_carrier(requests, message, request, segment);
	request->is_answered = true;
	request->answered = clock_mark_refer(
		message->carried ? message->carried : message->sent);
	if (request->client) {
		note_answer(requests, server->task->pid, request);
		note_answer(requests, server->reader, request);
	}
	/* If the answer is recognized late, its sender may have found another
	 * message since, which it works for now.
	 */
	if (server->found_ns < message->sent->time_ns)
		server->found_ns = 0;
	go_on(requests, server, request, segment, message->sent->time_ns);
}
