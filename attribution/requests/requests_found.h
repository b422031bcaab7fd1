/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_FOUND_H
#define KT_ATTRIBUTION_REQUESTS_FOUND_H

#include "attribution/requests/message_kinds.h"

#include <stdint.h>

struct message;
struct party;
struct request;
struct requests;

/* Makes a request of what @receiver sent and nobody was woken by, if @message
 * may be the answer to that.  Borrowed, or NULL.
 */
struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver);

/* The same, if somebody of the answer's process found it by @medium until
 * @until_ns.
 */
struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver,
				      enum message_medium medium,
				      uint64_t until_ns);

#endif
