/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_BYTES_H
#define KT_COMMON_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of files and records: struct byte_buffer writes them, struct
 * byte_reader reads untrusted ones, and struct pack does either with the same
 * code, so that the two sides of a format cannot differ.
 *
 * Invariants:
 *  1. No read passes the end, whatever the bytes contain.
 *  2. An error is permanent: @failed stays set, reads then yield zero and
 *     writes add nothing. Callers check it once, at the end.
 *  3. Integers are little endian.
 */

/* A growing buffer for a record or a file section under construction.
 *
 * When memory runs out, @failed is set and nothing more is added, so that
 * callers need only check once, at the end.
 */
struct byte_buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool failed;
};

/* Returns space for @more bytes after the buffer's content; the caller writes
 * them there and increases the buffer's size. Returns NULL when out of memory.
 * Pointers returned before become invalid.
 */
uint8_t *byte_buffer_reserve(struct byte_buffer *buffer, size_t more);

/* Appends a copy of @size bytes. */
void byte_buffer_add(struct byte_buffer *buffer, const void *bytes,
		     size_t size);

void byte_buffer_zeros(struct byte_buffer *buffer, size_t size);

void byte_buffer_u32(struct byte_buffer *buffer, uint32_t value);

void byte_buffer_u64(struct byte_buffer *buffer, uint64_t value);

/* Appends @text and its NUL. */
void byte_buffer_text(struct byte_buffer *buffer, const char *text);

/* Appends zeros until the size is a multiple of @alignment. */
void byte_buffer_align(struct byte_buffer *buffer, size_t alignment);

/* Appends the whole file at @path. Does not rely on the reported file size,
 * which is 0 for files of /proc and tracefs.
 *
 * Returns 0; or -ERROR_SYSTEM, errno set, if the file cannot be read, and
 * @buffer is then unchanged. When out of memory, also returns 0; the buffer has
 * failed then.
 */
int byte_buffer_file(struct byte_buffer *buffer, const char *path);

/* Frees the bytes; the buffer is then empty and can be reused. */
void byte_buffer_free(struct byte_buffer *buffer);

/* Reads untrusted bytes from front to back and never past their end.
 *
 * After the first read that does not fit, @failed is set, every read yields
 * zero, empty or NULL, and the position no longer moves, so that callers need
 * only check once, at the end. Integers are little endian, as in every
 * recording we read.
 */
struct byte_reader {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	size_t position;
	bool failed;
};

/* The functions below are inline, because commands read all records of a
 * recording several times before they decode anything.
 */
static inline struct byte_reader byte_reader_of(const void *bytes, size_t size)
{
	return (struct byte_reader){ .bytes = bytes, .size = size };
}

/* Returns a pointer to the next @size bytes and moves past them; if fewer are
 * left, fails and returns NULL.
 */
static inline const uint8_t *byte_reader_bytes(struct byte_reader *reader,
					       size_t size)
{
	const uint8_t *bytes = reader->bytes + reader->position;

	if (reader->failed || size > reader->size - reader->position) {
		reader->failed = true;
		return NULL;
	}
	reader->position += size;
	return bytes;
}

static inline uint8_t byte_reader_u8(struct byte_reader *reader)
{
	const uint8_t *bytes = byte_reader_bytes(reader, 1);

	return bytes ? *bytes : 0;
}

static inline uint16_t byte_reader_u16(struct byte_reader *reader)
{
	const uint8_t *bytes = byte_reader_bytes(reader, 2);
	uint16_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return le16toh(value);
}

static inline uint32_t byte_reader_u32(struct byte_reader *reader)
{
	const uint8_t *bytes = byte_reader_bytes(reader, 4);
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return le32toh(value);
}

static inline uint64_t byte_reader_u64(struct byte_reader *reader)
{
	const uint8_t *bytes = byte_reader_bytes(reader, 8);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, sizeof(value));
	return le64toh(value);
}

/* Returns how many bytes are left; 0 after a failure. */
static inline size_t byte_reader_left(const struct byte_reader *reader)
{
	return reader->failed ? 0 : reader->size - reader->position;
}

/* Returns a pointer to the text and moves past its NUL; if there is no NUL,
 * fails and returns "".
 */
const char *byte_reader_text(struct byte_reader *reader);

/* Serializes values: the same code writes and reads. pack_u64() and the other
 * functions with a value either write the value at the pointer or, if the pack
 * is_reading, set it.
 *
 * @failed is set permanently when memory or bytes run out, and by pack_check()
 * when a value that was read is invalid. All later reads yield zero, so that
 * callers need only check once, at the end.
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

/* Like pack_u32(), for a byte of at most @most. Reading a larger value makes
 * the pack fail and sets *@value to 0.
 */
void pack_small(struct pack *pack, uint8_t *value, uint8_t most);

/* Makes the pack fail unless @holds, the result of a check of values that were
 * read.
 */
void pack_check(struct pack *pack, bool holds);

/* Returns whether there was no error and, when reading, no bytes are left. */
bool pack_is_whole(const struct pack *pack);

/* Moves *@text and *@size, which is not 0, after the first line of the *@size
 * bytes at *@text. Returns the length of that line without its newline, which
 * the last line may lack. The line starts at the former *@text.
 */
size_t text_skip_line(const char **text, size_t *size);

/* Returns a hash that detects damage of @bytes; @hash is the hash of the
 * preceding bytes, or PACK_HASH_FIRST.
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
