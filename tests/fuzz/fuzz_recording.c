/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/packet_dump.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "execution/execution_stream.h"
#include "tests/fuzz/fuzz.h"
#include "tests/packed_folder_fixture.h"

static void walk_sideband(const struct recording *recording)
{
	struct sideband *sideband = sideband_open(recording, 0);
	struct sideband_record record;

	while (sideband && sideband_next(sideband, &record) == 1)
		continue;
	sideband_close(sideband);
}

static void walk_blocks(struct flow_source *source)
{
	const struct flow_item *items;

	while (flow_source_next(source, &items) > 0)
		continue;
	flow_source_close(source);
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
	struct packet_line line;

	if (!flow_source_open(&input, &source))
		walk_blocks(source);
	if (branch_source_fits(recording, input.stream) &&
	    !execution_blocks.open(&input, &source))
		walk_blocks(source);
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
	recording_set_root(recording, path);
	walk_sideband(recording);
	if (!code_image_open(recording, NULL, &image))
		for (size_t i = 0; i < recording_stream_count(recording); i++)
			walk_stream(recording, i, image);
	code_image_close(image);
	recording_close(recording);
}

/* The whole way of a recording or a snapshot: frame, records, sideband, the
 * kernel's code and programs' (files beside the recording), trace.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct packed_folder folder;

	if (!packed_folder_unpack(&folder, bytes, size))
		return 0;
	read_all(folder.path);
	packed_folder_remove(&folder);
	return 0;
}
