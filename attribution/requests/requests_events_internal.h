/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_EVENTS_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_EVENTS_INTERNAL_H

struct event_record;
struct requests;

/* Sets the handlers of @requests for steps, events and spans. */
void requests_follow(struct requests *requests);

/* Applies a socket event, which shows exactly the bytes sent and read
 * (requests_sockets.c).
 */
void requests_socket_event(struct requests *requests,
			   const struct event_record *event);

/* Applies an EVENT_SOCKET_STATE that starts a connect, on behalf of the request
 * that the thread works for.
 */
void requests_socket_opens(struct requests *requests,
			   const struct event_record *event);

#endif
