/* SPDX-License-Identifier: MIT */
#include "archive/seekable_internal.h"

#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/log.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define SEEKABLE_SKIPPED_MAGIC 0x184d2a5eu
#define SEEKABLE_MAGIC 0x8f92eab1u

struct frame_position {
	uint64_t packed_offset;
	uint64_t offset; /* of its first byte, unpacked */
	uint32_t packed_size;
	uint32_t size;
};

static int refuse(const struct seekable_reader *reader, uint64_t offset,
		  int error, const char *text)
{
	log_message(reader->log, LOG_ERROR, reader->path, offset, "%s", text);
	return -error;
}

static uint32_t read_u32(const uint8_t *bytes)
{
	struct byte_reader reader = byte_reader_of(bytes, 4);

	return byte_reader_u32(&reader);
}

/* Limits the unpacked size, since a forged file could fill the disk. */
static uint64_t most_bytes(size_t packed_size)
{
	uint64_t most = packed_size * (uint64_t)BUDGET_UNPACKED_RATIO +
			BUDGET_UNPACKED_FREE;

	return most < BUDGET_ARCHIVE_BYTES ? most : BUDGET_ARCHIVE_BYTES;
}

static int add_position(struct seekable_reader *reader, const uint8_t *entry,
			uint64_t *packed_offset)
{
	struct frame_position *position = array_add(&reader->frames);

	if (!position)
		return -ERROR_MEMORY;
	*position = (struct frame_position){
		.packed_offset = *packed_offset,
		.offset = reader->size,
		.packed_size = read_u32(entry),
		.size = read_u32(entry + 4),
	};
	if (position->size > BUDGET_ARCHIVE_FRAME_BYTES)
		return -ERROR_FORMAT;
	*packed_offset += position->packed_size;
	reader->size += position->size;
	return 0;
}

/* Reads the @count entries of the table that starts at @offset. */
static int read_table(struct seekable_reader *reader, uint64_t offset,
		      size_t count)
{
	const uint8_t *entry = reader->packed + offset + SEEKABLE_HEADER_BYTES;
	uint64_t packed_offset = 0;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++)
		error = add_position(reader, entry + i * SEEKABLE_ENTRY_BYTES,
				     &packed_offset);
	if (error == -ERROR_MEMORY)
		return error;
	if (error || packed_offset != offset)
		return refuse(reader, offset, ERROR_FORMAT,
			      "the table of its parts does not fit the file");
	if (reader->size > most_bytes(offset))
		return refuse(reader, offset, ERROR_FORMAT,
			      "it would become larger than any recording of "
			      "its size");
	return 0;
}

static int find_table(struct seekable_reader *reader, size_t size)
{
	const uint8_t *footer = reader->packed + size - SEEKABLE_FOOTER_BYTES;
	uint64_t count = read_u32(footer);
	uint64_t table = SEEKABLE_HEADER_BYTES + SEEKABLE_FOOTER_BYTES +
			 count * SEEKABLE_ENTRY_BYTES;

	if (read_u32(footer + 5) != SEEKABLE_MAGIC)
		return refuse(reader, size, ERROR_TRUNCATED,
			      "the archive is truncated, or was not written by "
			      "ktrace-hw");
	if (footer[4] || table > size ||
	    read_u32(reader->packed + size - table) != SEEKABLE_SKIPPED_MAGIC)
		return refuse(reader, size - SEEKABLE_FOOTER_BYTES,
			      ERROR_FORMAT, "the archive's table is damaged");
	return read_table(reader, size - table, (size_t)count);
}

int seekable_reader_open(struct seekable_reader *reader,
			 const struct file_map *map, const char *path,
			 const struct log *log)
{
	int error;

	*reader = (struct seekable_reader){
		.packed = map->bytes,
		.path = path,
		.log = log,
		.frames = ARRAY_OF(struct frame_position),
	};
	if (map->size < SEEKABLE_HEADER_BYTES + SEEKABLE_FOOTER_BYTES ||
	    read_u32(map->bytes) != ZSTD_MAGICNUMBER)
		return -ERROR_UNSUPPORTED;
	error = find_table(reader, map->size);
	if (error)
		return error;
	reader->frame = reader->frames.count;
	reader->context = ZSTD_createDCtx();
	reader->bytes = malloc(BUDGET_ARCHIVE_FRAME_BYTES);
	return reader->context && reader->bytes ? 0 : -ERROR_MEMORY;
}

static int compare_position(const void *key, const void *item)
{
	uint64_t offset = *(const uint64_t *)key;
	const struct frame_position *position = item;

	if (offset < position->offset)
		return -1;
	return offset - position->offset >= position->size;
}

/* Returns the frame that has the byte at @offset, after unpacking it to
 * reader->bytes unless it is there already. Returns NULL if it is damaged,
 * which is logged.
 */
static const struct frame_position *reach(struct seekable_reader *reader,
					  uint64_t offset)
{
	const struct array *frames = &reader->frames;
	const struct frame_position *position =
		frames->count ? bsearch(&offset, frames->items, frames->count,
					frames->item_size, compare_position) :
				NULL;
	size_t size;

	if (!position)
		return NULL;
	if (reader->frame ==
	    (size_t)(position - (struct frame_position *)frames->items))
		return position;
	reader->frame = frames->count;
	size = ZSTD_decompressDCtx(reader->context, reader->bytes,
				   BUDGET_ARCHIVE_FRAME_BYTES,
				   reader->packed + position->packed_offset,
				   position->packed_size);
	if (ZSTD_isError(size) || size != position->size) {
		refuse(reader, position->packed_offset, ERROR_FORMAT,
		       "the archive is damaged here");
		return NULL;
	}
	reader->frame =
		(size_t)(position - (struct frame_position *)frames->items);
	return position;
}

int seekable_reader_get(struct seekable_reader *reader, uint64_t offset,
			void *bytes, size_t size)
{
	uint8_t *next = bytes;

	if (offset > reader->size || size > reader->size - offset)
		return refuse(reader, LOG_NO_OFFSET, ERROR_TRUNCATED,
			      "the archive ends inside a file");
	while (size) {
		const struct frame_position *position = reach(reader, offset);
		size_t some;

		if (!position)
			return -ERROR_FORMAT;
		some = position->size - (size_t)(offset - position->offset);
		if (some > size)
			some = size;
		memcpy(next, reader->bytes + (offset - position->offset), some);
		next += some;
		offset += some;
		size -= some;
	}
	return 0;
}

void seekable_reader_free(struct seekable_reader *reader)
{
	ZSTD_freeDCtx(reader->context);
	free(reader->bytes);
	array_free(&reader->frames);
	*reader = (struct seekable_reader){ 0 };
}

/* zstd's level. Trace becomes a third smaller than with the default level, 3,
 * at 30 MB a second.
 */
enum { LEVEL = 9 };

struct seekable_frame {
	uint32_t packed_size;
	uint32_t size;
};

static int out_of_memory(const struct seekable_writer *writer)
{
	log_message(writer->log, LOG_ERROR, writer->path, LOG_NO_OFFSET,
		    "out of memory");
	return -ERROR_MEMORY;
}

int seekable_writer_open(struct seekable_writer *writer, int fd,
			 const char *path, const struct log *log)
{
	*writer = (struct seekable_writer){
		.fd = fd,
		.path = path,
		.log = log,
		.context = ZSTD_createCCtx(),
		.bytes = malloc(SEEKABLE_FRAME_BYTES),
		.packed_room = ZSTD_compressBound(SEEKABLE_FRAME_BYTES),
		.frames = ARRAY_OF(struct seekable_frame),
	};
	writer->packed = malloc(writer->packed_room);
	if (!writer->context || !writer->bytes || !writer->packed)
		return out_of_memory(writer);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int write_all(struct seekable_writer *writer, const void *bytes,
		     size_t size)
{
	const uint8_t *next = bytes;

	while (size) {
		ssize_t put = write(writer->fd, next, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			log_message(writer->log, LOG_ERROR, writer->path,
				    writer->written, "cannot be written: %s",
				    strerror(errno));
			return -ERROR_SYSTEM;
		}
		writer->written += (uint64_t)put;
		next += put;
		size -= (size_t)put;
	}
	return 0;
}

int seekable_writer_cut(struct seekable_writer *writer)
{
	struct seekable_frame *frame;
	size_t size;

	if (!writer->size)
		return 0;
	size = ZSTD_compress2(writer->context, writer->packed,
			      writer->packed_room, writer->bytes, writer->size);
	frame = array_add(&writer->frames);
	if (!frame)
		return out_of_memory(writer);
	if (ZSTD_isError(size)) {
		log_message(writer->log, LOG_ERROR, writer->path,
			    writer->written, "cannot be compressed: %s",
			    ZSTD_getErrorName(size));
		return -ERROR_SYSTEM;
	}
	frame->packed_size = htole32((uint32_t)size);
	frame->size = htole32((uint32_t)writer->size);
	writer->size = 0;
	return write_all(writer, writer->packed, size);
}

int seekable_writer_put(struct seekable_writer *writer, const void *bytes,
			size_t size)
{
	const uint8_t *next = bytes;
	int error = 0;

	while (size && !error) {
		size_t room = SEEKABLE_FRAME_BYTES - writer->size;
		size_t some = size < room ? size : room;

		memcpy(writer->bytes + writer->size, next, some);
		writer->size += some;
		next += some;
		size -= some;
		if (writer->size == SEEKABLE_FRAME_BYTES)
			error = seekable_writer_cut(writer);
	}
	return error;
}

int seekable_writer_finish(struct seekable_writer *writer)
{
	uint32_t header[2];
	uint8_t footer[SEEKABLE_FOOTER_BYTES] = { 0 };
	uint32_t words[2];
	int error = seekable_writer_cut(writer);
	size_t table = writer->frames.count * SEEKABLE_ENTRY_BYTES;
	header[0] = htole32(SEEKABLE_SKIPPED_MAGIC);
	header[1] = htole32((uint32_t)(table + SEEKABLE_FOOTER_BYTES));
	words[0] = htole32((uint32_t)writer->frames.count);
	words[1] = htole32(SEEKABLE_MAGIC);
	memcpy(footer, &words[0], 4);
	memcpy(footer + 5, &words[1], 4);
	if (!error)
		error = write_all(writer, header, sizeof(header));
	if (!error)
		error = write_all(writer, writer->frames.items, table);
	return error ? error : write_all(writer, footer, sizeof(footer));
}

void seekable_writer_free(struct seekable_writer *writer)
{
	ZSTD_freeCCtx(writer->context);
	free(writer->bytes);
	free(writer->packed);
	array_free(&writer->frames);
	*writer = (struct seekable_writer){ 0 };
}
