/* SPDX-License-Identifier: MIT */
#include "archive/joined_data_internal.h"

#include "common/error.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/record_walk.h"

#include <string.h>

/* Positions in perf.data's header and in an AUXTRACE record. */
enum { HEADER_DATA_SIZE = 48, AUXTRACE_SIZE = 8, AUXTRACE_BYTES = 48 };

enum { SECTION_BYTES = 16 };

static int add_piece(struct joined_data *joined, const uint8_t *bytes,
		     uint64_t size)
{
	const struct data_piece piece = { bytes, size };

	joined->size += size;
	return size ? array_append(&joined->pieces, &piece) : 0;
}

/* Adds a record whose trace is cut: with the present size. */
static int add_cut(struct joined_data *joined, const struct record *record)
{
	size_t at = joined->heads.size;
	uint64_t size = record->trailer_size & ~UINT64_C(7);
	int error;

	byte_buffer_add(&joined->heads, record->bytes, AUXTRACE_SIZE);
	byte_buffer_u64(&joined->heads, size);
	byte_buffer_add(&joined->heads, record->bytes + AUXTRACE_SIZE + 8,
			AUXTRACE_BYTES - AUXTRACE_SIZE - 8);
	if (joined->heads.failed)
		return -ERROR_MEMORY;
	error = add_piece(joined, joined->heads.bytes + at, AUXTRACE_BYTES);
	return error ? error : add_piece(joined, record->trailer, size);
}

static void note_trace(struct joined_data *joined, const struct record *record,
		       uint64_t offset)
{
	if (record->type != PERF_DATA_AUXTRACE)
		return;
	byte_buffer_u64(&joined->index, offset);
	byte_buffer_u64(&joined->index, record->size);
}

static int add_part(struct joined_data *joined, const uint8_t *bytes,
		    uint64_t size)
{
	struct record record = { 0 };
	uint64_t done = 0;
	uint64_t length;
	int error;

	while (done < size) {
		if (record_frame_read(bytes + done, size - done, &record,
				      &length) ||
		    record.trailer_cut)
			break;
		note_trace(joined, &record, joined->size + done);
		done += length;
	}
	error = add_piece(joined, bytes, done);
	if (error || !record.trailer_cut || record.type != PERF_DATA_AUXTRACE ||
	    record.size != AUXTRACE_BYTES)
		return error;
	note_trace(joined, &record, joined->size);
	return add_cut(joined, &record);
}

static int add_parts(struct joined_data *joined, const struct data_file *file)
{
	int error = 0;

	/* Pieces refer to the heads, which must not move. */
	byte_buffer_reserve(&joined->heads, file->parts.count * AUXTRACE_BYTES);
	for (size_t i = 0; i < file->parts.count && !error; i++) {
		const struct data_part *part = array_at(&file->parts, i);

		error = add_part(joined, file->map.bytes + part->start,
				 part->size);
	}
	return error;
}

/* Notes the trace that is in the file data itself. */
static void note_own(struct joined_data *joined, const struct data_file *file)
{
	uint64_t at = file->data_offset;
	const uint64_t end = at + file->data_size;
	struct record record;
	uint64_t length;

	while (at < end && !record_frame_read(file->map.bytes + at, end - at,
					      &record, &length)) {
		note_trace(joined, &record, at);
		at += length;
	}
}

/* Changes an entry of the features' table: what was after the table is @more
 * bytes later.
 */
static void move_feature(uint8_t *entry, uint64_t table, uint64_t more)
{
	uint64_t offset;

	memcpy(&offset, entry, sizeof(offset));
	if (offset >= table)
		offset += more;
	memcpy(entry, &offset, sizeof(offset));
}

/* Adds the table of the features with the data after it, and the new index, if
 * there was one: the last of our recorder's features.
 */
static int add_features(struct joined_data *joined,
			const struct data_file *file, uint8_t *bytes,
			uint64_t size)
{
	const bool has_index = file->features[0] >> PERF_DATA_FEATURE_AUXTRACE &
			       1;
	const uint64_t table = file->feature_offset;
	uint64_t count = 0;
	uint64_t index[2];

	for (int i = 0; i < 4; i++)
		count += (uint64_t)__builtin_popcountll(file->features[i]);
	if (size - table < count * SECTION_BYTES)
		return -ERROR_FORMAT;
	for (uint64_t i = 0; i < count; i++)
		move_feature(bytes + table + i * SECTION_BYTES, table,
			     joined->size - table);
	index[0] = joined->size + size - table;
	index[1] = joined->index.size;
	if (has_index)
		memcpy(bytes + table + (count - 1) * SECTION_BYTES, index,
		       sizeof(index));
	if (add_piece(joined, bytes + table, size - table))
		return -ERROR_MEMORY;
	return has_index ? add_piece(joined, joined->index.bytes,
				     joined->index.size) :
			   0;
}

static int join(struct joined_data *joined, const struct data_file *file,
		uint8_t *bytes, uint64_t size)
{
	const uint64_t front = file->data_offset + file->data_size;
	uint64_t data_size;
	uint64_t count = 0;
	int error;

	if (file->is_pipe || file->is_cut || front > size)
		return -ERROR_FORMAT;
	byte_buffer_u64(&joined->index, 0);
	note_own(joined, file);
	error = add_piece(joined, bytes, front);
	if (!error)
		error = add_parts(joined, file);
	count = joined->index.size / SECTION_BYTES;
	if (joined->index.failed)
		return -ERROR_MEMORY;
	memcpy(joined->index.bytes, &count, sizeof(count));
	data_size = joined->size - file->data_offset;
	memcpy(bytes + HEADER_DATA_SIZE, &data_size, sizeof(data_size));
	return error ? error : add_features(joined, file, bytes, size);
}

int joined_data_make(struct joined_data *joined,
		     const struct recording *recording, uint8_t *bytes,
		     uint64_t size)
{
	const struct data_file *file = recording_data_file(recording);

	*joined = (struct joined_data){
		.pieces = ARRAY_OF(struct data_piece),
	};
	return file->parts.count ? join(joined, file, bytes, size) :
				   add_piece(joined, bytes, size);
}

void joined_data_free(struct joined_data *joined)
{
	array_free(&joined->pieces);
	byte_buffer_free(&joined->index);
	byte_buffer_free(&joined->heads);
}
