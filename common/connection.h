/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CONNECTION_H
#define KT_COMMON_CONNECTION_H

#include "common/endpoint.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Both ends of a TCP connection, from the view of one of its sockets. */
struct connection {
	struct endpoint local;
	struct endpoint remote;
	bool is_server; /* the local end accepted the connection */
};

/* Return the end that initiated the connection, and the one that accepted it.
 */
const struct endpoint *connection_client(const struct connection *connection);
const struct endpoint *connection_server(const struct connection *connection);

/* Writes the connection of the struct sock at @socket as a line of
 * kcore_dir/sockets of a recording (docs/formats.md).
 */
void connection_write(uint64_t socket, const struct connection *connection,
		      FILE *out);

/* Parses such a line. Returns whether it is valid. */
bool connection_read(const char *line, uint64_t *socket,
		     struct connection *connection);

#endif
