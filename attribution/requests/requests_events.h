/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_EVENTS_H
#define KT_ATTRIBUTION_REQUESTS_EVENTS_H

#include "attribution/requests/message_kinds.h"

struct call_step;
struct event_record;
struct party;
struct requests;

/* Sets what @requests handles: steps, events and spans. */
void requests_follow(struct requests *requests);

/* What handling these comes to, a file each.
 *
 * A socket's event tells what is sent and read there: exactly.
 */
void requests_socket_event(struct requests *requests,
			   const struct event_record *event);

/* EVENT_SOCKET_STATE: a thread asks for a connection, for the request that it
 * works for.
 */
void requests_socket_opens(struct requests *requests,
			   const struct event_record *event);

/* EVENT_SCHED_WAKING: who is woken from waiting for messages has one of the waker's,
 * if that sends one.
 */
void requests_waking(struct requests *requests,
		     const struct event_record *event);

/* A function that waits begins or ends. */
void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step);

#endif
