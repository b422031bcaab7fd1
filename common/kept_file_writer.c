/* SPDX-License-Identifier: MIT */
#include "common/kept_file.h"
#include "common/kept_head.h"
#include "common/output_folder.h"
#include "common/pack.h"

#include <stdlib.h>

struct kept_file_writer {
	struct output_draft file;
	struct chunk_file chunks;
	uint64_t key;
	struct kept_chunk chunk; /* the chunk being filled */
	struct pack records;	 /* of @chunk */
	struct pack list;	 /* struct kept_chunk of all earlier chunks */
	/* @chunk has the data to which records refer */
	bool has_rest;
	bool failed;
};

struct kept_file_writer *kept_file_writer_open(const char *path, uint64_t key)
{
	struct kept_file_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	if (!output_draft_open(&writer->file, path)) {
		output_draft_close(&writer->file);
		free(writer);
		return NULL;
	}
	writer->chunks = (struct chunk_file){ .fd = writer->file.fd,
					      .end = KEPT_HEAD_BYTES };
	writer->key = key;
	writer->chunk = KEPT_CHUNK_EMPTY;
	writer->records = pack_to_write();
	writer->list = pack_to_write();
	return writer;
}

static void end_chunk(struct kept_file_writer *writer)
{
	struct pack *records = &writer->records;

	if (records->failed || records->out.size > CHUNK_MOST ||
	    chunk_file_add(&writer->chunks, records->out.bytes,
			   records->out.size, &writer->chunk.chunk) < 0)
		writer->failed = true;
	kept_chunk_pack(&writer->chunk, &writer->list);
	writer->chunk = KEPT_CHUNK_EMPTY;
	records->out.size = 0;
}

struct pack *kept_file_writer_pack(struct kept_file_writer *writer)
{
	return &writer->records;
}

void kept_file_writer_add(struct kept_file_writer *writer,
			  const struct kept_span *span)
{
	kept_chunk_count(&writer->chunk, span);
	if (writer->chunk.records == KEPT_CHUNK_RECORDS)
		end_chunk(writer);
}

struct pack *kept_file_writer_rest(struct kept_file_writer *writer)
{
	if (writer->chunk.records)
		end_chunk(writer);
	writer->chunk.span = KEPT_SPAN_ALL;
	writer->has_rest = true;
	return &writer->records;
}

static bool write_list(struct kept_file_writer *writer)
{
	struct kept_head head = { .key = writer->key };
	const struct byte_buffer *list = &writer->list.out;

	return !writer->list.failed && list->size <= CHUNK_MOST &&
	       chunk_file_add(&writer->chunks, list->bytes, list->size,
			      &head.chunks) == 0 &&
	       kept_head_write(&head, writer->file.fd);
}

void kept_file_writer_finish(struct kept_file_writer *writer)
{
	if (writer->chunk.records || writer->has_rest)
		end_chunk(writer);
	if (!writer->failed && write_list(writer))
		output_draft_finish(&writer->file);
}

void kept_file_writer_close(struct kept_file_writer *writer)
{
	if (!writer)
		return;
	output_draft_close(&writer->file);
	pack_free(&writer->records);
	pack_free(&writer->list);
	free(writer);
}
