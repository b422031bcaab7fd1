/* SPDX-License-Identifier: MIT */
#include "sql/kept/kept_writer.h"

#include "common/new_file.h"
#include "common/pack.h"
#include "sql/kept/kept_chunk.h"
#include "sql/kept/kept_file.h"
#include "sql/kept/row_pack.h"

#include <stddef.h>
#include <stdlib.h>

struct writer {
	struct kept_writer kept; /* first */
	struct new_file file;
	struct chunk_file chunks;
	uint64_t key;
	struct kept_chunk chunk; /* whose rows come now */
	struct pack rows;	 /* of it */
	struct pack list;	 /* struct kept_chunk of all before */
	bool failed;
};

static void end_chunk(struct writer *writer)
{
	struct pack *rows = &writer->rows;

	if (rows->failed || rows->out.size > CHUNK_MOST ||
	    chunk_file_add(&writer->chunks, rows->out.bytes, rows->out.size,
			   &writer->chunk.chunk) < 0)
		writer->failed = true;
	kept_chunk_pack(&writer->chunk, &writer->list);
	writer->chunk = KEPT_CHUNK_EMPTY;
	rows->out.size = 0;
}

static void take(struct row_listener *listener, const struct row_chunk *chunk,
		 uint32_t row)
{
	struct writer *writer = (struct writer *)listener;

	if (writer->failed)
		return;
	row_pack_write(&writer->rows, chunk, row);
	kept_chunk_count(&writer->chunk, chunk, row);
	if (writer->chunk.rows == KEPT_CHUNK_ROWS)
		end_chunk(writer);
}

struct kept_writer *kept_writer_open(const char *path, uint64_t key)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	if (!new_file_open(&writer->file, path)) {
		new_file_close(&writer->file);
		free(writer);
		return NULL;
	}
	writer->kept.listener.take = take;
	writer->chunks =
		(struct chunk_file){ writer->file.fd, KEPT_HEAD_BYTES };
	writer->key = key;
	writer->chunk = KEPT_CHUNK_EMPTY;
	writer->rows = pack_to_write();
	writer->list = pack_to_write();
	return &writer->kept;
}

static bool write_list(struct writer *writer)
{
	struct kept_head head = { .key = writer->key };
	const struct byte_buffer *list = &writer->list.out;

	return !writer->list.failed && list->size <= CHUNK_MOST &&
	       chunk_file_add(&writer->chunks, list->bytes, list->size,
			      &head.chunks) == 0 &&
	       kept_head_write(&head, writer->file.fd);
}

void kept_writer_finish(struct kept_writer *kept)
{
	struct writer *writer = (struct writer *)kept;

	if (writer->chunk.rows)
		end_chunk(writer);
	if (!writer->failed && write_list(writer))
		new_file_finish(&writer->file);
}

void kept_writer_close(struct kept_writer *kept)
{
	struct writer *writer = (struct writer *)kept;

	if (!writer)
		return;
	new_file_close(&writer->file);
	pack_free(&writer->rows);
	pack_free(&writer->list);
	free(writer);
}
