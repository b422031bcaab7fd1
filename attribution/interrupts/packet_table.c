/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/packet_table.h"

#include "attribution/interrupts/claim_map.h"
#include "common/number_map.h"

#include <stdlib.h>

struct packet_table {
	struct claims *claims;
	struct number_map *packets; /* struct packet *, by address */
	struct claim_map *readers;  /* by socket: who read it last */
};

struct packet_table *packet_table_new(struct claims *claims)
{
	struct packet_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->claims = claims;
	table->packets = number_map_new();
	table->readers = claim_map_new(claims);
	if (table->packets && table->readers)
		return table;
	packet_table_free(table);
	return NULL;
}

static struct packet *to_packet(const uint64_t *value)
{
	return value ? (struct packet *)(uintptr_t)*value : NULL;
}

static void end_packet(struct packet_table *table, struct packet *packet)
{
	struct claim *reader = claim_map_find(table->readers, packet->socket);

	if (!reader)
		reader = packet->woken;
	if (reader && !packet->is_sent)
		claim_settle_one(table->claims, packet->claim, reader,
				 CERTAIN_INFERRED);
	claim_drop(table->claims, packet->claim);
	claim_drop(table->claims, packet->woken);
	free(packet);
}

void packet_table_free(struct packet_table *table)
{
	size_t place = 0;
	uint64_t *value;

	if (!table)
		return;
	while (table->packets &&
	       (value = number_map_next(table->packets, &place)))
		if (*value)
			end_packet(table, to_packet(value));
	number_map_free(table->packets);
	claim_map_free(table->readers);
	free(table);
}

struct packet *packet_table_find(const struct packet_table *table,
				 uint64_t address)
{
	return to_packet(number_map_find(table->packets, address));
}

struct packet *packet_table_add(struct packet_table *table, uint64_t address,
				struct claim *claim)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct claim *held = claim_refer(claim);
	uint64_t *value;

	packet_table_remove(table, address);
	value = number_map_add(table->packets, address);
	if (!packet || !value) {
		claim_drop(table->claims, held);
		claims_fail(table->claims);
		free(packet);
		return NULL;
	}
	*packet = (struct packet){ .address = address, .claim = held };
	*value = (uintptr_t)packet;
	return packet;
}

void packet_table_remove(struct packet_table *table, uint64_t address)
{
	struct packet *packet = packet_table_find(table, address);

	number_map_remove(table->packets, address);
	if (packet)
		end_packet(table, packet);
}

void packet_table_read(struct packet_table *table, struct packet *packet,
		       struct claim *claim)
{
	claim_settle_one(table->claims, packet->claim, claim, CERTAIN_EXACT);
	if (packet->socket)
		claim_map_set(table->readers, packet->socket, claim);
}
