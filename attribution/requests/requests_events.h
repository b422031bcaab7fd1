/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_EVENTS_H
#define KT_ATTRIBUTION_REQUESTS_EVENTS_H

#include "attribution/requests/message_kinds.h"

struct call_step;
struct event_record;
struct party;
struct requests;

/* Sets the handlers of @requests for steps, events and spans. */
void requests_follow(struct requests *requests);

/* The functions below handle one kind of event each, in a file each.
 *
 * Applies a socket event, which shows exactly the bytes sent and read.
 */
void requests_socket_event(struct requests *requests,
			   const struct event_record *event);

/* EVENT_SOCKET_STATE: a thread starts a connect, on behalf of the request that
 * it works for.
 */
void requests_socket_opens(struct requests *requests,
			   const struct event_record *event);

/* EVENT_SCHED_WAKING: a thread woken from waiting for messages receives the
 * waker's message, if the waker is sending one.
 */
void requests_waking(struct requests *requests,
		     const struct event_record *event);

/* A function that waits starts or ends. */
void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step);

#endif
