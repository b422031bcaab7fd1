/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ENDPOINT_H
#define KT_COMMON_ENDPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* One end of a TCP connection: an address, of IPv4 as ::ffff:a.b.c.d, and a
 * port.
 */
struct endpoint {
	uint8_t address[16];
	uint16_t port;
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

/* Sets the address to that of IPv4, as it lies in memory. */
void endpoint_set_ipv4(struct endpoint *endpoint, const uint8_t address[4]);

/* Sets the address to what endpoint_address() wrote.  Returns whether @text is
 * an address.
 */
bool endpoint_read_address(struct endpoint *endpoint, const char *text);

#endif
