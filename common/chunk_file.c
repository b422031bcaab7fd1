/* SPDX-License-Identifier: MIT */
#include "common/chunk_file.h"

#include "common/error.h"
#include "common/pack.h"
#include "common/write_at.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum { FAST = 1 };

static int write_all(struct chunk_file *file, const void *bytes, size_t size)
{
	int error = write_at(file->fd, bytes, size, file->end);

	if (error) {
		file->cause = file->cause ? file->cause : errno;
		return error;
	}
	file->end += size;
	return 0;
}

int chunk_file_add(struct chunk_file *file, const void *bytes, size_t size,
		   struct chunk *chunk)
{
	size_t room = ZSTD_compressBound(size);
	void *stored = malloc(room);
	size_t stored_size;
	int status;

	if (!stored)
		return -ERROR_MEMORY;
	stored_size = ZSTD_compress(stored, room, bytes, size, FAST);
	if (ZSTD_isError(stored_size)) {
		free(stored);
		return -ERROR_MEMORY;
	}
	*chunk = (struct chunk){
		.offset = file->end,
		.hash = pack_hash(PACK_HASH_FIRST, stored, stored_size),
		.stored = (uint32_t)stored_size,
		.size = (uint32_t)size,
	};
	status = write_all(file, stored, stored_size);
	free(stored);
	return status;
}

static void *expand(const struct chunk *chunk, const void *stored)
{
	void *bytes = malloc(chunk->size + 1);

	if (bytes && ZSTD_decompress(bytes, chunk->size, stored,
				     chunk->stored) != chunk->size) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

void *chunk_file_read(const struct chunk_file *file, const struct chunk *chunk)
{
	void *stored = NULL;
	void *bytes = NULL;

	if (chunk->size <= CHUNK_MOST &&
	    chunk->stored <= ZSTD_compressBound(CHUNK_MOST))
		stored = malloc(chunk->stored + 1);
	if (stored &&
	    pread(file->fd, stored, chunk->stored, (off_t)chunk->offset) ==
		    (ssize_t)chunk->stored &&
	    pack_hash(PACK_HASH_FIRST, stored, chunk->stored) == chunk->hash)
		bytes = expand(chunk, stored);
	free(stored);
	return bytes;
}

void chunk_pack(struct chunk *chunk, struct pack *pack)
{
	pack_u64(pack, &chunk->offset);
	pack_u64(pack, &chunk->hash);
	pack_u32(pack, &chunk->stored);
	pack_u32(pack, &chunk->size);
}
