/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_expansion.h"

#include "decoder/coresight/coresight_held.h"
#include "decoder/coresight/coresight_packet.h"

#include <string.h>

void coresight_expansion_restart(struct coresight_expansion *expansion,
				 bool is_begin)
{
	if (is_begin)
		expansion->context = (struct coresight_last_context){ 0 };
	memset(expansion->addresses.last, 0, sizeof(expansion->addresses.last));
}

static void note_context(struct coresight_expansion *expansion,
			 const struct coresight_packet *packet,
			 const uint8_t *bytes)
{
	coresight_last_context_note(&expansion->context, packet->context_sizes,
				    bytes);
	expansion->addresses.is_64bit = bytes[0] >> 4 & 1;
}

static size_t write_context(const struct coresight_expansion *expansion,
			    const struct coresight_packet *packet,
			    uint8_t *bytes)
{
	return coresight_last_context_write(&expansion->context,
					    packet->context_sizes, bytes);
}

size_t coresight_expansion_context(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded)
{
	if (size > 1)
		note_context(expansion, packet, bytes + 1);
	if (!expansion->context.is_known)
		return 0;
	*expanded = CORESIGHT_CONTEXT;
	return 1 + write_context(expansion, packet, expanded + 1);
}

size_t coresight_expansion_address(struct coresight_expansion *expansion,
				   const struct coresight_packet *packet,
				   const uint8_t *bytes, size_t size,
				   uint8_t *expanded)
{
	size_t read = coresight_address_expand(&expansion->addresses, bytes,
					       expanded);

	if (size <= read)
		return CORESIGHT_ADDRESS_SIZE;
	note_context(expansion, packet, bytes + read);
	return CORESIGHT_ADDRESS_SIZE +
	       write_context(expansion, packet,
			     expanded + CORESIGHT_ADDRESS_SIZE);
}

void coresight_expansion_hide_depth(const struct coresight_packet *packet,
				    uint8_t *bytes)
{
	uint8_t *byte = bytes + packet->depth_at;

	if (!packet->depth_at)
		return;
	for (; *byte & 0x80; byte++)
		*byte = 0x80;
	*byte = 0;
}
