/* SPDX-License-Identifier: MIT */
#include "attribution/requests/packets.h"

#include "attribution/requests/request.h"
#include "common/array.h"
#include "common/error.h"
#include "common/number_map.h"

#include <stdlib.h>

struct delivery {
	uint64_t packet; /* 0: none */
	uint64_t softirq;
};

struct packets {
	struct number_map *messages; /* struct message *, by packet */
	struct array deliveries;     /* struct delivery, by CPU */
};

struct packets *packets_new(void)
{
	struct packets *packets = calloc(1, sizeof(*packets));

	if (!packets)
		return NULL;
	packets->deliveries = ARRAY_OF(struct delivery);
	packets->messages = number_map_new();
	if (packets->messages)
		return packets;
	packets_free(packets);
	return NULL;
}

static struct message *message_at(const uint64_t *slot)
{
	return slot ? (struct message *)(uintptr_t)*slot : NULL;
}

void packets_free(struct packets *packets)
{
	const uint64_t *slot;
	size_t place = 0;

	if (!packets)
		return;
	while (packets->messages &&
	       (slot = number_map_next(packets->messages, &place)))
		message_drop(message_at(slot));
	number_map_free(packets->messages);
	array_free(&packets->deliveries);
	free(packets);
}

int packets_set(struct packets *packets, uint64_t packet,
		struct message *message)
{
	uint64_t *slot = message ? number_map_add(packets->messages, packet) :
				   number_map_find(packets->messages, packet);
	struct message *before = message_at(slot);

	if (!slot)
		return message ? -ERROR_MEMORY : 0;
	if (message)
		*slot = (uintptr_t)message_refer(message);
	else
		number_map_remove(packets->messages, packet);
	message_drop(before);
	return 0;
}

struct message *packets_find(const struct packets *packets, uint64_t packet)
{
	return message_at(number_map_find(packets->messages, packet));
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

struct message *packets_delivered(const struct packets *packets, int32_t cpu,
				  uint64_t softirq)
{
	const struct delivery *delivery =
		(size_t)cpu < packets->deliveries.count ?
			array_at(&packets->deliveries, (size_t)cpu) :
			NULL;

	return delivery && delivery->packet && delivery->softirq == softirq ?
		       packets_find(packets, delivery->packet) :
		       NULL;
}
