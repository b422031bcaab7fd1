/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ASK_H
#define KT_ATTRIBUTION_REQUESTS_ASK_H

#include <stdbool.h>

struct message;
struct request;
struct requests;

/* Makes a request of @message, which nobody has taken yet.  Borrowed; NULL when
 * out of memory.
 */
struct request *requests_ask(struct requests *requests,
			     struct message *message);

/* Takes @request, which is nobody's yet, among those that are open.  Returns
 * whether there was memory.
 */
bool requests_open(struct requests *requests, struct request *request);

/* @request was sent from its socket: whose addresses are its own. */
void requests_name(const struct requests *requests, struct request *request);

/* Hands out what is ended and known. */
void requests_hand_out(struct requests *requests);

#endif
