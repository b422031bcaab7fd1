/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_GUESS_H
#define KT_ATTRIBUTION_REQUESTS_GUESS_H

#include "attribution/requests/message_kinds.h"

#include <stdbool.h>

struct message;
struct party;
struct requests;

/* Returns the message that @receiver found by @medium without being woken, if it
 * can be inferred, with a reference that is the caller's; or NULL.  @is_polled:
 * it looked for those of several.
 */
struct message *requests_find_unheard(struct requests *requests,
				      struct party *receiver,
				      enum message_medium medium,
				      bool is_polled);

/* Which of two threads of a server has which of two requests that another handed
 * to them is decided in user space, by who gets the lock first.  If both have
 * answered before either client reads that, nothing tells them apart: marks the
 * requests that @answer, which nobody was woken by, and another may be swapped of.
 */
void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer);

#endif
