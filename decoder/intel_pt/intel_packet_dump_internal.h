/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_INTEL_PACKET_DUMP_INTERNAL_H
#define KT_DECODER_INTEL_PT_INTEL_PACKET_DUMP_INTERNAL_H

#include <stddef.h>

struct intel_packet;

/* Writes the packet's payload as text into the @size bytes at @text. */
void intel_packet_text(const struct intel_packet *packet, char *text,
		       size_t size);

#endif
