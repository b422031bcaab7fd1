/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_ADDRESS_H
#define KT_MACHINE_ARM_ETE_ADDRESS_H

#include "machine/arm_ete/packet.h"

#include <stddef.h>
#include <stdint.h>

/* The last three addresses that were sent; the next address is compressed
 * against them ("address history buffer"). A Trace Info packet sets all of them
 * to 0.
 */
struct ete_addresses {
	uint64_t history[3]; /* newest first */
};

void ete_addresses_clear(struct ete_addresses *addresses);

/* Writes the shortest packet for @address, which becomes the newest. Returns
 * its size.
 */
size_t ete_addresses_put(struct ete_addresses *addresses, uint8_t *bytes,
			 uint64_t address);

/* Like ete_addresses_put(), with a context, for which only long forms exist. */
size_t ete_addresses_put_context(struct ete_addresses *addresses,
				 uint8_t *bytes, uint64_t address,
				 const struct ete_context *context);

#endif
