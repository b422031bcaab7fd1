/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_CONNECTION_H
#define KT_COMMON_FILES_CONNECTION_H

/* TCP connections: their two ends, as text and as lines of a recording's list
 * of sockets, which the recorder writes and the decoder reads.
 *
 * 1. An IPv4 address has one form, ::ffff:a.b.c.d, so that ends are equal if
 *    their bytes are.
 * 2. The text of an address is the same in all formats. The input of
 *    connection_read() is untrusted.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One end of a TCP connection: an address and a port. IPv4 addresses are stored
 * as ::ffff:a.b.c.d.
 */
struct endpoint {
	uint8_t address[16];
	uint16_t port;
};

/* Size of an address as text, including its NUL. */
enum { ENDPOINT_ADDRESS_SIZE = 46 };

/* Size of an address as text with brackets and port. */
enum { ENDPOINT_TEXT_SIZE = ENDPOINT_ADDRESS_SIZE + 8 };

bool endpoint_is_equal(const struct endpoint *a, const struct endpoint *b);

/* endpoint_address() writes the address, such as "10.9.0.1" or "fe80::1";
 * endpoint_text() writes it with the port, such as "10.9.0.1:80" or
 * "[fe80::1]:80". Both return @text.
 */
const char *endpoint_address(const struct endpoint *endpoint,
			     char text[ENDPOINT_ADDRESS_SIZE]);

const char *endpoint_text(const struct endpoint *endpoint,
			  char text[ENDPOINT_TEXT_SIZE]);

/* Sets the address to an IPv4 address in network byte order. */
void endpoint_set_ipv4(struct endpoint *endpoint, const uint8_t address[4]);

/* Both ends of a TCP connection, as seen from one of its sockets. */
struct connection {
	struct endpoint local;
	struct endpoint remote;
	bool is_server; /* the local end accepted the connection */
};

/* Return the end that initiated the connection, and the one that accepted it.
 */
const struct endpoint *connection_client(const struct connection *connection);

const struct endpoint *connection_server(const struct connection *connection);

/* Writes the connection of the kernel's struct sock at the address @socket as a
 * line of kcore_dir/sockets of a recording (docs/formats.md).
 */
void connection_write(uint64_t socket, const struct connection *connection,
		      FILE *out);

/* Parses a line that connection_write() wrote. Returns whether it is valid. */
bool connection_read(const char *line, uint64_t *socket,
		     struct connection *connection);

#endif
