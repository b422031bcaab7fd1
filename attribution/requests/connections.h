/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CONNECTIONS_H
#define KT_ATTRIBUTION_CONNECTIONS_H

#include "common/connection.h"

#include <stdbool.h>
#include <stdint.h>

struct event_record;
struct request;

/* State of the TCP connection of a socket. */
struct connection_state {
	uint64_t socket; /* address of the socket */
	struct connection connection;
	bool is_whole; /* it was established during the recording */
	/* since its start, or since the start of the recording */
	uint64_t sent_bytes;
	uint64_t taken_bytes; /* read, counted likewise */
	/* Arrival of the first bytes that are still unread; 0: none. */
	uint64_t ready_ns;
	/* If its other end is not in the recording: the unanswered request that
	 * was sent to or arrived from that end; or NULL.
	 */
	struct request *request;
};

/* The TCP connections of a recording, by the address of their struct sock.
 * Memory grows with the number of different addresses, which the kernel reuses.
 */
struct connections;

/* Returns NULL when out of memory. */
struct connections *connections_new(void);
void connections_free(struct connections *connections);

/* Adds the connections listed in file @path (connection_write()), which existed
 * before the recording. Ignores invalid lines.
 *
 * Returns 0 or -ERROR_MEMORY; a file that cannot be read counts as empty.
 */
int connections_add_file(struct connections *connections, const char *path);

/* Returns whether @event, an EVENT_SOCKET_STATE, is the start of a TCP connect.
 */
bool connections_asks(const struct event_record *event);

/* Returns whether @event, an EVENT_SOCKET_STATE, establishes a TCP connection.
 * State of the socket's address from before belongs to another connection.
 */
bool connections_begins(const struct event_record *event);

/* Applies an EVENT_SOCKET_STATE: a connection is established or closed, and its
 * open request can no longer be answered. Returns 0 or -ERROR_MEMORY.
 */
int connections_take(struct connections *connections,
		     const struct event_record *event);

/* Ends the connection's open request, if any: it will not be answered. */
void connection_forget_request(struct connection_state *state);

/* Returns the state of @socket, or NULL; valid until another one is added. */
struct connection_state *connections_find(const struct connections *connections,
					  uint64_t socket);

/* Like connections_find(), but returns NULL if the other end is a socket of
 * this recording.
 */
struct connection_state *connections_far(const struct connections *connections,
					 uint64_t socket);

/* Returns the socket at the other end of @socket, 0 if unknown. */
uint64_t connections_peer(const struct connections *connections,
			  uint64_t socket);

#endif
