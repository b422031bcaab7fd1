/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

/* After a PSB only PTWRITE's packets, as with branch=0. */
enum { PACKETS = 1 << 20, PTW_SIZE = 6, PSB_SIZE = 16, PSBEND_SIZE = 2 };

static const size_t SIZE = PSB_SIZE + PSBEND_SIZE + PACKETS * PTW_SIZE;

static uint8_t *make_trace(void)
{
	static const uint8_t ptwrite[PTW_SIZE] = { 0x02, 0x12, 7 };
	uint8_t *bytes = malloc(SIZE);
	uint8_t *at = bytes;

	ck_assert_ptr_nonnull(bytes);
	for (int i = 0; i < PSB_SIZE; i++)
		*at++ = i & 1 ? 0x82 : 0x02;
	*at++ = 0x02;
	*at++ = 0x23;
	for (int i = 0; i < PACKETS; i++, at += PTW_SIZE)
		memcpy(at, ptwrite, PTW_SIZE);
	return bytes;
}

START_TEST(branches_without_times_do_not_wait_for_the_end)
{
	const struct intel_setup setup = {
		.clock.max_nonturbo_ratio = 10,
	};
	uint8_t *bytes = make_trace();
	struct intel_branches *branches =
		intel_branches_new(bytes, SIZE, 0, &setup);
	struct trace_branch_batch batch;
	size_t writes = 0;

	ck_assert_ptr_nonnull(branches);
	while (intel_branches_next(branches, &batch) == 1) {
		ck_assert_uint_le(batch.count, PACKETS / 2);
		for (uint32_t i = 0; i < batch.count; i++)
			writes += batch.branches[i].kind == TRACE_PTWRITE;
	}
	ck_assert_uint_eq(writes, PACKETS);
	intel_branches_free(branches);
	free(bytes);
}
END_TEST

SUITE("untimed_trace")
{
	TEST(branches_without_times_do_not_wait_for_the_end);
}
