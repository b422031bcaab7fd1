/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_PACKED_BATCH_H
#define KT_STORE_PACKED_BATCH_H

#include "common/byte_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes for one request in ClickHouse's own compressed format, which servers of
 * all versions read where the address says decompress=1: blocks of LZ4, each
 * behind a checksum, its method and its sizes (src/Compression/ICompressionCodec.cpp,
 * CompressedReadBufferBase.cpp).  It takes a seventh of the time of gzip.
 *
 * The checksum is zero: it is of a hash that no library has, and the address tells
 * servers not to look (http_native_compression_disable_checksumming_on_decompress).
 *
 * All zeros is an empty one.
 */
struct packed_batch {
	struct byte_buffer packed;
	size_t size;   /* before packing */
	uint64_t rows; /* that the bytes are, as who puts them counts */
};

/* Appends bytes.  Returns 0 or -ERROR_MEMORY. */
int packed_batch_put(struct packed_batch *batch, const uint8_t *bytes,
		     size_t size);

/* Empties it for the next request. */
void packed_batch_clear(struct packed_batch *batch);
void packed_batch_free(struct packed_batch *batch);

#endif
