/* SPDX-License-Identifier: MIT */
#include "store/clickhouse/packed_batch.h"

#include "common/error.h"

#include <lz4.h>

#include <endian.h>
#include <string.h>

/* The size of a block, which servers unpack as a whole; their own blocks have
 * this size too.
 */
enum { BLOCK_BYTES = 1 << 20, CHECKSUM_BYTES = 16, METHOD_LZ4 = 0x82 };

struct __attribute__((packed)) block_head {
	uint8_t checksum[CHECKSUM_BYTES];
	uint8_t method;
	uint32_t packed_size; /* including this head, without the checksum */
	uint32_t size;
};

static int put_block(struct byte_buffer *packed, const uint8_t *bytes, int size)
{
	struct block_head head = { .method = METHOD_LZ4 };
	int most = LZ4_compressBound(size);
	uint8_t *to = byte_buffer_reserve(packed, sizeof(head) + (size_t)most);
	int packed_size;

	if (!to)
		return -ERROR_MEMORY;
	packed_size = LZ4_compress_default(
		(const char *)bytes, (char *)to + sizeof(head), size, most);
	head.size = htole32((uint32_t)size);
	head.packed_size =
		htole32((uint32_t)packed_size + sizeof(head) - CHECKSUM_BYTES);
	memcpy(to, &head, sizeof(head));
	packed->size += sizeof(head) + (size_t)packed_size;
	return 0;
}

int packed_batch_put(struct packed_batch *batch, const uint8_t *bytes,
		     size_t size)
{
	int error = 0;

	for (size_t at = 0; !error && at < size; at += BLOCK_BYTES)
		error = put_block(&batch->packed, bytes + at,
				  size - at < BLOCK_BYTES ? (int)(size - at) :
							    BLOCK_BYTES);
	batch->size += size;
	return error;
}

void packed_batch_clear(struct packed_batch *batch)
{
	batch->packed.size = 0;
	batch->size = 0;
	batch->rows = 0;
}

void packed_batch_free(struct packed_batch *batch)
{
	byte_buffer_free(&batch->packed);
	packed_batch_clear(batch);
}
