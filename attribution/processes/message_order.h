/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_MESSAGE_ORDER_H
#define KT_ATTRIBUTION_MESSAGE_ORDER_H

#include <stdbool.h>

/* Of one thread: whether its messages may have gone unheard, and whether it
 * found one that nobody woke it for.  A zeroed one has had no messages.
 */
struct message_order {
	bool has_found; /* the message that it read last was there */
	bool has_sent;	/* it sent one, woke nobody and read none since */
	bool has_slept; /* since it began to read */
};

/* The thread begins to wait for a message, or to send one. */
static inline void message_order_wait(struct message_order *order)
{
	order->has_slept = false;
}

static inline void message_order_send(struct message_order *order)
{
	order->has_sent = true;
}

/* The thread sleeps, or its message wakes somebody. */
static inline void message_order_sleep(struct message_order *order)
{
	order->has_slept = true;
}

static inline void message_order_wake(struct message_order *order)
{
	order->has_sent = false;
}

/* The thread has waited for a message. */
static inline void message_order_take(struct message_order *order)
{
	order->has_found = !order->has_slept;
	order->has_sent = false;
}

/* Returns whether @waker, whose message wakes @woken, answers it: it has read
 * what was there already, and the other has sent what woke nobody.
 */
static inline bool message_order_answers(const struct message_order *waker,
					 const struct message_order *woken)
{
	return waker->has_found && woken->has_sent;
}

#endif
