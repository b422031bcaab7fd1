/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PACKET_TEXT_H
#define KT_DECODER_INTEL_PACKET_TEXT_H

#include <stddef.h>

struct intel_packet;

/* Returns the packet's name as in the manual and perf, in lower case. */
const char *intel_packet_name(const struct intel_packet *packet);

/* Writes the packet's payload as text into the @size bytes at @text. */
void intel_packet_text(const struct intel_packet *packet, char *text,
		       size_t size);

#endif
