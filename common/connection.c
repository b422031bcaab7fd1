/* SPDX-License-Identifier: MIT */
#include "common/connection.h"

#include <inttypes.h>
#include <string.h>

const struct endpoint *connection_client(const struct connection *connection)
{
	return connection->is_server ? &connection->remote : &connection->local;
}

const struct endpoint *connection_server(const struct connection *connection)
{
	return connection->is_server ? &connection->local : &connection->remote;
}

void connection_write(uint64_t socket, const struct connection *connection,
		      FILE *out)
{
	char local[ENDPOINT_ADDRESS_SIZE];
	char remote[ENDPOINT_ADDRESS_SIZE];

	fprintf(out, "%" PRIx64 " %s %s %u %s %u\n", socket,
		connection->is_server ? "server" : "client",
		endpoint_address(&connection->local, local),
		connection->local.port,
		endpoint_address(&connection->remote, remote),
		connection->remote.port);
}

bool connection_read(const char *line, uint64_t *socket,
		     struct connection *connection)
{
	char side[7];
	char local[ENDPOINT_ADDRESS_SIZE];
	char remote[ENDPOINT_ADDRESS_SIZE];

	if (sscanf(line, "%" SCNx64 " %6s %45s %" SCNu16 " %45s %" SCNu16,
		   socket, side, local, &connection->local.port, remote,
		   &connection->remote.port) != 6)
		return false;
	connection->is_server = !strcmp(side, "server");
	return (connection->is_server || !strcmp(side, "client")) &&
	       endpoint_read_address(&connection->local, local) &&
	       endpoint_read_address(&connection->remote, remote);
}
