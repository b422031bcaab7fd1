/* SPDX-License-Identifier: MIT */
#include "decoder/recording/record_frame.h"
#include "common/bytes.h"
#include "common/perf_data.h"

/* Returns the number of bytes after the record that its size does not include.
 */
static uint64_t trailer_size_of(const struct record *record)
{
	struct byte_reader reader = byte_reader_of(record->bytes, record->size);

	byte_reader_bytes(&reader, PERF_DATA_RECORD_HEADER_SIZE);
	switch (record->type) {
	case PERF_DATA_AUXTRACE:
		return byte_reader_u64(&reader);
	case PERF_DATA_TRACING_DATA:
		return ((uint64_t)byte_reader_u32(&reader) + 7) & ~7ull;
	default:
		return 0;
	}
}

const char *record_frame_read(const uint8_t *bytes, uint64_t size,
			      struct record *record, uint64_t *length)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	*record = (struct record){ .bytes = bytes };
	record->type = byte_reader_u32(&reader);
	record->misc = byte_reader_u16(&reader);
	record->size = byte_reader_u16(&reader);
	if (reader.failed)
		return "the file ends inside a record";
	if (record->size < PERF_DATA_RECORD_HEADER_SIZE)
		return "a record is shorter than its own header";
	if (record->size > size)
		return "the file ends inside a record";

	uint64_t left = size - record->size;

	record->trailer = bytes + record->size;
	record->trailer_size = trailer_size_of(record);
	record->trailer_cut = record->trailer_size > left;
	if (record->trailer_cut)
		record->trailer_size = left;
	*length = record->size + record->trailer_size;
	return NULL;
}
