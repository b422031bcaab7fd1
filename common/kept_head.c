/* SPDX-License-Identifier: MIT */
#include "common/kept_head.h"

#include "common/pack.h"

#include <string.h>
#include <unistd.h>

static const char magic[8] = "ktrows01";

static void pack_head(struct kept_head *head, struct pack *pack)
{
	pack_u64(pack, &head->key);
	chunk_pack(&head->chunks, pack);
}

bool kept_head_write(const struct kept_head *head, int fd)
{
	struct kept_head written = *head;
	struct pack pack = pack_to_write();
	bool is_written = false;

	byte_buffer_add(&pack.out, magic, sizeof(magic));
	pack_head(&written, &pack);
	if (!pack.failed && !pack.out.failed)
		is_written = pwrite(fd, pack.out.bytes, pack.out.size, 0) ==
			     KEPT_HEAD_BYTES;
	pack_free(&pack);
	return is_written;
}

bool kept_head_read(struct kept_head *head, int fd, uint64_t key)
{
	uint8_t bytes[KEPT_HEAD_BYTES];
	struct pack pack;

	if (pread(fd, bytes, sizeof(bytes), 0) != KEPT_HEAD_BYTES ||
	    memcmp(bytes, magic, sizeof(magic)))
		return false;
	pack = pack_to_read(bytes + sizeof(magic),
			    sizeof(bytes) - sizeof(magic));
	pack_head(head, &pack);
	return pack_is_whole(&pack) && head->key == key;
}
