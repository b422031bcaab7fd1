/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PACKET_TEXT_H
#define KT_DECODER_INTEL_PACKET_TEXT_H

#include <stddef.h>

struct intel_packet;

/* Returns its name as the manual and perf write it, in small letters. */
const char *intel_packet_name(const struct intel_packet *packet);

/* Writes what it says into the @size bytes at @text. */
void intel_packet_text(const struct intel_packet *packet, char *text,
		       size_t size);

#endif
