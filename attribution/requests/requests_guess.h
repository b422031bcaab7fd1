/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_GUESS_H
#define KT_ATTRIBUTION_REQUESTS_GUESS_H

#include "attribution/requests/message_kinds.h"

#include <stdbool.h>

struct message;
struct party;
struct requests;

/* Returns the message that @receiver found by @medium without being woken, if
 * it can be inferred; the caller owns the reference. NULL if it cannot.
 * @is_polled: the receiver waited for several objects.
 */
struct message *requests_find_unheard(struct requests *requests,
				      struct party *receiver,
				      enum message_medium medium,
				      bool is_polled);

/* Marks requests that may be swapped. Which of a server's two threads got which
 * of two requests that another thread passed to them is decided in user space,
 * by the order in which they get a lock. If both have answered before either
 * client reads its answer, nothing distinguishes them. Marks the request of
 * @answer, which woke nobody, and the other one.
 */
void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer);

#endif
