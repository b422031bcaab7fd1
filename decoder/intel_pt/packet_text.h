/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_PACKET_TEXT_H
#define KT_DECODER_PACKET_TEXT_H

#include <stddef.h>

struct pt_packet;

/* Returns the name of @packet's kind; never NULL. */
const char *packet_name(const struct pt_packet *packet);

/* Writes @packet's payload for people to read into @text, cut to @size. */
void packet_text(const struct pt_packet *packet, char *text, size_t size);

#endif
