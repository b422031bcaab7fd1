/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_CHANNEL_FRAME_HEADER_H
#define KT_MACHINE_CHANNEL_FRAME_HEADER_H

#include <stdint.h>

/* The header of a frame in transit. Both ends are little-endian. */
struct frame_header {
	uint8_t type;
	uint8_t stream;
	uint16_t unused; /* 0 */
	uint32_t length; /* length of the following payload */
};

#endif
