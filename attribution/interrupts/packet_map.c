/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/packet_map.h"

#include <stdlib.h>

static void end_packet(struct packet_map *map, struct packet *packet)
{
	struct owner *reader = owner_map_find(&map->readers, packet->socket);

	if (!reader)
		reader = packet->woken;
	if (reader && !packet->is_sent)
		owner_resolve_to(map->owners, packet->owner, reader,
				 CERTAIN_INFERRED);
	owner_drop(map->owners, packet->owner);
	owner_drop(map->owners, packet->woken);
	free(packet);
}

void packet_map_free(struct packet_map *map)
{
	struct packet *packet;
	size_t place = 0;

	while ((packet = number_map_next_pointer(&map->packets, &place)))
		end_packet(map, packet);
	number_map_free(&map->packets);
	owner_map_free(&map->readers);
}

struct packet *packet_map_find(const struct packet_map *map, uint64_t address)
{
	return number_map_pointer(&map->packets, address);
}

struct packet *packet_map_add(struct packet_map *map, uint64_t address,
			      struct owner *owner)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct owner *held = owner_refer(owner);
	uint64_t *value;

	packet_map_remove(map, address);
	value = number_map_add(&map->packets, address);
	if (!packet || !value) {
		owner_drop(map->owners, held);
		owners_fail(map->owners);
		free(packet);
		return NULL;
	}
	*packet = (struct packet){ .address = address, .owner = held };
	*value = (uintptr_t)packet;
	return packet;
}

void packet_map_remove(struct packet_map *map, uint64_t address)
{
	struct packet *packet = number_map_take_pointer(&map->packets, address);

	if (packet)
		end_packet(map, packet);
}

void packet_map_read(struct packet_map *map, struct packet *packet,
		     struct owner *owner, uint8_t certainty)
{
	owner_resolve_to(map->owners, packet->owner, owner, certainty);
	if (packet->socket)
		owner_map_set(&map->readers, packet->socket, owner);
}
