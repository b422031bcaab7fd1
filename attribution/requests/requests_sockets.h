/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_SOCKETS_H
#define KT_ATTRIBUTION_REQUESTS_SOCKETS_H

struct event_record;
struct requests;

/* A socket's event tells what is sent and read there: exactly. */
void requests_socket_event(struct requests *requests,
			   const struct event_record *event);

#endif
