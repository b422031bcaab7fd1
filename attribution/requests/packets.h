/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PACKETS_H
#define KT_ATTRIBUTION_PACKETS_H

#include <stdint.h>

struct message;

/* Which message is in which packet, by the address of its struct sk_buff, and
 * which packet each CPU is delivering. Over the loopback device the packet that
 * is sent is also the one that is received and read. Memory grows with the
 * number of different addresses, which the kernel reuses.
 */
struct packets;

/* Returns NULL when out of memory. */
struct packets *packets_new(void);
void packets_free(struct packets *packets);

/* Records that @packet, which is newly sent, contains (the start of) @message,
 * with a reference; NULL: no known message. Returns 0 or -ERROR_MEMORY.
 */
int packets_set(struct packets *packets, uint64_t packet,
		struct message *message);

/* Returns the message in @packet, borrowed, or NULL. */
struct message *packets_find(const struct packets *packets, uint64_t packet);

/* Records that @packet is sent during the delivery of @delivered, thus from the
 * socket that @delivered arrives at. Returns 0 or -ERROR_MEMORY.
 */
int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered);

/* Returns the message during whose delivery @packet was sent, borrowed, or NULL.
 */
struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet);

/* Records that @cpu delivers @packet in the soft interrupt number @softirq.
 * Returns 0 or -ERROR_MEMORY.
 */
int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq);

/* Returns the message that @cpu delivers in @softirq (0: none), borrowed, or
 * NULL.
 */
struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq);

/* The packet being delivered was merged into another: its address will be
 * reused.
 */
void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq);

#endif
