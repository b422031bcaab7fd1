/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PACK_H
#define KT_COMMON_PACK_H

#include "common/byte_buffer.h"
#include "common/byte_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Serializes values: the same code writes and reads. Each function here writes
 * the value at the pointer, or sets it.
 *
 * @failed is set permanently when memory or bytes run out, and by callers that
 * find a read value invalid. All later reads yield zero, so that callers need
 * only check once, at the end.
 */
struct pack {
	bool is_reading;
	bool failed;
	struct byte_reader reader;
	struct byte_buffer out; /* the bytes written */
};

/* Returns an empty pack to be written; free it with pack_free(). */
struct pack pack_to_write(void);
void pack_free(struct pack *pack);

/* Returns a pack that reads @bytes, which it borrows. */
struct pack pack_to_read(const void *bytes, size_t size);

void pack_u64(struct pack *pack, uint64_t *value);
void pack_u32(struct pack *pack, uint32_t *value);
void pack_i32(struct pack *pack, int32_t *value);
void pack_i64(struct pack *pack, int64_t *value);
void pack_bool(struct pack *pack, bool *value);

/* Like pack_u8(), for a value of at most @most: larger ones make the pack fail.
 */
void pack_small(struct pack *pack, uint8_t *value, uint8_t most);

/* Makes the pack fail unless @holds; to validate read values. */
void pack_check(struct pack *pack, bool holds);

/* Returns whether there was no error and, when reading, no bytes are left. */
bool pack_is_whole(const struct pack *pack);

/* A hash to detect damage; @hash is the hash of the preceding bytes, or
 * PACK_HASH_FIRST.
 */
#define PACK_HASH_FIRST UINT64_C(0xcbf29ce484222325)
uint64_t pack_hash(uint64_t hash, const void *bytes, size_t size);

/* Like pack_hash(), for the eight bytes of a number. */
static inline uint64_t pack_hash_number(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

#endif
