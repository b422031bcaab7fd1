/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CHUNK_FILE_H
#define KT_COMMON_CHUNK_FILE_H

#include <stddef.h>
#include <stdint.h>

struct pack;

/* Where a chunk of bytes lies in a file. */
struct chunk {
	uint64_t offset;
	uint64_t hash;	 /* of the bytes as they lie there */
	uint32_t stored; /* their number: compressed (zstd) */
	uint32_t size;	 /* what they become */
};

/* Chunks are added at its end; those that are there may be read meanwhile. */
struct chunk_file {
	int fd;	      /* borrowed */
	uint64_t end; /* where the next one goes */
};

enum { CHUNK_MOST = 1 << 26 };

/* Adds @size bytes, at most CHUNK_MOST.
 *
 * Returns 0 and sets *@chunk, -ERROR_MEMORY, or -ERROR_SYSTEM.
 */
int chunk_file_add(struct chunk_file *file, const void *bytes, size_t size,
		   struct chunk *chunk);

/* Returns the bytes of @chunk, chunk->size of them, to be freed; NULL if they
 * are not what was written, or when out of memory.
 */
void *chunk_file_read(const struct chunk_file *file, const struct chunk *chunk);

/* Writes or reads where a chunk lies. */
void chunk_pack(struct chunk *chunk, struct pack *pack);

#endif
