/* SPDX-License-Identifier: MIT */
#include "common/endpoint.h"

#include <arpa/inet.h>
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

bool endpoint_read_address(struct endpoint *endpoint, const char *text)
{
	uint8_t address[4];

	if (inet_pton(AF_INET, text, address) != 1)
		return inet_pton(AF_INET6, text, endpoint->address) == 1;
	endpoint_set_ipv4(endpoint, address);
	return true;
}
