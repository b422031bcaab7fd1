/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void walk_sideband(const struct recording *recording)
{
	struct sideband *sideband = sideband_open(recording, 0);
	struct sideband_record record;

	while (sideband && sideband_next(sideband, &record) == 1)
		continue;
	sideband_close(sideband);
}

static void walk_stream(const struct recording *recording, size_t index,
			const struct code_image *image)
{
	const struct flow_input input = {
		.recording = recording,
		.stream = recording_stream(recording, index),
		.image = image,
	};
	struct flow_source *source = NULL;
	struct packet_dump *dump = NULL;
	const struct flow_item *items;
	struct packet_line line;

	if (!flow_source_open(&input, &source))
		while (flow_source_next(source, &items) > 0)
			continue;
	flow_source_close(source);
	if (!packet_dump_open(recording, input.stream, &dump))
		while (packet_dump_next(dump, &line) == 1)
			continue;
	packet_dump_close(dump);
}

static void read_all(const char *path)
{
	struct recording *recording;
	struct code_image *image = NULL;

	if (recording_open(path, NULL, &recording))
		return;
	walk_sideband(recording);
	if (!code_image_open(recording, NULL, &image))
		for (size_t i = 0; i < recording_stream_count(recording); i++)
			walk_stream(recording, i, image);
	code_image_close(image);
	recording_close(recording);
}

/* The whole way of a perf.data file: frame, records, sideband, trace. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size)
		read_all(path);
	close(fd);
	return 0;
}
