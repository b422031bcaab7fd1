/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CONNECTION_H
#define KT_ATTRIBUTION_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One end of a TCP connection: an address, of IPv4 as ::ffff:a.b.c.d, and a
 * port.
 */
struct endpoint {
	uint8_t address[16];
	uint16_t port;
};

/* Both ends of a TCP connection, as one of its sockets has them. */
struct connection {
	struct endpoint local;
	struct endpoint remote;
	bool is_server; /* the local end accepted it */
};

/* Room for an address as text, its NUL included. */
enum { ENDPOINT_ADDRESS_SIZE = 46 };

/* The same with brackets and port. */
enum { ENDPOINT_TEXT_SIZE = ENDPOINT_ADDRESS_SIZE + 8 };

bool endpoint_is_equal(const struct endpoint *a, const struct endpoint *b);

/* Write the address, as "10.9.0.1" or "fe80::1", or it and the port, as
 * "10.9.0.1:80" or "[fe80::1]:80".  Return @text.
 */
const char *endpoint_address(const struct endpoint *endpoint,
			     char text[ENDPOINT_ADDRESS_SIZE]);
const char *endpoint_text(const struct endpoint *endpoint,
			  char text[ENDPOINT_TEXT_SIZE]);

/* Return the end that asked for the connection, and the one that accepted it. */
const struct endpoint *connection_client(const struct connection *connection);
const struct endpoint *connection_server(const struct connection *connection);

#endif
