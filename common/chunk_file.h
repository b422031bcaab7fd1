/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CHUNK_FILE_H
#define KT_COMMON_CHUNK_FILE_H

#include <stddef.h>
#include <stdint.h>

struct pack;

/* The position of a chunk of bytes in a file. */
struct chunk {
	uint64_t offset;
	uint64_t hash;	 /* of the stored bytes */
	uint32_t stored; /* size in the file: compressed (zstd) */
	uint32_t size;	 /* size when decompressed */
};

/* A file of chunks. Chunks are appended; existing ones may be read at the same
 * time.
 */
struct chunk_file {
	int fd;	      /* borrowed */
	uint64_t end; /* where the next chunk is added */
	int cause;    /* errno of the first write that failed; or 0 */
};

enum { CHUNK_MOST = 1 << 26 };

/* Adds @size bytes, at most CHUNK_MOST.
 *
 * Returns 0 and sets *@chunk, -ERROR_MEMORY, or -ERROR_SYSTEM.
 */
int chunk_file_add(struct chunk_file *file, const void *bytes, size_t size,
		   struct chunk *chunk);

/* Returns the bytes of @chunk, chunk->size of them; the caller frees them.
 * Returns NULL if they are damaged, or when out of memory.
 */
void *chunk_file_read(const struct chunk_file *file, const struct chunk *chunk);

/* Writes or reads the position of a chunk. */
void chunk_pack(struct chunk *chunk, struct pack *pack);

#endif
