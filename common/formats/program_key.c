/* SPDX-License-Identifier: MIT */
#include "common/formats/program_key.h"

#include "common/bytes.h"
#include "common/formats/build_id_cache.h"

#include <inttypes.h>
#include <stdio.h>

struct program_key program_key_of_id(const uint8_t *build_id, size_t size)
{
	struct program_key key = { "" };

	for (size_t i = 0; i < size && i < ELF_BUILD_ID_SIZE; i++)
		snprintf(key.text + 2 * i, sizeof(key.text) - 2 * i, "%02x",
			 build_id[i]);
	return key;
}

struct program_key program_key_of_inode(const uint8_t *bytes)
{
	struct byte_reader reader = byte_reader_of(bytes, PROGRAM_INODE_BYTES);
	uint32_t major = byte_reader_u32(&reader);
	uint32_t minor = byte_reader_u32(&reader);
	uint64_t inode = byte_reader_u64(&reader);
	uint64_t generation = byte_reader_u64(&reader);
	struct program_key key = { "" };

	if (inode)
		snprintf(key.text, sizeof(key.text),
			 "%" PRIu32 "-%" PRIu32 "-%" PRIu64 "-%" PRIu64, major,
			 minor, inode, generation);
	return key;
}
