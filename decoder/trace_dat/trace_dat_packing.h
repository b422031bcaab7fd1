/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_PACKING_H
#define KT_DECODER_TRACE_DAT_PACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compression of the parts of a trace.dat. */
enum trace_dat_packing { PACKED_NOT, PACKED_ZSTD, PACKED_ZLIB };

/* Unpacks @size bytes into the @unpacked_size bytes at @unpacked. Returns false
 * if they do not unpack to exactly that size.
 */
bool trace_dat_unpack(enum trace_dat_packing packing, const uint8_t *bytes,
		      size_t size, uint8_t *unpacked, size_t unpacked_size);

/* Returns whether unpacking @packed to @unpacked bytes exceeds the limit: see
 * common/budget.h.
 */
bool trace_dat_is_over_budget(uint64_t packed, uint64_t unpacked);

#endif
