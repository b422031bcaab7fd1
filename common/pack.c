/* SPDX-License-Identifier: MIT */
#include "common/pack.h"

#include <string.h>

struct pack pack_to_write(void)
{
	return (struct pack){ 0 };
}

void pack_free(struct pack *pack)
{
	byte_buffer_free(&pack->out);
	*pack = (struct pack){ 0 };
}

struct pack pack_to_read(const void *bytes, size_t size)
{
	return (struct pack){
		.is_reading = true,
		.reader = byte_reader_of(bytes, size),
	};
}

static void write_bytes(struct pack *pack, uint64_t value, size_t size)
{
	uint8_t *bytes = pack->failed ? NULL :
					byte_buffer_reserve(&pack->out, size);

	pack->failed |= !bytes;
	if (pack->failed)
		return;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	pack->out.size += size;
}

static uint64_t read_bytes(struct pack *pack, size_t size)
{
	const uint8_t *bytes = byte_reader_bytes(&pack->reader, size);
	uint64_t value = 0;

	pack->failed |= !bytes;
	if (pack->failed)
		return 0;
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

void pack_u64(struct pack *pack, uint64_t *value)
{
	if (pack->is_reading)
		*value = read_bytes(pack, 8);
	else
		write_bytes(pack, *value, 8);
}

void pack_u32(struct pack *pack, uint32_t *value)
{
	if (pack->is_reading)
		*value = (uint32_t)read_bytes(pack, 4);
	else
		write_bytes(pack, *value, 4);
}

void pack_i32(struct pack *pack, int32_t *value)
{
	uint32_t bits = (uint32_t)*value;

	pack_u32(pack, &bits);
	*value = (int32_t)bits;
}

void pack_i64(struct pack *pack, int64_t *value)
{
	uint64_t bits = (uint64_t)*value;

	pack_u64(pack, &bits);
	*value = (int64_t)bits;
}

void pack_small(struct pack *pack, uint8_t *value, uint8_t most)
{
	if (!pack->is_reading) {
		write_bytes(pack, *value, 1);
		return;
	}
	*value = (uint8_t)read_bytes(pack, 1);
	pack_check(pack, *value <= most);
	if (*value > most)
		*value = 0;
}

void pack_bool(struct pack *pack, bool *value)
{
	uint8_t bit = !pack->is_reading && *value;

	pack_small(pack, &bit, 1);
	*value = bit;
}

void pack_check(struct pack *pack, bool holds)
{
	pack->failed |= !holds;
}

bool pack_is_whole(const struct pack *pack)
{
	return !pack->failed &&
	       !(pack->is_reading && byte_reader_left(&pack->reader));
}

uint64_t pack_hash(uint64_t hash, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word;

		memcpy(&word, at, 8);
		hash = pack_hash_number(hash, word);
	}
	for (; size; size--)
		hash = (hash ^ *at++) * UINT64_C(0x100000001b3);
	return hash;
}
