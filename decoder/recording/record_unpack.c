/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_unpack.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/perf_data.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Records are at most 64 KiB, so the bytes of the last, incomplete record are
 * all that is buffered to find where records end.
 */
struct record_unpack {
	const struct log *log;
	ZSTD_DStream *zstd;
	int fd;		 /* -1 until something was unpacked */
	uint64_t packed; /* compressed bytes so far */
	uint64_t size;	 /* bytes in the file */
	uint64_t whole;	 /* of these, in complete records returned */
	uint8_t *rest;	 /* the bytes from @whole on */
	size_t rest_size;
	size_t rest_room;
};

enum { CHUNK_SIZE = 128 * 1024 };

struct record_unpack *record_unpack_new(const struct log *log)
{
	struct record_unpack *unpack = calloc(1, sizeof(*unpack));

	if (!unpack)
		return NULL;
	unpack->log = log;
	unpack->fd = -1;
	return unpack;
}

void record_unpack_free(struct record_unpack *unpack)
{
	if (!unpack)
		return;
	ZSTD_freeDStream(unpack->zstd);
	if (unpack->fd >= 0)
		close(unpack->fd);
	free(unpack->rest);
	free(unpack);
}

static const char *begin(struct record_unpack *unpack)
{
	if (unpack->fd >= 0)
		return NULL;
	unpack->zstd = ZSTD_createDStream();
	unpack->fd = file_map_temporary(unpack->log);
	if (!unpack->zstd || unpack->fd < 0)
		return "no room to unpack compressed records";
	return NULL;
}

static bool is_over_budget(const struct record_unpack *unpack)
{
	return unpack->size > BUDGET_UNPACKED_BYTES ||
	       unpack->size > BUDGET_UNPACKED_FREE +
				      unpack->packed * BUDGET_UNPACKED_RATIO;
}

static const char *keep(struct record_unpack *unpack, const uint8_t *bytes,
			size_t size)
{
	if (unpack->rest_size + size > unpack->rest_room) {
		size_t room = (unpack->rest_size + size) * 2;
		uint8_t *rest = realloc(unpack->rest, room);

		if (!rest)
			return "out of memory while unpacking";
		unpack->rest = rest;
		unpack->rest_room = room;
	}
	memcpy(unpack->rest + unpack->rest_size, bytes, size);
	unpack->rest_size += size;
	unpack->size += size;
	if (is_over_budget(unpack))
		return "compressed records unpack to more than any recorder's "
		       "would";
	if (file_map_append(unpack->fd, bytes, size, unpack->log) < 0)
		return "no room to unpack compressed records";
	return NULL;
}

/* Returns the complete records among the buffered bytes: less than one record
 * remains buffered, whatever the total size.
 */
static const char *take_whole(struct record_unpack *unpack)
{
	const char *reason = NULL;
	size_t at = 0;

	while (unpack->rest_size - at >= PERF_DATA_RECORD_HEADER_SIZE) {
		struct byte_reader reader = byte_reader_of(
			unpack->rest + at, unpack->rest_size - at);

		byte_reader_bytes(&reader, 6);

		size_t size = byte_reader_u16(&reader);

		if (size < PERF_DATA_RECORD_HEADER_SIZE)
			reason = "a compressed record is malformed inside";
		if (reason || size > unpack->rest_size - at)
			break;
		at += size;
	}
	unpack->rest_size -= at;
	if (at)
		memmove(unpack->rest, unpack->rest + at, unpack->rest_size);
	unpack->whole += at;
	return reason;
}

static const char *inflate(struct record_unpack *unpack, const uint8_t *bytes,
			   size_t size)
{
	uint8_t chunk[CHUNK_SIZE];
	ZSTD_inBuffer in = { bytes, size, 0 };
	const char *reason = NULL;
	bool full = false;

	while (!reason && (in.pos < in.size || full)) {
		ZSTD_outBuffer out = { chunk, sizeof(chunk), 0 };
		size_t status = ZSTD_decompressStream(unpack->zstd, &out, &in);

		if (ZSTD_isError(status))
			return "a compressed record does not unpack";
		if (!out.pos && in.pos == in.size)
			break;
		full = out.pos == out.size;
		if (out.pos)
			reason = keep(unpack, chunk, out.pos);
		if (!reason)
			reason = take_whole(unpack);
	}
	return reason;
}

const char *record_unpack_add(struct record_unpack *unpack,
			      const struct record *record, uint64_t *offset,
			      uint64_t *size)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);
	const char *reason = begin(unpack);

	*offset = unpack->whole;
	*size = 0;
	if (reason)
		return reason;
	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);

	size_t packed_size = byte_reader_left(&reader);

	if (record->type == PERF_DATA_COMPRESSED2) {
		uint64_t stated = byte_reader_u64(&reader);

		packed_size = byte_reader_left(&reader);
		if (stated < packed_size)
			packed_size = stated;
	}
	unpack->packed += packed_size;
	reason = inflate(unpack, record->bytes + reader.position, packed_size);

	*size = unpack->whole - *offset;
	return reason;
}

int record_unpack_finish(struct record_unpack *unpack, struct file_map *map)
{
	*map = (struct file_map){ 0 };
	if (unpack->fd < 0)
		return 0;
	return file_map_open_fd(map, unpack->fd);
}
