/* SPDX-License-Identifier: MIT */
#include "attribution/requests/requests_events.h"

#include "attribution/events/known_events.h"
#include "attribution/requests/channels.h"
#include "attribution/requests/connections.h"
#include "attribution/requests/requests_ask.h"
#include "attribution/requests/requests_context.h"
#include "attribution/requests/requests_deferred.h"
#include "attribution/requests/requests_disk.h"
#include "attribution/requests/requests_items.h"
#include "attribution/requests/requests_packets.h"
#include "attribution/requests/requests_party.h"
#include "attribution/requests/requests_send.h"
#include "attribution/requests/requests_state.h"
#include "common/container_of.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"

/* Emits @span and moves the clock of @party. Returns whether a mark became
 * known.
 */
static bool move_clock(const struct requests *requests, struct party *party,
		       const struct time_span *span, bool is_idle)
{
	struct request_callback *const *callbacks = requests->callbacks.items;
	enum request_part part = request_part_of(span, is_idle);

	for (size_t i = 0; i < requests->callbacks.count; i++)
		if (callbacks[i]->passed)
			callbacks[i]->passed(callbacks[i], span, part);
	return thread_clock_take(&party->clock, span, part);
}

/* Like move_clock(), but in two parts if the thread was idle from some time on.
 */
static bool tell_clock(const struct requests *requests, struct party *party,
		       const struct time_span *span)
{
	uint64_t since_ns = party->awaited_since_ns;
	struct time_span part = *span;
	bool is_idle = party->wait.is_open || span->end_ns <= party->awaited_ns;
	bool is_known = false;

	if (is_idle && span->begin_ns < since_ns && since_ns < span->end_ns) {
		part.end_ns = since_ns;
		is_known = move_clock(requests, party, &part, false);
		part = *span;
		part.begin_ns = since_ns;
	}
	return move_clock(requests, party, &part, is_idle) || is_known;
}

/* A span arrives when it is over, within the wait that it is part of. */
static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct requests *requests =
		container_of(callback, struct requests, span_callback);
	struct party *party =
		requests_party(requests, span->task, span->begin_ns);

	if (!party || !tell_clock(requests, party, span))
		return;
	/* Emission checks all open requests, so it does not run at every mark.
	 */
	if (++requests->known_marks <= requests->open.count)
		return;
	requests->known_marks = 0;
	requests_hand_out(requests);
}

/* Data was copied to @party, or any thread merged packets. */
static void take_evidence(struct requests *requests, struct party *party,
			  const struct call_step *step, enum message_kind kind)
{
	if (kind == MESSAGE_MERGE) {
		requests_packet_merged(requests, step);
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
		requests_check(requests, roles_accepts(&requests->roles,
						       step->task->pid));
	else if (function.kind == MESSAGE_CONNECT)
		requests_check(requests, roles_connects(&requests->roles,
							step->task->pid));
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
	/* The recorder's message starts the traced command, and is no request.
	 */
	if (!party || party->is_recorder)
		return;
	if (!begins)
		take_end(requests, party, step);
	else if (!requests_send_resumes(requests, party, step))
		take_begin(requests, party, function, step);
}

static void take_switch(const struct requests *requests,
			const struct call_step *step)
{
	struct party *party = requests_known_party(requests, step->task);

	if (party && step->kind == STEP_LEAVE)
		party->off_ns = step->time_ns;
	else if (party && step->kind == STEP_SWITCH)
		party->off_ns = 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct requests *requests = (struct requests *)handler;
	struct message_function function;

	requests->end_ns = step->time_ns;
	if (step->kind != STEP_ENTER && step->kind != STEP_EXIT) {
		take_switch(requests, step);
		return;
	}
	function = message_kinds_of(requests->kinds, step->function);
	if (message_kind_carries(function.kind))
		requests_item_step(requests, step);
	else if (function.kind != MESSAGE_NONE)
		take_call(requests, step, function);
}

/* The kernel reuses the address of a closed socket, at once under load: no
 * message or request of the old connection belongs to the new one.
 */
static void take_socket_state(struct requests *requests,
			      const struct event_record *event)
{
	uint64_t socket = (uint64_t)event->values[SOCKET_ADDRESS];
	struct request *opener = NULL;

	if (connections_asks(event))
		requests_socket_opens(requests, event);
	if (connections_begins(event)) {
		opener = channels_take_opener(requests->channels, socket);
		channels_renew(requests->channels, socket);
	}
	if (opener)
		requests_check(requests, channels_open_for(requests->channels,
							   socket, opener));
	request_drop(opener);
	requests_check(requests,
		       connections_take(requests->connections, event));
}

static void take_event(struct event_handler *handler,
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
		take_socket_state(requests, event);
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
	party = requests_party_on(requests, record->cpu,
				  is_fork ? record->fork.parent_tid :
					    record->tid,
				  record->time_ns);
	if (party && is_fork)
		requests_fork(requests, party, record);
	else if (party)
		requests_leave(requests, party, record->time_ns);
}

void requests_follow(struct requests *requests)
{
	requests->handler = (struct event_handler){ .step = take_step,
						    .event = take_event,
						    .record = take_record };
	requests->span_callback.take = take_span;
}
