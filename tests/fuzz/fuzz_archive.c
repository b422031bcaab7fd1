/* SPDX-License-Identifier: MIT */
#include "archive/archive_file_internal.h"
#include "tests/fuzz/fuzz.h"

/* Fuzzes the content of an archive, without Zstandard, and the archive itself.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct file_map map = { bytes, size };
	struct archive_reader reader = { 0 };
	struct archive_member member = { 0 };
	uint8_t byte;

	for (size_t at = 0; at + TAR_BLOCK_BYTES <= size; at += TAR_BLOCK_BYTES)
		tar_header_read(&member.header, bytes + at);
	tar_records_read(&member.header, (const char *)bytes, size);
	if (!seekable_reader_open(&reader.bytes, &map, "archive", NULL))
		while (archive_reader_next(&reader, &member) > 0)
			seekable_reader_get(&reader.bytes, member.content,
					    &byte, member.header.size > 0);
	seekable_reader_free(&reader.bytes);
	return 0;
}
