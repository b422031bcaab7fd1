/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_ITEMS_H
#define KT_ATTRIBUTION_REQUESTS_ITEMS_H

#include "attribution/requests/message_kinds.h"

#include <stdint.h>

struct call_step;
struct event_record;
struct message;
struct party;
struct requests;

/* Work items that carry messages: who writes to a terminal queues one, and a
 * kworker that executes it hands over what was written.  It works for the same
 * request meanwhile.
 */

/* Somebody queues an item; a kworker begins one. */
void requests_item_queued(struct requests *requests,
			  const struct event_record *event);
void requests_item_begins(struct requests *requests,
			  const struct event_record *event);

/* Its receiver has read @message, and reads what else the same item brings. */
void requests_item_read(struct requests *requests,
			const struct message *message);

/* Returns the oldest message by @medium that woke nobody and whose item leads to
 * @reader's process, borrowed, or NULL: none, or at several ends of it are some.
 */
struct message *requests_item_unheard(const struct requests *requests,
				      const struct party *reader,
				      enum message_medium medium);

/* A function that executes items, or one that somebody waits for, is entered or
 * left.
 */
void requests_item_step(struct requests *requests,
			const struct call_step *step);

/* Returns the message that @waker carries as it wakes @woken, which waits for one,
 * borrowed, or NULL.
 */
struct message *requests_item_message(struct requests *requests,
				      struct party *waker,
				      const struct party *woken,
				      uint64_t time_ns);

#endif
