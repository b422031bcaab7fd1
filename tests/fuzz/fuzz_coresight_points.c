/* SPDX-License-Identifier: MIT */
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

enum { SETTINGS = 12, FRAME = 16 };

static struct coresight_unit unit_of(const uint8_t *bytes)
{
	struct coresight_unit unit = {
		.protocol = bytes[0] & 1 ? CORESIGHT_ETE : CORESIGHT_ETMV4,
		.trace_id = 0x10,
		.config = 0x801,
	};

	memcpy(&unit.idr0, bytes, sizeof(unit.idr0));
	memcpy(&unit.idr2, bytes + 4, sizeof(unit.idr2));
	unit.idr8 = bytes[8] & 15;
	return unit;
}

/* Checks that sync points are in order, and reads from each to the end. */
static void go_to_points(struct branch_source *source, uint64_t size)
{
	struct trace_branch_batch batch;
	uint64_t at_ns;
	uint64_t point = branch_source_next_sync(source, 0);

	for (int i = 0; i < 16 && point != NO_SYNC; i++) {
		uint64_t next = branch_source_next_sync(source, point + 1);

		assert(point && point <= size && next > point);
		branch_source_sync_before(source, point * 1000, point / 2,
					  &at_ns);
		assert(!branch_source_seek(source, point));
		while (branch_source_next(source, &batch) > 0)
			assert(batch.position + batch.branches[batch.count - 1]
							.position <=
			       size);
		point = next;
	}
}

/* The input: a unit's registers, whether its trace is in frames, the length of
 * the first of two chunks, and the trace.
 */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct recording *recording = recording_new("", NULL);
	struct coresight_unit *unit =
		array_add(&recording_facts_to_fill(recording)->coresight_units);
	struct aux_piece pieces[2] = { { .bytes = bytes + SETTINGS } };
	struct aux_stream stream = { .pieces = pieces, .piece_count = 2 };
	const struct flow_input input = { .recording = recording,
					  .stream = &stream };
	struct branch_source *source;

	if (!unit || size < SETTINGS + 2 * FRAME)
		goto done;
	*unit = unit_of(bytes);
	stream.size_bytes = size - SETTINGS;
	pieces[0].is_formatted = bytes[9] & 1;
	pieces[0].begins_anew = true;
	pieces[1] = pieces[0];
	pieces[1].begins_anew = bytes[9] & 2;
	pieces[0].size_bytes = (bytes[10] | (size_t)bytes[11] << 8) &
			       ~(size_t)(FRAME - 1);
	if (pieces[0].size_bytes >= stream.size_bytes)
		pieces[0].size_bytes = FRAME;
	pieces[1].offset = pieces[0].size_bytes;
	pieces[1].size_bytes = stream.size_bytes - pieces[1].offset;
	pieces[1].bytes += pieces[1].offset;
	if (!coresight_branch_source.open(&input, &source)) {
		go_to_points(source, stream.size_bytes);
		branch_source_close(source);
	}
done:
	recording_close(recording);
	return 0;
}
