/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/packet_map.h"

#include "attribution/interrupts/owner_map.h"
#include "common/number_map.h"

#include <stdlib.h>

struct packet_map {
	struct owners *owners;
	struct number_map *packets; /* struct packet *, by address */
	struct owner_map *readers;  /* by socket: who read it last */
};

struct packet_map *packet_map_new(struct owners *owners)
{
	struct packet_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->owners = owners;
	map->packets = number_map_new();
	map->readers = owner_map_new(owners);
	if (map->packets && map->readers)
		return map;
	packet_map_free(map);
	return NULL;
}

static struct packet *to_packet(const uint64_t *value)
{
	return value ? (struct packet *)(uintptr_t)*value : NULL;
}

static void end_packet(struct packet_map *map, struct packet *packet)
{
	struct owner *reader = owner_map_find(map->readers, packet->socket);

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
	size_t place = 0;
	uint64_t *value;

	if (!map)
		return;
	while (map->packets && (value = number_map_next(map->packets, &place)))
		if (*value)
			end_packet(map, to_packet(value));
	number_map_free(map->packets);
	owner_map_free(map->readers);
	free(map);
}

struct packet *packet_map_find(const struct packet_map *map, uint64_t address)
{
	return to_packet(number_map_find(map->packets, address));
}

struct packet *packet_map_add(struct packet_map *map, uint64_t address,
			      struct owner *owner)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct owner *held = owner_refer(owner);
	uint64_t *value;

	packet_map_remove(map, address);
	value = number_map_add(map->packets, address);
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
	struct packet *packet = packet_map_find(map, address);

	number_map_remove(map->packets, address);
	if (packet)
		end_packet(map, packet);
}

void packet_map_read(struct packet_map *map, struct packet *packet,
		     struct owner *owner)
{
	owner_resolve_to(map->owners, packet->owner, owner, CERTAIN_EXACT);
	if (packet->socket)
		owner_map_set(map->readers, packet->socket, owner);
}
