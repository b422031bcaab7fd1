/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_take_internal.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/requests_answer_internal.h"
#include "attribution/requests/requests_ring_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <stdlib.h>

/* Sends, which create messages; work items, which carry messages of terminals;
 * the inference of readers; and requests_take(), where a message that was read
 * becomes an answer, a request, or work that is passed on.
 *
 * Inference. A message is unheard until it wakes a thread, or until a reader is
 * inferred. A thread that reads without having slept has found a message.
 * requests_find_unheard() decides which unheard message it was, from the roles
 * of the processes (who serves whom) and from the order of sends and finds. A
 * thread that waits for one object waits for its answer; a thread that polled
 * several objects more likely reads the next request, of a pipe that an epoll
 * has if it does not read for an entry of an io_uring. If no message fits, the
 * thread works for a message of an unknown sender, until its own next messages
 * show what that was (requests_answer.c). If these show that another message
 * was read than the inferred one, the latter becomes unheard again
 * (is_misread).
 *
 * A message may need no answer, as one that only opens a connection (a hello).
 * Its reader leaves it when it reads another message (requests_next()), and if
 * its sender was woken before it sent the next message, answers are rather for
 * that.
 */

bool requests_has_events(const struct requests *requests,
			 const struct thread_endpoint *endpoint)
{
	return requests->options.has_socket_events &&
	       message_medium_is_socket(endpoint->send.function.medium);
}

void requests_send_begin(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 struct message_function function,
			 const struct call_step *step)
{
	if (endpoint->is_sending)
		return;
	message_drop(endpoint->message);
	clock_mark_drop(endpoint->send_begin);
	endpoint->message = NULL;
	endpoint->is_heard = false;
	endpoint->is_watched = false;
	endpoint->is_listed = false;
	clock_mark_drop(endpoint->transmitted);
	endpoint->transmitted = NULL;
	endpoint->is_sending = true;
	endpoint->send =
		(struct message_call){ function, step->function, step->depth };
	endpoint->send_begin =
		thread_clock_mark(&endpoint->clock, step->time_ns);
	if (!endpoint->send_begin)
		requests->status = -ERROR_MEMORY;
}

/* Returns a message, sent at @mark, whose reference it consumes, with the work
 * of @endpoint until then; the caller owns it. NULL when out of memory.
 */
static struct message *message_at(struct requests *requests,
				  struct thread_endpoint *endpoint,
				  struct clock_mark *mark)
{
	struct message *message = calloc(1, sizeof(*message));
	struct work_segment *segment =
		requests_cut_at(requests, endpoint, mark);

	if (!message || !segment) {
		requests->status = -ERROR_MEMORY;
		work_segment_drop(segment);
		free(message);
		return NULL;
	}
	requests_give(requests, endpoint->segment, segment->request, segment);
	*message = (struct message){
		.sender = endpoint->task,
		.segment = segment,
		.begin = clock_mark_refer(segment->end),
		.sent = clock_mark_refer(segment->end),
		.function = FUNCTION_UNKNOWN,
		.wakes = endpoint->wakes,
		.references = 1,
	};
	return message;
}

/* The wake-up of a thread that waits for its io_uring, by another thread of its
 * process, is a completion: it passes the request on, as a word in memory does.
 */
struct message *requests_completion(struct requests *requests,
				    struct thread_endpoint *waker,
				    const struct thread_endpoint *woken,
				    uint64_t time_ns)
{
	enum context_kind context = requests_context_of(requests, waker);
	struct message *message;

	if (waker == woken || waker->task->pid != woken->task->pid ||
	    woken->wait.function.medium != MEDIUM_RING ||
	    (context != CONTEXT_NONE && context != CONTEXT_SYSTEM_CALL))
		return NULL;
	message = message_at(requests, waker,
			     thread_clock_mark(&waker->clock, time_ns));
	if (!message)
		return NULL;
	message->kind = MESSAGE_SIGNAL;
	message->medium = MEDIUM_RING;
	return message;
}

struct message *requests_deliver_at(struct requests *requests,
				    struct thread_endpoint *endpoint,
				    struct clock_mark *mark)
{
	struct message *message = NULL;

	if (endpoint->send_begin)
		message = message_at(requests, endpoint, mark);
	else
		clock_mark_drop(mark);
	if (!message) {
		requests->status = -ERROR_MEMORY;
		return NULL;
	}
	clock_mark_drop(message->begin);
	message->begin = clock_mark_refer(endpoint->send_begin);
	message->function = endpoint->send.number;
	message->kind = endpoint->send.function.kind;
	message->medium = endpoint->send.function.medium;
	message->is_watched = endpoint->is_watched;
	message->is_queued = requests_executes(requests, endpoint);
	message->is_inferred = !requests_has_events(requests, endpoint) &&
			       endpoint->send.function.medium >= MEDIUM_TCP;
	message_drop(endpoint->message);
	endpoint->message = message;
	return message;
}

struct message *requests_deliver(struct requests *requests,
				 struct thread_endpoint *endpoint,
				 uint64_t time_ns)
{
	return requests_deliver_at(requests, endpoint,
				   thread_clock_mark(&endpoint->clock,
						     time_ns));
}

void requests_send_end(struct requests *requests,
		       struct thread_endpoint *endpoint, uint64_t time_ns)
{
	endpoint->is_sending = false;
	if (requests_has_events(requests, endpoint) || endpoint->is_heard ||
	    endpoint->send.function.kind != MESSAGE_SEND ||
	    !requests->options.has_wakes)
		return;
	if (endpoint->message || requests_deliver(requests, endpoint, time_ns))
		requests_list_unheard(requests, endpoint);
}

void requests_send_lost(struct requests *requests,
			struct thread_endpoint *endpoint, uint64_t time_ns)
{
	/* For other media there is no better evidence. */
	if (message_medium_is_socket(endpoint->send.function.medium) &&
	    (requests->options.has_socket_events ||
	     requests->options.has_packets))
		endpoint->send.depth = DEPTH_LOST;
	else
		requests_send_end(requests, endpoint, time_ns);
}

bool requests_send_resumes(struct requests *requests,
			   struct thread_endpoint *endpoint,
			   const struct call_step *step)
{
	if (!endpoint->is_sending || endpoint->send.depth != DEPTH_LOST)
		return false;
	if (step->unseen & UNSEEN_BEGIN &&
	    step->function == endpoint->send.number) {
		endpoint->send.depth = step->depth;
		return true;
	}
	requests_send_end(requests, endpoint, step->time_ns);
	return false;
}

void requests_list_unheard(struct requests *requests,
			   struct thread_endpoint *endpoint)
{
	if (endpoint->is_listed)
		return;
	endpoint->is_listed = true;
	requests_check(requests,
		       message_list_add(&endpoint->unheard, endpoint->message,
					MESSAGES_LISTED));
}

struct thread_endpoint *
requests_next_sender(const struct requests *requests,
		     const struct thread_endpoint *reader,
		     enum message_medium medium, size_t *index)
{
	struct thread_endpoint *endpoint;

	while ((endpoint = requests_next_endpoint(requests, index)))
		if (endpoint != reader && endpoint->is_sending &&
		    !endpoint->message &&
		    endpoint->send.function.medium == medium &&
		    endpoint->send.function.kind == MESSAGE_SEND)
			return endpoint;
	return NULL;
}

/* When the messages arrived is unknown: at @time_ns at the latest, when a
 * thread reads one of them.
 */
bool requests_deliver_open(struct requests *requests,
			   const struct thread_endpoint *reader,
			   enum message_medium medium, uint64_t time_ns)
{
	bool has_any = false;
	struct thread_endpoint *endpoint;
	size_t next = 0;

	while ((endpoint = requests_next_sender(requests, reader, medium,
						&next))) {
		if (!requests_deliver(requests, endpoint, time_ns))
			continue;
		requests_list_unheard(requests, endpoint);
		has_any = true;
	}
	return has_any;
}

/* Records that @item carries @message. Its reader is the process that last read
 * data carried by the same item.
 */
static void lead(const struct requests *requests, struct message *message,
		 uint64_t item)
{
	const uint64_t *reader = number_map_find(&requests->readers, item);

	message->item = item;
	message->reader = reader ? (int32_t)*reader : 0;
}

/* If @sender works for a message that it found, and now writes to a process
 * that it serves, @message answers that process's request. This must be
 * recorded before the answer is read: the next message that @sender finds is
 * a different one.
 */
static void tell_found(struct requests *requests,
		       const struct thread_endpoint *sender,
		       struct message *message)
{
	struct request *answered = NULL;
	struct thread_endpoint *reader;
	size_t next = 0;

	if (!message->reader || !sender->found_ns || message->answers)
		return;
	while (!answered && (reader = requests_next_endpoint(requests, &next)))
		if (reader->task->pid == message->reader &&
		    requests_is_server(requests, sender->task, reader->task,
				       MEDIUM_TTY))
			answered = requests_find_answered(requests, message,
							  reader);
	if (answered)
		requests_answer(requests, answered, message);
}

/* An item that is already queued is not queued again: it also carries further
 * data, for which there is no event.
 */
void requests_item_queued(struct requests *requests,
			  const struct event_record *event)
{
	struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);
	struct message *message;

	if (!endpoint || !endpoint->is_sending ||
	    endpoint->send.function.medium != MEDIUM_TTY ||
	    !requests_is_sending(requests, endpoint)) {
		requests_deferred_queued(requests, endpoint, event);
		return;
	}
	message = endpoint->message ?
			  endpoint->message :
			  requests_deliver(requests, endpoint, event->time_ns);
	if (!message)
		return;
	lead(requests, message, (uint64_t)event->values[WORK_ADDRESS]);
	tell_found(requests, endpoint, message);
	requests_check(requests, message_map_set(&requests->items,
						 message->item, message));
}

/* Records that the process that read @message reads all data that the same work
 * item carries.
 */
static void requests_item_read(struct requests *requests,
			       const struct message *message)
{
	uint64_t *reader;

	if (!message->item || message->is_inferred)
		return;
	reader = number_map_add(&requests->readers, message->item);
	if (reader)
		*reader = (uint64_t)message->receiver->pid;
	else
		requests->status = -ERROR_MEMORY;
}

/* Returns the oldest of @found and the unheard messages of @sender to @pid;
 * sets *@is_several if they go to several ends.
 */
static struct message *oldest_to(const struct thread_endpoint *sender,
				 int32_t pid, struct message *found,
				 bool *is_several)
{
	struct message *message;

	for (size_t i = 0;
	     (message = endpoint_next_unheard(sender, &i, MEDIUM_TTY)); i++) {
		if (message->reader != pid)
			continue;
		*is_several |= found && found->item != message->item;
		if (message_is_older(message, found))
			found = message;
	}
	return found;
}

/* Returns the oldest message by @medium that woke no thread and whose item
 * leads to the process of @reader, borrowed. NULL if there is none, or there
 * are some at several ends of that process.
 */
static struct message *
requests_item_unheard(const struct requests *requests,
		      const struct thread_endpoint *reader,
		      enum message_medium medium)
{
	struct message *found = NULL;
	const struct thread_endpoint *sender;
	bool is_several = false;
	size_t next = 0;

	while (medium == MEDIUM_TTY &&
	       (sender = requests_next_endpoint(requests, &next)))
		found = oldest_to(sender, reader->task->pid, found,
				  &is_several);
	return is_several ? NULL : found;
}

void requests_item_begins(struct requests *requests,
			  const struct event_record *event)
{
	struct message *message = number_map_take_pointer(
		&requests->items, (uint64_t)event->values[WORK_ADDRESS]);
	struct thread_endpoint *worker;

	if (!message) {
		requests_deferred_begins(requests, event);
		return;
	}
	worker = requests_endpoint_at(requests, event);
	if (!worker || message->carrier) {
		message_drop(message);
		return;
	}
	work_segment_drop(requests_cut(requests, worker, event->time_ns));
	worker->segment->is_start = true;
	worker->segment->is_carrier = true;
	message->carrier = work_segment_refer(worker->segment);
	message_drop(worker->carries);
	worker->carries = message;
	worker->carry_state = WORK_RUNS;
}

/* A message has arrived if the flush, the worker's next item, wakes a thread
 * that waits for the item which carried it. The flush function wakes that
 * thread in a tail call, after its own exit, so the state lasts until the next
 * item ends.
 */
void requests_item_step(struct requests *requests, const struct call_step *step)
{
	struct thread_endpoint *worker =
		requests_known_endpoint(requests, step->task);
	struct message_function function =
		message_kinds_of(requests->kinds, step->function);

	if (!worker)
		return;
	requests_deferred_step(requests, worker, step);
	assert(!worker->carries == (worker->carry_state == WORK_NONE));
	if (worker->carry_state == WORK_NONE)
		return;
	if (step->kind == STEP_ENTER) {
		worker->carry_state =
			function.kind == MESSAGE_FLUSH ? WORK_RUNS : WORK_DONE;
		return;
	}
	if (function.kind == MESSAGE_FLUSH)
		return;
	if (worker->carry_state == WORK_DONE) {
		message_drop(worker->carries);
		worker->carries = NULL;
		worker->carry_state = WORK_NONE;
		return;
	}
	worker->carry_state = WORK_DONE;
	if (!worker->segment->is_carrier)
		return;
	work_segment_drop(requests_cut(requests, worker, step->time_ns));
	worker->segment->is_start = true;
}

struct message *requests_item_message(struct requests *requests,
				      struct thread_endpoint *waker,
				      const struct thread_endpoint *woken,
				      uint64_t time_ns)
{
	struct message *message = waker->carries;

	if (waker->carry_state != WORK_RUNS || message->is_taken ||
	    requests_context_of(requests, waker) != CONTEXT_ITEM ||
	    (woken->wait.function.medium != MEDIUM_TTY &&
	     woken->wait.function.kind != MESSAGE_MANY))
		return NULL;
	if (message->carried)
		return message;
	message->carried = waker->segment == message->carrier ?
				   thread_clock_mark(&waker->clock, time_ns) :
				   clock_mark_refer(message->carrier->end);
	if (!message->carried)
		requests->status = -ERROR_MEMORY;
	return message;
}

/* Returns whether @reader has read from @sender since it last checked which of
 * several objects are ready.
 */
static bool is_in_round(const struct thread_endpoint *reader,
			const struct task *sender)
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
		requests_known_endpoint(requests, request->server), request);
}

/* Returns whether @client waits for an answer of process @pid that has not been
 * sent yet.
 */
static bool waits_for(const struct requests *requests,
		      const struct thread_endpoint *client, int32_t pid)
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

/* Returns whether epolls show that @receiver reads another object than @message
 * was sent to: after a poll a thread reads objects that an epoll has; for an
 * entry of an io_uring it rather reads others.
 */
static bool is_in_other_object(const struct requests *requests,
			       const struct thread_endpoint *receiver,
			       const struct message *message, bool is_polled)
{
	if (requests_executes(requests, receiver))
		return message->is_watched;
	return is_polled && !message->is_watched;
}

/* Returns how unlikely it is that @receiver reads @message of @sender. After a
 * check of several objects it reads each of them once; and most clients wait
 * for an answer before they send another request.
 */
static int oddity_of(const struct requests *requests,
		     const struct thread_endpoint *receiver,
		     const struct thread_endpoint *sender,
		     const struct message *message, bool is_polled)
{
	return 4 * is_in_other_object(requests, receiver, message, is_polled) +
	       2 * is_in_round(receiver, sender->task) +
	       waits_for(requests, sender, receiver->task->pid);
}

/* Returns the oldest message that @sender sent by @medium and @pid has not
 * found, borrowed, or NULL. If a thread of @pid found a message between two
 * sends, and @sender slept between them, the first of the two was found.
 */
static struct message *next_left(const struct requests *requests,
				 const struct thread_endpoint *sender,
				 enum message_medium medium, int32_t pid)
{
	size_t at = 0;
	struct message *message = endpoint_next_unheard(sender, &at, medium);
	struct message *next;

	while (message && ++at &&
	       (next = endpoint_next_unheard(sender, &at, medium)) &&
	       requests_finds_of(requests, pid, message->sent->time_ns,
				 next->sent->time_ns) &&
	       message->wakes != next->wakes)
		message = next;
	return message;
}

/* Returns whether @sender has sent a message by @medium that @receiver may
 * read, and that is the first one to it since it last checked several objects.
 */
static bool may_be_first(const struct requests *requests,
			 const struct thread_endpoint *receiver,
			 const struct thread_endpoint *sender,
			 enum message_medium medium)
{
	const struct task *task = receiver->task;
	const struct message *message;
	size_t at = 0;

	if (sender->task->pid == task->pid ||
	    is_in_round(receiver, sender->task) ||
	    requests_is_server(requests, sender->task, task, medium))
		return false;
	message = endpoint_next_unheard(sender, &at, medium);
	return message && (!message->reader || message->reader == task->pid);
}

/* Returns whether another thread than @found's sender has sent a message by
 * @medium that @receiver may read instead of @found: after a check of several
 * objects it does that rather than read a second one of the same sender. An
 * entry of an io_uring may read the message of any thread that is not known to
 * be a client.
 */
static bool has_stranger(const struct requests *requests,
			 const struct thread_endpoint *receiver,
			 const struct message *found,
			 enum message_medium medium)
{
	bool is_second = receiver->polls &&
			 is_in_round(receiver, found->sender);
	bool is_entry = requests_executes(requests, receiver);
	const struct thread_endpoint *sender;
	size_t next = 0;

	while ((is_second || is_entry) &&
	       (sender = requests_next_endpoint(requests, &next)))
		if (may_be_first(requests, receiver, sender, medium) &&
		    (is_second || !requests_is_server(requests, receiver->task,
						      sender->task, medium)))
			return true;
	return false;
}

/* Returns a message that a known client of @receiver sent: the likeliest, of
 * these the oldest; or NULL.
 */
static struct message *find_request(const struct requests *requests,
				    const struct thread_endpoint *receiver,
				    enum message_medium medium, bool is_polled)
{
	struct message *found = NULL;
	const struct thread_endpoint *sender;
	size_t next = 0;
	int least = 0;

	while ((sender = requests_next_endpoint(requests, &next))) {
		struct message *message =
			sender->unheard.count &&
					requests_is_server(requests,
							   receiver->task,
							   sender->task,
							   medium) ?
				next_left(requests, sender, medium,
					  receiver->task->pid) :
				NULL;
		int oddity = message ? oddity_of(requests, receiver, sender,
						 message, is_polled) :
				       0;

		if (!message || (found && oddity > least))
			continue;
		if (!found || oddity < least ||
		    message_is_older(message, found))
			found = message;
		least = oddity;
	}
	return found && has_stranger(requests, receiver, found, medium) ? NULL :
									  found;
}

/* Returns a message of @sender that may be the answer to @asked, if a thread of
 * its process found @asked meanwhile; borrowed, or NULL.
 */
static struct message *reply_of(const struct requests *requests,
				const struct thread_endpoint *sender,
				const struct message *asked)
{
	enum message_medium medium = (enum message_medium)asked->medium;
	struct message *message;

	if (sender->task->pid == asked->sender->pid ||
	    requests_is_server(requests, asked->sender, sender->task, medium))
		return NULL;
	message = endpoint_unheard(sender, medium, asked->sent->time_ns,
				   asked->sender, false);
	return message && requests_finds_of(requests, sender->reader,
					    asked->sent->time_ns,
					    message->sent->time_ns) ?
		       message :
		       NULL;
}

/* Handles an exchange in which neither the request of @receiver nor its answer
 * woke a thread. Creates the request, and returns the answer, borrowed; NULL if
 * there was no such exchange.
 */
static struct message *find_exchange(struct requests *requests,
				     struct thread_endpoint *receiver,
				     enum message_medium medium)
{
	const struct message *asked =
		endpoint_unheard(receiver, medium, 0, NULL, false);
	struct message *answer = NULL;
	const struct thread_endpoint *sender;
	struct request *request;
	size_t next = 0;

	while (asked && (sender = requests_next_endpoint(requests, &next))) {
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
				      struct thread_endpoint *receiver,
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
		message = find_request(requests, receiver, medium, is_polled);
	if (!message)
		message = find_exchange(requests, receiver, medium);
	if (!message && !is_polled)
		message = find_request(requests, receiver, medium, is_polled);
	if (!message)
		message =
			requests_guess_answer(requests, receiver, medium, true);
	return message ? message_refer(message) : NULL;
}

/* Returns the open request that the sender of @message works for, if another
 * thread of its process passed the request to it; or NULL.
 */
static struct request *handed_of(const struct message *message)
{
	struct request *request = message->segment->request;
	struct work_segment *const *segments =
		request ? request->segments.items : NULL;

	if (!request || !request_is_open(request))
		return NULL;
	for (size_t i = 0; i < request->segments.count; i++)
		if (segments[i]->task != message->sender &&
		    segments[i]->task->pid == message->sender->pid)
			return request;
	return NULL;
}

void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer)
{
	struct request *request = handed_of(answer);
	const struct thread_endpoint *endpoint;
	size_t next = 0;

	while (request &&
	       (endpoint = requests_next_endpoint(requests, &next))) {
		struct request *other;
		size_t at = 0;

		if (endpoint->task == answer->sender ||
		    endpoint->task->pid != answer->sender->pid ||
		    !endpoint_next_unheard(endpoint, &at, answer->medium))
			continue;
		other = handed_of(message_in(&endpoint->unheard, at));
		if (other && other != request)
			other->is_swapped = request->is_swapped = true;
	}
}

/* Removes the unheard messages that @endpoint sent before @time_ns while it
 * worked for no request: they were answered or lost.
 */
static void forget_unheard(struct thread_endpoint *endpoint, uint64_t time_ns)
{
	for (size_t i = endpoint->unheard.count; i-- > 0;) {
		const struct message *message =
			message_in(&endpoint->unheard, i);

		if (message->sent->time_ns < time_ns &&
		    !message->segment->request)
			message_drop(message_list_take(&endpoint->unheard, i));
	}
}

/* Marks the requests that @endpoint sent before @request, over the same socket
 * if both sockets are known, as passed: they may never be answered.
 */
static void pass_asked(struct thread_endpoint *endpoint,
		       const struct request *request)
{
	struct request *const *asked = endpoint->asked.items;

	for (size_t i = 0; i < endpoint->asked.count; i++)
		if (asked[i]->sent->time_ns < request->sent->time_ns &&
		    request_shares_way(asked[i], request))
			asked[i]->is_passed = true;
}

void requests_take_answer(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  struct request *request, uint64_t time_ns)
{
	struct request *parent = request->parent;

	if (!request->end) {
		request->heard = clock_mark_refer(endpoint->segment->begin);
		request->end = thread_clock_mark(&endpoint->clock, time_ns);
	}
	if (!request->end)
		requests->status = -ERROR_MEMORY;
	request->is_ended = true;
	forget_unheard(endpoint, request->sent->time_ns);
	pass_asked(endpoint, request);
	if (!parent || parent->is_answered || !endpoint_is_free(endpoint)) {
		requests_resume(requests, endpoint);
		return;
	}
	requests_give(requests, endpoint->segment, parent, parent->last);
	/* The segment continues the work of @parent's other segments. */
	endpoint->segment->is_start = false;
}

/* Records that @sender, which works for a message that it found, passes that
 * work on to @endpoint.
 */
static void consume_found(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  struct thread_endpoint *sender,
			  const struct message *message)
{
	requests_give(requests, endpoint->segment, NULL, message->segment);
	endpoint->segment->is_start = false;
	endpoint->found_ns = sender->found_ns;
	endpoint->found_by = sender->found_by;
	endpoint->found_queued = sender->found_queued;
	sender->found_ns = 0;
}

/* Handles a message within a process, which passes on the request that its
 * sender works for.
 */
static void consume_work(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 const struct message *message)
{
	struct request *request = message->segment->request;
	struct thread_endpoint *sender =
		requests_known_endpoint(requests, message->sender);

	if (!request && sender->found_ns && endpoint_is_free(endpoint)) {
		consume_found(requests, endpoint, sender, message);
		return;
	}
	if (!request || request->is_answered || !endpoint_is_free(endpoint)) {
		requests_resume(requests, endpoint);
		return;
	}
	endpoint->found_ns = 0;
	request->is_inferred |= message->medium != MEDIUM_PIPE;
	requests_give(requests, endpoint->segment, request,
		      requests_give_carrier(requests, message, request,
					    message->segment));
	requests_check(requests, request_list_add(&endpoint->taken, request));
}

void requests_serve(struct requests *requests, struct thread_endpoint *endpoint,
		    struct request *request, uint64_t time_ns)
{
	request->taken_ns = time_ns;
	request->is_queued = requests_executes(requests, endpoint);
	request->server = endpoint->task;
	endpoint->reader = endpoint->task->pid;
	endpoint->found_ns = 0;
	if (endpoint_is_free(endpoint))
		requests_give(requests, endpoint->segment, request,
			      request->last);
	requests_check(requests, request_list_add(&endpoint->taken, request));
}

static void consume_request(struct requests *requests,
			    struct thread_endpoint *endpoint,
			    struct message *message, uint64_t time_ns)
{
	struct request *request = requests_ask(requests, message);

	if (request)
		requests_serve(requests, endpoint, request, time_ns);
}

/* Returns whether the sender of @message works for what @endpoint did before it
 * waited, as a command whose output a server reads.
 */
static bool is_of_same_work(const struct thread_endpoint *endpoint,
			    const struct message *message)
{
	const struct request *request = message->segment->request;

	return request && endpoint->before &&
	       endpoint->before->request == request;
}

/* Returns whether @endpoint, or a thread that executes its entries of an
 * io_uring, has worked last for @request, or no thread has.
 */
static bool is_last_of(const struct requests *requests,
		       const struct thread_endpoint *endpoint,
		       const struct request *request)
{
	const struct work_segment *last = request->last;

	return !last || last->is_carrier || last->task == endpoint->task ||
	       (last->task->pid == endpoint->task->pid &&
		requests_known_endpoint(requests, last->task)->executes);
}

void requests_next(const struct requests *requests,
		   struct thread_endpoint *endpoint)
{
	for (size_t i = 0; i < endpoint->taken.count; i++) {
		struct request *request = request_in(&endpoint->taken, i);

		request->is_left = !request->has_children &&
				   is_last_of(requests, endpoint, request);
	}
}

void requests_pass(const struct requests *requests,
		   struct thread_endpoint *endpoint)
{
	for (size_t i = 0; i < endpoint->taken.count; i++) {
		struct request *request = request_in(&endpoint->taken, i);

		if (request->is_overtaken || request->kind != MESSAGE_SEND)
			request->is_ended = true;
	}
	requests_next(requests, endpoint);
	request_list_forget_closed(&endpoint->taken);
}

void requests_take(struct requests *requests, struct thread_endpoint *endpoint,
		   struct message *message, uint64_t time_ns)
{
	struct request *answered;

	if (message->is_taken) {
		requests_resume(requests, endpoint);
		return;
	}
	message->is_taken = true;
	message->receiver = endpoint->task;
	requests_item_read(requests, message);
	endpoint->round[endpoint->round_count++ % ROUND] = message->sender;
	answered = requests_find_answered(requests, message, endpoint);
	if (answered && !message->answers)
		requests_answer(requests, answered, message);
	if (answered)
		requests_take_answer(requests, endpoint, answered, time_ns);
	else if (requests_is_server(requests, message->sender, endpoint->task,
				    (enum message_medium)message->medium))
		requests_resume(requests, endpoint);
	else if (message->sender->pid == endpoint->task->pid ||
		 is_of_same_work(endpoint, message))
		consume_work(requests, endpoint, message);
	else
		consume_request(requests, endpoint, message, time_ns);
}
