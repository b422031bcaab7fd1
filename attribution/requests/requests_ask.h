/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ASK_H
#define KT_ATTRIBUTION_REQUESTS_ASK_H

#include <stdbool.h>

struct message;
struct request;
struct requests;

/* Creates a request from @message, which nobody has read yet. Borrowed; NULL
 * when out of memory.
 */
struct request *requests_ask(struct requests *requests,
			     struct message *message);

/* Adds @request, which nobody owns yet, to the open requests. Returns false
 * when out of memory.
 */
bool requests_open(struct requests *requests, struct request *request);

/* Sets the addresses of @request from the connection of the socket that it was
 * sent from.
 */
void requests_name(const struct requests *requests, struct request *request);

/* Emits the requests that are ended and settled. */
void requests_hand_out(struct requests *requests);

#endif
