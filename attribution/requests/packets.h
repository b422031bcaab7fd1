/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PACKETS_H
#define KT_ATTRIBUTION_PACKETS_H

#include <stdint.h>

struct message;

/* Which message is in which packet, by the address of its struct sk_buff: over
 * the loopback device it is the sent one that is received and read.  And which
 * packet each CPU is delivering.
 * Memory grows with the packets: the kernel uses their addresses again.
 */
struct packets;

/* Returns NULL when out of memory. */
struct packets *packets_new(void);
void packets_free(struct packets *packets);

/* @packet, which is sent anew, has (the beginning of) @message, to which it
 * refers; NULL: none that is known.  Returns 0 or -ERROR_MEMORY.
 */
int packets_set(struct packets *packets, uint64_t packet,
		struct message *message);

/* Returns the message in @packet, borrowed, or NULL. */
struct message *packets_find(const struct packets *packets, uint64_t packet);

/* @packet is sent as @delivered is: from the socket that this comes to.  Returns 0
 * or -ERROR_MEMORY.
 */
int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered);

/* Returns the message during whose delivery @packet was sent, borrowed, or NULL.
 */
struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet);

/* @cpu delivers @packet, in the soft interrupt of number @softirq.  Returns 0
 * or -ERROR_MEMORY.
 */
int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq);

/* Returns the message that @cpu delivers in @softirq (0: in none), borrowed, or
 * NULL.
 */
struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq);

/* What it delivers was added to another packet: its address is used again. */
void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq);

#endif
