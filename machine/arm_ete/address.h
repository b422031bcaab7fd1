/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_ADDRESS_H
#define KT_MACHINE_ARM_ETE_ADDRESS_H

#include "machine/arm_ete/packet.h"

#include <stddef.h>
#include <stdint.h>

/* The last three addresses sent, against which the next one is compressed
 * ("address history buffer").  A Trace Info packet sets all to 0.
 */
struct ete_addresses {
	uint64_t history[3]; /* the newest first */
};

void ete_addresses_clear(struct ete_addresses *addresses);

/* The shortest packet for @address, which becomes the newest. */
size_t ete_addresses_put(struct ete_addresses *addresses, uint8_t *bytes,
			 uint64_t address);

/* The same with its context, for which there are long forms only. */
size_t ete_addresses_put_context(struct ete_addresses *addresses,
				 uint8_t *bytes, uint64_t address,
				 const struct ete_context *context);

#endif
