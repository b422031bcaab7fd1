/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_EVENTS_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_EVENTS_H

struct event_record;
struct requests;

/* Before Linux 6.3 there are no events for socket reads and writes. Packets
 * replace them: the packet that leaves in a send contains that message and, on
 * the same machine, is also the packet that is delivered and copied to the
 * reader.
 */

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

#endif
