/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/packet_table.h"

#include "attribution/interrupts/owner_map.h"
#include "common/number_map.h"

#include <stdlib.h>

struct packet_table {
	struct owners *owners;
	struct number_map *packets; /* struct packet *, by address */
	struct owner_map *readers;  /* by socket: who read it last */
};

struct packet_table *packet_table_new(struct owners *owners)
{
	struct packet_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->owners = owners;
	table->packets = number_map_new();
	table->readers = owner_map_new(owners);
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
	struct owner *reader = owner_map_find(table->readers, packet->socket);

	if (!reader)
		reader = packet->woken;
	if (reader && !packet->is_sent)
		owner_resolve_to(table->owners, packet->owner, reader,
				 CERTAIN_INFERRED);
	owner_drop(table->owners, packet->owner);
	owner_drop(table->owners, packet->woken);
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
	owner_map_free(table->readers);
	free(table);
}

struct packet *packet_table_find(const struct packet_table *table,
				 uint64_t address)
{
	return to_packet(number_map_find(table->packets, address));
}

struct packet *packet_table_add(struct packet_table *table, uint64_t address,
				struct owner *owner)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct owner *held = owner_refer(owner);
	uint64_t *value;

	packet_table_remove(table, address);
	value = number_map_add(table->packets, address);
	if (!packet || !value) {
		owner_drop(table->owners, held);
		owners_fail(table->owners);
		free(packet);
		return NULL;
	}
	*packet = (struct packet){ .address = address, .owner = held };
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
		       struct owner *owner)
{
	owner_resolve_to(table->owners, packet->owner, owner, CERTAIN_EXACT);
	if (packet->socket)
		owner_map_set(table->readers, packet->socket, owner);
}
