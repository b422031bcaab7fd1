/* SPDX-License-Identifier: MIT */
#include "common/bytes.h"
#include "decoder/flow/flow.h"
#include "execution/stream/stream_checkpoint.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 100, STREAM_SIZE = 5000 };

static const struct stream_checkpoint made = {
	.has_state = true,
	.state = {
		.position = 4096,
		.block_ip = 0xffffffff81000010,
		.from_ip = 0xffffffff81000020,
		.nmi_return = NO_NMI,
		.page_table = 0x2000,
		.guest_page_table = 0x3000,
		.machine = 0x1234000,
		.guest = GUEST_UNKNOWN,
		.sync_low_ns = 98,
		.sync_high_ns = 99,
		.is_table_lost = true,
		.before = { 100, UINT64_MAX, 3 },
		.edge_kind = EDGE_KIND_RETURN,
		.exit = EXIT_ASYNC,
		.at_branch = true,
		.fold = { true, FLOW_EXIT_CALL, FUNCTIONS - 1, 7 },
		.folds = { .saved = { { { true, EXIT_UNTRACED, 5, 6 }, 9 } },
			   .count = 1 },
		.atoms = {
			.state = {
				.is_on = true,
				.awaits_target = true,
				.is_expected = true,
				.set = INSTRUCTION_A32,
				.listed_mode = 2,
				.gap = { true, FLOW_GAP_GENERATED, 1, 2, 3 },
				.low_ns = 21,
				.known_ns = 22,
				.bound_low_ns = 23,
				.bound_high_ns = UINT64_MAX,
				.after_low_ns = 24,
				.after_high_ns = 25,
				.instructions = 26,
				.work_seen = 27,
				.cycles = { .is_known = true,
					    .stamped = 31,
					    .carried = 32,
					    .work = 33,
					    .weighed = 34 },
				.task = -1,
				.named_tasks = true,
			},
			.reported_ip = 0xffff800080000010,
			.reported_set = INSTRUCTION_T32,
			.has_pid = true,
			.pid = 41,
		},
		.block_set = INSTRUCTION_A64,
		.from_set = INSTRUCTION_A32,
		.last_ns = 11,
		.waiting = 12,
		.work = 13,
		.pace = INSTRUCTION_PACE_FIRST,
	},
	.tasks = { .current = { 1, 2 }, .next = { -1, -1 }, .has_next = true },
	.is_running = true,
	.last_ns = 12345,
	.last_early_ns = 1,
	.last_late_ns = 2,
	.switches = 77,
	.events = 99,
};

static struct pack write_made(void)
{
	struct stream_checkpoint checkpoint = made;
	struct pack pack = pack_to_write();

	stream_checkpoint_pack(&checkpoint, &pack, FUNCTIONS, STREAM_SIZE);
	ck_assert(pack_is_whole(&pack));
	return pack;
}

/* Returns whether @bytes are a checkpoint, and if so that they are written
 * again as they were.
 */
static bool read_back(const uint8_t *bytes, size_t size,
		      struct stream_checkpoint *checkpoint)
{
	struct pack in = pack_to_read(bytes, size);
	struct pack out = pack_to_write();
	bool is_whole;

	*checkpoint = (struct stream_checkpoint){ 0 };
	stream_checkpoint_pack(checkpoint, &in, FUNCTIONS, STREAM_SIZE);
	is_whole = pack_is_whole(&in);
	if (is_whole) {
		stream_checkpoint_pack(checkpoint, &out, FUNCTIONS,
				       STREAM_SIZE);
		ck_assert_uint_eq(out.out.size, size);
		ck_assert_mem_eq(out.out.bytes, bytes, size);
	}
	pack_free(&out);
	return is_whole;
}

START_TEST(it_is_read_as_written)
{
	struct pack pack = write_made();
	struct stream_checkpoint checkpoint;

	ck_assert(read_back(pack.out.bytes, pack.out.size, &checkpoint));
	ck_assert(execution_state_is_same(&checkpoint.state, &made.state));
	ck_assert_uint_eq(checkpoint.state.return_address, 0);
	ck_assert_int_eq(checkpoint.tasks.next.tid, -1);
	ck_assert(checkpoint.tasks.has_next && checkpoint.is_running);
	ck_assert_uint_eq(checkpoint.last_ns, 12345);
	ck_assert_uint_eq(checkpoint.switches, 77);
	ck_assert_uint_eq(checkpoint.events, 99);
	pack_free(&pack);
}
END_TEST

/* Checkpoints that are accepted contain only values that their users can
 * handle.
 */
START_TEST(damage_makes_nothing_impossible)
{
	struct pack pack = write_made();
	struct stream_checkpoint read;

	for (size_t i = 0; i < pack.out.size; i++) {
		uint8_t kept = pack.out.bytes[i];

		ck_assert(!read_back(pack.out.bytes, i, &read));
		for (int value = 0; value < 256; value++) {
			pack.out.bytes[i] = (uint8_t)value;
			if (!read_back(pack.out.bytes, pack.out.size, &read))
				continue;
			ck_assert_uint_lt(read.state.position, STREAM_SIZE);
			ck_assert_uint_le(read.state.edge_kind,
					  EDGE_KIND_OTHER);
			ck_assert_uint_le(read.state.exit, EXIT_UNTRACED);
			ck_assert_uint_lt(read.state.fold.from, FUNCTIONS);
			ck_assert_uint_le(read.state.folds.count, 8);
		}
		pack.out.bytes[i] = kept;
	}
	pack_free(&pack);
}
END_TEST

SUITE("stream_checkpoint")
{
	TEST(it_is_read_as_written);
	TEST(damage_makes_nothing_impossible);
}
