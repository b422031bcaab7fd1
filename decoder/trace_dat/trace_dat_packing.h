/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_PACKING_H
#define KT_DECODER_TRACE_DAT_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How parts of a trace.dat are packed. */
enum trace_dat_packing { PACKED_NOT, PACKED_ZSTD, PACKED_ZLIB };

/* Unpacks @size bytes into the @unpacked_size bytes at @unpacked.  Returns
 * whether that is what they become.
 */
bool trace_dat_unpack(enum trace_dat_packing packing, const uint8_t *bytes,
		      size_t size, uint8_t *unpacked, size_t unpacked_size);

/* Returns whether so many bytes may not become as many: see common/budget.h. */
bool trace_dat_is_over_budget(uint64_t packed, uint64_t unpacked);

#endif
