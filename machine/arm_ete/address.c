/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/address.h"

enum { ENTRIES = 3 };

void ete_addresses_clear(struct ete_addresses *addresses)
{
	*addresses = (struct ete_addresses){ 0 };
}

static void remember(struct ete_addresses *addresses, uint64_t address)
{
	addresses->history[2] = addresses->history[1];
	addresses->history[1] = addresses->history[0];
	addresses->history[0] = address;
}

static unsigned find(const struct ete_addresses *addresses, uint64_t address)
{
	unsigned i = 0;

	while (i < ENTRIES && addresses->history[i] != address)
		i++;
	return i;
}

static size_t put_changed(uint8_t *bytes, uint64_t address, uint64_t changed)
{
	if (!(changed >> 9))
		return ete_packet_address_short(bytes, address, false);
	if (!(changed >> 17))
		return ete_packet_address_short(bytes, address, true);
	return ete_packet_address_long(bytes, address, changed >> 32);
}

size_t ete_addresses_put(struct ete_addresses *addresses, uint8_t *bytes,
			 uint64_t address)
{
	unsigned entry = find(addresses, address);
	size_t size;

	if (entry < ENTRIES)
		size = ete_packet_address_match(bytes, entry);
	else
		size = put_changed(bytes, address,
				   address ^ addresses->history[0]);
	remember(addresses, address);
	return size;
}

size_t ete_addresses_put_context(struct ete_addresses *addresses,
				 uint8_t *bytes, uint64_t address,
				 const struct ete_context *context)
{
	bool wide = (address ^ addresses->history[0]) >> 32;

	remember(addresses, address);
	return ete_packet_address_context(bytes, address, wide, context);
}
