/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_events_internal.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/requests/connections_internal.h"
#include "attribution/requests/endpoint_internal.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests_answer_internal.h"
#include "attribution/requests/requests_ring_internal.h"
#include "attribution/requests/requests_state_internal.h"
#include "attribution/requests/requests_take_internal.h"
#include "common/container_of.h"
#include "report/steps/call_step.h"

/* Turns a pass into sends, waits and reads of threads. The handlers are at the
 * end of this file (requests_follow()):
 *
 *	consume_step()	a thread enters or leaves a function that sends, waits
 *			or carries messages (enum message_kind), or its CPU
 *	consume_event()	wake-ups, packets, work items, requests to disks, states
 *			of sockets; socket events: requests_sockets.c
 *	consume_record()	fork and exit; a program that a thread executes
 *				continues the thread's work
 *	consume_span()	a thread's time, which moves the thread's clock
 *
 * requests_wait_end() finds the message that a thread has read. It tries, the
 * strongest evidence first: the messages of packets that were copied to the
 * thread; the sender for whose data the thread made room in a Unix socket; the
 * message that woke the thread. find() infers one if there is no evidence.
 *
 * Packets: before Linux 6.3 there are no events for socket reads and writes.
 * Packets replace them: the packet that leaves in a send contains that message
 * and, on the same machine, is also the packet that is delivered and copied to
 * the reader.
 */

static void set(struct requests *requests, uint64_t packet,
		struct message *message)
{
	requests_check(requests,
		       packets_set(requests->packets, packet, message));
}

/* Forgets the message of @packet if it was read: the kernel reuses the
 * addresses of packets.
 */
static void forget_read(struct requests *requests, uint64_t packet)
{
	const struct message *message = packets_find(requests->packets, packet);

	if (message && message->is_taken)
		set(requests, packet, NULL);
}

static void consume_sent(struct requests *requests,
			 struct thread_endpoint *endpoint,
			 const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = endpoint->message;

	if (endpoint->send.function.kind != MESSAGE_SEND ||
	    endpoint->send.function.medium < MEDIUM_TCP)
		return;
	if (!message)
		message = requests_deliver(requests, endpoint, event->time_ns);
	if (!message)
		return;
	if (requests->options.has_wakes && !endpoint->is_heard)
		requests_list_unheard(requests, endpoint);
	/* The packets of a datagram are not always shown when they are read. */
	message->has_packets = !message->is_merged &&
			       message->medium == MEDIUM_TCP;
	message->is_inferred = false;
	set(requests, packet, message);
}

/* Handles a packet that leaves outside a send: it is forwarded, or replies to
 * the packet being delivered.
 */
static void consume_passed(struct requests *requests,
			   const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *delivered =
		packets_delivered(requests->packets, event->cpu,
				  requests_softirq_at(requests, event));

	forget_read(requests, packet);
	if (!packets_find(requests->packets, packet))
		requests_check(requests, packets_set_reply(requests->packets,
							   packet, delivered));
}

/* Applies EVENT_NET_QUEUE: a packet leaves. In a system call that sends, the
 * first packet contains the first bytes of the message, unless earlier data was
 * still queued.
 */
static void requests_packet_leaves(struct requests *requests,
				   const struct event_record *event)
{
	struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);
	bool is_sent = endpoint && endpoint->is_sending &&
		       requests_context_of(requests, endpoint) ==
			       CONTEXT_SYSTEM_CALL;

	if (requests->options.has_packets && is_sent)
		consume_sent(requests, endpoint, event);
	else if (requests->options.has_packets)
		consume_passed(requests, event);
	else if (requests->options.has_socket_events && is_sent &&
		 !endpoint->transmitted &&
		 endpoint->send.function.medium == MEDIUM_TCP)
		endpoint->transmitted =
			thread_clock_mark(&endpoint->clock, event->time_ns);
}

static void requests_packet_received(struct requests *requests,
				     const struct event_record *event)
{
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];

	forget_read(requests, packet);
	if (event->cpu >= 0)
		requests_check(
			requests,
			packets_deliver(requests->packets, event->cpu, packet,
					requests_softirq_at(requests, event)));
}

/* Records that @step enters kfree_skb_partial(): the packet being delivered was
 * merged into the previous one.
 */
static void requests_packet_merged(struct requests *requests,
				   const struct call_step *step)
{
	uint64_t softirq = requests_softirq_of(requests, step->task);
	int32_t cpu = (int32_t)step->cpu;
	struct message *message =
		packets_delivered(requests->packets, cpu, softirq);

	if (message && !message->is_taken) {
		message->has_packets = false;
		message->is_merged = true;
	}
	/* Merged outside a soft interrupt, by the reader when it releases the
	 * socket: which packet it was is unknown.
	 */
	else if (!softirq)
		requests->late_merges++;
	packets_forget_delivered(requests->packets, cpu, softirq);
}

/* Why a message may reach its reader without a packet of its own, in the order
 * in which find_added() tries the reasons.
 */
enum stray {
	STRAY_MERGED, /* merged into another packet */
	STRAY_HELD,   /* no packet of it was seen so far */
	/* the packet of its data may have been merged without an event */
	STRAY_LATE,
};

static enum stray stray_of(const struct message *message)
{
	return message->has_packets ? STRAY_LATE :
	       message->is_merged   ? STRAY_MERGED :
				      STRAY_HELD;
}

/* Returns the oldest unread TCP message of @sender whose stray_of() is from
 * @first to @last, and which was sent for a request of @reader. With @may_be,
 * it is enough that the message may be for @reader; NULL: for any thread.
 * Borrowed; NULL: none.
 */
static struct message *find_stray(const struct thread_endpoint *sender,
				  enum stray first, enum stray last,
				  const struct task *reader, bool may_be)
{
	for (size_t i = 0; sender && i < sender->unheard.count; i++) {
		struct message *message = message_in(&sender->unheard, i);
		const struct request *request = message->segment->request;
		enum stray stray = stray_of(message);

		if (message->is_taken || message->medium != MEDIUM_TCP ||
		    stray < first || stray > last)
			continue;
		if (may_be ? !reader || message_may_be_for(message, reader,
							   false) :
			     request && request->client == reader)
			return message;
	}
	return NULL;
}

/* Returns a message of @sender that was merged into a packet that @reader
 * (NULL: any thread) reads, borrowed, or NULL. Messages known to be for @reader
 * precede all others.
 */
static struct message *find_added(const struct requests *requests,
				  const struct thread_endpoint *sender,
				  const struct task *reader)
{
	enum stray last = requests->late_merges ? STRAY_LATE : STRAY_HELD;
	struct message *message =
		reader ? find_stray(sender, 0, last, reader, false) : NULL;

	for (enum stray stray = 0; !message && stray <= last; stray++)
		message = find_stray(sender, stray, stray, reader, true);
	return message;
}

/* Returns the message that @reader reads from the packet that starts with
 * @message: @message, or, if that was already read, a message that was merged
 * into the packet.
 */
static struct message *rest_of(struct requests *requests,
			       struct message *message,
			       const struct thread_endpoint *reader)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, message->sender);
	struct message *merged;

	if (!message->is_taken || reader->copied.count)
		return message;
	merged = find_added(requests, sender, reader->task);
	if (!merged)
		merged = find_added(requests, sender, NULL);
	if (!merged)
		return message;
	if (merged->has_packets)
		requests->late_merges--;
	merged->is_inferred = true;
	return merged;
}

/* Returns the oldest message of @sender that has had no packet so far,
 * borrowed, or NULL.
 */
static struct message *held_back(const struct thread_endpoint *sender)
{
	return find_stray(sender, STRAY_HELD, STRAY_HELD, NULL, true);
}

/* Returns the message in @packet, which left outside a send, or NULL. Data that
 * had to wait for earlier data leaves when the other side's acknowledgement
 * arrives, so its sender is a thread of the process that the acknowledgement
 * was delivered to.
 */
static struct message *find_reply(struct requests *requests, uint64_t packet)
{
	const struct message *delivered =
		packets_find_delivered(requests->packets, packet);
	struct message *found = NULL;
	const struct thread_endpoint *sender;
	size_t next = 0;

	while (delivered && delivered->receiver &&
	       (sender = requests_next_endpoint(requests, &next))) {
		struct message *message =
			sender->task->pid == delivered->receiver->pid ?
				held_back(sender) :
				NULL;

		if (message && message_is_older(message, found))
			found = message;
	}
	if (!found)
		return NULL;
	found->is_inferred = true;
	set(requests, packet, found);
	return found;
}

static void requests_packet_copied(struct requests *requests,
				   const struct event_record *event)
{
	struct thread_endpoint *endpoint =
		requests_endpoint_at(requests, event);
	uint64_t packet = (uint64_t)event->values[SKB_ADDRESS];
	struct message *message = packets_find(requests->packets, packet);

	if (!endpoint || !endpoint_waits(endpoint) ||
	    endpoint->wait.function.kind != MESSAGE_WAIT)
		return;
	endpoint->has_copied = true;
	if (endpoint->wait.function.medium < MEDIUM_TCP)
		return;
	endpoint->packet = packet;
	message = message ? rest_of(requests, message, endpoint) :
			    find_reply(requests, packet);
	if (message)
		requests_check(requests,
			       message_list_add(&endpoint->copied, message,
						MESSAGES_LISTED));
}

/* Records that the packet that @endpoint read last contains @message, which was
 * inferred.
 */
static void requests_packet_guessed(struct requests *requests,
				    struct thread_endpoint *endpoint,
				    struct message *message)
{
	if (endpoint->packet)
		set(requests, endpoint->packet, message);
}

/* Ends a wait for several objects: @endpoint now reads messages from them. */
static void end_poll(struct thread_endpoint *endpoint)
{
	endpoint->wait_state = WAIT_POLLED;
	endpoint->round_count = 0;
	endpoint->polls = true;
}

/* Records that @endpoint enters @function, which waits for a message (enum
 * wait_state).
 */
static void requests_wait_begin(struct requests *requests,
				struct thread_endpoint *endpoint,
				struct message_function function,
				const struct call_step *step)
{
	const struct request *current = endpoint->segment->request;

	/* An io_uring reads while its thread waits for several objects. */
	if (function.kind == MESSAGE_WAIT && endpoint_waits(endpoint) &&
	    endpoint->wait.function.kind == MESSAGE_MANY)
		end_poll(endpoint);
	/* A futex wait in the middle of a request is taken for a lock. */
	if (endpoint_waits(endpoint) ||
	    (function.kind == MESSAGE_WORD && current && !current->is_answered))
		return;
	endpoint->wait_state =
		endpoint->wait_state == WAIT_POLLED ? WAIT_READS : WAIT_OPEN;
	endpoint->wait =
		(struct message_call){ function, step->function, step->depth };
	endpoint->has_copied = false;
	endpoint->packet = 0;
	endpoint->freed = NULL;
	message_list_clear(&endpoint->copied);
	if (endpoint->wait_state == WAIT_READS)
		return;
	work_segment_drop(endpoint->before);
	endpoint->before = requests_cut(requests, endpoint, step->time_ns);
	requests_wait(requests, endpoint);
}

/* Reads the message that woke @endpoint from this wait, or else from an earlier
 * wait for several objects.
 *
 * Returns whether there was such a message.
 */
static bool consume_arrived(struct requests *requests,
			    struct thread_endpoint *endpoint, uint64_t time_ns)
{
	struct message *message =
		requests_next_arrived(requests, endpoint, false);

	if (!message)
		message = requests_next_arrived(requests, endpoint, true);
	if (!message)
		return false;
	requests_take(requests, endpoint, message, time_ns);
	message_drop(message);
	return true;
}

/* Reads the messages that packets show @endpoint to have read. Returns whether
 * there was one.
 */
static bool consume_copied(struct requests *requests,
			   struct thread_endpoint *endpoint, uint64_t time_ns)
{
	bool has_any = endpoint->copied.count;

	while (endpoint->copied.count) {
		struct message *message =
			message_list_take(&endpoint->copied, 0);

		requests_take(requests, endpoint, message, time_ns);
		message_drop(message);
	}
	return has_any;
}

/* Returns the oldest unread message by a Unix socket in @list that @sender
 * sent, borrowed, or NULL.
 */
static struct message *oldest_from(const struct array *list,
				   const struct task *sender)
{
	for (size_t i = 0; i < list->count; i++) {
		struct message *message = message_in(list, i);

		if (message->sender == sender && !message->is_taken &&
		    message->medium == MEDIUM_UNIX &&
		    message->kind == MESSAGE_SEND)
			return message;
	}
	return NULL;
}

/* Reads the message of the task for which room became free. Returns whether
 * there was such a message.
 */
static bool consume_freed(struct requests *requests,
			  struct thread_endpoint *endpoint, uint64_t time_ns)
{
	const struct thread_endpoint *sender =
		requests_known_endpoint(requests, endpoint->freed);
	struct message *message =
		sender ? oldest_from(&endpoint->arrived, sender->task) : NULL;

	if (sender && !message)
		message = oldest_from(&sender->unheard, sender->task);
	if (!message)
		return false;
	message_refer(message);
	requests_take(requests, endpoint, message, time_ns);
	message_drop(message);
	return true;
}

/* Returns whether @endpoint read nothing in the wait that ends. */
static bool has_read_nothing(const struct requests *requests,
			     const struct thread_endpoint *endpoint)
{
	enum message_medium medium = endpoint->wait.function.medium;

	if (endpoint->wait.function.kind != MESSAGE_WAIT ||
	    endpoint->has_copied)
		return false;
	return medium == MEDIUM_PIPE ?
		       requests->sees_copies :
		       requests->options.has_packets &&
			       (medium == MEDIUM_UNIX || medium == MEDIUM_TCP);
}

/* Infers which message @endpoint read without having slept. If there is none,
 * @endpoint works for a message whose sender is unknown (found_ns).
 */
static void find(struct requests *requests, struct thread_endpoint *endpoint,
		 bool is_polled, uint64_t time_ns)
{
	enum message_medium medium = endpoint->wait.function.medium;
	struct message *message =
		requests_entry_message(requests, endpoint, medium);
	struct thread_endpoint *queuer;

	if (!message)
		message = requests_find_unheard(requests, endpoint, medium,
						is_polled);
	if (!message && medium < MEDIUM_TCP &&
	    requests_deliver_open(requests, endpoint, medium, time_ns))
		message = requests_find_unheard(requests, endpoint, medium,
						is_polled);
	requests_next(requests, endpoint);
	queuer = requests_queuer_of(requests, endpoint);
	if (queuer)
		requests_next(requests, queuer);
	if (!message) {
		if (endpoint->segment->is_waiting)
			requests_give(requests, endpoint->segment, NULL, NULL);
		/* It works for a message that its creator found: that
		 * message is no longer unread.
		 */
		if (endpoint->found_ns &&
		    endpoint->reader != endpoint->task->pid)
			requests_note_find(requests, endpoint->task->pid,
					   endpoint->found_ns);
		endpoint->reader = endpoint->task->pid;
		endpoint->found_ns = time_ns;
		endpoint->found_by = medium;
		endpoint->found_queued = requests_executes(requests, endpoint);
		requests_note_find(requests, endpoint->task->pid, time_ns);
		endpoint->found_asks = 0;
		return;
	}
	message->is_inferred = true;
	requests_mark_swapped(requests, message);
	requests_packet_guessed(requests, endpoint, message);
	requests_take(requests, endpoint, message, time_ns);
	message_drop(message);
}

/* Reads the completions that woke @endpoint from a wait for its io_uring. */
static void consume_completions(struct requests *requests,
				struct thread_endpoint *endpoint,
				uint64_t time_ns)
{
	for (size_t i = endpoint->arrived.count; i-- > 0;) {
		struct message *message = message_in(&endpoint->arrived, i);

		if (message->medium != MEDIUM_RING)
			continue;
		message_list_take(&endpoint->arrived, i);
		requests_take(requests, endpoint, message, time_ns);
		message_drop(message);
	}
}

/* Records that @endpoint leaves the function that it waits in: finds the
 * message that it read, unless a socket event will name the message.
 */
static void requests_wait_end(struct requests *requests,
			      struct thread_endpoint *endpoint,
			      const struct call_step *step)
{
	struct message_function function = endpoint->wait.function;
	bool is_polled = endpoint->wait_state == WAIT_READS;
	bool has_polled = function.kind == MESSAGE_MANY;

	endpoint->wait_state = WAIT_NONE;
	if (has_polled) {
		end_poll(endpoint);
		consume_completions(requests, endpoint, step->time_ns);
	}
	/* The socket's event follows the exit of its function. */
	if (has_polled || (function.kind == MESSAGE_WAIT &&
			   requests->options.has_socket_events &&
			   message_medium_is_socket(function.medium)))
		return;
	if (has_read_nothing(requests, endpoint)) {
		requests_resume(requests, endpoint);
		return;
	}
	/* A wait whose end was not seen may have found nothing. */
	if (consume_copied(requests, endpoint, step->time_ns) ||
	    consume_freed(requests, endpoint, step->time_ns) ||
	    consume_arrived(requests, endpoint, step->time_ns) ||
	    (step->unseen & UNSEEN_END))
		return;
	if (function.kind == MESSAGE_WAIT)
		find(requests, endpoint, is_polled, step->time_ns);
	else
		requests_resume(requests, endpoint);
}

/* Returns whether @waker wakes another process by a word in memory. That may be
 * a request, its answer or a lock that both use: the trace has neither the word
 * nor other shared state, so it is not treated as a message. Within a process
 * the wake-up passes work on in any case.
 */
static bool is_between_processes(const struct thread_endpoint *waker,
				 const struct thread_endpoint *woken,
				 enum message_kind kind)
{
	return kind == MESSAGE_SIGNAL && waker->task->pid != woken->task->pid;
}

/* Returns the message of @waker's send that may wake @woken, or NULL. */
static struct message *message_to(struct requests *requests,
				  struct thread_endpoint *waker,
				  const struct thread_endpoint *woken,
				  uint64_t time_ns)
{
	enum message_kind kind = waker->send.function.kind;

	if (!waker->is_sending || waker == woken ||
	    is_between_processes(waker, woken, kind))
		return NULL;
	if ((kind == MESSAGE_SIGNAL) !=
		    (woken->wait.function.kind == MESSAGE_WORD) ||
	    (kind == MESSAGE_CONNECT &&
	     woken->wait.function.kind == MESSAGE_WAIT))
		return NULL;
	/* No socket became ready: an interrupt wakes the thread for another
	 * reason.
	 */
	if (requests_has_events(requests, waker) && !waker->message)
		return NULL;
	return waker->message ? waker->message :
				requests_deliver(requests, waker, time_ns);
}

/* Ends the segment of @endpoint at its sleep: everything before belongs to its
 * previous work.
 */
static void cut_wait(struct requests *requests,
		     struct thread_endpoint *endpoint, uint64_t time_ns)
{
	requests_resume(requests, endpoint);
	work_segment_drop(endpoint->before);
	endpoint->before = requests_cut(requests, endpoint, time_ns);
	endpoint->segment->is_start = true;
	requests_pass(requests, endpoint);
}

/* Records that @message woke a thread, so that its reader need not be inferred.
 */
static void hear(struct requests *requests, struct message *message)
{
	struct thread_endpoint *sender =
		requests_known_endpoint(requests, message->sender);

	if (sender->message != message && !message->carrier)
		return;
	sender->is_heard |= sender->message == message;
	if (sender->is_listed)
		message_list_forget(&sender->unheard, message);
}

/* Records that @message (NULL: an unknown one) wakes @woken. */
static void wake_by(struct requests *requests, struct message *message,
		    struct thread_endpoint *woken, uint64_t time_ns)
{
	struct request *answered;

	cut_wait(requests, woken, time_ns);
	if (!message)
		return;
	hear(requests, message);
	woken->segment->waker = message->sender;
	woken->segment->waker_function = message->function;
	message->receiver = woken->task;
	message->is_polled = woken->wait.function.kind == MESSAGE_MANY &&
			     !message->to;
	message->is_entry =
		requests_is_in(requests, message->sender, MESSAGE_POLL);
	answered = requests_find_answered(requests, message, woken);
	if (answered && !message->answers)
		requests_answer(requests, answered, message);
	requests_check(requests, message_list_add(&woken->arrived, message,
						  MESSAGES_LISTED));
}

/* Records that a packet being delivered wakes @woken. Returns false, and does
 * nothing, if the packets cannot show what wakes @woken.
 */
static bool consume_delivery(struct requests *requests,
			     struct thread_endpoint *woken,
			     const struct event_record *event)
{
	enum message_medium medium = woken->wait.function.medium;
	uint64_t softirq = requests_softirq_at(requests, event);
	struct message *message;

	if (!requests->options.has_packets || !softirq ||
	    woken->wait.function.kind == MESSAGE_ACCEPT ||
	    (medium != MEDIUM_UNKNOWN && medium < MEDIUM_TCP))
		return false;
	message = packets_delivered(requests->packets, event->cpu, softirq);
	wake_by(requests, message && !message->is_taken ? message : NULL, woken,
		event->time_ns);
	return true;
}

/* Records that @reader wakes @woken while it reads from a Unix socket: it made
 * room for more data of @woken. This is no message, but shows which task sent
 * the data.
 */
static void consume_room(const struct requests *requests,
			 struct thread_endpoint *reader,
			 const struct thread_endpoint *woken)
{
	enum context_kind context = requests_context_of(requests, reader);

	if (reader != woken && !reader->freed && endpoint_waits(reader) &&
	    reader->wait.function.kind == MESSAGE_WAIT &&
	    reader->wait.function.medium == MEDIUM_UNIX &&
	    woken->wait.function.medium == MEDIUM_UNIX &&
	    (context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL))
		reader->freed = woken->task;
}

/* Applies EVENT_SCHED_WAKING: a thread woken from waiting for messages receives
 * the waker's message, if the waker is sending one.
 */
static void requests_waking(struct requests *requests,
			    const struct event_record *event)
{
	struct thread_endpoint *woken = requests_endpoint_on(
		requests, event->cpu, (int32_t)event->values[WAKING_TID],
		event->time_ns);
	struct message *message = NULL;
	struct thread_endpoint *waker;

	if (woken)
		woken->wakes++;
	if (!woken || !endpoint_waits(woken)) {
		requests_deferred_wakes(requests, event, woken);
		return;
	}
	if (consume_delivery(requests, woken, event))
		return;
	waker = requests_endpoint_at(requests, event);
	if (waker) {
		consume_room(requests, waker, woken);
		message = requests_item_message(requests, waker, woken,
						event->time_ns);
	}
	if (!message && waker && requests_is_sending(requests, waker))
		message = message_to(requests, waker, woken, event->time_ns);
	if (message || !waker) {
		wake_by(requests, message, woken, event->time_ns);
		return;
	}
	message = requests_completion(requests, waker, woken, event->time_ns);
	wake_by(requests, message, woken, event->time_ns);
	if (message)
		message_drop(message);
}

/* Emits @span and moves the clock of @endpoint. Returns whether a mark became
 * known.
 */
static bool move_clock(const struct requests *requests,
		       struct thread_endpoint *endpoint,
		       const struct time_span *span, bool is_idle)
{
	struct request_callback *const *callbacks = requests->callbacks.items;
	enum request_part part = request_part_of(span, is_idle);

	for (size_t i = 0; i < requests->callbacks.count; i++)
		if (callbacks[i]->passed)
			callbacks[i]->passed(callbacks[i], span, part);
	return thread_clock_consume(&endpoint->clock, span, part);
}

/* Like move_clock(), but splits @span where the thread started to sleep for
 * deferred work (awaited_since_ns): only the part after that is idle.
 */
static bool tell_clock(const struct requests *requests,
		       struct thread_endpoint *endpoint,
		       const struct time_span *span)
{
	uint64_t since_ns = endpoint->awaited_since_ns;
	struct time_span part = *span;
	bool is_idle = endpoint_waits(endpoint) ||
		       span->end_ns <= endpoint->awaited_ns;
	bool is_known = false;

	if (is_idle && span->begin_ns < since_ns && since_ns < span->end_ns) {
		part.end_ns = since_ns;
		is_known = move_clock(requests, endpoint, &part, false);
		part = *span;
		part.begin_ns = since_ns;
	}
	return move_clock(requests, endpoint, &part, is_idle) || is_known;
}

/* Moves the thread's clock. A span arrives when it ends; the thread has not
 * left its wait then, so the endpoint's state is still the one during the span.
 */
static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct requests *requests =
		container_of(callback, struct requests, span_callback);
	struct thread_endpoint *endpoint =
		requests_endpoint(requests, span->task, span->begin_ns);

	if (!endpoint)
		return;
	endpoint->has_user |= span->time_class == TIME_USER;
	if (!tell_clock(requests, endpoint, span))
		return;
	/* Emission checks all open requests, so it does not run at every mark.
	 */
	if (++requests->known_marks <= requests->open.count)
		return;
	requests->known_marks = 0;
	requests_emit(requests);
}

/* Records that @endpoint reports an object to an epoll. */
static void note_watched(const struct requests *requests,
			 struct thread_endpoint *endpoint)
{
	if (!endpoint->is_sending || !requests_is_sending(requests, endpoint))
		return;
	endpoint->is_watched = true;
	if (endpoint->message)
		endpoint->message->is_watched = true;
}

/* Applies functions that are only evidence: data was copied to @endpoint, an
 * epoll has the object that @endpoint sends to, or any thread merged packets.
 */
static void consume_evidence(struct requests *requests,
			     struct thread_endpoint *endpoint,
			     const struct call_step *step,
			     struct message_function function)
{
	enum message_kind kind = function.kind;

	if (kind == MESSAGE_ENTRY) {
		requests_execute(requests, endpoint, step->time_ns);
		return;
	}
	if (kind == MESSAGE_MERGE) {
		requests_packet_merged(requests, step);
		return;
	}
	if (kind == MESSAGE_POLL && function.medium != MEDIUM_RING) {
		note_watched(requests, endpoint);
		return;
	}
	if (kind != MESSAGE_COPY || !endpoint_waits(endpoint) ||
	    endpoint->wait.function.medium != MEDIUM_PIPE)
		return;
	endpoint->has_copied = true;
	requests->sees_copies = true;
}

static void consume_begin(struct requests *requests,
			  struct thread_endpoint *endpoint,
			  struct message_function function,
			  const struct call_step *step)
{
	if (function.kind == MESSAGE_ACCEPT)
		requests_check(requests, roles_accepts(&requests->roles,
						       step->task->pid));
	else if (function.kind == MESSAGE_CONNECT)
		requests_check(requests, roles_connects(&requests->roles,
							step->task->pid));
	if (message_kind_waits(function.kind))
		requests_wait_begin(requests, endpoint, function, step);
	else
		requests_send_begin(requests, endpoint, function, step);
}

static void consume_end(struct requests *requests,
			struct thread_endpoint *endpoint,
			const struct call_step *step)
{
	if (endpoint_waits(endpoint) && endpoint->wait.depth == step->depth)
		requests_wait_end(requests, endpoint, step);
	else if (!endpoint->is_sending || endpoint->send.depth != step->depth)
		return;
	else if (step->unseen & UNSEEN_END)
		requests_send_lost(requests, endpoint, step->time_ns);
	else
		requests_send_end(requests, endpoint, step->time_ns);
}

static void consume_call(struct requests *requests,
			 const struct call_step *step,
			 struct message_function function)
{
	struct thread_endpoint *endpoint =
		requests_endpoint(requests, step->task, step->time_ns);
	bool begins = step->kind == STEP_ENTER;

	if (endpoint && begins && message_kind_is_evidence(function.kind)) {
		consume_evidence(requests, endpoint, step, function);
		return;
	}
	/* The recorder's message starts the traced command, and is no request.
	 */
	if (!endpoint || endpoint->is_recorder)
		return;
	if (!begins)
		consume_end(requests, endpoint, step);
	else if (!requests_send_resumes(requests, endpoint, step))
		consume_begin(requests, endpoint, function, step);
}

static void consume_switch(const struct requests *requests,
			   const struct call_step *step)
{
	struct thread_endpoint *endpoint =
		requests_known_endpoint(requests, step->task);

	if (endpoint && step->kind == STEP_LEAVE)
		endpoint->off_ns = step->time_ns;
	else if (endpoint && step->kind == STEP_SWITCH)
		endpoint->off_ns = 0;
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct requests *requests = (struct requests *)handler;
	struct message_function function;

	requests->end_ns = step->time_ns;
	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT) {
		consume_switch(requests, step);
		return;
	}
	function = message_kinds_of(requests->kinds, step->function);
	if (message_kind_carries(function.kind))
		requests_item_step(requests, step);
	else if (function.kind != MESSAGE_NONE)
		consume_call(requests, step, function);
}

static uint8_t needs_function(const struct event_handler *handler,
			      uint32_t function)
{
	const struct requests *requests = (const struct requests *)handler;

	return message_kinds_of(requests->kinds, function).kind != MESSAGE_NONE;
}

static void skip(struct event_handler *handler,
		 const struct skipped_calls *skipped)
{
	((struct requests *)handler)->end_ns = skipped->last->time_ns;
}

/* Applies EVENT_SOCKET_STATE. The kernel reuses the address of a closed socket,
 * at once under load: no message or request of the old connection belongs to
 * the new one.
 */
static void consume_socket_state(struct requests *requests,
				 const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	struct request *opener = NULL;

	if (connections_asks(event))
		requests_socket_opens(requests, event);
	if (connections_begins(event)) {
		opener = channels_take_opener(requests->channels, socket);
		channels_reset(requests->channels, socket);
	}
	if (opener)
		requests_check(requests, channels_open_for(requests->channels,
							   socket, opener));
	request_drop(opener);
	requests_check(requests,
		       connections_consume(requests->connections, event));
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct requests *requests = (struct requests *)handler;

	if (event->event == EVENT_SCHED_WAKING)
		requests_waking(requests, event);
	else if (event->event == EVENT_SOCKET_READY ||
		 event->event == EVENT_SOCKET_SENT ||
		 event->event == EVENT_SOCKET_TAKEN)
		requests_socket_event(requests, event);
	else if (event->event == EVENT_NET_QUEUE)
		requests_packet_leaves(requests, event);
	else if (event->event == EVENT_NET_RECEIVE &&
		 requests->options.has_packets)
		requests_packet_received(requests, event);
	else if (event->event == EVENT_SKB_COPY &&
		 requests->options.has_packets)
		requests_packet_copied(requests, event);
	else if (event->event == EVENT_WORK_QUEUE)
		requests_item_queued(requests, event);
	else if (event->event == EVENT_WORK_BEGIN)
		requests_item_begins(requests, event);
	else if (event->event == EVENT_BIO_QUEUE)
		requests_deferred_asked(requests, event);
	else if (event->event == EVENT_REQUEST_COMPLETE)
		requests_disk_done(requests, event);
	else if (event->event == EVENT_SOCKET_STATE)
		consume_socket_state(requests, event);
}

static void consume_record(struct event_handler *handler,
			   const struct sideband_record *record)
{
	struct requests *requests = (struct requests *)handler;
	bool is_fork = record->kind == SIDEBAND_FORK;
	struct thread_endpoint *endpoint;

	if (!is_fork && record->kind != SIDEBAND_EXIT)
		return;
	endpoint = requests_endpoint_on(requests, record->cpu,
					is_fork ? record->fork.parent_tid :
						  record->tid,
					record->time_ns);
	if (endpoint && is_fork)
		requests_fork(requests, endpoint, record);
	else if (endpoint)
		requests_leave(requests, endpoint, record->time_ns);
}

void requests_follow(struct requests *requests)
{
	requests->handler =
		(struct event_handler){ .step = consume_step,
					.needs = needs_function,
					.limit = event_handler_limits_nothing,
					.skip = skip,
					.event = consume_event,
					.record = consume_record };
	requests->span_callback.consume = consume_span;
}
