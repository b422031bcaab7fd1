/* SPDX-License-Identifier: MIT */
#include "tests/perf_switches_fixture.h"

#include "common/bytes.h"
#include "tests/shared_fixture.h"

#include <stdio.h>
#include <stdlib.h>

/* perf_header of perf.data: where the records are. */
enum {
	HEADER_DATA = 40,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	INFO_PRIV = 16,
	HAVE_SCHED_SWITCH = 7
};

static size_t find_info(const uint8_t *bytes, size_t size)
{
	struct byte_reader header = byte_reader_of(bytes, size);
	size_t at;

	byte_reader_bytes(&header, HEADER_DATA);
	at = byte_reader_u64(&header);
	while (at < size) {
		struct byte_reader record =
			byte_reader_of(bytes + at, size - at);
		uint32_t type = byte_reader_u32(&record);
		size_t step;

		byte_reader_u16(&record);
		step = byte_reader_u16(&record);
		if (type == RECORD_AUXTRACE_INFO)
			return at;
		if (type == RECORD_AUXTRACE)
			step += byte_reader_u64(&record);
		if (record.failed || !step)
			break;
		at += step;
	}
	return 0;
}

bool perf_ignore_switches(const char *path)
{
	char name[4096];
	const uint64_t none = 0;
	uint8_t *bytes;
	size_t size;
	size_t at;
	FILE *file;

	snprintf(name, sizeof(name), "%s/data", path);
	bytes = shared_file(name, &size);
	at = bytes ? find_info(bytes, size) : 0;
	free(bytes);
	file = at ? fopen(name, "r+e") : NULL;
	if (!file)
		return false;
	fseek(file, (long)(at + INFO_PRIV + HAVE_SCHED_SWITCH * 8), SEEK_SET);
	fwrite(&none, sizeof(none), 1, file);
	return fclose(file) == 0;
}
