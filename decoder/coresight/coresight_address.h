/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ADDRESS_H
#define KT_DECODER_CORESIGHT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The addresses that an ETMv4 or ETE packet can refer to, newest first. */
struct coresight_addresses {
	struct coresight_address {
		uint64_t value;
		uint8_t isa; /* 0 or 1; with the context: A64, A32, T32 */
	} last[3];
	bool is_64bit; /* by the last context */
};

enum { CORESIGHT_ADDRESS_SIZE = 9 };

/* Records the address of @packet (kinds ADDRESS and SOURCE), which is complete,
 * and writes an equivalent packet of CORESIGHT_ADDRESS_SIZE bytes that does not
 * depend on earlier addresses. Returns the number of bytes of @packet that it
 * replaces: a context may follow.
 */
size_t coresight_address_expand(struct coresight_addresses *addresses,
				const uint8_t *packet, uint8_t *expanded);

#endif
