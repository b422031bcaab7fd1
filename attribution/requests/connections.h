/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CONNECTIONS_H
#define KT_ATTRIBUTION_CONNECTIONS_H

#include "common/connection.h"

#include <stdbool.h>
#include <stdint.h>

struct event_record;
struct request;

/* What is known of the TCP connection of a socket. */
struct connection_state {
	uint64_t socket; /* whose it is */
	struct connection connection;
	bool is_whole;	      /* it began in the recording */
	uint64_t sent_bytes;  /* since then, or since the recording began */
	uint64_t taken_bytes; /* the same, read */
	/* When the first bytes came that nobody has read yet; 0: none. */
	uint64_t ready_ns;
	/* Its other end is not in the recording: the request that was sent
	 * there, or came from there, and is not answered yet; or NULL.
	 */
	struct request *request;
};

/* The TCP connections of a recording, by the address of their struct sock.
 * Memory grows with the sockets: the kernel uses their addresses again.
 */
struct connections;

/* Returns NULL when out of memory. */
struct connections *connections_new(void);
void connections_free(struct connections *connections);

/* Adds the connections that the file @path lists (connection_write()), which
 * were there before the recording; a line that is none is left out.
 *
 * Returns 0 or -ERROR_MEMORY; a file that cannot be read tells nothing.
 */
int connections_add_file(struct connections *connections, const char *path);

/* Returns whether @event, an EVENT_SOCKET_STATE, is that a thread asks for a TCP
 * connection.
 */
bool connections_asks(const struct event_record *event);

/* Returns whether @event, an EVENT_SOCKET_STATE, is that a TCP connection is
 * established: what was known of its socket's address was of another one.
 */
bool connections_begins(const struct event_record *event);

/* Takes an EVENT_SOCKET_STATE: a connection is established, or closed, and what
 * was asked there is not answered any more.  Returns 0 or -ERROR_MEMORY.
 */
int connections_take(struct connections *connections,
		     const struct event_record *event);

/* What was asked there, if anything, is over: nobody answers it any more. */
void connection_forget_request(struct connection_state *state);

/* Returns what is known of @socket, or NULL; valid until one is added. */
struct connection_state *connections_find(const struct connections *connections,
					  uint64_t socket);

/* The same, if its other end is no socket of this recording. */
struct connection_state *connections_far(const struct connections *connections,
					 uint64_t socket);

/* Returns the socket at the other end of @socket, 0 if it is not known. */
uint64_t connections_peer(const struct connections *connections,
			  uint64_t socket);

#endif
