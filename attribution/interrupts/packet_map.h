/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PACKET_MAP_H
#define KT_ATTRIBUTION_PACKET_MAP_H

#include "attribution/interrupts/owner_map.h"

#include <stdbool.h>
#include <stdint.h>

/* A packet in the kernel. */
struct packet {
	uint64_t address;    /* address of its struct sk_buff */
	struct owner *owner; /* the owner of work on the packet */
	bool is_sent;	     /* is being sent */
	bool is_received;    /* the network layer has received it */
	uint64_t socket;     /* socket that became readable by it, or 0 */
	struct owner *woken; /* owner of the first task that it woke, or NULL */
};

/* The packets in flight, by address. */
struct packet_map {
	struct owners *owners;	   /* borrowed */
	struct number_map packets; /* struct packet * */
	struct owner_map readers;  /* by socket: the last reader */
};

#define PACKET_MAP_OF(of) \
	((struct packet_map){ .owners = (of), .readers = OWNER_MAP_OF(of) })

void packet_map_free(struct packet_map *map);

/* Returns the packet at @address, or NULL; valid until it is removed. */
struct packet *packet_map_find(const struct packet_map *map, uint64_t address);

/* Adds a packet for @owner, replacing an older one at @address. Returns NULL
 * when out of memory.
 */
struct packet *packet_map_add(struct packet_map *map, uint64_t address,
			      struct owner *owner);

/* Removes a packet. If it is not a sent one and its owner is still open,
 * resolves the owner to the last reader of its socket, else to the task it
 * woke; both are inferred.
 */
void packet_map_remove(struct packet_map *map, uint64_t address);

/* Records with @certainty that @owner read @packet, and is thus the reader of
 * its socket.
 */
void packet_map_read(struct packet_map *map, struct packet *packet,
		     struct owner *owner, uint8_t certainty);

#endif
