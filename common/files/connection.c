/* SPDX-License-Identifier: MIT */
#include "common/files/connection.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* RFC 4291, 2.5.5.2: an IPv4-mapped IPv6 address. */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

_Static_assert(ENDPOINT_ADDRESS_SIZE >= INET6_ADDRSTRLEN, "any address fits");

bool endpoint_is_equal(const struct endpoint *a, const struct endpoint *b)
{
	return a->port == b->port &&
	       !memcmp(a->address, b->address, sizeof(a->address));
}

static bool is_mapped(const struct endpoint *endpoint)
{
	return !memcmp(endpoint->address, mapped, sizeof(mapped));
}

const char *endpoint_address(const struct endpoint *endpoint,
			     char text[ENDPOINT_ADDRESS_SIZE])
{
	if (is_mapped(endpoint))
		inet_ntop(AF_INET, endpoint->address + sizeof(mapped), text,
			  ENDPOINT_ADDRESS_SIZE);
	else
		inet_ntop(AF_INET6, endpoint->address, text,
			  ENDPOINT_ADDRESS_SIZE);
	return text;
}

const char *endpoint_text(const struct endpoint *endpoint,
			  char text[ENDPOINT_TEXT_SIZE])
{
	char address[ENDPOINT_ADDRESS_SIZE];

	snprintf(text, ENDPOINT_TEXT_SIZE,
		 is_mapped(endpoint) ? "%s:%u" : "[%s]:%u",
		 endpoint_address(endpoint, address), endpoint->port);
	return text;
}

void endpoint_set_ipv4(struct endpoint *endpoint, const uint8_t address[4])
{
	memcpy(endpoint->address, mapped, sizeof(mapped));
	memcpy(endpoint->address + sizeof(mapped), address, 4);
}

/* Parses the output of endpoint_address() into the address. Returns whether
 * @text is an address.
 */
static bool endpoint_read_address(struct endpoint *endpoint, const char *text)
{
	uint8_t address[4];

	if (inet_pton(AF_INET, text, address) != 1)
		return inet_pton(AF_INET6, text, endpoint->address) == 1;
	endpoint_set_ipv4(endpoint, address);
	return true;
}

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
