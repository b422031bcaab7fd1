/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CONNECTION_H
#define KT_COMMON_CONNECTION_H

#include "common/endpoint.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Both ends of a TCP connection, as one of its sockets has them. */
struct connection {
	struct endpoint local;
	struct endpoint remote;
	bool is_server; /* the local end accepted it */
};

/* Return the end that asked for the connection, and the one that accepted it. */
const struct endpoint *connection_client(const struct connection *connection);
const struct endpoint *connection_server(const struct connection *connection);

/* Writes the connection of the struct sock at @socket as a line of
 * kcore_dir/sockets of a recording (docs/formats.md).
 */
void connection_write(uint64_t socket, const struct connection *connection,
		      FILE *out);

/* Reads such a line.  Returns whether it is one. */
bool connection_read(const char *line, uint64_t *socket,
		     struct connection *connection);

#endif
