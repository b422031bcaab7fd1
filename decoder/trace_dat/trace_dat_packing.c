/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/trace_dat_packing.h"
#include "common/budget.h"

#include <zlib.h>
#include <zstd.h>

bool trace_dat_unpack(enum trace_dat_packing packing, const uint8_t *bytes,
		      size_t size, uint8_t *unpacked, size_t unpacked_size)
{
	uLongf length = unpacked_size;

	switch (packing) {
	case PACKED_ZSTD:
		return ZSTD_decompress(unpacked, unpacked_size, bytes, size) ==
		       unpacked_size;
	case PACKED_ZLIB:
		return uncompress(unpacked, &length, bytes, size) == Z_OK &&
		       length == unpacked_size;
	case PACKED_NOT:
		return false;
	}
	return false;
}

bool trace_dat_is_over_budget(uint64_t packed, uint64_t unpacked)
{
	return unpacked > BUDGET_UNPACKED_BYTES ||
	       unpacked > BUDGET_UNPACKED_FREE + packed * BUDGET_UNPACKED_RATIO;
}
