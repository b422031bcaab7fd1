/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_PACKED_BATCH_H
#define KT_STORE_PACKED_BATCH_H

#include "common/bytes.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes for one request in ClickHouse's own compressed format, which all server
 * versions read if the address has decompress=1: LZ4 blocks, each after a
 * checksum, its method and its sizes (src/Compression/ICompressionCodec.cpp,
 * CompressedReadBufferBase.cpp). Packing takes a seventh of gzip's time.
 *
 * The checksum is zero: no library has its hash, and the address makes servers
 * skip it (http_native_compression_disable_checksumming_on_decompress).
 *
 * A zeroed struct is an empty batch.
 */
struct packed_batch {
	struct byte_buffer packed;
	size_t size;   /* before packing */
	uint64_t rows; /* number of rows in the bytes, set by the user */
};

/* Appends bytes. Returns 0 or -ERROR_MEMORY. */
int packed_batch_put(struct packed_batch *batch, const uint8_t *bytes,
		     size_t size);

/* Empties the batch for the next request. */
void packed_batch_clear(struct packed_batch *batch);
void packed_batch_free(struct packed_batch *batch);

#endif
