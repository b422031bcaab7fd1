/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording_features.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/memory.h"
#include "common/perf_data.h"

#include <string.h>

/* Reads a string of perf: a size that includes padding, then the text. */
static int read_text(struct byte_reader *reader, struct arena *arena,
		     const char **text)
{
	uint32_t size = byte_reader_u32(reader);
	const char *bytes = (const char *)byte_reader_bytes(reader, size);

	if (!bytes)
		return 0;

	const char *copy = arena_text(arena, bytes, strnlen(bytes, size));

	if (!copy)
		return -ERROR_MEMORY;
	*text = copy;
	return 0;
}

static int read_command(struct byte_reader *reader, struct arena *arena,
			const char **command)
{
	size_t room = byte_reader_left(reader) + 1;
	uint32_t count = byte_reader_u32(reader);
	char *line = arena_alloc(arena, room);
	size_t length = 0;

	if (!line)
		return -ERROR_MEMORY;
	while (count-- && !reader->failed) {
		uint32_t size = byte_reader_u32(reader);
		const char *word =
			(const char *)byte_reader_bytes(reader, size);

		if (!word)
			break;
		if (length)
			line[length++] = ' ';
		size = (uint32_t)strnlen(word, size);
		memcpy(line + length, word, size);
		length += size;
	}
	*command = line;
	return 0;
}

int recording_feature_read(struct recording_info *info, unsigned int bit,
			   const uint8_t *bytes, size_t size,
			   struct arena *arena)
{
	struct byte_reader reader = byte_reader_of(bytes, size);

	switch (bit) {
	case PERF_DATA_FEATURE_HOSTNAME:
		return read_text(&reader, arena, &info->hostname);
	case PERF_DATA_FEATURE_OSRELEASE:
		return read_text(&reader, arena, &info->os_release);
	case PERF_DATA_FEATURE_VERSION:
		return read_text(&reader, arena, &info->version);
	case PERF_DATA_FEATURE_ARCH:
		return read_text(&reader, arena, &info->arch);
	case PERF_DATA_FEATURE_CPUDESC:
		return read_text(&reader, arena, &info->cpu_name);
	case PERF_DATA_FEATURE_CPUID:
		return read_text(&reader, arena, &info->cpuid);
	case PERF_DATA_FEATURE_CMDLINE:
		return read_command(&reader, arena, &info->command);
	case PERF_DATA_FEATURE_NRCPUS:
		info->cpus_available = byte_reader_u32(&reader);
		info->cpus_online = byte_reader_u32(&reader);
		return 0;
	default:
		return 0;
	}
}

enum recording_arch recording_arch_named(const char *name)
{
	static const struct {
		const char *name;
		enum recording_arch arch;
	} known[] = {
		{ "x86_64", RECORDING_ARCH_X86_64 },
		{ "aarch64", RECORDING_ARCH_ARM64 },
		{ "arm", RECORDING_ARCH_ARM },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(name, known[i].name, strlen(known[i].name)))
			return known[i].arch;
	return RECORDING_ARCH_UNKNOWN;
}
