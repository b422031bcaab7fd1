/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/intel_pt/intel_packet_dump_internal.h"
#include "decoder/recording/aux_stream.h"
#include "tests/fuzz/fuzz.h"

static void read_packets(const uint8_t *bytes, size_t size)
{
	struct intel_packet_context context = { 0 };
	struct intel_packet packet;
	char text[80];

	for (size_t at = 0;
	     intel_packet_read_in(&context, bytes + at, size - at, &packet) > 0;
	     at += packet.size)
		intel_packet_text(&packet, text, sizeof(text));
}

static void search_points(const uint8_t *bytes, size_t size)
{
	struct sync_search search = { .bytes = bytes, .size = size };
	const struct point_search points = sync_search_points(&search);
	struct sync_point point;

	for (uint64_t ticks = 1; ticks; ticks <<= 8)
		if (point_search_before(&points, ticks, &point) &&
		    (point.position >= size || point.ticks > ticks))
			__builtin_trap();
}

/* The most ticks of a recording, if the first byte has this bit. */
enum { HAS_SPAN = 0x80 };
#define LAST_TICKS (UINT64_C(1) << 40)

/* No time is far after the span, whatever the packets are: only the cycles after
 * the last time packet may lead out of it.
 */
static void check_times(const struct trace_branch_batch *batch)
{
	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->branches[i].low > 2 * LAST_TICKS << INTEL_TICK_SHIFT)
			__builtin_trap();
}

/* Packets as branches, on a processor whose errata the first byte names. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct intel_setup setup = {
		.clock = {
			.mtc_shift = 3,
			.tsc_ctc_n = 100,
			.tsc_ctc_d = 2,
			.max_nonturbo_ratio = 12,
		},
	};
	struct trace_branch_batch batch;
	struct intel_branches *branches;

	if (!size)
		return 0;
	setup.errata = bytes[0] & ~HAS_SPAN;
	if (bytes[0] & HAS_SPAN)
		setup.clock.span =
			(struct tick_span){ .first = 1, .last = LAST_TICKS };
	branches = intel_branches_new(bytes + 1, size - 1,
				      intel_psb_find(bytes + 1, size - 1, 0),
				      &setup);
	while (branches && intel_branches_next(branches, &batch) > 0)
		if (bytes[0] & HAS_SPAN)
			check_times(&batch);
	intel_branches_free(branches);
	read_packets(bytes + 1, size - 1);
	search_points(bytes + 1, size - 1);
	return 0;
}
