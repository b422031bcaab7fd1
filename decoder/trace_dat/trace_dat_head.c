/* SPDX-License-Identifier: MIT */
#include "decoder/trace_dat/trace_dat_head.h"
#include "decoder/recording/tracepoint_format.h"

struct text_part trace_dat_text(struct byte_reader *reader, uint64_t size)
{
	const uint8_t *bytes =
		byte_reader_bytes(reader, size > SIZE_MAX ? SIZE_MAX : size);

	return (struct text_part){ .text = (const char *)bytes,
				   .size_bytes = bytes ? size : 0 };
}

int trace_dat_read_page(struct trace_dat *dat, struct byte_reader *reader)
{
	struct text_part text;
	int status;

	byte_reader_text(reader);
	text = trace_dat_text(reader, byte_reader_u64(reader));
	byte_reader_text(reader);
	trace_dat_text(reader, byte_reader_u64(reader));
	if (reader->failed)
		return 0;
	status = tracepoint_format_read(text.text, text.size_bytes, dat->arena,
					&dat->page);
	return status < 0 ? status : 0;
}
