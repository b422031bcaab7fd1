/* SPDX-License-Identifier: MIT */
#include "common/kept_file.h"

#include "common/kept_head.h"
#include "common/pack.h"
#include "common/regular_file.h"

#include <stdlib.h>
#include <unistd.h>

/* Reads those chunks of the list that may have wanted records. */
static bool read_list(struct array *chunks, const struct kept_span *wanted,
		      struct pack *pack)
{
	while (!pack->failed && byte_reader_left(&pack->reader)) {
		struct kept_chunk chunk;

		kept_chunk_pack(&chunk, pack);
		if (pack->failed || !kept_chunk_is_wanted(&chunk, wanted))
			continue;
		if (array_append(chunks, &chunk) < 0)
			return false;
	}
	return pack_is_whole(pack);
}

bool kept_file_open(struct kept_file *kept, const char *path, uint64_t key,
		    const struct kept_span *wanted)
{
	struct kept_head head;
	struct pack pack;
	void *bytes;
	bool is_whole;

	*kept = KEPT_FILE_NONE;
	kept->file.fd = regular_file_open_cached(path);
	if (kept->file.fd < 0 || !kept_head_read(&head, kept->file.fd, key))
		return false;
	bytes = chunk_file_read(&kept->file, &head.chunks);
	if (!bytes)
		return false;
	pack = pack_to_read(bytes, head.chunks.size);
	is_whole = read_list(&kept->chunks, wanted, &pack);
	free(bytes);
	return is_whole;
}

void kept_file_close(struct kept_file *kept)
{
	if (kept->file.fd >= 0)
		close(kept->file.fd);
	array_free(&kept->chunks);
}

void *kept_file_read(const struct kept_file *kept, size_t index, size_t *size)
{
	const struct kept_chunk *chunk = array_at(&kept->chunks, index);

	*size = chunk->chunk.size;
	return chunk_file_read(&kept->file, &chunk->chunk);
}
