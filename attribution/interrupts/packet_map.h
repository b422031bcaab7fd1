/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PACKET_MAP_H
#define KT_ATTRIBUTION_PACKET_MAP_H

#include "attribution/interrupts/owner_map.h"

#include <stdbool.h>
#include <stdint.h>

/* A packet in the kernel. */
struct packet {
	uint64_t address;    /* of its struct sk_buff */
	struct owner *owner; /* for whom it is */
	bool is_sent;	     /* on its way out */
	bool is_received;    /* the network layer has it */
	uint64_t socket;     /* whose reader was told of it, or 0 */
	struct owner *woken; /* who was woken by it first, or NULL */
};

/* The packets in flight, by address. */
struct packet_map {
	struct owners *owners;	   /* borrowed */
	struct number_map packets; /* struct packet * */
	struct owner_map readers;  /* by socket: who read it last */
};

#define PACKET_MAP_OF(of) \
	((struct packet_map){ .owners = (of), .readers = OWNER_MAP_OF(of) })

void packet_map_free(struct packet_map *map);

/* Returns the packet at @address, or NULL; valid until it is removed. */
struct packet *packet_map_find(const struct packet_map *map, uint64_t address);

/* Adds a packet for @owner in place of an older one.  Returns NULL when out of
 * memory.
 */
struct packet *packet_map_add(struct packet_map *map, uint64_t address,
			      struct owner *owner);

/* Ends a packet's life.  If it is still unknown for whom it was: for the
 * reader of its socket, or whom it woke; these are inferred.
 */
void packet_map_remove(struct packet_map *map, uint64_t address);

/* Records with @certainty that @owner read @packet, and so reads its socket. */
void packet_map_read(struct packet_map *map, struct packet *packet,
		     struct owner *owner, uint8_t certainty);

#endif
