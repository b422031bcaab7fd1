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

/* Work items that carry messages: a thread that writes to a terminal queues
 * one, and the kworker that executes it delivers the data. During the item the
 * kworker works for the same request.
 */

/* A task queues an item; a kworker starts one. */
void requests_item_queued(struct requests *requests,
			  const struct event_record *event);
void requests_item_begins(struct requests *requests,
			  const struct event_record *event);

/* The receiver of @message has read it: records that its process reads what the
 * same item carries.
 */
void requests_item_read(struct requests *requests,
			const struct message *message);

/* Returns the oldest message by @medium that woke nobody and whose item leads
 * to the process of @reader, borrowed. NULL if there is none, or there are some
 * at several ends of that process.
 */
struct message *requests_item_unheard(const struct requests *requests,
				      const struct party *reader,
				      enum message_medium medium);

/* A function that executes items, or an item that a thread waits for, is
 * entered or left.
 */
void requests_item_step(struct requests *requests,
			const struct call_step *step);

/* Returns the message that @waker carries when it wakes @woken, which waits for
 * one; borrowed, or NULL.
 */
struct message *requests_item_message(struct requests *requests,
				      struct party *waker,
				      const struct party *woken,
				      uint64_t time_ns);

#endif
