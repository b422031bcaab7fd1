/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/memory.h"
#include "decoder/recording/tracepoint_format.h"

#include <string.h>

static const char magic[] = "\x17\x08\x44tracing";

/* header_page and header_event: a name, a size, the text. */
static void skip_named_file(struct byte_reader *reader)
{
	byte_reader_text(reader);
	byte_reader_bytes(reader, byte_reader_u64(reader));
}

static void skip_header(struct byte_reader *reader)
{
	const uint8_t *start = byte_reader_bytes(reader, sizeof(magic) - 1);

	if (!start || memcmp(start, magic, sizeof(magic) - 1))
		reader->failed = true;
	byte_reader_text(reader); /* version */
	byte_reader_u8(reader);	  /* byte order */
	byte_reader_u8(reader);	  /* size of a long */
	byte_reader_u32(reader);  /* page size */
	skip_named_file(reader);
	skip_named_file(reader);

	uint32_t count = byte_reader_u32(reader);

	while (count-- && !reader->failed)
		byte_reader_bytes(reader, byte_reader_u64(reader));
}

static int read_format(struct byte_reader *reader, const char *system,
		       struct arena *arena, struct array *tracepoints)
{
	uint64_t size = byte_reader_u64(reader);
	const char *text = (const char *)byte_reader_bytes(reader, size);
	struct tracepoint tracepoint;

	if (!text)
		return 0;

	int status = tracepoint_format_read(text, size, arena, &tracepoint);

	if (status <= 0)
		return status;

	struct tracepoint *added = array_add(tracepoints);

	if (!added)
		return -ERROR_MEMORY;
	tracepoint.system = system;
	*added = tracepoint;
	return 0;
}

int tracing_formats_read(struct byte_reader *reader, const char *system,
			 struct arena *arena, struct array *tracepoints)
{
	uint32_t count = byte_reader_u32(reader);
	int error = 0;

	while (count-- && !reader->failed && !error)
		error = read_format(reader, system, arena, tracepoints);
	return error;
}

int tracing_systems_read(struct byte_reader *reader, struct arena *arena,
			 struct array *tracepoints)
{
	uint32_t systems = byte_reader_u32(reader);
	int error = 0;

	while (systems-- && !reader->failed && !error) {
		const char *name = byte_reader_text(reader);
		const char *system = arena_text(arena, name, strlen(name));

		if (!system)
			return -ERROR_MEMORY;
		error = tracing_formats_read(reader, system, arena,
					     tracepoints);
	}
	return error;
}

int tracing_data_read(const uint8_t *bytes, size_t size, struct arena *arena,
		      struct array *tracepoints)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	skip_header(&reader);
	return tracing_systems_read(&reader, arena, tracepoints);
}
