/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_WAIT_H
#define KT_ATTRIBUTION_REQUESTS_WAIT_H

#include "attribution/requests/message_kinds.h"

struct call_step;
struct party;
struct requests;

/* A function that waits begins or ends. */
void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step);

#endif
