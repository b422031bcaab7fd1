/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_TARGET_H
#define KT_DECODER_CORESIGHT_TARGET_H

#include <opencsd/c_api/opencsd_c_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the instruction of four bytes at @bytes. */
uint32_t coresight_opcode(const uint8_t *bytes);

/* Computes where a direct branch leads (Arm ARM DDI 0487, C4.1 "Branches",
 * F3.1, F4.1).
 *
 * @bytes: the branch, from memory at @address; @size bytes are available.
 * Returns false, without *@target, if the instruction is incomplete.
 */
bool coresight_target(ocsd_isa isa, uint64_t address, const uint8_t *bytes,
		      size_t size, uint64_t *target);

#endif
