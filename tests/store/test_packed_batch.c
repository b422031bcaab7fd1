/* SPDX-License-Identifier: MIT */
/* A batch consists of LZ4 blocks, each with its sizes, that unpack to its
 * input.
 */
#include "store/clickhouse/clickhouse_upload_internal.h"
#include "tests/run_suite.h"

#include <check.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_BYTES = 25, MOST_BLOCK = 1 << 20 };

static uint32_t number_at(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* Unpacks the block at *@at and advances *@at past it. Returns its size. */
static size_t unpack(const struct byte_buffer *packed, size_t *at, uint8_t *to)
{
	const uint8_t *head = packed->bytes + *at;
	uint32_t stored, size;

	ck_assert_uint_ge(packed->size - *at, HEAD_BYTES);
	ck_assert_uint_eq(head[16], 0x82);
	stored = number_at(head + 17);
	size = number_at(head + 21);
	ck_assert_uint_le(size, MOST_BLOCK);
	ck_assert_uint_le(stored + 16, packed->size - *at);
	ck_assert_int_eq(LZ4_decompress_safe((const char *)head + HEAD_BYTES,
					     (char *)to, (int)stored - 9,
					     (int)size),
			 (int)size);
	*at += stored + 16;
	return size;
}

static void check(const struct packed_batch *batch, const uint8_t *bytes,
		  size_t size)
{
	uint8_t *unpacked = malloc(size + MOST_BLOCK);
	size_t at = 0;
	size_t got = 0;

	ck_assert_uint_eq(batch->size, size);
	while (at < batch->packed.size)
		got += unpack(&batch->packed, &at, unpacked + got);
	ck_assert_uint_eq(got, size);
	ck_assert_mem_eq(unpacked, bytes, size);
	free(unpacked);
}

static const size_t sizes[] = {
	1, 100, MOST_BLOCK - 1, MOST_BLOCK, MOST_BLOCK + 1, 3 * MOST_BLOCK + 5
};

/* Half of it packs well, half hardly. */
static uint8_t *make_bytes(size_t size)
{
	uint8_t *bytes = malloc(size);
	uint32_t number = 1;

	ck_assert_ptr_nonnull(bytes);
	for (size_t i = 0; i < size; i++) {
		number = number * 1664525 + 1013904223;
		bytes[i] = i < size / 2 ? 'x' : (uint8_t)(number >> 24);
	}
	return bytes;
}

START_TEST(packed_rows_are_unpacked)
{
	struct packed_batch batch = { 0 };
	uint8_t *bytes = make_bytes(sizes[_i]);

	for (int round = 0; round < 2; round++) {
		ck_assert_int_eq(packed_batch_put(&batch, bytes, sizes[_i]), 0);
		check(&batch, bytes, sizes[_i]);
		packed_batch_clear(&batch);
	}
	ck_assert_int_eq(packed_batch_put(&batch, bytes, sizes[_i] / 3), 0);
	ck_assert_int_eq(packed_batch_put(&batch, bytes + sizes[_i] / 3,
					  sizes[_i] - sizes[_i] / 3),
			 0);
	check(&batch, bytes, sizes[_i]);
	packed_batch_free(&batch);
	free(bytes);
}
END_TEST

SUITE("packed_batch")
{
	TEST_EACH(packed_rows_are_unpacked, sizes);
}
