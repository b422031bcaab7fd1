/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/packets.h"
#include "attribution/requests/requests_parts.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/task_time.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"

static struct requests *requests_of_callback(struct span_callback *callback)
{
	return container_of(callback, struct requests, span_callback);
}

/* A span comes when it is over, within the wait that it is part of. */
static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct requests *requests = requests_of_callback(callback);
	struct party *party =
		requests_party(requests, span->task, span->begin_ns);

	if (!party ||
	    !thread_clock_take(&party->clock, span, party->wait.is_open))
		return;
	/* Handing out looks at all that are open: not at every mark, then. */
	if (++requests->known_marks <= requests->open.count)
		return;
	requests->known_marks = 0;
	requests_hand_out(requests);
}

/* Returns the kernel context that @task is in, less the tracer and what switches
 * tasks, or NULL.
 */
static const struct open_context *context_of(const struct requests *requests,
					     const struct task *task)
{
	size_t count;
	const struct open_context *contexts =
		task_time_contexts(requests->time, task->index, &count);

	while (count && (contexts[count - 1].kind == CONTEXT_TRACER ||
			 contexts[count - 1].kind == CONTEXT_SCHEDULE))
		count--;
	return count ? &contexts[count - 1] : NULL;
}

static enum context_kind context_kind_of(const struct requests *requests,
					 const struct party *party)
{
	const struct open_context *context = context_of(requests, party->task);

	return context ? context->kind : CONTEXT_NONE;
}

/* Returns the number of the soft interrupt that @task is in, 0: none. */
static uint64_t softirq_of(const struct requests *requests,
			   const struct task *task)
{
	const struct open_context *context = task ? context_of(requests, task) :
						    NULL;

	return context && context->kind == CONTEXT_SOFTIRQ ? context->serial :
							     0;
}

/* Something was copied to @party, or merged by anybody. */
static void take_evidence(struct requests *requests, struct party *party,
			  const struct call_step *step, enum message_kind kind)
{
	if (kind == MESSAGE_MERGE) {
		requests_packet_merged(requests, (int32_t)step->cpu,
				       softirq_of(requests, step->task));
		return;
	}
	if (!party->wait.is_open || party->wait.function.medium != MEDIUM_PIPE)
		return;
	party->has_copied = true;
	requests->sees_copies = true;
}

static void take_begin(struct requests *requests, struct party *party,
		       struct message_function function,
		       const struct call_step *step)
{
	if (function.kind == MESSAGE_ACCEPT)
		requests_accepts(requests, step->task);
	else if (function.kind == MESSAGE_CONNECT)
		requests_connects(requests, step->task);
	if (message_kind_waits(function.kind))
		requests_wait_begin(requests, party, function, step);
	else
		requests_send_begin(requests, party, function, step);
}

static void take_end(struct requests *requests, struct party *party,
		     const struct call_step *step)
{
	if (party->wait.is_open && party->wait.depth == step->depth)
		requests_wait_end(requests, party, step);
	else if (!party->send.is_open || party->send.depth != step->depth)
		return;
	else if (step->unseen & UNSEEN_END)
		requests_send_lost(requests, party, step->time_ns);
	else
		requests_send_end(requests, party, step->time_ns);
}

static void take_call(struct requests *requests, const struct call_step *step,
		      struct message_function function)
{
	struct party *party =
		requests_party(requests, step->task, step->time_ns);
	bool begins = step->kind == STEP_ENTER;

	if (party && begins && message_kind_is_evidence(function.kind)) {
		take_evidence(requests, party, step, function.kind);
		return;
	}
	/* It lets the command begin by one, and asks nothing. */
	if (!party || party->is_recorder)
		return;
	if (!begins)
		take_end(requests, party, step);
	else if (!requests_send_resumes(requests, party, step))
		take_begin(requests, party, function, step);
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct requests *requests = (struct requests *)handler;
	struct message_function function;

	requests->end_ns = step->time_ns;
	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT)
		return;
	function = message_kinds_of(requests->kinds, step->function);
	if (function.kind != MESSAGE_NONE)
		take_call(requests, step, function);
}

/* Returns whether what @task does now is part of its send, not of an interrupt
 * in it: of the soft interrupts, those that carry network packets are.
 */
static bool is_sending(const struct requests *requests,
		       const struct party *party)
{
	enum context_kind context = context_kind_of(requests, party);

	return context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL ||
	       (context == CONTEXT_SOFTIRQ &&
		party->send.function.medium >= MEDIUM_TCP);
}

/* Returns the thread @tid, which runs on @cpu or did so last, or NULL. */
static struct party *party_of(struct requests *requests, int32_t cpu,
			      int32_t tid, uint64_t time_ns)
{
	const struct task *task =
		tid > 0 ? task_paths_task(requests->paths, cpu, tid) : NULL;

	return task ? requests_party(requests, task, time_ns) : NULL;
}

/* Returns the number of the soft interrupt that @event happened in, 0: none. */
static uint64_t softirq_at(const struct requests *requests,
			   const struct event_record *event)
{
	return softirq_of(requests, task_paths_task(requests->paths, event->cpu,
						    event->tid));
}

/* A packet that is delivered to @woken wakes it.  Returns whether it is known
 * whether one is.
 */
static bool take_delivery(struct requests *requests, struct party *woken,
			  const struct event_record *event)
{
	enum message_medium medium = woken->wait.function.medium;
	uint64_t softirq = softirq_at(requests, event);
	struct message *message;

	if (!requests->has_packets || !softirq ||
	    woken->wait.function.kind == MESSAGE_ACCEPT ||
	    (medium != MEDIUM_UNKNOWN && medium < MEDIUM_TCP))
		return false;
	message = packets_delivered(requests->packets, event->cpu, softirq);
	requests_wake_by(requests,
			 message && !message->is_taken ? message : NULL, woken,
			 event->time_ns);
	return true;
}

/* Who reads from a Unix socket lets the one that sent it go on: no message, but
 * it tells whose that was.
 */
static void take_room(const struct requests *requests, struct party *reader,
		      const struct party *woken)
{
	enum context_kind context = context_kind_of(requests, reader);

	if (reader != woken && !reader->freed && reader->wait.is_open &&
	    reader->wait.function.kind == MESSAGE_WAIT &&
	    reader->wait.function.medium == MEDIUM_UNIX &&
	    woken->wait.function.medium == MEDIUM_UNIX &&
	    (context == CONTEXT_NONE || context == CONTEXT_SYSTEM_CALL))
		reader->freed = woken->task;
}

static void take_waking(struct requests *requests,
			const struct event_record *event)
{
	struct party *woken = party_of(requests, event->cpu,
				       (int32_t)event->values[WAKING_TID],
				       event->time_ns);
	struct party *waker;

	if (woken)
		woken->wakes++;
	if (!woken || !woken->wait.is_open ||
	    take_delivery(requests, woken, event))
		return;
	waker = party_of(requests, event->cpu, event->tid, event->time_ns);
	if (waker)
		take_room(requests, waker, woken);
	if (waker && !is_sending(requests, waker))
		waker = NULL;
	requests_wake(requests, waker, woken, event->time_ns);
}

/* Whoever sends or reads: what it does next goes behind these bytes. */
static void count_bytes(struct requests *requests,
			const struct event_record *event)
{
	struct connection_state *state = connections_find(
		requests->connections, (uint64_t)event->values[SOCKET_ADDRESS]);
	int64_t bytes = event->values[SOCKET_BYTES];

	if (!state)
		return;
	if (event->event == EVENT_SOCKET_READY && !state->ready_ns)
		state->ready_ns = event->time_ns;
	if (event->event == EVENT_SOCKET_SENT && bytes > 0)
		state->sent_bytes += (uint64_t)bytes;
	if (event->event == EVENT_SOCKET_TAKEN && bytes > 0) {
		state->taken_bytes += (uint64_t)bytes;
		state->ready_ns = 0;
	}
}

/* A packet goes out.  In a system call that sends, the first one has the first
 * bytes of what is sent, unless others had to wait before it.
 */
static void take_packet(struct requests *requests,
			const struct event_record *event)
{
	struct party *party =
		party_of(requests, event->cpu, event->tid, event->time_ns);

	bool is_sent = party && party->send.is_open &&
		       context_kind_of(requests, party) == CONTEXT_SYSTEM_CALL;

	if (requests->has_packets && is_sent)
		requests_packet_sent(requests, party, event);
	else if (requests->has_packets)
		requests_packet_passed(requests, event,
				       softirq_at(requests, event));
	else if (requests->has_socket_events && is_sent &&
		 !party->transmitted &&
		 party->send.function.medium == MEDIUM_TCP)
		party->transmitted =
			thread_clock_mark(&party->clock, event->time_ns);
}

static void take_copy(struct requests *requests,
		      const struct event_record *event)
{
	struct party *party =
		party_of(requests, event->cpu, event->tid, event->time_ns);

	if (party)
		requests_packet_copied(requests, party, event);
}

static void tell_party(struct requests *requests,
		       const struct event_record *event)
{
	struct party *party =
		party_of(requests, event->cpu, event->tid, event->time_ns);

	if (!party)
		return;
	if (event->event == EVENT_SOCKET_TAKEN)
		requests_socket_taken(requests, party, event);
	else if (event->event == EVENT_SOCKET_SENT)
		requests_socket_sent(requests, party, event);
	else if (is_sending(requests, party))
		requests_socket_ready(requests, party, event);
}

static void take_socket(struct requests *requests,
			const struct event_record *event)
{
	tell_party(requests, event);
	count_bytes(requests, event);
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct requests *requests = (struct requests *)handler;

	if (event->event == EVENT_SCHED_WAKING)
		take_waking(requests, event);
	else if (event->event == EVENT_SOCKET_READY ||
		 event->event == EVENT_SOCKET_SENT ||
		 event->event == EVENT_SOCKET_TAKEN)
		take_socket(requests, event);
	else if (event->event == EVENT_NET_QUEUE)
		take_packet(requests, event);
	else if (event->event == EVENT_NET_RECEIVE && requests->has_packets)
		requests_packet_received(requests, event,
					 softirq_at(requests, event));
	else if (event->event == EVENT_SKB_COPY && requests->has_packets)
		take_copy(requests, event);
	else if (event->event == EVENT_SOCKET_STATE &&
		 connections_take(requests->connections, event) < 0)
		requests->status = -ERROR_MEMORY;
}

static void take_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	struct requests *requests = (struct requests *)handler;
	bool is_fork = record->kind == SIDEBAND_FORK;
	struct party *party;

	if (!is_fork && record->kind != SIDEBAND_EXIT &&
	    (record->kind != SIDEBAND_COMM || !record->comm.exec))
		return;
	party = party_of(requests, record->cpu,
			 is_fork ? record->fork.parent_tid : record->tid,
			 record->time_ns);
	if (party && is_fork)
		requests_fork(requests, party, record);
	else if (party)
		requests_leave(requests, party, record->time_ns);
}

void requests_follow(struct requests *requests)
{
	requests->handler =
		(struct event_handler){ take_step, take_event, take_record };
	requests->span_callback.take = take_span;
}
