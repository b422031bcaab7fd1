/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_PACKETS_NET_HANDSHAKES_INTERNAL_H
#define KT_ATTRIBUTION_PACKETS_NET_HANDSHAKES_INTERNAL_H

/* The handshakes of TCP connections to this machine, and the first users of the
 * connections: part of net_packets.h.
 *
 *	begin (SYN) --> end (ACK: the connection has a socket) --> first use
 *
 * No event shows which SYN led to an ACK: it is the first one of the same device
 * and, if that is on this machine, of the same sender. Only the last
 * MOST_HANDSHAKES are known.
 */

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

enum { NET_DEVICE_SIZE = 16 }; /* IFNAMSIZ */

struct net_handshakes {
	struct array items;    /* struct net_handshake, in order */
	uint32_t count;	       /* that ever began */
	uint32_t unused_count; /* with a socket, but no user */
};

void net_handshakes_open(struct net_handshakes *handshakes);
void net_handshakes_close(struct net_handshakes *handshakes);

/* Begins a handshake by thread @peer, -1: on another machine. Returns its number,
 * or 0 when out of memory.
 */
uint32_t net_handshakes_begin(struct net_handshakes *handshakes,
			      const char *device, int32_t peer);

/* Ends a handshake: its connection has @socket. It may have begun before the
 * recording. Returns its number, or 0 when out of memory.
 */
uint32_t net_handshakes_end(struct net_handshakes *handshakes,
			    const char *device, int32_t peer, uint64_t socket);

/* Returns the handshake whose connection has @socket and no user, or 0. */
uint32_t net_handshakes_unused(const struct net_handshakes *handshakes,
			       uint64_t socket);

/* Handles that @task uses @socket. Returns whether that is the first use of a new
 * connection.
 */
bool net_handshakes_use(struct net_handshakes *handshakes, uint64_t socket,
			const struct task *task);

/* Returns the first user of the connection of a handshake, or NULL. */
const struct task *net_handshakes_user(const struct net_handshakes *handshakes,
				       uint32_t number);

#endif
