/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_ATOMS_H
#define KT_DECODER_CORESIGHT_ATOMS_H

#include <stdint.h>

/* The outcomes of consecutive waypoints, the oldest in bit 0: 1 is an executed
 * branch.
 */
struct coresight_atoms {
	uint32_t executed;
	uint8_t count;
};

/* Returns the atoms of an ETMv4 or ETE packet by its header: an atom packet
 * (0xc0 to 0xff), or a misprediction packet (0x30 to 0x3f).
 */
struct coresight_atoms coresight_atoms_of(uint8_t header);

#endif
