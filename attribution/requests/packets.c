/* SPDX-License-Identifier: MIT */
#include "attribution/requests/packets.h"

#include "attribution/requests/message.h"
#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"

#include <stdlib.h>

struct delivery {
	uint64_t packet; /* 0: none */
	uint64_t softirq;
};

struct packets {
	struct number_map messages; /* struct message *, by packet */
	/* struct message *, by packet that replies to it */
	struct number_map replies;
	struct array deliveries; /* struct delivery, by CPU */
};

struct packets *packets_new(void)
{
	struct packets *packets = calloc(1, sizeof(*packets));

	if (packets)
		packets->deliveries = ARRAY_OF(struct delivery);
	return packets;
}

void packets_free(struct packets *packets)
{
	if (!packets)
		return;
	message_map_free(&packets->messages);
	message_map_free(&packets->replies);
	array_free(&packets->deliveries);
	free(packets);
}

int packets_set(struct packets *packets, uint64_t packet,
		struct message *message)
{
	int error = message_map_set(&packets->replies, packet, NULL);

	return error ? error :
		       message_map_set(&packets->messages, packet, message);
}

struct message *packets_find(const struct packets *packets, uint64_t packet)
{
	return number_map_pointer(&packets->messages, packet);
}

int packets_set_reply(struct packets *packets, uint64_t packet,
		      struct message *delivered)
{
	return message_map_set(&packets->replies, packet, delivered);
}

struct message *packets_find_delivered(const struct packets *packets,
				       uint64_t packet)
{
	return number_map_pointer(&packets->replies, packet);
}

int packets_deliver(struct packets *packets, int32_t cpu, uint64_t packet,
		    uint64_t softirq)
{
	struct delivery *delivery =
		array_reach(&packets->deliveries, (size_t)cpu);

	if (!delivery)
		return -ERROR_MEMORY;
	*delivery = (struct delivery){ packet, softirq };
	return 0;
}

/* Returns the packet that @cpu delivers in @softirq; 0: none. */
static uint64_t packet_delivered(const struct packets *packets, int32_t cpu,
				 uint64_t softirq)
{
	const struct delivery *delivery =
		(size_t)cpu < packets->deliveries.count ?
			array_at(&packets->deliveries, (size_t)cpu) :
			NULL;

	return softirq && delivery && delivery->softirq == softirq ?
		       delivery->packet :
		       0;
}

struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq)
{
	uint64_t packet = packet_delivered(packets, cpu, softirq);

	return packet ? packets_find(packets, packet) : NULL;
}

void packets_forget_delivered(struct packets *packets, int32_t cpu,
			      uint64_t softirq)
{
	uint64_t packet = packet_delivered(packets, cpu, softirq);

	if (packet)
		packets_set(packets, packet, NULL);
}
