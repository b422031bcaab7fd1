/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ENDPOINT_H
#define KT_COMMON_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

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

/* Parses the output of endpoint_address() into the address. Returns whether
 * @text is an address.
 */
bool endpoint_read_address(struct endpoint *endpoint, const char *text);

#endif
